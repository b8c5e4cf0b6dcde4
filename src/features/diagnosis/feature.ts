import type { Timers } from '../../kit/index.js';
import type { OperationRequest, QueryOf } from '../../http/index.js';
import type { Feature } from '../feature.js';
import { runDiagnosis } from './operations.js';
import { loadRules } from './rules.js';

/** What is wrong, since when, and who did it. */
export const diagnosis: Feature = {
  name: 'diagnosis',
  check: ({ diagnosis: { files } }) => {
    try {
      loadRules(files);
      return [];
    } catch (error) {
      return [{ option: 'diagnosis.files', message: (error as Error).message }];
    }
  },
  make: ({ config, timers }) => {
    const rules = loadRules(config.diagnosis.files);
    const pause = (ms: number, signal: AbortSignal): Promise<void> => pauseFor(timers, ms, signal);
    const run = (request: OperationRequest<QueryOf<'diagnose'>>) =>
      runDiagnosis(request, { rules: () => rules, pause });
    return { routes: { diagnose: { run, cost: 'costly' } } };
  },
};

/** Rejects with the signal's reason. */
function pauseFor(timers: Timers, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      stop();
      reject(signal.reason as Error);
    };
    const stop = timers.after(ms, () => {
      signal.removeEventListener('abort', leave);
      resolve();
    });
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
  });
}
