export { LinuxCollector, type LinuxCollectorOptions } from './linux-collector.js';
export type { LinuxSource } from './linux-source.js';
export type { LocalCluster, MetricBinding, QuickBinding, SlowValues } from './cluster.js';
export { Catalog, type CatalogIndom, type CatalogRows } from './catalog/catalog.js';
export { pmcdCluster } from './clusters/pmcd.js';
