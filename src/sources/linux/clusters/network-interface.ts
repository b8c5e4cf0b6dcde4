import { EventLoopTurns, eachInTurns } from '../../../kit/index.js';
import { INSTANCE_NULL, makeLabel } from '../../../pmapi/index.js';
import type { InstanceProfile } from '../../profile.js';
import { INTERFACE_INDOM } from '../catalog/linux-catalog.js';
import { cluster, perInstance, quick, slow } from '../cluster.js';
import type { ClusterEnvironment, LocalCluster, MetricBinding, SlowSource, SlowValues } from '../cluster.js';
import type { ProcFile, ProcFiles } from '../proc-files.js';
import { RowsFile, tableBindings } from '../table.js';
import { addNumber, Sample } from '../sample.js';

const COUNTERS = ['bytes', 'packets', 'errors', 'drops', 'fifo'];

/** network.interface.*: counters from /proc/net/dev, facts from /sys/class/net. */
export function networkInterfaceCluster(environment: ClusterEnvironment): LocalCluster {
  //     eth0: 214757686    7024    0    0    0     0          0         0   874533    4826    0    0 …
  const devices = new RowsFile(environment, INTERFACE_INDOM, {
    file: 'proc/net/dev',
    columns: [
      ...[...COUNTERS, 'frame', 'compressed', 'multicast'].map((name) => `in_${name}`),
      ...[...COUNTERS, 'collisions', 'carrier', 'compressed'].map((name) => `out_${name}`),
    ],
    headingLines: 2,
    nameEnd: 'colon',
  });
  const { table } = devices;
  const facts = interfaceFacts(devices, environment);
  const exists = (pathOf: (device: string) => string): MetricBinding => {
    const paths = new InterfacePaths(environment.files, devices, pathOf);
    return perInstance([devices, paths], table, (set, id, row) => addNumber(set, id, paths.flag(row)));
  };
  return cluster(
    'network-interface',
    [
      ...tableBindings(environment, [devices.asTable]),
      ...Object.entries(FACTS).map(([name, fact]) => [`network.interface.${name}`, slow(facts, fact)] as const),
      ['network.interface.wireless', exists((device) => `sys/class/net/${device}/wireless`)],
      ['network.interface.virtual', exists((device) => `sys/devices/virtual/net/${device}`)],
      ['hinv.ninterface', quick([devices], (set) => addNumber(set, INSTANCE_NULL, table.count))],
    ],
    [devices.asIndom(({ name }) => [makeLabel('interface', name)])],
  );
}

/** Whether a path exists, for each network interface. It is looked at when an interface appears: no driver moves it later. */
class InterfacePaths extends Sample {
  readonly #files: ProcFiles;
  readonly #devices: RowsFile;
  readonly #pathOf: (name: string) => string;
  #names: readonly string[] | undefined;
  #exists: ReadonlyMap<string, boolean> = new Map();

  constructor(files: ProcFiles, devices: RowsFile, pathOf: (name: string) => string) {
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

/** Hosts of many containers have thousands of interfaces: beyond these files no descriptor is kept open. */
const KEPT_OPEN = 192;
/** Reading more files than these takes over a millisecond. */
const READ_AT_ONCE = 200;

/** Facts about network interfaces, of which there may be thousands, each a file of its own. */
function interfaceFacts(devices: RowsFile, { files, clock }: ClusterEnvironment): SlowSource<Fact> {
  /** Readings of all interfaces: those in progress, and short ones with the round that they belong to. */
  const passes = new Map<string, { readonly round: number; readonly values: Reading }>();
  const opened = new Map<string, { readonly name: string; readonly file: ProcFile }>();
  let lastNames: readonly string[] = [];
  const turns = new EventLoopTurns(() => clock.monotonicMs());

  function sample(facts: readonly Fact[], profile: InstanceProfile, round: number): Reading {
    devices.ensure(round);
    const { names } = devices;
    if (names !== lastNames) forgetAllBut(names);
    lastNames = names;
    const attributes = [...new Set(facts.flatMap((fact) => fact.attributes))].sort();
    if (!profile.includesAll(INTERFACE_INDOM.indom)) return readFacts(attributes, profile);
    return passOver(attributes, profile, round);
  }

  /** A reading of all interfaces, shared by fetches of the same metrics in one round or while it is in progress. */
  function passOver(attributes: readonly InterfaceAttribute[], profile: InstanceProfile, round: number): Reading {
    const key = attributes.join();
    const last = passes.get(key);
    if (last && (last.values instanceof Promise || last.round === round)) return last.values;
    const read = readFacts(attributes, profile);
    const values = read instanceof Promise ? read.finally(() => passes.delete(key)) : read;
    passes.set(key, { round, values });
    return values;
  }

  /** Reads attributes of interfaces: few at once, many in turns of the event loop. */
  function readFacts(attributes: readonly InterfaceAttribute[], profile: InstanceProfile): Reading {
    const { table, names } = devices;
    const wanted = Array.from({ length: table.count }, (_, row) => ({ id: table.ids[row]!, name: names[row]! })).filter(
      ({ id }) => profile.includes(INTERFACE_INDOM.indom, id),
    );
    const found: Attributes[] = [];
    const readOne = ({ name }: { readonly name: string }): void => {
      const isSafe = !name.includes('/') && name !== '.' && name !== '..';
      found.push(isSafe ? Object.fromEntries(attributes.map((each) => [each, readFile(name, each)])) : {});
    };
    const values: SlowValues<Fact> = {
      fill(fact, set) {
        for (const [i, { id }] of wanted.entries()) {
          const value = fact.value(found[i]!);
          if (value !== undefined) addNumber(set, id, value);
        }
      },
    };
    if (wanted.length * attributes.length > READ_AT_ONCE) {
      return eachInTurns(wanted, readOne, turns).then(() => values);
    }
    wanted.forEach(readOne);
    return values;
  }

  function forgetAllBut(names: readonly string[]): void {
    const present = new Set(names);
    for (const [path, { name, file }] of opened) {
      if (present.has(name)) continue;
      files.forget(file);
      opened.delete(path);
    }
  }

  function readFile(name: string, attribute: InterfaceAttribute): string {
    const path = `sys/class/net/${name}/${attribute}`;
    let file = opened.get(path)?.file;
    if (!file) {
      if (opened.size >= KEPT_OPEN) return files.text(path) ?? '';
      file = files.file(path);
      opened.set(path, { name, file });
    }
    return files.scan(file)?.rest() ?? '';
  }
  return { sample };
}

type Reading = SlowValues<Fact> | Promise<SlowValues<Fact>>;
