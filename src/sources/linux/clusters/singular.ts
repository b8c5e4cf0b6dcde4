import { INSTANCE_NULL } from '../../../pmapi/index.js';
import type { MetricBinding } from '../cluster.js';
import type { NumberGrid, Sample } from '../sample.js';

/** A singular metric that is one cell of the first row of a grid, times `multiplier`, divided (down) by `divisor`. */
export function cell(
  samples: readonly Sample[],
  grid: NumberGrid,
  column: number,
  multiplier = 1,
  divisor = 1,
): MetricBinding {
  return {
    kind: 'quick',
    samples,
    fill: (set) => grid.emit(set, INSTANCE_NULL, 0, column, multiplier, divisor),
  };
}
