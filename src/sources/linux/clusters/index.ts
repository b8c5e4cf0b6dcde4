import type { ClusterFactory } from '../cluster.js';
import { cpuinfoCluster } from './cpuinfo.js';
import { diskCluster } from './disk.js';
import { filesystemCluster } from './filesystem.js';
import { interruptsCluster, softirqsCluster } from './interrupts.js';
import { kernelLimitsCluster } from './kernel-limits.js';
import { loadavgCluster } from './loadavg.js';
import { loginsCluster } from './logins.js';
import { meminfoCluster } from './meminfo.js';
import { networkAddressCluster } from './network-address.js';
import { networkInterfaceCluster } from './network-interface.js';
import { networkProtocolCluster } from './network-protocol.js';
import { networkSockstatCluster } from './network-sockstat.js';
import { networkSoftnetCluster } from './network-softnet.js';
import { networkTcpconnCluster } from './network-tcpconn.js';
import { processCluster } from './processes.js';
import { nodeMemoryCluster } from './node-memory.js';
import { pressureCluster } from './pressure.js';
import { statCluster } from './stat.js';
import { swapsCluster } from './swaps.js';
import { unameCluster } from './uname.js';
import { uptimeCluster } from './uptime.js';
import { vfsCluster } from './vfs.js';
import { vmstatCluster } from './vmstat.js';

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
];
