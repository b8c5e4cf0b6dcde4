import { loadConfig } from '../../src/config/index.js';
import { Archives } from '../../src/gateway/targets/archives.js';
import { seriesRoutes } from '../../src/features/series/operations.js';
import { remoteReadRoutes } from '../../src/features/series/remote-read/operation.js';
import { systemClock } from '../../src/pmapi/index.js';
import { Series } from '../../src/features/series/series.js';
import type { SeriesLimits } from '../../src/features/series/series-view.js';
import { Api, type FlatOptions } from './api.js';
import { memoryGateway } from './memory-gateway.js';

/** An API whose series are those of the archives below a root. */
export interface SeriesApi {
  readonly api: Api;
  readonly archives: Archives;
  stop(): Promise<void>;
}

export async function seriesApi(
  root: string,
  { limits, ...http }: { readonly limits?: Partial<SeriesLimits> } & Omit<FlatOptions, 'limits'> = {},
): Promise<SeriesApi> {
  const archives = new Archives(systemClock, { ...loadConfig({}).archives, roots: [root] });
  const series = new Series({
    stores: [archives],
    clock: systemClock,
    limits: { series: 10_000, values: 100_000, bytes: 1e8, lookUps: 5e6, ...limits },
  });
  const api = await Api.start(memoryGateway(), {
    routes: { ...seriesRoutes(series), ...remoteReadRoutes(series) },
    archives,
    limits: { urlBytes: 8191, bodyBytes: 65_536, names: 10_000 },
    ...http,
  });
  return {
    api,
    archives,
    stop: async () => {
      await api.stop();
      await archives.close();
    },
  };
}
