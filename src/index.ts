/**
 * pmgate as a library: make a gateway from a configuration, listen, close. The typed client is `pmgate/client`.
 */
export { Gateway, type GatewayOptions } from './gateway/gateway.js';
export { ConfigError, loadConfig, type Config, type ConfigInputs, type ConfigProblem } from './config/index.js';
export { createLog, type Log, type LogDestination, type LogFields } from './log/index.js';
export { VERSION } from './version.js';
