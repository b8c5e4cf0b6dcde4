import type { ProcFile, ProcFiles } from '../proc-files.js';
import { Sample } from '../sample.js';
import type { NetworkDevices } from './network-devices.js';

/** Hosts of many containers have thousands of interfaces: beyond these no descriptor is kept open. */
const KEPT_OPEN = 32;
const NUMBER = /^(?:0x[0-9a-f]{1,8}|-?\d{1,15})$/i;

/** One attribute, such as `mtu`, of all network interfaces: the files /sys/class/net/IF/mtu. */
export class InterfaceFiles extends Sample {
  readonly #files: ProcFiles;
  readonly #devices: NetworkDevices;
  readonly #attribute: string;
  readonly #open = new Map<string, ProcFile>();
  #names: readonly string[] = [];
  #texts: string[] = [];

  /** `devices` is to be refreshed before this is. */
  constructor(files: ProcFiles, devices: NetworkDevices, attribute: string) {
    super();
    this.#files = files;
    this.#devices = devices;
    this.#attribute = attribute;
  }

  /** The attribute of the interface at a row; '' when it has none or it cannot be read, as the speed of a link that is down. */
  text(row: number): string {
    return this.#texts[row] ?? '';
  }

  /** The attribute as a number, decimal or 0x…; undefined when it is none. */
  integer(row: number): number | undefined {
    const text = this.text(row);
    return NUMBER.test(text) ? Number(text) : undefined;
  }

  protected override refresh(): void {
    const { names } = this.#devices;
    if (names !== this.#names) this.#forgetAllBut(names);
    this.#texts = names.map((name) => this.#read(name));
  }

  #read(name: string): string {
    if (name.includes('/') || name === '.' || name === '..') return '';
    let file = this.#open.get(name);
    if (!file) {
      const path = `sys/class/net/${name}/${this.#attribute}`;
      if (this.#open.size >= KEPT_OPEN) return this.#files.text(path) ?? '';
      file = this.#files.file(path);
      this.#open.set(name, file);
    }
    return this.#files.scan(file)?.rest() ?? '';
  }

  #forgetAllBut(names: readonly string[]): void {
    const present = new Set(names);
    for (const [name, file] of this.#open) {
      if (present.has(name)) continue;
      this.#files.forget(file);
      this.#open.delete(name);
    }
    this.#names = names;
  }
}
