import type { ClusterFactory } from '../cluster.js';
import { loadavgCluster } from './loadavg.js';
import { networkAddressCluster } from './network-address.js';
import { networkInterfaceCluster } from './network-interface.js';
import { networkProtocolCluster } from './network-protocol.js';
import { networkSockstatCluster } from './network-sockstat.js';
import { networkSoftnetCluster } from './network-softnet.js';
import { networkTcpconnCluster } from './network-tcpconn.js';

/** Every family of metrics that the collector serves on Linux: to add one, write its cluster and list it here. */
export const clusterFactories: readonly ClusterFactory[] = [
  loadavgCluster,
  networkInterfaceCluster,
  (environment) => networkAddressCluster(environment),
  networkProtocolCluster,
  networkSockstatCluster,
  networkSoftnetCluster,
  networkTcpconnCluster,
];
