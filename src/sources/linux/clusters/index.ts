import type { ClusterFactory } from '../cluster.js';
import { loadavgCluster } from './loadavg.js';

/** Every family of metrics that the collector serves on Linux: to add one, write its cluster and list it here. */
export const clusterFactories: readonly ClusterFactory[] = [loadavgCluster];
