export * from './load-config.js';
export { restartOnlyOptions } from './load-config.js';
export { lineOfOption, parseYaml } from './load-config.js';
