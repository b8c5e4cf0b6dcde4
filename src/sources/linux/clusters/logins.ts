import { decodeText, type ProcFiles } from '../proc-files.js';
import { cluster, quick, type ClusterEnvironment, type LocalCluster, type MetricBinding } from '../cluster.js';
import { SampleOfFile } from '../sample.js';

/** struct utmp of 64-bit glibc; on arm64 its times have 64 bits. @see utmp(5) */
const RECORD_BYTES = 384;
const RECORD_BYTES_ARM64 = 400;
const USER_OFFSET = 44;
const USER_BYTES = 32;
const USER_PROCESS = 7;

class Logins extends SampleOfFile {
  users = 0;
  roots = 0;
  sessions = 0;
  readonly #recordBytes: number;

  constructor(files: ProcFiles, arch: string) {
    super(files, 'var/run/utmp');
    this.#recordBytes = arch === 'arm64' ? RECORD_BYTES_ARM64 : RECORD_BYTES;
  }

  protected override refresh(): void {
    this.users = this.roots = this.sessions = 0;
    const scanner = this.scan();
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
  const count = (pick: () => number): MetricBinding => quick([logins], (set) => set.setNumber(pick()));
  return cluster('logins', [
    ['kernel.all.nusers', count(() => logins.users)],
    ['kernel.all.nroots', count(() => logins.roots)],
    ['kernel.all.nsessions', count(() => logins.sessions)],
  ]);
}
