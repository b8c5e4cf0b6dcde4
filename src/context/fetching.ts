import { FetchResult, LEAST_RATE_SEC, PM_ERR, PmError, type InstanceDomain, type Timestamp } from '../pmapi/index.js';
import type { RecordedModeChange, RecordedSample, RecordedSource } from '../sources/index.js';
import type { ContextParts } from './context-parts.js';
import type { LivePart } from '../sources/timeline/index.js';
import { FetchViews } from './fetch-views.js';
import { boundsOf, openRange, type OpenRange, type RangeOrigin, type RangeSettings } from './open-range.js';
import type { FetchPlan } from './plans/fetch-plan.js';
import { Fetcher, type KeptResult, type ReadResult } from './plans/fetcher.js';
import { basePmids, LiveRangeSource } from './range/index.js';
import type { LiveHistory, RangeBounds, RangeParameters } from './range/index.js';
import type { RangeTrace } from './range/range-trace.js';
import type { FetchView, Selection } from './selection/index.js';

/** Before the first record of every archive. */
const ARCHIVE_START: Timestamp = { sec: 0, nsec: 0 };
const NOTHING_BEFORE: Promise<unknown> = Promise.resolve();

interface FetchingContext {
  readonly isShared: boolean;
  refuseIfShared(): void;
  requireArchive(): RecordedSource;
  hold(): () => void;
}

/** The values of a context: fetches, ranges, archive records. Live fetches may overlap; moves in an archive are done in order. */
export class Fetching {
  readonly #context: FetchingContext;
  readonly #options: ContextParts;
  readonly #fetcher: Fetcher;
  #views: FetchViews | undefined;
  #lastMove = NOTHING_BEFORE;
  #moves = 0;

  constructor(context: FetchingContext, options: ContextParts) {
    this.#context = context;
    this.#options = options;
    this.#fetcher = new Fetcher(options);
  }

  /** Possible moves of an archive's position. */
  get moves(): number {
    return this.#moves;
  }

  get underWay(): number {
    return this.#fetcher.underWay;
  }

  /** Fetches; `read` takes all it needs before it returns: value sets are reused. `view` is applied before. @see pmFetch(3) */
  fetch<T>(plan: FetchPlan, read: ReadResult<T>, view?: FetchView, trace?: RangeTrace): Promise<T> {
    const { source, clock } = this.#options;
    if (plan.entries.length === 0) {
      // Sources reject an empty fetch.
      const result = Object.assign(new FetchResult(), { timestamp: clock.now() });
      const keep = (): KeptResult => ({ result, release: () => undefined });
      return Promise.resolve(
        read(result, { reconnected: false, reconnects: source.reconnects, warning: undefined, keep }),
      );
    }
    const fetched = source.archive
      ? this.#serially(() => {
          this.#rewindIfShared();
          return this.#fetcher.fetch(plan, read, view, trace);
        })
      : this.#fetcher.fetch(plan, read, view, trace);
    return view ? fetched.finally(() => this.#views?.noteUse(view)) : fetched;
  }

  /** A caller's own view: rates between its results, first ones since remembered samples. Throws CONVERSION. */
  view(plan: FetchPlan, selection: Selection | undefined): FetchView {
    return this.#keptViews.make(plan, selection);
  }

  /**
   * A view shared by all single fetches of this plan and selection. On a shared context, rates are since a remembered sample (of a derived
   * metric, with all operands), where there is one; otherwise since the last fetch with this view.
   */
  keptView(plan: FetchPlan, selection: Selection): FetchView {
    return this.#keptViews.kept(plan, selection);
  }

  /**
   * A plan's values over a window, with a history of their own; the position stays. Of a live source: values seen in earlier fetches.
   * Throws BAD_PARAMETER, CONVERSION and LIMIT_EXCEEDED, and WRONG_CONTEXT when nothing is remembered of live sources.
   */
  async range(plan: FetchPlan, parameters: RangeParameters, settings: RangeSettings = {}): Promise<OpenRange> {
    const { names, profile, clock } = this.#options;
    const past = await this.past(plan.base, settings.recorded);
    const origin = { ...past, profile: profile.clone(), clock, directory: names.directory() };
    return openRange(origin, plan, parameters, settings);
  }

  /** The archive, or a live source's remembered samples of `metrics`. Throws WRONG_CONTEXT when nothing is remembered. */
  async past(
    metrics: FetchPlan['base'],
    recorded?: RecordedSource,
  ): Promise<Pick<RangeOrigin, 'source' | 'info' | 'instancesEver' | 'isRecorded' | 'leastSec'>> {
    const archive = this.#recordedOr(recorded);
    const leastSec = this.#options.source.archive ? 0 : LEAST_RATE_SEC;
    if (archive) {
      const instancesEver = (indom: number): Promise<InstanceDomain> => archive.instancesEver(indom);
      return { source: archive, info: await archive.info(), instancesEver, isRecorded: true, leastSec };
    }
    const { names, history } = this.#options;
    const instancesEver = (indom: number): Promise<InstanceDomain> => names.instances(indom);
    const descriptors = metrics.map(({ descriptor }) => descriptor);
    const source = new LiveRangeSource(history!, descriptors, instancesEver);
    return {
      source,
      info: await this.#liveInfo(descriptors.map(({ pmid }) => pmid)),
      instancesEver,
      isRecorded: false,
      leastSec,
    };
  }

  /** The time references of a range over a plan. Throws WRONG_CONTEXT when nothing is remembered of live sources. */
  async bounds(plan: FetchPlan, recorded?: RecordedSource): Promise<RangeBounds> {
    const archive = this.#recordedOr(recorded);
    return boundsOf(
      await (archive ? archive.info() : this.#liveInfo(basePmids(plan.entries))),
      this.#options.clock,
    );
  }

  /** Remembered samples of the live source, as the last part of a timeline. */
  get remembered(): LivePart | undefined {
    const { source, history } = this.#options;
    return history && !source.archive ? this.partOf(history) : undefined;
  }

  /** Samples of the live source that were recorded apart, likewise. */
  partOf(history: LiveHistory): LivePart {
    const { source, names } = this.#options;
    const instances = (indom: number): Promise<InstanceDomain> => names.instances(indom);
    return {
      source,
      instances,
      marks: () => history.marks,
      moments: (pmid) => history.moments(pmid),
      values: (descriptors) => new LiveRangeSource(history, descriptors, instances),
    };
  }

  /** Sets an archive's mode; restarts derived metrics (in PCP, a delta reaches across). Throws WRONG_CONTEXT, SHARED_CONTEXT. */
  async setMode(change: RecordedModeChange): Promise<void> {
    const archive = this.#context.requireArchive();
    this.#context.refuseIfShared();
    await this.#serially(() => {
      archive.setMode(change);
      if (change.time) this.#options.derived.forget();
      this.#views?.forget();
      return Promise.resolve();
    });
  }

  /** Have derived metrics and rates of an archive start over, as after pmReconnectContext(3); the position stays. */
  async startOver(): Promise<void> {
    await this.#serially(() => {
      this.#options.derived.forget();
      this.#views?.forget();
      return Promise.resolve();
    });
  }

  /**
   * Raw records of an archive, marks included, each valid until the next; moves the position. @see pmFetchArchive(3) Throws WRONG_CONTEXT
   * for a live source, SHARED_CONTEXT, PM_ERR_MODE when interpolating, and PM_ERR_EOL without any.
   */
  async *records(): AsyncGenerator<RecordedSample, void> {
    const archive = this.#context.requireArchive();
    this.#context.refuseIfShared();
    const into = new FetchResult();
    let isBegun = false;
    const release = this.#context.hold();
    try {
      yield await this.#serially(() => archive.nextRecord(into));
      isBegun = true;
      for (;;) yield await this.#serially(() => archive.nextRecord(into));
    } catch (error) {
      if (!isBegun || !(error instanceof PmError) || error.pmErr !== PM_ERR.EOL) throw error;
    } finally {
      release();
    }
  }

  close(): void {
    this.#views?.close();
  }

  /** The recorded source, if given, else the remembered samples (undefined). Throws WRONG_CONTEXT without any. */
  #recordedOr(recorded: RecordedSource | undefined): RecordedSource | undefined {
    const { source, history } = this.#options;
    return recorded ?? (history ? source.archive : this.#context.requireArchive());
  }

  async #liveInfo(pmids: readonly number[]): Promise<RangeOrigin['info']> {
    const { source, history } = this.#options;
    const { timezone } = await source.info();
    return { ...history!.bounds(pmids), ...(timezone === undefined ? {} : { timezone }) };
  }

  /** Queues work that moves the position of an archive. */
  #serially<T>(work: () => Promise<T>): Promise<T> {
    const release = this.#context.hold();
    this.#moves++;
    const mine = this.#lastMove.then(work, work).finally(release);
    this.#lastMove = mine;
    return mine;
  }

  /** Requests without a context all begin at the start. */
  #rewindIfShared(): void {
    const { source, derived } = this.#options;
    if (!this.#context.isShared) return;
    source.archive?.setMode({ mode: 'forward', time: ARCHIVE_START });
    derived.forget();
    this.#views?.forget();
  }

  get #keptViews(): FetchViews {
    return (this.#views ??= new FetchViews(this.#options));
  }
}
