export { LinuxCollector } from './linux-collector.js';
export type { LinuxCollectorOptions } from './linux-collector.js';
export type { LinuxSource } from './linux-source.js';
export type { LocalCluster, MetricBinding, QuickBinding, SlowValues } from './cluster.js';
export { Catalog } from './catalog/catalog.js';
export type { CatalogIndom, CatalogRows } from './catalog/catalog.js';
export { pmcdCluster } from './clusters/pmcd.js';
