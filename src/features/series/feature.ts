import type { Config } from '../../config/index.js';
import type { Feature } from '../feature.js';
import { LiveStores } from './live-stores.js';
import { remoteReadRoutes } from './remote-read/operation.js';
import { seriesRoutes } from './operations.js';
import { Series } from './series.js';
import type { SeriesLimits } from './series-view.js';

/** Values of a series are kept until they are sent: fewer of them than a range, which is written while it is read, may have. */
const SERIES_VALUES = 1_000_000;
const SERIES = 100_000;

/** Time series of archives and remembered samples: /series and Prometheus' remote read. */
export const series = {
  name: 'series',
  make: (surroundings) => {
    const { archives, contexts, clock } = surroundings;
    const series = new Series({
      stores: [archives, new LiveStores(contexts)],
      clock,
      limits: seriesLimits(surroundings.config),
    });
    return {
      routes: { ...seriesRoutes(series), ...remoteReadRoutes(series) },
      reload: () => (series.limits = seriesLimits(surroundings.config)),
    };
  },
} satisfies Feature;

function seriesLimits({ archives }: Config): SeriesLimits {
  return { series: SERIES, values: Math.min(archives.rangeValues, SERIES_VALUES) };
}
