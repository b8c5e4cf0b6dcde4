/** The features of the gateway. Deleting a line and its directory leaves a gateway without it: `npm run without -- NAME`. */
import type { CoreRoutes, OperationId } from '../http/index.js';
import { changes } from './changes/feature.js';
import { consolePage } from './console/feature.js';
import type { Feature, Surroundings } from './feature.js';
import { mmv } from './mmv/feature.js';
import { push } from './push/feature.js';
import { recorder } from './recorder/feature.js';
import { search } from './search/feature.js';
import { series } from './series/feature.js';

export type { FeatureParts, Surroundings } from './feature.js';

const ALL = [changes, consolePage, mmv, push, recorder, search, series] as const;

/** In the order in which they start; they close in the reverse order. */
export const FEATURES: readonly Feature[] = ALL;

/** The operations that a feature serves. */
type ServedBy<F> = F extends { make: (surroundings: Surroundings) => infer Parts } ? RoutesOf<Parts> : never;
type RoutesOf<Parts> = Parts extends { routes: infer R } ? keyof R : never;
type Unserved = Exclude<OperationId, keyof CoreRoutes | ServedBy<(typeof ALL)[number]>>;

/** Does not compile if openapi.yaml has an operation that nothing serves: its error names them. */
export const IS_COMPLETE: [Unserved] extends [never] ? true : Unserved = true;
