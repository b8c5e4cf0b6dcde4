/** Gives numbers to ever more names, kept in the folder that it is given, until somebody kills it. Says a line for each write. */
import { INTERFACE_INDOM, NAMES_AT_ONCE, instanceCachesIn } from './instance-caches-in.js';

const { caches } = instanceCachesIn(process.argv[2]!);
const cache = caches.of(INTERFACE_INDOM);
for (let writes = 0; ; writes++) {
  for (let i = 0; i < NAMES_AT_ONCE; i++) cache.numberOf(`veth${writes * NAMES_AT_ONCE + i}`);
  await caches.flush();
  process.stdout.write(`${writes}\n`);
}
