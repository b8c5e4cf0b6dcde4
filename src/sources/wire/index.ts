export * from './byte-reader.js';
export * from './byte-writer.js';
export * from './descriptors.js';
export * from './encode-value-sets.js';
export * from './event-records.js';
export * from './labels.js';
export * from './value-sets.js';
