import { hostname } from 'node:os';
import path from 'node:path';
import { PUSHED } from '../../access/index.js';
import { addressMatcher } from '../../http/index.js';
import type { Feature } from '../feature.js';
import { pushRoutes } from './operations.js';
import { PushReceiver } from './push-receiver.js';

/** Names of this machine, without those of its own. */
const LOCAL_NAMES = ['localhost', 'localhost.localdomain', '127.0.0.1', '::1'];

/** Archives that clients push, as pmlogger does. */
export const push: Feature = {
  name: 'push',
  keepsArchives: ({ push }) => push.enabled,
  make: (surroundings) => {
    const { config, log, clock, timers, recordedRoot, stateDirectory } = surroundings;
    const { push } = config;
    if (!push.enabled) return { routes: pushRoutes(undefined) };
    const receiver = new PushReceiver({
      directory: path.join(recordedRoot, PUSHED),
      stateFile: path.join(stateDirectory, 'push.json'),
      limits: push,
      clock,
      timers,
      warn: (message, fields) => log.warn(message, fields),
    });
    const own = hostname().toLowerCase();
    const isOurs = (host: string): boolean => {
      const name = host.toLowerCase().replace(/\.$/, '');
      const names = [...LOCAL_NAMES, own, own.replace(/\..*$/, ''), ...Object.keys(surroundings.config.hosts.named)];
      return names.some((one) => one.toLowerCase() === name);
    };
    return {
      routes: pushRoutes(receiver, addressMatcher(push.from), isOurs),
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
