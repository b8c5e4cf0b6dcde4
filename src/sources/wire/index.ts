export * from './bytes.js';
export * from './byte-reader.js';
export * from './byte-writer.js';
export * from './metadata.js';
export * from './encode-value-sets.js';
export * from './event-records.js';
export * from './value-sets.js';
