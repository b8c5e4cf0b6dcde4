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
/** Memory for the values of all requests, and maximum number of look-ups in all archives together. */
const SERIES_BYTES = 256 * 1024 * 1024;
const SERIES_LOOK_UPS = 5_000_000;

/** Time series of archives and remembered samples: /series and Prometheus' remote read. */
export const series: Feature = {
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
};

function seriesLimits({ archives }: Config): SeriesLimits {
  const values = Math.min(archives.rangeValues, SERIES_VALUES);
  return { series: SERIES, values, bytes: SERIES_BYTES, lookUps: SERIES_LOOK_UPS };
}
