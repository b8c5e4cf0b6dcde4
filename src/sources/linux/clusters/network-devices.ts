import { INTERFACE_INDOM } from '../catalog/linux-catalog.js';
import type { ClusterEnvironment } from '../cluster.js';
import type { InstanceCache } from '../instance-caches.js';
import { InstanceTable } from '../instance-table.js';
import type { ProcFile, ProcFiles } from '../proc-files.js';
import { RememberedNames } from '../remembered-names.js';
import { NumberGrid, Sample } from '../sample.js';

const COLON = 58;
const HEADING_LINES = 2;

/** Numbers on a line of /proc/net/dev behind the colon: eight about what was received, eight about what was sent. */
const DEVICE_COLUMNS = 16;

/**
 * /proc/net/dev: which network interfaces there are, and their counters.
 *
 *     eth0: 214757686    7024    0    0    0     0          0         0   874533    4826    0    0 …
 */
export class NetworkDevices extends Sample {
  readonly table = new InstanceTable(INTERFACE_INDOM.indom);
  readonly counters = new NumberGrid(DEVICE_COLUMNS);
  /** Interface names, in the order of {@link table}. */
  names: readonly string[] = [];
  readonly #files: ProcFiles;
  readonly #file: ProcFile;
  readonly #numbers: InstanceCache;
  readonly #rows: RememberedNames<number>;
  readonly #changed: () => void;

  constructor(environment: ClusterEnvironment) {
    super();
    const { files, caches } = environment;
    this.#files = files;
    this.#file = files.file('proc/net/dev');
    this.#numbers = caches.of(INTERFACE_INDOM);
    this.#rows = new RememberedNames((name) => this.#numbers.numberOf(name));
    this.#changed = () => environment.instancesChanged();
  }

  /** The name of an interface by its instance number. */
  nameOf(id: number): string | undefined {
    return this.#numbers.nameOf(id);
  }

  protected override refresh(): void {
    const { table, counters } = this;
    table.clear();
    counters.clear();
    this.#rows.begin();
    const scanner = this.#files.scan(this.#file);
    if (scanner) {
      for (let i = 0; i < HEADING_LINES; i++) scanner.nextLine();
      while (!scanner.atEnd) {
        scanner.skipBlanks();
        const end = scanner.find(COLON);
        if (end > scanner.pos) {
          table.add(this.#rows.next(scanner.bytes, scanner.pos, end));
          scanner.pos = end + 1;
          counters.storeLine(counters.addRow(), 0, DEVICE_COLUMNS, scanner);
        }
        scanner.nextLine();
      }
    }
    if (!this.#rows.finish()) return;
    this.#numbers.present(table);
    this.names = table.list((id) => this.nameOf(id)).map((instance) => instance.name);
    this.#changed();
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

  /** 1 when the interface at a row has the path, else 0. */
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
