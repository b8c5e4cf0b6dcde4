import { NumberGrid, Sample } from '../sample.js';
import { CpuTimes, TIME } from './cpu-times.js';
import type { NumaNodes } from './numa-nodes.js';

/** CPU times added up over the CPUs of each NUMA node; the times of the CPUs must be fresh before it. */
export class NodeTimes extends Sample {
  /** One row for each node, in the order of the nodes' table. Sums of ticks stay far below 2^53. */
  readonly times = new NumberGrid(TIME.count);
  readonly #cpuTimes: CpuTimes;
  readonly #nodes: NumaNodes;

  constructor(cpuTimes: CpuTimes, nodes: NumaNodes) {
    super();
    this.#cpuTimes = cpuTimes;
    this.#nodes = nodes;
  }

  protected override refresh(): void {
    const { cpus, times: each } = this.#cpuTimes;
    this.times.clear(this.#nodes.table.count);
    if (cpus.count === 0) return; // /proc/stat could not be read: no value, since counters would seem to fall to 0
    for (let node = 0; node < this.times.rows; node++) {
      for (let column = 0; column < TIME.count; column++) this.times.set(node, column, 0); // a node may have no CPU
    }
    for (let i = 0; i < cpus.count; i++) {
      const node = this.#nodes.rowOf(cpus.ids[i]!);
      for (let column = 0; column < TIME.count; column++) {
        const ticks = each.number(CpuTimes.FIRST_CPU_ROW + i, column);
        if (!Number.isNaN(ticks)) this.times.set(node, column, this.times.number(node, column) + ticks);
      }
    }
  }
}
