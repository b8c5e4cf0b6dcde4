import { getOrMake } from '../../../kit/index.js';
import type { Clock } from '../../../pmapi/index.js';
import { LINUX_CATALOG, NODE_INDOM } from '../catalog/linux-catalog.js';
import { cluster, type ClusterEnvironment, type LocalCluster } from '../cluster.js';
import type { InstanceCache } from '../instance-caches.js';
import { InstanceTable, NumberGrid, Sample } from '../sample.js';
import { FileSample, keyed, tableBindings } from '../table.js';
import type { ProcFiles } from '../proc-files.js';

const NODES = 'sys/devices/system/node';

/** Memory may be plugged in while the system runs, which none of the files that are read anyway reports. */
const REREAD_MS = 60_000;

/** NUMA nodes and their CPUs; node0 alone on a kernel without NUMA. Read again once a minute, and when CPUs come or go. */
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

  nameOf(id: number): string | undefined {
    return this.#cache.nameOf(id);
  }
}

function numbered(names: readonly string[], prefix: string): readonly number[] {
  const numbers = names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
  return numbers
    .filter((digits) => /^\d{1,6}$/.test(digits))
    .map(Number)
    .sort((a, b) => a - b);
}

const MEMINFO = 'sys/devices/system/node/meminfo';
/** `Node 0 MemTotal: 24684092 kB` */
const NODE_MEMINFO = keyed({ separator: 'colon', skipWords: 2 });

class NodeMemory extends Sample {
  readonly columns = LINUX_CATALOG.columnsOf(MEMINFO);
  readonly fields = new NumberGrid(this.columns.length);
  readonly #files: ProcFiles;
  readonly #nodes: NumaNodes;
  readonly #meminfo = new Map<number, FileSample>();

  constructor(files: ProcFiles, nodes: NumaNodes) {
    super();
    this.#files = files;
    this.#nodes = nodes;
  }

  protected override refresh(): void {
    this.#nodes.ensure(false);
    const { numbers } = this.#nodes;
    this.fields.clear(numbers.length);
    for (let row = 0; row < numbers.length; row++) this.#of(numbers[row]!).readInto(this.fields, row);
  }

  #of(node: number): FileSample {
    const path = `${NODES}/node${node}/meminfo`;
    return getOrMake(this.#meminfo, node, () => new FileSample(this.#files, path, this.columns, NODE_MEMINFO));
  }
}

/** mem.numa.util.*: the readings' file stands for that of each node. */
export function nodeMemoryCluster(environment: ClusterEnvironment): LocalCluster {
  const nodes = new NumaNodes(environment);
  const memory = new NodeMemory(environment.files, nodes);
  const { columns, fields } = memory;
  const table = { file: MEMINFO, columns, samples: [memory], grid: fields, instances: nodes.table };
  return cluster('node-memory', tableBindings(environment, [table]));
}
