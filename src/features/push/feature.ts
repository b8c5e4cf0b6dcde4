import path from 'node:path';
import { PUSHED } from '../../access/index.js';
import { addressMatcher } from '../../http/index.js';
import type { Feature } from '../feature.js';
import { pushRoutes } from './operations.js';
import { PushReceiver } from './push-receiver.js';

/** Archives that clients push, as pmlogger does. */
export const push: Feature = {
  name: 'push',
  keepsArchives: ({ push }) => push.enabled,
  make: ({ config: { push }, log, clock, timers, recordedRoot, stateDirectory }) => {
    if (!push.enabled) return { routes: pushRoutes(undefined) };
    const receiver = new PushReceiver({
      directory: path.join(recordedRoot, PUSHED),
      stateFile: path.join(stateDirectory, 'push.json'),
      limits: push,
      clock,
      timers,
      warn: (message, fields) => log.warn(message, fields),
    });
    return {
      routes: pushRoutes(receiver, addressMatcher(push.from)),
      metrics: {
        'pmgate.push.archives': () => receiver.openCount,
        'pmgate.push.requests': () => receiver.statistics.requests,
        'pmgate.push.bytes': () => receiver.statistics.bytes,
        'pmgate.push.refused': () => receiver.statistics.refused,
        'pmgate.push.delayed': () => receiver.statistics.delayed,
        'pmgate.push.kept_bytes': () => receiver.keptBytes,
      },
      start: () => void receiver.start(),
      close: () => receiver.close(),
    };
  },
};
