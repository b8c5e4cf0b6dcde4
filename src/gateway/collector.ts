import type { Config } from '../config/index.js';
import type { Log } from '../log/index.js';
import type { Clock } from '../pmapi/index.js';
import type { MetricAgent } from '../sources/index.js';
import { LinuxCollector, pmcdCluster } from '../sources/linux/index.js';
import { GATEWAY_AGENT, gatewayCluster, type GatewayState } from './gateway-metrics.js';
import { stateDirectory } from './room-options.js';

/** The release of PCP whose metrics the embedded collector follows: the value of pmcd.version. */
const PCP_VERSION = '7.2.1';

/** The embedded collector, with the gateway's own metrics and those of pmcd; `joined` are the agents beside it. */
export function makeCollector(
  config: Config,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
  state: GatewayState,
  joined: readonly MetricAgent[],
): LinuxCollector {
  const { root, snapshotMs, processes, collector: isOn } = config.local;
  const { counters, contexts } = state;
  const collector: LinuxCollector = new LinuxCollector({
    clock,
    stateDir: stateDirectory(config),
    root,
    snapshotMs,
    processes,
    log: (message, cause) => {
      // A disk that cannot be used is no mistake of ours: where it was noticed says nothing.
      const { syscall, message: reason } = (cause ?? {}) as NodeJS.ErrnoException;
      log.warn(message, syscall === undefined ? { err: cause } : { reason });
    },
    ...(isOn ? {} : { clusters: [] }),
    extra: [
      gatewayCluster(state),
      pmcdCluster({
        hostName: () => collector.identity.hostName,
        timeZone: () => collector.identity.timeZone,
        zoneInfo: () => collector.identity.zoneInfo,
        version: PCP_VERSION,
        agents: new Map([
          [2, 'pmcd'],
          [3, 'proc'],
          [60, 'linux'],
          ...joined.map(({ domain, name }) => [domain, name] as const),
          GATEWAY_AGENT,
        ]),
        clients: () => contexts.size,
        requests: () => counters.fetches,
        answers: () => counters.fetches,
      }),
    ],
    extraAgents: new Map([GATEWAY_AGENT]),
  });
  for (const sentence of collector.missing()) log.warn(sentence);
  return collector;
}
