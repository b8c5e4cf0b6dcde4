import type { Config } from '../config/index.js';
import { DEFAULT_RANGE_LIMITS } from '../context/range/index.js';
import type { AppOptions, Routes } from '../http/index.js';
import { VERSION } from '../version.js';
import { requestObserver } from './gateway-counters.js';
import type { GatewayParts } from './parts.js';
import { serverTimeouts } from './room-options.js';
import type { Security } from './security.js';

export function httpOptions(
  { limits, archives: { rangeValues, rangePoints }, listen, ...config }: Config,
  security: Security,
  parts: GatewayParts,
  routes: Routes,
): AppOptions {
  const { archives, hostArchives, overload, clients, counters, log } = parts;
  return {
    ...parts,
    routes,
    directories: { archives, hostArchives, namedHosts: () => Object.keys(config.hosts.named) },
    guards: {
      access: security.access,
      hostNames: security.hostNames,
      overload,
      clients,
      corsOrigins: config.cors.origins,
      strictTransportSec: security.tls ? listen.strictTransportSec : 0,
      store: config.store,
    },
    limits: {
      ...limits,
      ranges: { ...DEFAULT_RANGE_LIMITS, values: rangeValues, points: rangePoints },
      timeouts: serverTimeouts(limits),
    },
    basePath: listen.basePath,
    version: VERSION,
    observer: requestObserver(counters, log, config.log.requests),
  };
}
