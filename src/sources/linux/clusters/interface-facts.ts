import { EventLoopTurns, eachInTurns } from '../../../kit/index.js';
import type { Clock, ValueSet } from '../../../pmapi/index.js';
import type { InstanceProfile } from '../../profile.js';
import { INTERFACE_INDOM } from '../catalog/linux-catalog.js';
import type { SlowSource, SlowValues } from '../cluster.js';
import type { ProcFile, ProcFiles } from '../proc-files.js';
import { addNumber } from '../sample.js';
import type { NetworkDevices } from './network-devices.js';

/** The files of an interface, below /sys/class/net/IF, that metrics come from. */
type InterfaceAttribute = 'mtu' | 'speed' | 'duplex' | 'flags' | 'operstate' | 'type';
/** What the files of an interface say; '' for one that it lacks or that cannot be read, as the speed of a link that is down. */
type Attributes = Partial<Readonly<Record<InterfaceAttribute, string>>>;

/** A metric that is a function of an interface's files; undefined is no value. */
interface Fact {
  readonly attributes: readonly InterfaceAttribute[];
  value(of: Attributes): number | undefined;
}

const IFF_UP = 1;
const BYTES_PER_MBIT = 1_000_000 / 8;
const BYTES_PER_MBYTE = 1024 * 1024;

// PCP: type reads 0 for some interfaces when it is fetched together with speed. Differs from PCP: always the number.
const FACTS: Readonly<Record<string, Fact>> = {
  mtu: { attributes: ['mtu'], value: ({ mtu }) => numberOf(mtu) },
  baudrate: { attributes: ['speed'], value: ({ speed }) => bytesOf(speed) },
  speed: {
    attributes: ['speed'],
    value({ speed }) {
      const bytes = bytesOf(speed);
      return bytes === undefined ? undefined : bytes / BYTES_PER_MBYTE;
    },
  },
  duplex: {
    attributes: ['duplex'],
    value: ({ duplex }) => (duplex === 'half' ? 1 : duplex === 'full' ? 2 : undefined),
  },
  up: { attributes: ['flags'], value: isUp },
  running: {
    // IFF_RUNNING itself is not in the flags file: the kernel works it out from the operational state.
    attributes: ['flags', 'operstate'],
    value(of) {
      const up = isUp(of);
      return up === 1 ? Number(of.operstate === 'up' || of.operstate === 'unknown') : up;
    },
  },
  type: { attributes: ['type'], value: ({ type }) => numberOf(type) },
};
const LIST = Object.values(FACTS);

/** The facts by the last components of their metrics' names; their order gives the item numbers of {@link InterfaceFacts}. */
export const FACT_NAMES: readonly string[] = Object.keys(FACTS);

function isUp({ flags }: Attributes): number | undefined {
  const word = numberOf(flags);
  return word === undefined ? undefined : word & IFF_UP;
}

/** Bytes a second. PCP: an unknown speed, which the kernel shows as -1, is served as 4294967295 Mbit/s. Differs from PCP: no value. */
function bytesOf(speed: string | undefined): number | undefined {
  const megabits = numberOf(speed);
  return megabits !== undefined && megabits > 0 && megabits < 0xffffffff ? megabits * BYTES_PER_MBIT : undefined;
}

const NUMBER = /^(?:0x[0-9a-f]{1,8}|-?\d{1,15})$/i;

/** Decimal, or 0x…; undefined for anything else. */
function numberOf(text = ''): number | undefined {
  return NUMBER.test(text) ? Number(text) : undefined;
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
    const read = this.#files.read(wanted, attributes);
    return read instanceof Promise ? read.then((found) => valuesOf(ids, found)) : valuesOf(ids, read);
  }
}

/** @param found in the order of `ids` */
function valuesOf(ids: readonly number[], found: readonly Attributes[]): SlowValues {
  return {
    fill(item: number, set: ValueSet): void {
      for (const [i, id] of ids.entries()) {
        const value = LIST[item]!.value(found[i]!);
        if (value !== undefined) addNumber(set, id, value);
      }
    },
  };
}

/** Hosts of many containers have thousands of interfaces: beyond these files no descriptor is kept open. */
const KEPT_OPEN = 192;
/** Reading more files than these takes over a millisecond. */
const READ_AT_ONCE = 200;
class InterfaceFiles {
  readonly #files: ProcFiles;
  readonly #turns: EventLoopTurns;
  /** By interface and attribute. */
  readonly #open = new Map<string, { readonly name: string; readonly file: ProcFile }>();

  constructor(files: ProcFiles, clock: Clock) {
    this.#files = files;
    this.#turns = new EventLoopTurns(() => clock.monotonicMs());
  }

  /** Reads attributes of interfaces: few at once, many in turns of the event loop. */
  read(
    names: readonly string[],
    attributes: readonly InterfaceAttribute[],
  ): readonly Attributes[] | Promise<readonly Attributes[]> {
    const found: Attributes[] = [];
    const readOne = (name: string): void => {
      const isSafe = !name.includes('/') && name !== '.' && name !== '..';
      found.push(
        isSafe ? Object.fromEntries(attributes.map((each) => [each, this.#read(name, `${name}/${each}`)])) : {},
      );
    };
    if (names.length * attributes.length > READ_AT_ONCE) {
      return eachInTurns(names, readOne, this.#turns).then(() => found);
    }
    names.forEach(readOne);
    return found;
  }

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
