export { bisect, lowerBound } from './bisect.js';
export { StateFile, compressFile, removeLeftovers, replaceFile } from './files.js';
export { Ending } from './ending.js';
export * from './event-loop-turns.js';
export { globMatcher } from './glob.js';
export { runGrammar } from './grammar.js';
export { endsWithin, pause, repeat } from './pause.js';
export { rarely, Semaphore, systemTimers } from './semaphore.js';
export type { Timers } from './semaphore.js';
