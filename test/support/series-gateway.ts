import { loadConfig } from '../../src/config/index.js';
import { Archives } from '../../src/gateway/targets/archives.js';
import type { HttpOptions } from '../../src/http/index.js';
import { systemClock } from '../../src/pmapi/index.js';
import { Series } from '../../src/features/series/index.js';
import type { SeriesLimits } from '../../src/features/series/index.js';
import { Api } from './api.js';
import { memoryGateway } from './memory-gateway.js';

/** An API whose series are those of the archives below a root. */
export interface SeriesApi {
  readonly api: Api;
  readonly archives: Archives;
  stop(): Promise<void>;
}

export async function seriesApi(
  root: string,
  { limits, ...http }: { readonly limits?: Partial<SeriesLimits> } & Partial<Omit<HttpOptions, 'limits'>> = {},
): Promise<SeriesApi> {
  const archives = new Archives(systemClock, { ...loadConfig({}).archives, roots: [root] });
  const series = new Series({
    stores: [archives],
    clock: systemClock,
    limits: { series: 10_000, values: 100_000, ...limits },
  });
  const api = await Api.start(memoryGateway(), {
    series,
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
