import { PROTOCOL_COLUMNS } from '../catalog/network.js';
import type { ProtocolColumn } from '../catalog/network.js';
import { bindFrom } from '../cluster.js';
import type { ClusterEnvironment, LocalCluster } from '../cluster.js';
import { PairedLinesFile } from './paired-lines-file.js';
import { cell } from './singular.js';

/** network.ip, network.icmp, network.tcp and network.udp, from /proc/net/snmp and /proc/net/netstat. */
export function networkProtocolCluster({ files }: ClusterEnvironment): LocalCluster {
  const bindings = new Map(
    (['snmp', 'netstat'] as const).flatMap((name) => {
      const wanted = PROTOCOL_COLUMNS.filter(({ file }) => file === name);
      const sample = new PairedLinesFile(files, `proc/net/${name}`, wanted.map(keyOf));
      return wanted.map(({ metric }, column) => [metric.name, cell([sample], sample.fields, column)] as const);
    }),
  );
  return {
    name: 'network-protocol',
    metrics: PROTOCOL_COLUMNS.map(({ metric }) => metric),
    bind: (metric) => bindFrom(bindings, metric),
  };
}

function keyOf({ section, column }: ProtocolColumn): string {
  return `${section}:${column}`;
}
