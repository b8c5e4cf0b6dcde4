import type { StreamLimits } from '../../src/context/stream/index.js';
import { systemLoopTimers } from '../../src/http/guards/overload/overload-guard.js';
import type { OverloadLimits } from '../../src/http/index.js';

const LOOP_DELAY_MS = 60_000;

/** The defaults of the configuration. */
export const OVERLOAD_LIMITS: OverloadLimits = {
  requests: 2000,
  ranges: 64,
  hostRequests: 1000,
  loopDelayMs: 200,
  unsentBytes: 268_435_456,
};
export const STREAM_LIMITS: StreamLimits = {
  maxSubscribers: 2000,
  historyBytes: 32 * 1024 * 1024,
  lingerMs: 30_000,
  minIntervalMs: 100,
  heartbeatMs: 15_000,
  bufferBytes: 256 * 1024,
};

/** For tests that are not about overload: a machine that is busy with other things must not have requests turned away. */
export const PATIENT_OVERLOAD: OverloadLimits = { ...OVERLOAD_LIMITS, loopDelayMs: LOOP_DELAY_MS };

/** The same in the environment of a whole gateway, which samples and records nothing beside what is tested. */
export const PATIENT: Readonly<Record<string, string>> = {
  PMGATE_LIMITS_LOOP_DELAY_MS: String(LOOP_DELAY_MS),
  PMGATE_RECORD_ENABLED: 'false',
  PMGATE_CONTEXTS_REMEMBER: '',
};

/** And for browser suites, whose gateway shares its event loop with the test: no gateway of this process refuses streams for that. */
export function neverBusy(): void {
  systemLoopTimers.busyMs = () => 0;
}

/** How long a gateway of interop waits for a pmcd that has much else to do; rejections take as long as the first. */
export const PATIENT_HOSTS: Readonly<Record<string, string>> = {
  PMGATE_HOSTS_CONNECT_TIMEOUT_SEC: '10',
  PMGATE_HOSTS_REPLY_TIMEOUT_SEC: '60',
};
