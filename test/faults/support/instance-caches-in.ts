import { INTERFACE_INDOM } from '../../../src/sources/linux/catalog/linux-catalog.js';
import { InstanceCaches } from '../../../src/sources/linux/instance-caches.js';
import { FakeClock } from '../../support/fake-clock.js';

export { INTERFACE_INDOM };

/** How many names the writer that is killed gives numbers to before each write. */
export const NAMES_AT_ONCE = 500;

/** The instance caches that a folder holds, and what they complain of. */
export function instanceCachesIn(stateDir: string): { caches: InstanceCaches; log: string[] } {
  const log: string[] = [];
  const caches = new InstanceCaches({ stateDir, clock: new FakeClock(), log: (message) => log.push(message) });
  return { caches, log };
}
