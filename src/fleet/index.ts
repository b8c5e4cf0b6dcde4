export { ValkeyEngine } from './valkey-engine.js';
export { Member } from './member.js';
export type { MemberStatus, Peer, Proposal } from './member.js';
export { ContextHomes } from './context-homes.js';
export type { ContextHolder, ContextWork } from './context-homes.js';
export { StreamJournals } from './stream-journals.js';
export type { StreamJournal } from './stream-journals.js';
export { SharedContexts } from './shared-contexts.js';
export type { Replica } from './log-copy.js';
