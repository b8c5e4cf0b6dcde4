import { INSTANCE_NULL } from '../../../pmapi/index.js';
import { decodeText } from '../byte-scanner.js';
import { LINUX_CATALOG, LOAD_INDOM } from '../catalog/linux-catalog.js';
import type { ClusterEnvironment, LocalCluster, MetricBinding } from '../cluster.js';
import type { ProcFile, ProcFiles } from '../proc-files.js';
import { NumberGrid, Sample, addNumber } from '../sample.js';

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

/** struct utmp of 64-bit glibc; on arm64 its times have 64 bits. @see utmp(5) */
const RECORD_BYTES = 384;
const RECORD_BYTES_ARM64 = 400;
const USER_OFFSET = 44;
const USER_BYTES = 32;
const USER_PROCESS = 7;

/** The records of /var/run/utmp; without that file there are no logins. */
class Logins extends Sample {
  users = 0;
  roots = 0;
  sessions = 0;
  readonly #files: ProcFiles;
  readonly #file: ProcFile;
  readonly #recordBytes: number;

  constructor(files: ProcFiles, arch: string) {
    super();
    this.#files = files;
    this.#recordBytes = arch === 'arm64' ? RECORD_BYTES_ARM64 : RECORD_BYTES;
    this.#file = files.file('var/run/utmp');
  }

  protected override refresh(): void {
    this.users = this.roots = this.sessions = 0;
    const scanner = this.#files.scan(this.#file);
    if (!scanner) return;
    const { bytes, end } = scanner;
    for (let at = 0; at + this.#recordBytes <= end; at += this.#recordBytes) this.#record(bytes, at);
  }

  #record(bytes: Uint8Array, at: number): void {
    const type = bytes[at]! | (bytes[at + 1]! << 8);
    const start = at + USER_OFFSET;
    let end = start;
    while (end < start + USER_BYTES && bytes[end] !== 0) end++;
    if (type === USER_PROCESS) {
      if (end === start) return;
      this.users++;
      if (decodeText(bytes, start, end) === 'root') this.roots++;
    }
    this.sessions++;
  }
}

/** kernel.all.{nusers,nroots,nsessions}. `arch` is process.arch but in tests. */
export function loginsCluster({ files }: ClusterEnvironment, arch: string = process.arch): LocalCluster {
  const logins = new Logins(files, arch);
  const count = (pick: () => number): MetricBinding => ({
    kind: 'quick',
    samples: [logins],
    fill: (set) => set.setNumber(pick()),
  });
  const table = new Map<string, MetricBinding>([
    ['kernel.all.nusers', count(() => logins.users)],
    ['kernel.all.nroots', count(() => logins.roots)],
    ['kernel.all.nsessions', count(() => logins.sessions)],
  ]);
  return { name: 'logins', metrics: LINUX_CATALOG.bind(table) };
}
