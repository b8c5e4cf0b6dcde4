export type * from './config.js';
export * from './config-error.js';
export * from './load-config.js';
export { parseYaml } from './parse-yaml.js';
