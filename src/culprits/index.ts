/** Who uses a resource: processes, control groups, and the rest. See README.md. */
export { findCulprits } from './find-culprits.js';
export type { Window } from './find-culprits.js';
export { describeCulprits, harmless, titleOf } from './culprit.js';
export type { Culprits } from './culprit.js';
export { CULPRIT_RESOURCES, culpritMetrics, isCulpritResource } from './recipes.js';
export type { CulpritResource } from './recipes.js';
export { amount, readable, roundNumber } from './amount.js';
export { baseFactor, Cells, instanceNames } from './sample.js';
export { sharedMeasure, takeTwoSamples } from './two-samples.js';
export type { Measure } from './two-samples.js';
