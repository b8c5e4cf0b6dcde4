export { PmcdPools, PMCD_POOLS_DEFAULTS } from './pmcd-pools.js';
export { PmcdSource } from './pmcd-source.js';
export type { Identity } from './handshake.js';
export { parseHostspec, type HostAddress, type Hostspec } from './hostspec.js';
export { resolveHost, type ResolveHost } from './dial.js';
