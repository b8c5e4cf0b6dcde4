import { BOMB_ATTACKS } from './bombs.js';
import { CONNECTIONS } from './connections.js';
import { CONTEXT_IDS } from './context-ids.js';
import { CROSS_SITE } from './cross-site.js';
import { GUESSING } from './guessing.js';
import { INJECTION } from './injection.js';
import { MEMORY } from './memory.js';
import { PATHS } from './paths.js';
import { REBINDING } from './rebinding.js';
import { SCANNING } from './scanning.js';
import { SLOW_CLIENTS } from './slow-clients.js';
import { SMUGGLING } from './smuggling.js';
import type { Attack } from '../attack.js';

/** Every attack that makes sense against any URL. */
export const ATTACKS: readonly Attack[] = [
  ...SCANNING,
  ...REBINDING,
  ...PATHS,
  ...CROSS_SITE,
  ...INJECTION,
  ...SMUGGLING,
  ...BOMB_ATTACKS,
  ...MEMORY,
  ...CONTEXT_IDS,
  ...GUESSING,
  ...CONNECTIONS,
  ...SLOW_CLIENTS,
];
