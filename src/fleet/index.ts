export { ValkeyEngine } from './valkey-engine.js';
export { Member, type Proposal, type Replica } from './member.js';
export { documentIn, leadsTo, type SharedDocument } from './document.js';
export { ContextHomes, type ContextHolder } from './context-homes.js';
export { Placement } from './placement.js';
export { SharedContexts } from './shared-contexts.js';
export type { ContextWork, FleetStatus, LinkAddress, Peer } from './contracts.js';
export type { ValkeyAddress } from './valkey-connection.js';
