export * from './metric-source.js';
export * from './metric-filter.js';
export * from './filtered-source.js';
export * from './profile.js';
export * from './recorded-source.js';
export * from './record-run.js';
export * from './memory-source.js';
export { decodeEventRecords, EventFlag } from './wire/index.js';
export type { EventParameter, EventRecord } from './wire/index.js';
