import { INSTANCE_NULL } from '../../../pmapi/index.js';
import { LINUX_CATALOG, PRESSURE_INDOM } from '../catalog/linux-catalog.js';
import type { ClusterEnvironment, LocalCluster, MetricBinding } from '../cluster.js';
import { NumberGrid, Sample } from '../sample.js';
import { InstanceTable } from '../instance-table.js';
import type { ProcFile, ProcFiles } from '../proc-files.js';

const RESOURCES = ['cpu', 'memory', 'io', 'irq'];
const KINDS = ['some', 'full'];
const INSTANCES = [
  { id: 10, name: '10 second' },
  { id: 60, name: '1 minute' },
  { id: 300, name: '5 minute' },
];
const TOTAL = INSTANCES.length;
const EQUALS = 61;

/** `some avg10=0.00 avg60=0.05 avg300=0.10 total=12345`, and a line `full` alike: a row each. */
class Pressure extends Sample {
  readonly fields = new NumberGrid(TOTAL + 1);
  readonly #files: ProcFiles;
  readonly #file: ProcFile;

  constructor(files: ProcFiles, resource: string) {
    super();
    this.#files = files;
    this.#file = files.file(`proc/pressure/${resource}`);
  }

  protected override refresh(): void {
    const { fields } = this;
    fields.clear(KINDS.length);
    const scanner = this.#files.scan(this.#file);
    if (!scanner || scanner.atEnd) return;
    do {
      const row = KINDS.indexOf(scanner.word());
      for (let column = 0; row >= 0 && column <= TOTAL; column++) {
        const equals = scanner.find(EQUALS);
        if (equals < 0) break;
        scanner.pos = equals + 1;
        if (column < TOTAL) fields.set(row, column, scanner.decimal());
        else if (scanner.integer()) fields.store(row, column, scanner);
      }
    } while (scanner.nextLine());
  }
}

/** kernel.all.pressure.*. @see the kernel's Documentation/accounting/psi.rst */
export function pressureCluster({ files }: ClusterEnvironment): LocalCluster {
  const averages = new InstanceTable(PRESSURE_INDOM.indom);
  for (const { id } of INSTANCES) averages.add(id);
  const table = new Map<string, MetricBinding>();
  for (const resource of RESOURCES) {
    const sample = new Pressure(files, resource);
    const samples = [sample];
    for (const [row, kind] of KINDS.entries()) {
      const prefix = `kernel.all.pressure.${resource}.${kind}`;
      if (!LINUX_CATALOG.has(`${prefix}.total`)) continue;
      table.set(`${prefix}.avg`, {
        kind: 'quick',
        samples,
        fill: (set, profile) =>
          averages.fill(set, profile, (into, id, column) => sample.fields.emit(into, id, row, column)),
      });
      table.set(`${prefix}.total`, {
        kind: 'quick',
        samples,
        fill: (set) => sample.fields.emit(set, INSTANCE_NULL, row, TOTAL),
      });
    }
  }
  return {
    name: 'pressure',
    metrics: LINUX_CATALOG.bind(table),
    indoms: [{ catalog: PRESSURE_INDOM, samples: [], list: () => INSTANCES }],
  };
}
