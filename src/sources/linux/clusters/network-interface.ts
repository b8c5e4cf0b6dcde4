import { INSTANCE_NULL, makeLabel } from '../../../pmapi/index.js';
import { INTERFACE_INDOM, INTERFACE_METRICS } from '../catalog/network.js';
import { bindFrom } from '../cluster.js';
import type { ClusterEnvironment, LocalCluster, MetricBinding } from '../cluster.js';
import { addInteger, addNumber } from '../number-grid.js';
import type { Sample } from '../sample.js';
import { InterfaceFiles } from './interface-files.js';
import { InterfacePaths } from './interface-paths.js';
import { NetworkDevices } from './network-devices.js';

/** Columns of /proc/net/dev, counted from 0 behind the colon. */
const COUNTERS: ReadonlyMap<string, number> = new Map([
  ['in.bytes', 0],
  ['in.packets', 1],
  ['in.errors', 2],
  ['in.drops', 3],
  ['in.fifo', 4],
  ['in.frame', 5],
  ['in.compressed', 6],
  ['in.mcasts', 7],
  ['out.bytes', 8],
  ['out.packets', 9],
  ['out.errors', 10],
  ['out.drops', 11],
  ['out.fifo', 12],
  ['collisions', 13],
  ['out.carrier', 14],
  ['out.compressed', 15],
  ['total.mcasts', 7],
]);

/** Pairs of columns that are added up. */
const TOTALS: ReadonlyMap<string, readonly [received: number, sent: number]> = new Map([
  ['total.bytes', [0, 8]],
  ['total.packets', [1, 9]],
  ['total.errors', [2, 10]],
  ['total.drops', [3, 11]],
]);

const IFF_UP = 1;
const DUPLEX: ReadonlyMap<string, number> = new Map([
  ['half', 1],
  ['full', 2],
]);
const BYTES_PER_MBIT = 1_000_000n / 8n;
const BYTES_PER_MBYTE = 1024 * 1024;

/** network.interface.*: counters from /proc/net/dev, facts from /sys/class/net. */
export function networkInterfaceCluster(environment: ClusterEnvironment): LocalCluster {
  const { files } = environment;
  const devices = new NetworkDevices(environment);
  const { table, counters } = devices;
  const bindings = new Map<string, MetricBinding>();

  for (const [name, column] of COUNTERS) {
    bindings.set(`network.interface.${name}`, {
      kind: 'quick',
      samples: [devices],
      fill: (set, profile) => table.fill(set, profile, (into, id, row) => counters.emit(into, id, row, column)),
    });
  }
  for (const [name, [received, sent]] of TOTALS) {
    bindings.set(`network.interface.${name}`, {
      kind: 'quick',
      samples: [devices],
      fill: (set, profile) =>
        table.fill(set, profile, (into, id, row) => counters.emitSum(into, id, row, received, sent)),
    });
  }

  const attribute = (name: string) => new InterfaceFiles(files, devices, name);
  const mtu = attribute('mtu');
  const speed = attribute('speed');
  const duplex = attribute('duplex');
  const flags = attribute('flags');
  const operstate = attribute('operstate');
  const type = attribute('type');
  const wireless = new InterfacePaths(files, devices, (name) => `sys/class/net/${name}/wireless`);
  const virtual = new InterfacePaths(files, devices, (name) => `sys/devices/virtual/net/${name}`);

  /** A metric that is a function of attribute files; undefined is no value. */
  const fact = (
    name: string,
    sources: readonly Sample[],
    valueOf: (row: number) => number | bigint | undefined,
  ): void => {
    bindings.set(`network.interface.${name}`, {
      kind: 'quick',
      samples: [devices, ...sources],
      fill: (set, profile) =>
        table.fill(set, profile, (into, id, row) => {
          const value = valueOf(row);
          if (typeof value === 'bigint') addInteger(into, id, value);
          else if (value !== undefined) addNumber(into, id, value);
        }),
    });
  };
  const isUp = (row: number): number | undefined => {
    const word = flags.integer(row);
    return word === undefined ? undefined : word & IFF_UP;
  };
  // PCP: an unknown speed, which the kernel shows as -1, is served as 4294967295 Mbit/s. Differs from PCP: no value here.
  const megabits = (row: number): number | undefined => {
    const value = speed.integer(row);
    return value !== undefined && value > 0 && value < 0xffffffff ? value : undefined;
  };

  fact('mtu', [mtu], (row) => mtu.integer(row));
  fact('baudrate', [speed], (row) => {
    const value = megabits(row);
    return value === undefined ? undefined : BigInt(value) * BYTES_PER_MBIT;
  });
  fact('speed', [speed], (row) => {
    const value = megabits(row);
    return value === undefined ? undefined : (value * Number(BYTES_PER_MBIT)) / BYTES_PER_MBYTE;
  });
  fact('duplex', [duplex], (row) => DUPLEX.get(duplex.text(row)));
  fact('up', [flags], isUp);
  // IFF_RUNNING itself is not in the flags file: the kernel works it out from the operational state.
  fact('running', [flags, operstate], (row) => {
    const up = isUp(row);
    const state = operstate.text(row);
    return up === 1 ? Number(state === 'up' || state === 'unknown') : up;
  });
  // PCP: type reads 0 for some interfaces when it is fetched together with speed. Differs from PCP: always the number.
  fact('type', [type], (row) => type.integer(row));
  fact('wireless', [wireless], (row) => wireless.flag(row));
  fact('virtual', [virtual], (row) => virtual.flag(row));

  bindings.set('hinv.ninterface', {
    kind: 'quick',
    samples: [devices],
    fill: (set) => addNumber(set, INSTANCE_NULL, table.count),
  });

  return {
    name: 'network-interface',
    metrics: INTERFACE_METRICS,
    indoms: [
      {
        catalog: INTERFACE_INDOM,
        samples: [devices],
        list: () => table.list((id) => devices.nameOf(id)),
        labels: ({ name }) => [makeLabel('interface', name)],
      },
    ],
    bind: (metric) => bindFrom(bindings, metric),
  };
}
