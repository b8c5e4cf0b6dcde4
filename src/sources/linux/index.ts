export { LinuxCollector, type LinuxCollectorOptions, type LinuxSource } from './linux-collector.js';
export type { LocalCluster, MetricBinding, QuickBinding, SlowValues } from './cluster.js';
export { Catalog, type CatalogIndom, type CatalogRows } from './catalog/catalog.js';
export { pmcdCluster } from './clusters/pmcd.js';
