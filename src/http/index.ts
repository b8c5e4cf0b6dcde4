export * from './options.js';
export * from './server.js';
export { createApp } from './app.js';
export { ClientLimits } from './client-limits.js';
export type { ClientBounds } from './client-limits.js';
export { DEFAULT_OVERLOAD_LIMITS, OverloadGuard } from './overload/overload-guard.js';
export type { OverloadLimits } from './overload/overload-guard.js';
export { PROBES } from './routes.js';
export { isLoopback } from './loopback.js';
