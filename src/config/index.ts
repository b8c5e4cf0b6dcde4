export * from './load-config.js';
export { restartOnlyOptions, lineOfOption, parseYaml } from './load-config.js';
