/** The features of the gateway. Deleting a line and its directory leaves a gateway without it: `npm run without -- NAME`. */
import { changes } from './changes/feature.js';
import { consolePage } from './console/feature.js';
import { diagnosis } from './diagnosis/feature.js';
import type { Feature } from './feature.js';
import { mcp } from './mcp/feature.js';
import { mmv } from './mmv/feature.js';
import { push } from './push/feature.js';
import { recorder } from './recorder/feature.js';
import { search } from './search/feature.js';
import { series } from './series/feature.js';

export type { FeatureParts, Surroundings } from './feature.js';

/** In the order in which they start; they close in the reverse order. */
export const FEATURES: readonly Feature[] = [changes, consolePage, diagnosis, mcp, mmv, push, recorder, search, series];

/** Those that work on archives in a page, too, without a gateway. */
export const PAGE_FEATURES: readonly Feature[] = [changes, diagnosis, search];
