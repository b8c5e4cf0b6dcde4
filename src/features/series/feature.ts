import type { Config } from '../../config/index.js';
import type { Feature } from '../feature.js';
import { remoteReadRoutes } from './remote-read/operation.js';
import { seriesRoutes } from './operations.js';
import { Series } from './series.js';
import type { SeriesLimits } from './series-view.js';
import { getOrMake } from '../../kit/index.js';
import type { Context, ContextManager, RememberedSource } from '../../context/index.js';
import { LiveRangeSource, type LiveHistory } from '../../context/range/index.js';
import { END_OF_TIME, onPmError, PM_ERR, PmError, type MetricDescriptor } from '../../pmapi/index.js';
import type { SampleStore, SampleStores, StoreMetadata, StoreReader } from '../../sources/index.js';
import { holdsCredentials } from '../../access/index.js';

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

interface LiveStore extends SampleStore, RememberedSource {}

/** Remembered samples of live hosts, fetched without credentials. Metadata is fetched again for new metrics or instances. */
export class LiveStores implements SampleStores<LiveStore> {
  readonly #contexts: Pick<ContextManager, 'remembered' | 'shared'>;
  readonly #ids = new WeakMap<LiveHistory, number>();
  readonly #descriptors = new WeakMap<LiveHistory, readonly MetricDescriptor[]>();
  #lastId = 0;

  constructor(contexts: Pick<ContextManager, 'remembered' | 'shared'>) {
    this.#contexts = contexts;
  }

  find(): Promise<readonly LiveStore[]> {
    const open = this.#contexts.remembered.filter(({ spec }) => !holdsCredentials(spec));
    return Promise.resolve(
      open.map(({ spec, history }) => {
        // Numbers are never used again: something else may answer to the same hostspec now.
        const id = getOrMake(this.#ids, history, () => ++this.#lastId);
        return { name: `live:${id}`, spec, history, key: String(history.contentVersion) };
      }),
    );
  }

  async readMetadata<T>(
    { spec, history }: LiveStore,
    use: (metadata: StoreMetadata) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const context = await this.#contexts.shared(spec, signal && (() => signal));
    const release = context.hold();
    try {
      return await use(await this.#metadataOf(context, history));
    } finally {
      release();
    }
  }

  openStore({ history }: LiveStore): Promise<StoreReader> {
    const descriptors = this.#descriptors.get(history) ?? [];
    const source = new LiveRangeSource(history, descriptors, () => Promise.reject(new PmError(PM_ERR.INDOM)));
    return Promise.resolve({
      prepare: (pmids) => source.prepare(pmids),
      batches: (prepared, profile, from, to) => source.batches(prepared, profile, from, to),
      end: () => Promise.resolve(history.bounds(history.pmids)?.end ?? END_OF_TIME),
      close: () => Promise.resolve(),
    });
  }

  /** The host's metadata of remembered metrics, without those that it no longer has. */
  async #metadataOf(context: Context, history: LiveHistory): Promise<StoreMetadata> {
    const { names } = context;
    const { hostName } = await context.info();
    const { pmids } = history;
    const described = await Promise.all(pmids.map((pmid) => names.metadata(pmid).catch(onPmError(() => undefined))));
    const metrics = described.filter((metric) => metric !== undefined);
    const descriptors = new Map(metrics.map(({ descriptor }) => [descriptor.pmid, descriptor]));
    this.#descriptors.set(history, [...descriptors.values()]);
    return {
      label: { hostName, start: history.bounds(pmids)?.start ?? END_OF_TIME },
      metrics: () => metrics.flatMap((metric) => metric.names.map((name) => [name, metric.descriptor.pmid] as const)),
      descriptor: (pmid) => descriptors.get(pmid),
      instancesEver: (indom) =>
        names.instances(indom).then(
          ({ instances }) => instances,
          onPmError(() => []),
        ),
      lastLabels: (target) => names.identifyingLabels(target),
    };
  }
}
