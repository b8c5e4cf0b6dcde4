import { LINUX_CATALOG } from '../catalog/linux-catalog.js';
import type { ClusterEnvironment, LocalCluster, MetricBinding } from '../cluster.js';
import { KeyedFile } from '../keyed-file.js';
import type { ProcFiles } from '../proc-files.js';
import { Sample } from '../sample.js';
import { NumaNodes } from './numa-nodes.js';

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
