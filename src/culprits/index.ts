export { findCulprits, MOST_CULPRITS, PROCESS_METRICS } from './find-culprits.js';
export type { Culprit, Culprits, BlamedResource, ProcessSample } from './find-culprits.js';
export { ProcessLedger } from './process-ledger.js';
export type { ProcessIdentity, ProcessReading, ProcessUse } from './process-ledger.js';
export { plainName } from './plain-name.js';
