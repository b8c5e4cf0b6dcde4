export { systemTimers } from '../../pmapi/index.js';
export type { Timers } from '../../pmapi/index.js';
