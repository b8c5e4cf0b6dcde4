import type { ClusterFactory } from '../cluster.js';
import { cgroupCluster } from './cgroups.js';
import { cpuinfoCluster } from './cpuinfo.js';
import { diskCluster } from './disk.js';
import { filesystemCluster } from './filesystem.js';
import { interruptsCluster, softirqsCluster } from './interrupts.js';
import {
  kernelLimitsCluster,
  unameCluster,
  loadavgCluster,
  meminfoCluster,
  networkProtocolCluster,
  networkSockstatCluster,
  networkSoftnetCluster,
  pressureCluster,
  swapsCluster,
  uptimeCluster,
  vfsCluster,
  vmstatCluster,
} from './tables.js';
import { loginsCluster } from './logins.js';
import { networkAddressCluster } from './network-address.js';
import { networkInterfaceCluster } from './network-interface.js';
import { networkTcpconnCluster } from './network-tcpconn.js';
import { processCluster } from './processes.js';
import { nodeMemoryCluster } from './numa.js';
import { statCluster } from './stat.js';

/** Every family of metrics that the collector serves on Linux: to add one, write its cluster and list it here. */
export const clusterFactories: readonly ClusterFactory[] = [
  statCluster,
  loadavgCluster,
  uptimeCluster,
  loginsCluster,
  unameCluster,
  kernelLimitsCluster,
  pressureCluster,
  interruptsCluster,
  softirqsCluster,
  cpuinfoCluster,
  meminfoCluster,
  vmstatCluster,
  nodeMemoryCluster,
  swapsCluster,
  vfsCluster,
  diskCluster,
  (environment) => filesystemCluster(environment),
  networkInterfaceCluster,
  (environment) => networkAddressCluster(environment),
  networkProtocolCluster,
  networkSockstatCluster,
  networkSoftnetCluster,
  networkTcpconnCluster,
  processCluster,
  cgroupCluster,
];
