export { attempt, Ending } from './attempt.js';
export { bisect, lowerBound, grown, addTo, getOrMake, once } from './maps.js';
export * from './event-loop-turns.js';
export { globMatcher } from './glob.js';
export { hashOf } from './hash.js';
export { matchEnd, runGrammar, TOKEN_NAMES } from './grammar.js';
export { endsWithin, pause, repeat } from './semaphore.js';
export { rarely, Semaphore, systemTimers, unlessAborted, waitFor, type Timers } from './semaphore.js';
export { eachOf, streamOf } from './streams.js';
