import type { Config } from './config.generated.js';

export type { Config } from './config.generated.js';

export type LogLevel = Config['log']['level'];
