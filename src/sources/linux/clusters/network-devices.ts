import { INTERFACE_INDOM } from '../catalog/linux-catalog.js';
import type { ClusterEnvironment } from '../cluster.js';
import type { ProcFiles } from '../proc-files.js';
import { RowsFile } from '../rows-file.js';
import { Sample } from '../sample.js';

const COUNTERS = ['bytes', 'packets', 'errors', 'drops', 'fifo'];

/**
 * /proc/net/dev: which network interfaces there are, and their counters.
 *
 *     eth0: 214757686    7024    0    0    0     0          0         0   874533    4826    0    0 …
 */
export class NetworkDevices extends RowsFile {
  constructor(environment: ClusterEnvironment) {
    super(environment, INTERFACE_INDOM, {
      file: 'proc/net/dev',
      columns: [
        ...[...COUNTERS, 'frame', 'compressed', 'multicast'].map((name) => `in_${name}`),
        ...[...COUNTERS, 'collisions', 'carrier', 'compressed'].map((name) => `out_${name}`),
      ],
      headingLines: 2,
      nameEnd: 'colon',
    });
  }
}

/** Whether a path exists, for each network interface. It is looked at when an interface appears: no driver moves it later. */
export class InterfacePaths extends Sample {
  readonly #files: ProcFiles;
  readonly #devices: NetworkDevices;
  readonly #pathOf: (name: string) => string;
  #names: readonly string[] | undefined;
  #exists: ReadonlyMap<string, boolean> = new Map();

  /** `devices` is to be refreshed before this is. */
  constructor(files: ProcFiles, devices: NetworkDevices, pathOf: (name: string) => string) {
    super();
    this.#files = files;
    this.#devices = devices;
    this.#pathOf = pathOf;
  }

  flag(row: number): number {
    return Number(this.#exists.get(this.#devices.names[row]!) === true);
  }

  protected override refresh(): void {
    const { names } = this.#devices;
    if (names === this.#names) return;
    this.#names = names;
    const before = this.#exists;
    this.#exists = new Map(names.map((name) => [name, before.get(name) ?? this.#files.exists(this.#pathOf(name))]));
  }
}
