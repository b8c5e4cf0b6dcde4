import { batch, signal } from '@preact/signals';
import { follow } from '../state/page.js';
import type { StreamSample } from '../../../../client/index.js';
import type { Span } from '../state/time-window.js';
import { client, isGatewayGone, RETRY_MS, troubleOf, wait, type Trouble } from './gateway.js';
import { expectFrom, heardOf } from './gateway-clock.js';
import { isOver, pageStreams } from './page-streams.js';
import { SeriesTable, type RangeColumns } from './series-table.js';
import { readerOf } from './tab-context.js';

/** What a feed provides. */
export interface FeedRequest {
  /** A hostspec or `archive:NAME`, perhaps with definitions (`sourceWith`). */
  readonly source: string;
  readonly names: readonly string[];
  /** Counters as rates. */
  readonly isRate: boolean;
  /** Only the greatest values of each sample. */
  readonly top?: number;
  /** Only the instances whose names match one of some patterns. */
  readonly only?: { readonly iname: readonly string[]; readonly match: 'glob' };
  /** Seconds between samples of a live host; 1 by default. */
  readonly intervalSec?: number;
  /** The last seconds and all new samples, or a window of recorded time. */
  readonly time: { readonly kind: 'live'; readonly spanSec: number } | ({ readonly kind: 'fixed' } & Span);
}

/** How the values of a table were obtained. */
export interface Resolution {
  readonly isLive: boolean;
  /** The length of the parts that the window was divided into; undefined: unaveraged samples. */
  readonly partSec: number | undefined;
}

/** The maximum number of parts: a chart has no room for more. */
const POINTS = 600;
/** The maximum number of samples of all metrics that are requested unaveraged. */
const MOST_SAMPLES = 5000;
/** The last so many seconds of a live host are read in parts: there would be more samples than pixels. */
const LONG_SEC = 21_600;
/** Windows that are moved, by keys that are held or by dragging, are asked for so far apart. */
const APART_MS = 150;
/** A tab that is hidden for this long releases its connection to others. */
const HIDDEN_MS = 10_000;
/** Streams that begin or end within this time change the connection once. */
const TOGETHER_MS = 20;

const streams = pageStreams(
  (subscriptions, options) => client.streams(subscriptions, options),
  (callback) => void setTimeout(callback, TOGETHER_MS),
);

/**
 * Provides the samples of some metrics of one source: recorded or remembered ones, then (live) new ones. When something else is
 * requested, it keeps what it has until that arrives.
 */
export class Feed {
  table = new SeriesTable();
  readonly version = signal(0);
  readonly trouble = signal<Trouble | undefined>(undefined);
  readonly isWaiting = signal(false);
  readonly resolution = signal<Resolution | undefined>(undefined);
  /** The gateway's warnings about metrics without values. */
  readonly warnings = signal<ReadonlyMap<string, string>>(new Map());

  /** The samples, which what is computed from them follows. */
  get latest(): SeriesTable {
    follow(this.version);
    return this.table;
  }

  arrived = 0;
  /** When the last one came, on the browser's monotonic clock. */
  heardMs = 0;

  #request: FeedRequest | undefined;
  #key = '';
  #begunMs = 0;
  #run = new AbortController();
  #connection = new AbortController();
  #lastId: string | undefined;
  /** Whose samples the table has. */
  #shown: FeedRequest | undefined;
  #hidden: ReturnType<typeof setTimeout> | undefined;
  #isPaused = false;
  #unpause: (() => void) | undefined;

  constructor() {
    document.addEventListener('visibilitychange', this.#onVisibility);
  }

  /** Provide this from now on; an equal request changes nothing. */
  want(request: FeedRequest): void {
    const key = JSON.stringify(request);
    if (key === this.#key) return;
    this.#key = key;
    this.arrived = 0;
    const before = this.#request;
    const isMoved = before?.time.kind === 'fixed' && key === JSON.stringify({ ...before, time: request.time });
    this.#request = request;
    this.#run.abort(new Error('no longer wanted'));
    this.#run = new AbortController();
    const afterMs = isMoved ? this.#begunMs + APART_MS - performance.now() : 0;
    if (request.names.length > 0) void this.#bring(request, this.#run.signal, afterMs);
  }

  close(): void {
    this.#run.abort(new Error('closed'));
    document.removeEventListener('visibilitychange', this.#onVisibility);
    clearTimeout(this.#hidden);
  }

  async #bring(request: FeedRequest, signal: AbortSignal, afterMs: number): Promise<void> {
    for (;;) {
      try {
        this.isWaiting.value = true;
        if (afterMs > 0) await wait(afterMs);
        if (isOver(signal)) return;
        this.#begunMs = performance.now();
        await this.#fill(request, signal);
        this.isWaiting.value = false;
        this.trouble.value = undefined;
        if (request.time.kind === 'live') await this.#follow(request, request.time.spanSec, signal);
        return;
      } catch (error) {
        if (isOver(signal)) return;
        this.isWaiting.value = false;
        const trouble = troubleOf(error);
        this.trouble.value = trouble;
        const { code, retryAfterMs } = trouble;
        if (code === 'AUTHENTICATION_REQUIRED' || (request.time.kind === 'fixed' && retryAfterMs === undefined)) return;
        await wait(Math.max(retryAfterMs ?? 0, RETRY_MS));
        if (isOver(signal)) return;
      }
    }
  }

  /** Read recorded or remembered samples. */
  async #fill(request: FeedRequest, signal: AbortSignal): Promise<void> {
    const { source, names, isRate, top, only, time } = request;
    const { reads, where } = await readerOf(source);
    const base = { names, rate: isRate, top, ...only, ...where, signal };
    if (time.kind === 'live') {
      // As texts: numbers cannot hold nine decimals, and the stream continues after exactly the last of these.
      const isLong = time.spanSec > LONG_SEC;
      const columns = await reads.columns({
        ...base,
        ...(isLong ? { points: POINTS, decimation: 'envelope' } : {}),
        ...{ start: `-${time.spanSec}sec`, times: 'iso', zone: 'UTC' },
      });
      const table = tableOf(source, { ...columns, times: columns.times.map((time) => Number(idOf(time))) });
      this.#lastId = columns.times.length === 0 || isLong ? undefined : idOf(columns.times.at(-1)!);
      this.#warn(columns.warnings);
      // A gateway that has just started remembers nothing: what was seen before stays.
      if (columns.times.length === 0 && this.#shown === request) return;
      this.#shown = request;
      const partSec = isLong ? time.spanSec / POINTS : undefined;
      this.#show(table, { isLive: true, partSec });
      return;
    }
    const window = { start: time.start, finish: time.end };
    const parts = await reads.columns({ ...base, ...window, points: POINTS, decimation: 'envelope' });
    this.#warn(parts.warnings);
    const counts = parts.metrics.map(({ samples = 0 }) => samples);
    // A chart has room for so few samples: they are read as they were recorded. (`samples` would interpolate.)
    const isFew = Math.max(0, ...counts) <= POINTS && counts.reduce((sum, n) => sum + n, 0) <= MOST_SAMPLES;
    const columns = isFew ? await reads.columns({ ...base, ...window }) : parts;
    const partSec = isFew ? undefined : (time.end - time.start) / POINTS;
    this.#show(tableOf(source, columns), { isLive: false, partSec });
  }

  /** Read new samples, until stopped. The client reconnects when a connection is lost. */
  async #follow(
    { source, names, isRate, top, only, intervalSec = 1 }: FeedRequest,
    spanSec: number,
    signal: AbortSignal,
  ): Promise<void> {
    const interval = Math.max(intervalSec, Math.ceil(spanSec / 3600));
    while (!isOver(signal)) {
      await this.#looking();
      this.#connection = new AbortController();
      const stop = (): void => this.#connection.abort(new Error('stopped'));
      signal.addEventListener('abort', stop);
      expectFrom(this, interval);
      try {
        const { place } = await readerOf(source);
        await streams.follow(
          {
            subscription: () => ({
              ...{ names, rate: isRate, top, ...only, interval, inames: true },
              ...{ ...place(), lastEventId: this.#lastId },
            }),
            onMetrics: ({ metrics, warnings }) => {
              for (const { name, units } of metrics) this.table.units.set(name, units);
              this.#warn(warnings);
            },
            onTrouble: (error) => {
              expectFrom(this, interval);
              this.trouble.value = troubleOf(error);
            },
            onGap: ({ from, to }) => this.table.missed({ from: Number(from), to: Number(to) }, interval),
            onSample: (sample) => this.#take(sample, interval, spanSec),
          },
          this.#connection.signal,
        );
        // It was stopped: for good, or by a hidden tab until that is visible again.
      } finally {
        expectFrom(this, undefined);
        signal.removeEventListener('abort', stop);
      }
    }
  }

  #take(sample: StreamSample, interval: number, spanSec: number): void {
    this.#lastId = sample.id;
    this.arrived++;
    this.heardMs = performance.now();
    expectFrom(this, interval);
    this.table.push(sample, interval);
    this.table.trim(sample.timestamp - spanSec - 30);
    // Together: the clock moves the window, and lanes need only one look at both.
    batch(() => {
      heardOf(sample.timestamp);
      isGatewayGone.value = false;
      this.trouble.value = undefined;
      this.version.value++;
    });
  }

  #show(table: SeriesTable, resolution: Resolution): void {
    this.table = table;
    batch(() => {
      this.resolution.value = resolution;
      const last = table.times.at(-1);
      if (last !== undefined && resolution.isLive) heardOf(last);
      this.version.value++;
    });
  }

  #warn(warnings: readonly { readonly name?: string; readonly message: string }[] | undefined): void {
    this.warnings.value = new Map((warnings ?? []).map(({ name = '', message }) => [name, message]));
  }

  /** Resolves once the tab is looked at. */
  #looking(): Promise<void> {
    if (!this.#isPaused) return Promise.resolve();
    return new Promise((resolve) => (this.#unpause = resolve));
  }

  readonly #onVisibility = (): void => {
    clearTimeout(this.#hidden);
    if (document.hidden) {
      this.#hidden = setTimeout(() => {
        this.#isPaused = true;
        this.#connection.abort(new Error('the tab is hidden'));
      }, HIDDEN_MS);
      return;
    }
    this.#isPaused = false;
    this.#unpause?.();
  };
}

/** The names of instances by source: the gateway forgets those of processes that have ended. */
const names = new Map<string, Map<string, string>>();

function tableOf(source: string, columns: RangeColumns): SeriesTable {
  let known = names.get(source);
  if (!known || known.size > 20_000) known = new Map<string, string>();
  names.set(source, known);
  const table = new SeriesTable(known);
  table.fill(columns);
  return table;
}

/** `2026-11-22T22:39:23.260934000Z` as the `id` of a sample, seconds since the epoch: `1795387163.260934000`. */
function idOf(text: string): string {
  const [whole = '', fraction = '0Z'] = text.split('.');
  return `${Date.parse(`${whole.replace(/Z$/, '')}Z`) / 1000}.${fraction.replace(/Z$/, '')}`;
}
