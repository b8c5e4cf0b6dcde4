export { PmcdPools, PMCD_POOLS_DEFAULTS } from './pmcd-pools.js';
export { PmcdSource } from './pmcd-source.js';
export type { Identity } from './handshake.js';
export { parseHostspec } from './hostspec.js';
export type { HostAddress, Hostspec } from './hostspec.js';
export { resolveHost } from './dial.js';
export type { ResolveHost } from './dial.js';
