import { LINUX_CATALOG, LOAD_INDOM } from '../catalog/linux-catalog.js';
import type { ClusterEnvironment, LocalCluster, MetricBinding } from '../cluster.js';
import { addNumber, NumberGrid, Sample } from '../sample.js';
import type { ProcFile, ProcFiles } from '../proc-files.js';

const MINUTES = [1, 5, 15] as const;
const INSTANCES = MINUTES.map((id) => ({ id, name: `${id} minute` }));
const COLUMN = { load: 0, runnable: 3, nprocs: 4, lastpid: 5, count: 6 } as const;

/** `0.20 0.18 0.12 1/80 11206`. @see proc_loadavg(5) */
class LoadAverages extends Sample {
  readonly fields = new NumberGrid(COLUMN.count);
  readonly #files: ProcFiles;
  readonly #file: ProcFile;

  constructor(files: ProcFiles) {
    super();
    this.#files = files;
    this.#file = files.file('proc/loadavg');
  }

  protected override refresh(): void {
    const { fields } = this;
    fields.clear(1);
    const scanner = this.#files.scan(this.#file);
    if (!scanner) return;
    for (let i = 0; i < MINUTES.length; i++) fields.set(0, COLUMN.load + i, scanner.decimal());
    for (const column of [COLUMN.runnable, COLUMN.nprocs, COLUMN.lastpid]) {
      if (!scanner.integer()) return;
      fields.store(0, column, scanner);
      scanner.pos++; // the slash between the first two
    }
  }
}

/** kernel.all.load and its neighbours, from /proc/loadavg. */
export function loadavgCluster({ files }: ClusterEnvironment): LocalCluster {
  const sample = new LoadAverages(files);
  const samples = [sample];
  const { fields } = sample;
  const single = (column: number): MetricBinding => ({
    kind: 'quick',
    samples,
    fill: (set) => fields.emit(set, -1, 0, column),
  });
  const table = new Map<string, MetricBinding>([
    [
      'kernel.all.load',
      {
        kind: 'quick',
        samples,
        fill(set, profile) {
          for (let i = 0; i < MINUTES.length; i++) {
            const minutes = MINUTES[i]!;
            if (!profile.includes(LOAD_INDOM.indom, minutes) || !fields.has(0, COLUMN.load + i)) continue;
            addNumber(set, minutes, fields.number(0, COLUMN.load + i));
          }
        },
      },
    ],
    ['kernel.all.runnable', single(COLUMN.runnable)],
    ['kernel.all.nprocs', single(COLUMN.nprocs)],
    ['kernel.all.lastpid', single(COLUMN.lastpid)],
  ]);
  return {
    name: 'loadavg',
    metrics: LINUX_CATALOG.bind(table),
    indoms: [{ catalog: LOAD_INDOM, samples: [], list: () => INSTANCES }],
  };
}
