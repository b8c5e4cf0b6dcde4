import { FetchResult, LEAST_RATE_SEC, PM_ERR, PmError } from '../pmapi/index.js';
import type { Clock, InstanceDomain, Timestamp } from '../pmapi/index.js';
import type {
  InstanceProfile,
  MetricSource,
  RecordedModeChange,
  RecordedSample,
  RecordedSource,
} from '../sources/index.js';
import type { LivePart } from '../sources/timeline/index.js';
import { FetchViews } from './fetch-views.js';
import { BudgetedMap } from './memory-budget.js';
import type { MemoryBudget } from './memory-budget.js';
import type { DerivedMetrics } from './names/derived-metrics.js';
import type { Namespace } from './names/namespace.js';
import { boundsOf, openRange } from './open-range.js';
import type { OpenRange, RangeOrigin, RangeSettings } from './open-range.js';
import type { FetchPlan } from './plans/fetch-plan.js';
import type { FetchPlans } from './plans/fetch-plans.js';
import { Fetcher } from './plans/fetcher.js';
import type { FetchServices, ReadResult } from './plans/fetcher.js';
import { basePmids, LiveRangeSource, metricsOfPlan } from './range/index.js';
import type { RangeBounds, RangeParameters } from './range/index.js';
import type { RangeTrace } from './range/range-trace.js';
import type { FetchView, Selection } from './selection/index.js';

/** Views kept per context for the rates of single fetches, as long as there is memory for them; each holds a sample of its metrics. */
const VIEWS_PER_CONTEXT = 8;
/** Views kept for the context that requests without a context share. */
const VIEWS_PER_SHARED_CONTEXT = 64;
/** Before the first record of every archive. */
const ARCHIVE_START: Timestamp = { sec: 0, nsec: 0 };
const NOTHING_BEFORE: Promise<unknown> = Promise.resolve();

/** What the values of a context are fetched with. */
export interface FetchingOptions extends FetchServices {
  readonly source: MetricSource;
  readonly names: Namespace;
  readonly plans: FetchPlans;
  readonly derived: DerivedMetrics;
  readonly profile: InstanceProfile;
  readonly clock: Clock;
  /** What views have to fit into, with what all other contexts keep. */
  readonly budget: MemoryBudget;
}

/** What fetching needs of its context. */
export interface FetchingContext {
  /** Whether requests without a context use it. */
  readonly isShared: boolean;
  /** Throw SHARED_CONTEXT when it is shared. */
  refuseIfShared(): void;
  /** The archive that it is on; throws WRONG_CONTEXT for a live source. */
  requireArchive(): RecordedSource;
  /** Keep it from expiring until what is returned is called. */
  hold(): () => void;
}

/**
 * The values of a context: fetches, ranges, and the records of an archive. Fetches of a live source may overlap; what moves the
 * position of an archive is done in the order in which it was requested.
 */
export class Fetching {
  readonly #context: FetchingContext;
  readonly #options: FetchingOptions;
  readonly #fetcher: Fetcher;
  #views: FetchViews | undefined;
  #lastMove = NOTHING_BEFORE;
  #moves = 0;

  constructor(context: FetchingContext, options: FetchingOptions) {
    this.#context = context;
    this.#options = options;
    const { source, names, derived, profile } = options;
    this.#fetcher = new Fetcher(source, names.events, derived, profile, {
      ...options,
      startsAt: context.isShared ? options.history : undefined,
    });
  }

  /** How often the position of an archive may have moved. */
  get moves(): number {
    return this.#moves;
  }

  /** Fetches that have not been answered yet. */
  get underWay(): number {
    return this.#fetcher.underWay;
  }

  /**
   * Fetch the metrics of a plan and hand the result to `read`, which must take from it all it needs before it returns: value
   * sets are reused by later fetches.
   * @param view one of this context and of the plan's metrics; `read` is given what it makes of the result
   * @param trace takes down what the values went through
   * @see pmFetch(3)
   */
  fetch<T>(plan: FetchPlan, read: ReadResult<T>, view?: FetchView, trace?: RangeTrace): Promise<T> {
    const fetched = this.#options.source.archive
      ? this.#serially(() => {
          this.#rewindIfShared();
          return this.#fetcher.fetch(plan, read, view, trace);
        })
      : this.#fetcher.fetch(plan, read, view, trace);
    return view ? fetched.finally(() => this.#views?.noteUse(view)) : fetched;
  }

  /**
   * How fetches of a plan are answered when something of them is selected or converted: a view of the caller's own, whose rates are
   * those between the results that it shapes; the first start at samples that are remembered of the source. Good for later plans of the same request while they hold the same metrics.
   * @throws GatewayError CONVERSION when a metric cannot be given in the selection's units
   */
  view(plan: FetchPlan, selection: Selection | undefined): FetchView {
    return this.#keptViews.make(plan, selection);
  }

  /**
   * As {@link view}, but one that all single fetches of this plan with this selection share. On a context that requests without a
   * context share, rates are those since a sample that is remembered of the source, from any fetch, where there is one: for a
   * derived metric, of all its operands at one moment. Otherwise they are those since the last fetch with this view.
   */
  keptView(plan: FetchPlan, selection: Selection): FetchView {
    return this.#keptViews.kept(plan, selection);
  }

  /**
   * The values of a plan's metrics over a window of time, with a history of their own for derived metrics; the position stays. Of a
   * live source these are the values that were seen in earlier fetches. The instances are those that the profile lets through now.
   * Throws BAD_PARAMETER, CONVERSION and LIMIT_EXCEEDED, and WRONG_CONTEXT when nothing is remembered of live sources.
   */
  async range(plan: FetchPlan, parameters: RangeParameters, settings: RangeSettings = {}): Promise<OpenRange> {
    const { names, profile, clock } = this.#options;
    const past = await this.past(plan.base, settings.recorded);
    const origin = { ...past, profile: profile.clone(), clock, directory: names.directory() };
    return openRange(origin, plan, parameters, settings);
  }

  /**
   * What values of the past are read from: the archive, or the remembered samples of the live source. Throws WRONG_CONTEXT when nothing is.
   * @param metrics of a live source: those that are read
   */
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

  /** What the times of a range over a plan relate to. Throws WRONG_CONTEXT when nothing is remembered of live sources. */
  async bounds(plan: FetchPlan, recorded?: RecordedSource): Promise<RangeBounds> {
    const archive = this.#recordedOr(recorded);
    return boundsOf(
      await (archive ? archive.info() : this.#liveInfo(basePmids(metricsOfPlan(plan)))),
      this.#options.clock,
    );
  }

  /** The remembered samples of the live source, as the last part of a timeline; undefined if there are none. */
  get remembered(): LivePart | undefined {
    const { source, names, history } = this.#options;
    if (!history || source.archive) return undefined;
    const instances = (indom: number): Promise<InstanceDomain> => names.instances(indom);
    return {
      source,
      instances,
      marks: () => history.marks,
      moments: (pmid) => history.moments(pmid),
      values: (descriptors) => new LiveRangeSource(history, descriptors, instances),
    };
  }

  /**
   * Set how fetches on an archive advance and from where. Derived metrics start over when the position was set. Differs from
   * PCP: there a delta reaches across the jump. Throws WRONG_CONTEXT for a live source, and SHARED_CONTEXT. @see pmSetMode(3)
   */
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
   * Raw records of an archive from the position on, in the direction of the mode, marks included, until it ends; the position
   * moves along. Each record is scratch. Throws WRONG_CONTEXT for a live source, SHARED_CONTEXT, PM_ERR_MODE when interpolating, and
   * PM_ERR_EOL when there is not one.
   * @see pmFetchArchive(3)
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

  /** The context is gone. */
  close(): void {
    this.#views?.close();
  }

  /** What ranges read in place of what is remembered; undefined: that. Throws WRONG_CONTEXT when nothing is. */
  #recordedOr(recorded: RecordedSource | undefined): RecordedSource | undefined {
    const { source, history } = this.#options;
    return recorded ?? (history ? source.archive : this.#context.requireArchive());
  }

  /** Of when something of some metrics is remembered, and the time zone of the source. */
  async #liveInfo(pmids: readonly number[]): Promise<RangeOrigin['info']> {
    const { source, history } = this.#options;
    const { timezone } = await source.info();
    return { ...history!.bounds(pmids), ...(timezone === undefined ? {} : { timezone }) };
  }

  /** Do what moves the position of an archive, after everything that was requested earlier. */
  #serially<T>(work: () => Promise<T>): Promise<T> {
    const release = this.#context.hold();
    this.#moves++;
    const mine = this.#lastMove.then(work, work).finally(release);
    this.#lastMove = mine;
    return mine;
  }

  /** Requests without a context must not move one another's position: each of them begins at the start. */
  #rewindIfShared(): void {
    const { source, derived } = this.#options;
    if (!this.#context.isShared) return;
    source.archive?.setMode({ mode: 'forward', time: ARCHIVE_START });
    derived.forget();
    this.#views?.forget();
  }

  get #keptViews(): FetchViews {
    const { names, derived, profile, history, budget } = this.#options;
    const { isShared } = this.#context;
    return (this.#views ??= new FetchViews(
      names,
      derived,
      profile,
      history,
      isShared,
      new BudgetedMap(budget, isShared ? VIEWS_PER_SHARED_CONTEXT : VIEWS_PER_CONTEXT),
    ));
  }
}
