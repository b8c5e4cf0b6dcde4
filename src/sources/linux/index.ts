export { LinuxCollector } from './linux-collector.js';
export type { LinuxCollectorOptions } from './linux-collector.js';
export type { LinuxSource } from './linux-source.js';
export type { CollectorLog } from './instance-caches.js';
export type {
  IndomBinding,
  LocalCluster,
  MetricBinding,
  QuickBinding,
  SlowBinding,
  SlowSource,
  SlowValues,
} from './cluster.js';
export { Catalog } from './catalog/catalog.js';
export type { CatalogIndom, CatalogMetric, CatalogRows } from './catalog/catalog.js';
export { pmcdCluster } from './clusters/pmcd.js';
export type { CollectorFacts } from './clusters/pmcd.js';
