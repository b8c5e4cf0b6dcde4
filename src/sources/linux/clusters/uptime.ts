import { INSTANCE_NULL } from '../../../pmapi/index.js';
import { LINUX_CATALOG } from '../catalog/linux-catalog.js';
import type { ClusterEnvironment, LocalCluster, MetricBinding } from '../cluster.js';
import { NumberGrid, Sample } from '../sample.js';
import type { ProcFile, ProcFiles } from '../proc-files.js';

/** `1532.70 2870.91`: seconds up, seconds idle summed over CPUs. @see proc_uptime(5) */
class Uptime extends Sample {
  readonly fields = new NumberGrid(2);
  readonly #files: ProcFiles;
  readonly #file: ProcFile;

  constructor(files: ProcFiles) {
    super();
    this.#files = files;
    this.#file = files.file('proc/uptime');
  }

  protected override refresh(): void {
    this.fields.clear(1);
    const scanner = this.#files.scan(this.#file);
    if (!scanner) return;
    this.fields.set(0, 0, scanner.decimal());
    this.fields.set(0, 1, scanner.decimal());
  }
}

/** kernel.all.uptime and kernel.all.idletime. */
export function uptimeCluster({ files }: ClusterEnvironment): LocalCluster {
  const sample = new Uptime(files);
  const seconds = (column: number): MetricBinding => ({
    kind: 'quick',
    samples: [sample],
    fill: (set) => sample.fields.emit(set, INSTANCE_NULL, 0, column),
  });
  const table = new Map<string, MetricBinding>([
    ['kernel.all.uptime', seconds(0)],
    ['kernel.all.idletime', seconds(1)],
  ]);
  return { name: 'uptime', metrics: LINUX_CATALOG.bind(table) };
}
