import { EventLoopTurns, eachInTurns } from '../../../kit/index.js';
import type { Clock, ValueSet } from '../../../pmapi/index.js';
import type { InstanceProfile } from '../../profile.js';
import { INTERFACE_INDOM } from '../catalog/linux-catalog.js';
import type { SlowSource, SlowValues } from '../cluster.js';
import type { ProcFile, ProcFiles } from '../proc-files.js';
import { addInteger, addNumber } from '../sample.js';
import type { NetworkDevices } from './network-devices.js';

/** A metric that is a function of an interface's files; undefined is no value. */
interface Fact {
  readonly attributes: readonly InterfaceAttribute[];
  value(texts: InterfaceTexts, name: string): number | bigint | undefined;
}

const IFF_UP = 1;
const DUPLEX: ReadonlyMap<string, number> = new Map([
  ['half', 1],
  ['full', 2],
]);
const BYTES_PER_MBIT = 1_000_000n / 8n;
const BYTES_PER_MBYTE = 1024 * 1024;

const FACTS: ReadonlyMap<string, Fact> = new Map<string, Fact>([
  ['mtu', { attributes: ['mtu'], value: (texts, name) => texts.integer(name, 'mtu') }],
  [
    'baudrate',
    {
      attributes: ['speed'],
      value(texts, name) {
        const speed = megabits(texts, name);
        return speed === undefined ? undefined : BigInt(speed) * BYTES_PER_MBIT;
      },
    },
  ],
  [
    'speed',
    {
      attributes: ['speed'],
      value(texts, name) {
        const speed = megabits(texts, name);
        return speed === undefined ? undefined : (speed * Number(BYTES_PER_MBIT)) / BYTES_PER_MBYTE;
      },
    },
  ],
  ['duplex', { attributes: ['duplex'], value: (texts, name) => DUPLEX.get(texts.text(name, 'duplex')) }],
  ['up', { attributes: ['flags'], value: isUp }],
  [
    'running',
    {
      // IFF_RUNNING itself is not in the flags file: the kernel works it out from the operational state.
      attributes: ['flags', 'operstate'],
      value(texts, name) {
        const up = isUp(texts, name);
        const state = texts.text(name, 'operstate');
        return up === 1 ? Number(state === 'up' || state === 'unknown') : up;
      },
    },
  ],
  // PCP: type reads 0 for some interfaces when it is fetched together with speed. Differs from PCP: always the number.
  ['type', { attributes: ['type'], value: (texts, name) => texts.integer(name, 'type') }],
]);
const LIST = [...FACTS.values()];

/** The facts by the last components of their metrics' names; their order gives the item numbers of {@link InterfaceFacts}. */
export const FACT_NAMES: readonly string[] = [...FACTS.keys()];

function isUp(texts: InterfaceTexts, name: string): number | undefined {
  const word = texts.integer(name, 'flags');
  return word === undefined ? undefined : word & IFF_UP;
}

// PCP: an unknown speed, which the kernel shows as -1, is served as 4294967295 Mbit/s. Differs from PCP: no value here.
function megabits(texts: InterfaceTexts, name: string): number | undefined {
  const value = texts.integer(name, 'speed');
  return value !== undefined && value > 0 && value < 0xffffffff ? value : undefined;
}

/** Facts about network interfaces, of which there may be thousands, each a file of its own. */
export class InterfaceFacts implements SlowSource {
  readonly #devices: NetworkDevices;
  readonly #files: InterfaceFiles;
  /** Readings of all interfaces: those in progress, and short ones with the round that they belong to. */
  readonly #passes = new Map<string, { readonly round: number; readonly values: SlowValues | Promise<SlowValues> }>();
  #names: readonly string[] = [];

  constructor(devices: NetworkDevices, files: ProcFiles, clock: Clock) {
    this.#devices = devices;
    this.#files = new InterfaceFiles(files, clock);
  }

  sample(items: readonly number[], profile: InstanceProfile, round: number): SlowValues | Promise<SlowValues> {
    this.#devices.ensure(round);
    const { names } = this.#devices;
    if (names !== this.#names) this.#files.forgetAllBut(names);
    this.#names = names;
    const attributes = [...new Set(items.flatMap((item) => LIST[item]!.attributes))].sort();
    if (!profile.includesAll(INTERFACE_INDOM.indom)) return this.#read(attributes, profile);
    return this.#passOver(attributes, profile, round);
  }

  /** A reading of all interfaces, shared by fetches of the same metrics in one round or while it is in progress. */
  #passOver(
    attributes: readonly InterfaceAttribute[],
    profile: InstanceProfile,
    round: number,
  ): SlowValues | Promise<SlowValues> {
    const key = attributes.join();
    const last = this.#passes.get(key);
    if (last && (last.values instanceof Promise || last.round === round)) return last.values;
    const read = this.#read(attributes, profile);
    const values = read instanceof Promise ? read.finally(() => this.#passes.delete(key)) : read;
    this.#passes.set(key, { round, values });
    return values;
  }

  #read(attributes: readonly InterfaceAttribute[], profile: InstanceProfile): SlowValues | Promise<SlowValues> {
    const { table, names } = this.#devices;
    const ids: number[] = [];
    const wanted: string[] = [];
    for (let row = 0; row < table.count; row++) {
      const id = table.ids[row]!;
      if (!profile.includes(INTERFACE_INDOM.indom, id)) continue;
      ids.push(id);
      wanted.push(names[row]!);
    }
    const texts = this.#files.read(wanted, attributes);
    return texts instanceof Promise ? texts.then((read) => valuesOf(ids, wanted, read)) : valuesOf(ids, wanted, texts);
  }
}

function valuesOf(ids: readonly number[], names: readonly string[], texts: InterfaceTexts): SlowValues {
  return {
    fill(item: number, set: ValueSet): void {
      const fact = LIST[item]!;
      for (const [i, name] of names.entries()) {
        const value = fact.value(texts, name);
        if (typeof value === 'bigint') addInteger(set, ids[i]!, value);
        else if (value !== undefined) addNumber(set, ids[i]!, value);
      }
    },
  };
}

/** The files of an interface, below /sys/class/net/IF, that metrics come from. */
type InterfaceAttribute = 'mtu' | 'speed' | 'duplex' | 'flags' | 'operstate' | 'type';

/** Hosts of many containers have thousands of interfaces: beyond these files no descriptor is kept open. */
const KEPT_OPEN = 192;
/** Reading more files than these takes over a millisecond. */
const READ_AT_ONCE = 200;
const NUMBER = /^(?:0x[0-9a-f]{1,8}|-?\d{1,15})$/i;

/** What the files of some interfaces said. */
class InterfaceTexts {
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
class InterfaceFiles {
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
