/**
 * pmgate as a library: make a gateway from a configuration, listen, close. The typed client is `pmgate/client`.
 */
export { Gateway } from './gateway/gateway.js';
export type { GatewayOptions } from './gateway/gateway.js';
export { ConfigError, loadConfig } from './config/index.js';
export type { Config, ConfigInputs, ConfigProblem } from './config/index.js';
export { createLog } from './log/index.js';
export type { Log, LogDestination, LogFields } from './log/index.js';
export { VERSION } from './version.js';
