import type { Config } from '../config/index.js';
import { DEFAULT_RANGE_LIMITS } from '../context/range/index.js';
import type { AppOptions, ClientLimits, OverloadGuard } from '../http/index.js';
import type { Log } from '../log/index.js';
import { VERSION } from '../version.js';
import type { DerivedRegistry } from './derived-registry.js';
import type { Fleet } from './fleet.js';
import { requestObserver } from './gateway-counters.js';
import type { GatewayCounters } from './gateway-counters.js';
import { serverTimeouts } from './room-options.js';
import type { Security } from './security.js';
import type { Archives } from './targets/archives.js';
import type { HostArchives } from './targets/host-archives.js';

/** The parts of the gateway that HTTP works with, whatever the configuration. */
export interface GatewayParts extends Pick<AppOptions, 'contexts' | 'streams' | 'routes' | 'timers' | 'readiness'> {
  readonly derived: DerivedRegistry;
  readonly fleet: Fleet | undefined;
  readonly archives: Archives;
  readonly hostArchives: HostArchives;
  readonly overload: OverloadGuard;
  readonly clients: ClientLimits;
  readonly counters: GatewayCounters;
  readonly log: Log;
}

/** What HTTP works with under a configuration. */
export function httpOptions(
  { limits, archives: { rangeValues, rangePoints }, listen, ...config }: Config,
  security: Security,
  { archives, hostArchives, overload, clients, counters, log, ...parts }: GatewayParts,
): AppOptions {
  return {
    ...parts,
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
