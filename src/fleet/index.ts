export { ValkeyEngine } from './valkey-engine.js';
export { Member } from './member.js';
export type { MemberStatus, Proposal } from './member.js';
export type { Replica } from './log-copy.js';
