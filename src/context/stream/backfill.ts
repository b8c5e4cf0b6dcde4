import {
  addSeconds,
  compareTimestamps,
  formatIsoTime,
  GatewayError,
  secondsBetween,
  UTC_ZONE,
} from '../../pmapi/index.js';
import type { FetchResult, Timestamp } from '../../pmapi/index.js';
import { recordsOf, type Batch, type RecordedSource } from '../../sources/index.js';
import type { Context } from '../context.js';
import type { FetchPlan } from '../plans/fetch-plan.js';
import type { FetchView } from '../selection/index.js';
import type { StreamFormat } from './stream-output.js';
import { phaseOf, wallMs } from './ticker.js';

/** Samples further apart than so many intervals have a gap. */
const GAP_INTERVALS = 1.5;
/** A sample this share of an interval before a tick is that of the tick: timers fire early. */
const EARLY_SHARE = 0.1;

export interface BackfillOptions {
  readonly context: Context;
  readonly plan: FetchPlan;
  /** A separate view: rates continue from sample to sample. */
  readonly view: FetchView;
  readonly format: StreamFormat;
  readonly intervalMs: number;
  readonly changed: boolean;
  /** The client's last sample. */
  readonly after: Timestamp;
  /** The recorded past, in place of remembered samples; may be sparser than the interval. */
  readonly recorded?: RecordedSource | undefined;
}

interface Candidate {
  readonly at: Timestamp;
  readonly cell: number;
  readonly fullness: number;
  readonly text: string;
}

/** Samples missed by a client, and gaps: one remembered sample per tick. Samples with fewer metrics are left out. */
export class Backfill {
  readonly #options: BackfillOptions;
  #last: Timestamp;
  #fullness = 1;
  /** Between the last two samples; Infinity at first. */
  #stepMs = Infinity;
  #hasBegun = false;

  constructor(options: BackfillOptions) {
    this.#options = options;
    this.#last = options.after;
  }

  /** The events before a moment. May be called again, to continue. */
  async *upTo(until: Timestamp): AsyncGenerator<string, void> {
    if (compareTimestamps(this.#last, until) >= 0) return;
    let best: Candidate | undefined;
    for await (const candidate of this.#candidates(until)) {
      if (best && best.cell === candidate.cell) {
        if (candidate.fullness > best.fullness) best = candidate;
        continue;
      }
      if (best) yield* this.#take(best);
      best = candidate;
    }
    if (best) yield* this.#take(best);
  }

  get last(): Timestamp {
    return this.#last;
  }

  /** The gap before the next sample, if any. */
  gapBefore(next: Timestamp): string | undefined {
    const { format, intervalMs, recorded } = this.#options;
    const usualMs = recorded ? Math.max(intervalMs, this.#stepMs) : intervalMs;
    const isGap = secondsBetween(next, this.#last) * 1000 > GAP_INTERVALS * usualMs;
    return isGap ? format.gap(this.#last, next) : undefined;
  }

  *#take({ at, text }: Candidate): Generator<string, void> {
    const gap = this.gapBefore(at);
    if (gap !== undefined) yield gap;
    // Behind a gap samples may be further apart than before it.
    this.#stepMs = gap === undefined && this.#hasBegun ? secondsBetween(at, this.#last) * 1000 : Infinity;
    this.#hasBegun = true;
    this.#last = at;
    yield text;
  }

  async *#candidates(until: Timestamp): AsyncGenerator<Candidate, void> {
    const { context, plan, view, format, intervalMs, changed } = this.#options;
    if (plan.entries.length === 0) return;
    const from = this.#last;
    // Samples before are read, too: rates continue from the one that the client has, or from one that another client had fetched.
    const start = addSeconds(from, (-GAP_INTERVALS * intervalMs) / 1000);
    const window = { start: isoTime(start), finish: isoTime(addSeconds(until, -1e-9)) };
    const samples = recordsOf(readWindow(context, plan, window, this.#options.recorded));
    const phaseMs = phaseOf(context);
    const cellOf = (at: Timestamp): number => Math.floor((wallMs(at) - phaseMs) / intervalMs + EARLY_SHARE);
    const reached = cellOf(from);
    for await (const { isMark, result } of samples) {
      if (isMark) {
        view.forget();
        continue;
      }
      const fullness = countFilled(result);
      // Recorded samples of metrics at different times are not incomplete.
      if (!this.#options.recorded && fullness < this.#fullness) continue;
      this.#fullness = fullness;
      const shaped = await view.shape(result);
      const at = result.timestamp;
      const cell = cellOf(at);
      if (compareTimestamps(at, from) <= 0 || (cell === reached && !this.#options.recorded)) continue;
      const changes = changed ? { isFull: true, gone: [] } : undefined;
      const text = format.sample({ id: at, answered: view, result: shaped, reconnected: false, changes });
      yield { at, cell, fullness, text };
    }
  }
}

/** The samples of a window; none if nothing is remembered. */
async function* readWindow(
  context: Context,
  plan: FetchPlan,
  window: { readonly start: string; readonly finish: string },
  recorded: RecordedSource | undefined,
): AsyncGenerator<Batch, void> {
  try {
    yield* (await context.fetching.range(plan, window, { recorded })).samples.batches();
  } catch (error) {
    if (!(error instanceof GatewayError && error.code === 'WRONG_CONTEXT')) throw error;
  }
}

function isoTime(at: Timestamp): string {
  return formatIsoTime(at, UTC_ZONE);
}

function countFilled({ sets }: FetchResult): number {
  let filled = 0;
  for (const { status } of sets) if (status !== 0) filled++;
  return filled;
}
