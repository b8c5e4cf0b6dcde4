import { INSTANCE_NULL } from '../../../pmapi/index.js';
import { LINUX_CATALOG } from '../catalog/linux-catalog.js';
import type { ClusterEnvironment, LocalCluster, MetricBinding } from '../cluster.js';
import { addNumber, Sample } from '../sample.js';
import type { ProcFile, ProcFiles } from '../proc-files.js';

const HEX_WORD = /^[0-9a-f]{1,8}$/i;

/** /proc/net/softnet_stat: a line for each CPU, of hexadecimal columns without names. */
class Softnet extends Sample {
  /** Sums over all CPUs; NaN when no line could be read. */
  dropped = NaN;
  timeSqueeze = NaN;
  readonly #files: ProcFiles;
  readonly #file: ProcFile;

  constructor(files: ProcFiles) {
    super();
    this.#files = files;
    this.#file = files.file('proc/net/softnet_stat');
  }

  protected override refresh(): void {
    this.dropped = NaN;
    this.timeSqueeze = NaN;
    const scanner = this.#files.scan(this.#file);
    if (!scanner) return;
    while (!scanner.atEnd) {
      const [processed, dropped, timeSqueeze] = [scanner.word(), scanner.word(), scanner.word()];
      scanner.nextLine();
      if (![processed, dropped, timeSqueeze].every((word) => HEX_WORD.test(word))) continue;
      this.dropped = (Number.isNaN(this.dropped) ? 0 : this.dropped) + parseInt(dropped, 16);
      this.timeSqueeze = (Number.isNaN(this.timeSqueeze) ? 0 : this.timeSqueeze) + parseInt(timeSqueeze, 16);
    }
  }
}

/** network.softnet.*. */
export function networkSoftnetCluster({ files }: ClusterEnvironment): LocalCluster {
  const softnet = new Softnet(files);
  const single = (valueOf: () => number): MetricBinding => ({
    kind: 'quick',
    samples: [softnet],
    fill(set) {
      const value = valueOf();
      if (!Number.isNaN(value)) addNumber(set, INSTANCE_NULL, value);
    },
  });
  const bindings = new Map([
    ['network.softnet.dropped', single(() => softnet.dropped)],
    ['network.softnet.time_squeeze', single(() => softnet.timeSqueeze)],
  ]);
  return { name: 'network-softnet', metrics: LINUX_CATALOG.bind(bindings) };
}
