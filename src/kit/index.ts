export { bisect, lowerBound } from './bisect.js';
export { StateFile, compressFile, removeLeftovers, replaceFile } from './files.js';
export * from './event-loop-turns.js';
export { globMatcher } from './glob.js';
export { runGrammar, TOKEN_NAMES } from './grammar.js';
export { addTo, getOrMake, once } from './maps.js';
export { endsWithin, pause, repeat } from './pause.js';
export { rarely, Semaphore, systemTimers, unlessAborted, waitFor } from './semaphore.js';
export type { Timers } from './semaphore.js';
