export { LinuxCollector } from './linux-collector.js';
export type { LinuxCollectorOptions } from './linux-collector.js';
export type { LinuxSource } from './linux-source.js';
export type {
  CollectorLog,
  IndomBinding,
  LocalCluster,
  MetricBinding,
  QuickBinding,
  SlowBinding,
  SlowSource,
  SlowValues,
} from './cluster.js';
export { bindFrom } from './cluster.js';
export { metric } from './catalog/metric.js';
export type { CatalogMetric } from './catalog/metric.js';
export { indom } from './catalog/indom.js';
export type { CatalogIndom } from './catalog/indom.js';
export { pmcdCluster } from './clusters/pmcd.js';
export type { CollectorFacts } from './clusters/pmcd.js';
