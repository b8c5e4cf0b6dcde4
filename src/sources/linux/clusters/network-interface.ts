import { INSTANCE_NULL, makeLabel } from '../../../pmapi/index.js';
import { INTERFACE_INDOM, LINUX_CATALOG } from '../catalog/linux-catalog.js';
import type { ClusterEnvironment, LocalCluster, MetricBinding } from '../cluster.js';
import { addNumber } from '../sample.js';
import { FACT_NAMES, InterfaceFacts } from './interface-facts.js';
import { InterfacePaths, NetworkDevices } from './network-devices.js';

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

  const facts = new InterfaceFacts(devices, files, environment.clock);
  for (const [item, name] of FACT_NAMES.entries()) {
    bindings.set(`network.interface.${name}`, { kind: 'slow', source: facts, item });
  }
  for (const [name, paths] of [
    ['wireless', new InterfacePaths(files, devices, (device) => `sys/class/net/${device}/wireless`)],
    ['virtual', new InterfacePaths(files, devices, (device) => `sys/devices/virtual/net/${device}`)],
  ] as const) {
    bindings.set(`network.interface.${name}`, {
      kind: 'quick',
      samples: [devices, paths],
      fill: (set, profile) => table.fill(set, profile, (into, id, row) => addNumber(into, id, paths.flag(row))),
    });
  }

  bindings.set('hinv.ninterface', {
    kind: 'quick',
    samples: [devices],
    fill: (set) => addNumber(set, INSTANCE_NULL, table.count),
  });

  return {
    name: 'network-interface',
    metrics: LINUX_CATALOG.bind(bindings),
    indoms: [
      {
        catalog: INTERFACE_INDOM,
        samples: [devices],
        list: () => table.list((id) => devices.nameOf(id)),
        labels: ({ name }) => [makeLabel('interface', name)],
      },
    ],
  };
}
