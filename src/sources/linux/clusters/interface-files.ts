import { eachInTurns, EventLoopTurns } from '../../../kit/index.js';
import type { Clock } from '../../../pmapi/index.js';
import type { ProcFile, ProcFiles } from '../proc-files.js';

/** The files of an interface, below /sys/class/net/IF, that metrics come from. */
export type InterfaceAttribute = 'mtu' | 'speed' | 'duplex' | 'flags' | 'operstate' | 'type';

/** Hosts of many containers have thousands of interfaces: beyond these files no descriptor is kept open. */
const KEPT_OPEN = 192;
/** Reading more files than these takes over a millisecond. */
const READ_AT_ONCE = 200;
const NUMBER = /^(?:0x[0-9a-f]{1,8}|-?\d{1,15})$/i;

/** What the files of some interfaces said. */
export class InterfaceTexts {
  readonly #texts: ReadonlyMap<string, string>;

  constructor(texts: ReadonlyMap<string, string>) {
    this.#texts = texts;
  }

  /** An attribute of an interface; '' when it has none or it cannot be read, as the speed of a link that is down. */
  text(name: string, attribute: InterfaceAttribute): string {
    return this.#texts.get(`${name}/${attribute}`) ?? '';
  }

  /** The attribute as a number, decimal or 0x…; undefined if it is invalid. */
  integer(name: string, attribute: InterfaceAttribute): number | undefined {
    const text = this.text(name, attribute);
    return NUMBER.test(text) ? Number(text) : undefined;
  }
}

/** The files /sys/class/net/IF/ATTRIBUTE of network interfaces. */
export class InterfaceFiles {
  readonly #files: ProcFiles;
  readonly #turns: EventLoopTurns;
  /** Descriptors that are kept, by interface and attribute. */
  readonly #open = new Map<string, { readonly name: string; readonly file: ProcFile }>();

  constructor(files: ProcFiles, clock: Clock) {
    this.#files = files;
    this.#turns = new EventLoopTurns(() => clock.monotonicMs());
  }

  /** Read attributes of interfaces: few at once, many in turns of the event loop. */
  read(names: readonly string[], attributes: readonly InterfaceAttribute[]): InterfaceTexts | Promise<InterfaceTexts> {
    const texts = new Map<string, string>();
    const readOne = (name: string): void => {
      if (name.includes('/') || name === '.' || name === '..') return;
      for (const attribute of attributes) {
        const path = `${name}/${attribute}`;
        texts.set(path, this.#read(name, path));
      }
    };
    if (names.length * attributes.length > READ_AT_ONCE) {
      return eachInTurns(names, readOne, this.#turns).then(() => new InterfaceTexts(texts));
    }
    for (const name of names) readOne(name);
    return new InterfaceTexts(texts);
  }

  /** Close what is open of interfaces that are gone. */
  forgetAllBut(names: readonly string[]): void {
    const present = new Set(names);
    for (const [path, { name, file }] of this.#open) {
      if (present.has(name)) continue;
      this.#files.forget(file);
      this.#open.delete(path);
    }
  }

  #read(name: string, path: string): string {
    let file = this.#open.get(path)?.file;
    if (!file) {
      if (this.#open.size >= KEPT_OPEN) return this.#files.text(`sys/class/net/${path}`) ?? '';
      file = this.#files.file(`sys/class/net/${path}`);
      this.#open.set(path, { name, file });
    }
    return this.#files.scan(file)?.rest() ?? '';
  }
}
