export { bisect, lowerBound } from './bisect.js';
export { compressFile } from './compress-file.js';
export * from './event-loop-turns.js';
export { globMatcher } from './glob.js';
export { runGrammar } from './grammar.js';
export { Semaphore } from './semaphore.js';
export { removeLeftovers, replaceFile, StateFile } from './state-file.js';
export { systemTimers } from './timers.js';
export type { Timers } from './timers.js';
