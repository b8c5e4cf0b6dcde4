import type { InstanceCache } from '../instance-cache.js';
import { InstanceTable } from '../instance-table.js';
import type { ProcFiles } from '../proc-files.js';

const NODES = 'sys/devices/system/node';

/**
 * Which NUMA nodes there are and which CPUs belong to each; node0 alone on a kernel without NUMA. Read again when asked to,
 * which is when CPUs come or go.
 */
export class NumaNodes {
  readonly table: InstanceTable;
  /** Node numbers as in the names of their directories, by row of {@link table}. */
  numbers: readonly number[] = [];
  readonly #files: ProcFiles;
  readonly #cache: InstanceCache;
  readonly #rowOfCpu = new Map<number, number>();
  #isRead = false;

  constructor(files: ProcFiles, cache: InstanceCache) {
    this.#files = files;
    this.#cache = cache;
    this.table = new InstanceTable(cache.indom);
  }

  /** Read the directories, unless that was done already and nothing changed. */
  ensure(changed: boolean): void {
    if (this.#isRead && !changed) return;
    this.#isRead = true;
    const found = numbered(this.#files.list(NODES), 'node');
    this.numbers = found.length > 0 ? found : [0];
    this.table.clear();
    this.#rowOfCpu.clear();
    for (const node of this.numbers) {
      const row = this.table.add(this.#cache.numberOf(`node${node}`));
      for (const cpu of numbered(this.#files.list(`${NODES}/node${node}`), 'cpu')) this.#rowOfCpu.set(cpu, row);
    }
  }

  /** The row of the node that a CPU belongs to; the first one when no node claims it. */
  rowOf(cpu: number): number {
    return this.#rowOfCpu.get(cpu) ?? 0;
  }

  /** The name of an instance (node0). */
  nameOf(id: number): string | undefined {
    return this.#cache.nameOf(id);
  }
}

/** The numbers N of names such as `nodeN`, in ascending order. */
function numbered(names: readonly string[], prefix: string): readonly number[] {
  const numbers = names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
  return numbers
    .filter((digits) => /^\d{1,6}$/.test(digits))
    .map(Number)
    .sort((a, b) => a - b);
}
