import { INSTANCE_NULL, makeLabel } from '../../../pmapi/index.js';
import { cluster, perInstance, quick } from '../cluster.js';
import type { ClusterEnvironment, LocalCluster, MetricBinding } from '../cluster.js';
import { addNumber } from '../sample.js';
import { tableBindings } from '../table.js';
import { FACT_NAMES, InterfaceFacts } from './interface-facts.js';
import { InterfacePaths, NetworkDevices } from './network-devices.js';

/** network.interface.*: counters from /proc/net/dev, facts from /sys/class/net. */
export function networkInterfaceCluster(environment: ClusterEnvironment): LocalCluster {
  const { files } = environment;
  const devices = new NetworkDevices(environment);
  const { table } = devices;
  const facts = new InterfaceFacts(devices, files, environment.clock);
  const exists = (pathOf: (device: string) => string): MetricBinding => {
    const paths = new InterfacePaths(files, devices, pathOf);
    return perInstance([devices, paths], table, (set, id, row) => addNumber(set, id, paths.flag(row)));
  };
  return cluster(
    'network-interface',
    [
      ...tableBindings(environment, [devices.asTable]),
      ...FACT_NAMES.map((name, item) => [`network.interface.${name}`, { kind: 'slow', source: facts, item }] as const),
      ['network.interface.wireless', exists((device) => `sys/class/net/${device}/wireless`)],
      ['network.interface.virtual', exists((device) => `sys/devices/virtual/net/${device}`)],
      ['hinv.ninterface', quick([devices], (set) => addNumber(set, INSTANCE_NULL, table.count))],
    ],
    [devices.asIndom(({ name }) => [makeLabel('interface', name)])],
  );
}
