import type { Config } from './config.generated.js';

export type { Config } from './config.generated.js';

/** The minimum level of log messages. */
export type LogLevel = Config['log']['level'];
