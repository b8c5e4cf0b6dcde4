export * from './metric-source.js';
export * from './profile.js';
export * from './memory-source.js';
