import { FetchResult, LEAST_RATE_SEC, PM_ERR, PmError, type InstanceDomain, type Timestamp } from '../pmapi/index.js';
import type { RecordedModeChange, RecordedSample, RecordedSource } from '../sources/index.js';
import type { LivePart } from '../sources/timeline/index.js';
import type { ContextParts } from './context-parts.js';
import { boundsOf, openRange, type OpenRange, type RangeOrigin, type RangeSettings } from './open-range.js';
import type { FetchPlan } from './plans/fetch-plan.js';
import { Fetcher, type KeptResult, type ReadResult } from './plans/fetcher.js';
import { basePmids, LiveRangeSource, type LiveHistory, type RangeBounds, type RangeParameters } from './range/index.js';
import type { RangeTrace } from './range/metric-pipeline.js';
import { FetchView, type EarlierLookup, type Selection, type SeriesDirectory } from './selection/index.js';
import { BudgetedMap } from './memory-budget.js';
import { setsOf, timeOf } from './range/live-ring.js';

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

  /** Shared by all single fetches of a plan and selection. Rates are since a remembered sample, if shared, else since the last fetch. */
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
    const info = await this.#liveInfo(descriptors.map(({ pmid }) => pmid));
    return { source, info, instancesEver, isRecorded: false, leastSec };
  }

  /** The time references of a range over a plan. Throws WRONG_CONTEXT when nothing is remembered of live sources. */
  async bounds(plan: FetchPlan, recorded?: RecordedSource): Promise<RangeBounds> {
    const archive = this.#recordedOr(recorded);
    const info = await (archive ? archive.info() : this.#liveInfo(basePmids(plan.entries)));
    return boundsOf(info, this.#options.clock);
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
    });
  }

  /** Have derived metrics and rates of an archive start over, as after pmReconnectContext(3); the position stays. */
  async startOver(): Promise<void> {
    await this.#serially(() => {
      this.#options.derived.forget();
      this.#views?.forget();
    });
  }

  /** Raw records of an archive, marks included; moves the position. Throws WRONG_CONTEXT, SHARED_CONTEXT, PM_ERR_MODE, PM_ERR_EOL. */
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
  #serially<T>(work: () => T | Promise<T>): Promise<T> {
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

/** Views kept per context for rates of single fetches; each holds a sample of its metrics. */
const VIEWS_PER_CONTEXT = 8;
/** Views kept for the context that requests without a context share. */
const VIEWS_PER_SHARED_CONTEXT = 64;

/** A cached view, and the plan it was last compared with. */
interface KeptView {
  readonly view: FetchView;
  plan: WeakRef<FetchPlan>;
}

/** Makes the views of a context: the selection and conversion of its fetches. */
class FetchViews {
  readonly #parts: ContextParts;
  readonly #directory: SeriesDirectory;
  /** Views of single fetches by plan and selection: two fetches in one context give the rate between them. */
  readonly #views: BudgetedMap<string, KeptView>;
  readonly #keys = new WeakMap<FetchView, string>();

  constructor(parts: ContextParts) {
    this.#parts = parts;
    this.#directory = parts.names.directory();
    const most = parts.isShared ? VIEWS_PER_SHARED_CONTEXT : VIEWS_PER_CONTEXT;
    this.#views = new BudgetedMap(parts.shared.memory.kept, most);
  }

  /** A view for one caller; first rates start at remembered samples. Throws CONVERSION. */
  make(plan: FetchPlan, selection: Selection | undefined): FetchView {
    const earlier = this.#earlier(selection);
    const options = { metrics: plan.entries, selection, directory: this.#directory };
    return new FetchView({ ...options, earlier: earlier && forFirst(earlier) });
  }

  /** The view that all single fetches of a plan with a selection share; its rates may start at a remembered sample. */
  kept(plan: FetchPlan, selection: Selection): FetchView {
    const key = `${plan.key} ${selection.key}`;
    const known = this.#views.get(key);
    if (known?.plan.deref() === plan) return known.view;
    if (known?.view.suits(plan.entries) === true) {
      known.plan = new WeakRef(plan);
      return known.view;
    }
    const options = { metrics: plan.entries, selection, directory: this.#directory };
    const { isShared, history } = this.#parts;
    const since = isShared && { earlier: this.#earlier(selection), leastSec: history && LEAST_RATE_SEC };
    const view = new FetchView({ ...options, ...since });
    this.#views.set(key, { view, plan: new WeakRef(plan) }, 2 * key.length + view.bytes);
    this.#keys.set(view, key);
    return view;
  }

  noteUse(view: FetchView): void {
    const key = this.#keys.get(view);
    const kept = key === undefined ? undefined : this.#views.get(key);
    if (kept?.view === view) this.#views.resize(key!, kept, 2 * key!.length + view.bytes);
  }

  close(): void {
    this.#views.clear();
  }

  forget(): void {
    for (const { view } of this.#views.values()) view.forget();
  }

  /** A remembered sample of a live source for a rate to start at. Of a derived metric if its operands had values, and one is enough. */
  #earlier(selection: Selection | undefined): EarlierLookup | undefined {
    const { history, derived, profile } = this.#parts;
    if (!history || !selection?.rate) return undefined;
    return ({ pmid, descriptor, computed }, before, into) => {
      const samples = history.samplesBefore(computed?.operands ?? [pmid], before);
      if (!samples?.[0]) return undefined;
      const at = timeOf(samples[0]);
      if (!computed) {
        samples[0].chunk.fill(samples[0].row, pmid, descriptor.indom, profile, into);
        return at;
      }
      if (samples.every(({ chunk }) => chunk.status <= 0)) return undefined;
      const { program, operands } = computed;
      const sets = setsOf(samples, operands, program.operandIndoms, profile);
      derived.evaluateAlone({ pmid, program }, at, sets, into);
      return into.status > 0 ? at : undefined;
    };
  }
}

/** A lookup that answers once for each metric: later rates start at the sample before. */
function forFirst(lookup: EarlierLookup): EarlierLookup {
  const begun = new Set<number>();
  return (metric, before, into) => {
    if (begun.has(metric.pmid)) return undefined;
    begun.add(metric.pmid);
    return lookup(metric, before, into);
  };
}
