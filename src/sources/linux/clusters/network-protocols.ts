import { namedPairs, paired, softnet } from '../file-samples.js';
import { tableCluster } from '../table.js';

/** network.ip, network.icmp, network.tcp and network.udp. @see proc_pid_net(5) */
export const networkProtocolCluster = tableCluster('network-protocol', {
  'proc/net/snmp': paired,
  'proc/net/netstat': paired,
});

export const networkSockstatCluster = tableCluster('network-sockstat', {
  'proc/net/sockstat': namedPairs,
  'proc/net/sockstat6': namedPairs,
});

export const networkSoftnetCluster = tableCluster('network-softnet', { 'proc/net/softnet_stat': softnet });
