import { DEFAULT_OVERLOAD_LIMITS } from '../../src/http/index.js';
import type { OverloadLimits } from '../../src/http/index.js';

const LOOP_DELAY_MS = 60_000;

/** For tests that are not about overload: a machine that is busy with other things must not have requests turned away. */
export const PATIENT_OVERLOAD: OverloadLimits = { ...DEFAULT_OVERLOAD_LIMITS, loopDelayMs: LOOP_DELAY_MS };

/** The same in the environment of a whole gateway, which samples and records nothing beside what is tested. */
export const PATIENT: Readonly<Record<string, string>> = {
  PMGATE_LIMITS_LOOP_DELAY_MS: String(LOOP_DELAY_MS),
  PMGATE_RECORD_ENABLED: 'false',
  PMGATE_CONTEXTS_REMEMBER: '',
};
