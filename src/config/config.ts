import type { Config } from './config.generated.js';

export type { Config } from './config.generated.js';

/** The minimum level of messages that the log has. */
export type LogLevel = Config['log']['level'];
