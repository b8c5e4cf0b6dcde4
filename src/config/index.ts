export * from './load-config.js';
export { restartOnlyOptions } from './schema.js';
export { lineOfOption, parseYaml } from './parse-yaml.js';
