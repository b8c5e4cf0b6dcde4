export { ValkeyEngine } from './valkey-engine.js';
export { Member } from './member.js';
export type { MemberStatus, Peer, Proposal } from './member.js';
export { ContextHomes } from './context-homes.js';
export type { ContextHolder, ContextWork } from './context-homes.js';
export { SharedContexts } from './shared-contexts.js';
export { Placement } from './placement.js';
export type { Replica } from './log-copy.js';
