import type { Clock } from '../../../pmapi/index.js';
import { LINUX_CATALOG, NODE_INDOM } from '../catalog/linux-catalog.js';
import type { ClusterEnvironment, LocalCluster, MetricBinding } from '../cluster.js';
import type { InstanceCache } from '../instance-caches.js';
import { InstanceTable } from '../instance-table.js';
import { KeyedFile } from '../file-samples.js';
import type { ProcFiles } from '../proc-files.js';
import { Sample } from '../sample.js';

const NODES = 'sys/devices/system/node';

/** Memory may be plugged in while the system runs, which none of the files that are read anyway reports. */
const REREAD_MS = 60_000;

/**
 * Which NUMA nodes there are and which CPUs belong to each; node0 alone on a kernel without NUMA. Read again once a minute,
 * and when CPUs come or go.
 */
export class NumaNodes {
  readonly table: InstanceTable;
  /** Node numbers as in the names of their directories, by row of {@link table}. */
  numbers: readonly number[] = [];
  readonly #files: ProcFiles;
  readonly #cache: InstanceCache;
  readonly #rowOfCpu = new Map<number, number>();
  readonly #clock: Clock;
  readonly #instancesChanged: () => void;
  #readAtMs = -Infinity;

  constructor({ files, caches, clock, instancesChanged }: ClusterEnvironment) {
    this.#files = files;
    this.#cache = caches.of(NODE_INDOM);
    this.#clock = clock;
    this.#instancesChanged = instancesChanged;
    this.table = new InstanceTable(NODE_INDOM.indom);
  }

  /** Read the directories, unless that was done lately and the CPUs are those of before. */
  ensure(cpusChanged: boolean): void {
    const nowMs = this.#clock.monotonicMs();
    if (!cpusChanged && nowMs - this.#readAtMs < REREAD_MS) return;
    this.#readAtMs = nowMs;
    const before = this.numbers;
    const found = numbered(this.#files.list(NODES), 'node');
    this.numbers = found.length > 0 ? found : [0];
    if (before.join() !== this.numbers.join()) this.#instancesChanged();
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

/** Metrics, and the line of a node's meminfo that each one is. */
const LINES: ReadonlyMap<string, string> = new Map([
  ['mem.numa.util.total', 'MemTotal'],
  ['mem.numa.util.free', 'MemFree'],
  ['mem.numa.util.active', 'Active'],
  ['mem.numa.util.inactive', 'Inactive'],
  ['mem.numa.util.dirty', 'Dirty'],
  ['mem.numa.util.filePages', 'FilePages'],
  ['mem.numa.util.shmem', 'Shmem'],
  ['mem.numa.util.slab', 'Slab'],
  ['mem.numa.util.slabReclaimable', 'SReclaimable'],
  ['mem.numa.util.hugepagesFree', 'HugePages_Free'],
]);
const KEYS = [...new Set(LINES.values())];
/** `Node 0 MemTotal: 24684092 kB` */
const NODE_PREFIX_WORDS = 2;

/** The meminfo file of every NUMA node. */
class NodeMemory extends Sample {
  readonly nodes: NumaNodes;
  readonly #files: ProcFiles;
  readonly #meminfo = new Map<number, KeyedFile>();
  #round = 0;

  constructor(files: ProcFiles, nodes: NumaNodes) {
    super();
    this.#files = files;
    this.nodes = nodes;
  }

  /** The file of the node in a row of the nodes' table. */
  of(row: number): KeyedFile {
    const node = this.nodes.numbers[row]!;
    let file = this.#meminfo.get(node);
    if (!file) {
      const path = `sys/devices/system/node/node${node}/meminfo`;
      file = new KeyedFile(this.#files, path, KEYS, { separator: 'colon', skipWords: NODE_PREFIX_WORDS });
      this.#meminfo.set(node, file);
    }
    return file;
  }

  protected override refresh(): void {
    this.nodes.ensure(false);
    this.#round++;
    for (let row = 0; row < this.nodes.table.count; row++) this.of(row).ensure(this.#round);
  }
}

/** mem.numa.util.*. */
export function nodeMemoryCluster(environment: ClusterEnvironment): LocalCluster {
  const memory = new NodeMemory(environment.files, new NumaNodes(environment));
  const samples = [memory];
  const table = new Map<string, MetricBinding>();
  for (const [metric, key] of LINES) {
    const column = KEYS.indexOf(key);
    table.set(metric, {
      kind: 'quick',
      samples,
      fill: (set, profile) =>
        memory.nodes.table.fill(set, profile, (into, id, row) => memory.of(row).fields.emit(into, id, 0, column)),
    });
  }
  return { name: 'node-memory', metrics: LINUX_CATALOG.bind(table) };
}
