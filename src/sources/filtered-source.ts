import { getOrMake } from '../kit/index.js';
import { INDOM_NULL, MetricType, onPmError, PM_ERR, PmError, ValueSet } from '../pmapi/index.js';
import type { FetchResult, InstanceDomain, LabelSet, LabelTarget, Timestamp } from '../pmapi/index.js';
import { EventParameters, hideParameters, isEvent } from './event-parameters.js';
import { lookAtVolatile } from './metric-source.js';
import type {
  MetricFilter,
  DescriptorResult,
  EstimateRange,
  FindInterruptions,
  HelpLevel,
  HelpTarget,
  MetricSource,
  NameResult,
  PmnsChildren,
  PreparedFetch,
  ReadWindow,
  RecordedSource,
  SourceInfo,
  SourceKind,
  VolatileMetrics,
  InterpolationOptions,
  ReadMoment,
  RecordedLabel,
  RecordedModeChange,
  RecordedPosition,
} from './metric-source.js';
import type { InstanceProfile } from './profile.js';
import { columnOfNothing, RowBatch, timeOfRow, type Batch, type RecordedSample, type FindNeighbours } from './batch.js';
import { doWaiting, waitFor, type Waits } from './waits.js';

/** Only the metrics that a filter allows; no others, nor their domains and event parameters, exist for whatever reads the source. */
export function filterSource(source: MetricSource, filter: MetricFilter): MetricSource {
  return source.archive ? new FilteredRecordedSource(source.archive, filter) : new FilteredSource(source, filter);
}

interface FilteredFetch extends PreparedFetch {
  asked: Asked | undefined;
}

interface Asked {
  readonly pmids: readonly number[];
  readonly generation: number;
  /** For each PMID its place in the source's fetch, -1 for one that is hidden. */
  readonly places: readonly number[];
  readonly inner: PreparedFetch;
}

/** Sources of one origin seen through filters of one key are alike. */
const origins = new WeakMap<object, Map<string, object>>();

function originOf(origin: object, key: string): object {
  const byKey = getOrMake(origins, origin, () => new Map<string, object>());
  return getOrMake(byKey, key, () => ({}));
}

class FilteredSource<Inner extends MetricSource = MetricSource> implements MetricSource {
  readonly origin?: object;
  readonly reconnect?: () => Promise<void>;
  readonly store?: (pmid: number, values: FetchResult) => Promise<void>;
  protected readonly inner: Inner;
  protected readonly filter: MetricFilter;
  readonly #parameters: EventParameters<boolean>;
  #generation = -1;
  readonly #visible = new Map<number, boolean>();
  #indoms: Promise<ReadonlySet<number>> | undefined;

  constructor(inner: Inner, filter: MetricFilter) {
    this.inner = inner;
    this.filter = filter;
    this.#parameters = new EventParameters(
      (pmid) => this.isVisible(pmid),
      () => inner.generation,
    );
    if (inner.origin) this.origin = originOf(inner.origin, filter.key);
    if (inner.reconnect) this.reconnect = () => inner.reconnect!();
    if (inner.store) {
      this.store = async (pmid, values) => {
        if (!(await this.isVisible(pmid))) throw new PmError(PM_ERR.PMID);
        await inner.store!(pmid, values);
      };
    }
  }

  get kind(): SourceKind {
    return this.inner.kind;
  }

  get generation(): number {
    return this.inner.generation;
  }

  get reconnects(): number {
    return this.inner.reconnects ?? 0;
  }

  get numbering(): number | undefined {
    return this.inner.numbering;
  }

  get volatile(): VolatileMetrics | undefined {
    return this.inner.volatile;
  }

  info(): Promise<SourceInfo> {
    return this.inner.info();
  }

  async lookupNames(names: readonly string[]): Promise<readonly NameResult[]> {
    const results = await this.inner.lookupNames(names);
    return Promise.all(
      results.map(async (result, i) => {
        if (result >= 0) return this.filter.allows(names[i]!) ? result : PM_ERR.NAME;
        if (result !== PM_ERR.NONLEAF) return result;
        return (await this.#hasLeaf(names[i]!)) ? result : PM_ERR.NAME;
      }),
    );
  }

  async namesOf(pmid: number): Promise<readonly string[]> {
    const names = (await this.inner.namesOf(pmid)).filter((name) => this.filter.allows(name));
    if (names.length === 0) throw new PmError(PM_ERR.PMID);
    return names;
  }

  async children(prefix: string): Promise<PmnsChildren> {
    const { leaf, nonleaf } = await this.inner.children(prefix);
    const full = (child: string): string => (prefix === '' ? child : `${prefix}.${child}`);
    const held = await Promise.all(nonleaf.map((child) => this.#hasLeaf(full(child))));
    const visible = {
      leaf: leaf.filter((child) => this.filter.allows(full(child))),
      nonleaf: nonleaf.filter((_, i) => held[i]),
    };
    const isEmpty = visible.leaf.length + visible.nonleaf.length === 0;
    const isLeaf = leaf.length + nonleaf.length === 0 && this.filter.allows(prefix);
    if (prefix !== '' && isEmpty && !isLeaf) throw new PmError(PM_ERR.NAME);
    return visible;
  }

  async traverse(prefix: string): Promise<readonly string[]> {
    const names = (await this.inner.traverse(prefix)).filter((name) => this.filter.allows(name));
    if (names.length === 0 && prefix !== '') throw new PmError(PM_ERR.NAME);
    return names;
  }

  async describe(pmids: readonly number[]): Promise<readonly DescriptorResult[]> {
    const [descriptors, visible] = await Promise.all([this.inner.describe(pmids), this.#areVisible(pmids)]);
    return descriptors.map((descriptor, i) => (visible[i] ? descriptor : PM_ERR.PMID));
  }

  async instances(indom: number, at?: Timestamp): Promise<InstanceDomain> {
    await this.requireIndom(indom);
    return this.inner.instances(indom, at);
  }

  async labels(target: LabelTarget, at?: Timestamp): Promise<readonly LabelSet[]> {
    if ('indom' in target && !(await this.#visibleIndoms(target.indom)).has(target.indom)) return [];
    // A cluster's labels speak of all metrics in it; those of an item of that one.
    if (target.kind === 'item' && !(await this.isVisible(target.pmid))) return [];
    return this.inner.labels(target, at);
  }

  async helpText(target: HelpTarget, level: HelpLevel): Promise<string | undefined> {
    if (target.kind === 'metric' && !(await this.isVisible(target.pmid))) return undefined;
    if (target.kind === 'indom' && !(await this.#visibleIndoms(target.indom)).has(target.indom)) return undefined;
    return this.inner.helpText(target, level);
  }

  prepare(pmids: readonly number[]): PreparedFetch {
    return { pmids, asked: undefined } as FilteredFetch;
  }

  async fetch(prepared: PreparedFetch, profile: InstanceProfile, into: FetchResult): Promise<void> {
    const asked = await this.complete(prepared);
    await this.inner.fetch(asked.inner, profile, into);
    spread(asked, into);
    const hiding = this.hideParameters(into);
    if (hiding) await hiding;
  }

  close(): Promise<void> {
    return this.inner.close();
  }

  destroy(reason: Error): void {
    this.inner.destroy(reason);
  }

  protected async isVisible(pmid: number): Promise<boolean> {
    this.#validate(pmid);
    const known = this.#visible.get(pmid);
    if (known !== undefined) return known;
    // A PMID without names is not remembered: clients may ask for any number of them.
    const names = await this.inner.namesOf(pmid).catch(onPmError(() => undefined));
    if (!names) return false;
    const verdict = names.some((name) => this.filter.allows(name));
    this.#visible.set(pmid, verdict);
    return verdict;
  }

  /** Decides which part of a fetch is requested from the source. */
  protected async complete(prepared: PreparedFetch): Promise<Asked> {
    const fetch = prepared as FilteredFetch; // prepare() made it
    lookAtVolatile(this.inner, fetch.pmids);
    const { generation } = this.inner;
    if (fetch.asked?.generation === generation) return fetch.asked;
    const { pmids } = fetch;
    const visible = await this.#areVisible(pmids);
    // A PMID may have become that of another metric meanwhile.
    if (this.inner.generation !== generation) return this.complete(prepared);
    let count = 0;
    const places = visible.map((isVisible) => (isVisible ? count++ : -1));
    // No source fetches nothing at all.
    if (count === 0) throw new PmError(PM_ERR.PMID);
    const inner = this.inner.prepare(pmids.filter((_, i) => visible[i]));
    return (fetch.asked = { pmids, generation, places, inner });
  }

  /** Hides parameters in a result that belongs to the caller; undefined if there is nothing to wait for. */
  protected hideParameters(result: FetchResult): Promise<void> | undefined {
    const hide = (): void => hideParameters(result, (pmid) => this.#parameters.get(pmid) === true);
    const learning = this.#parameters.learn(result);
    if (learning) return learning.then(hide);
    hide();
    return undefined;
  }

  /** Throw PM_ERR_INDOM for an instance domain that no visible metric has. */
  protected async requireIndom(indom: number): Promise<void> {
    if (!(await this.#visibleIndoms(indom)).has(indom)) throw new PmError(PM_ERR.INDOM);
  }

  async #areVisible(pmids: readonly number[]): Promise<readonly boolean[]> {
    return Promise.all(pmids.map((pmid) => this.isVisible(pmid)));
  }

  async #hasLeaf(node: string): Promise<boolean> {
    const names = await this.inner.traverse(node).catch(onPmError(() => []));
    return names.some((name) => this.filter.allows(name));
  }

  #visibleIndoms(indom: number): Promise<ReadonlySet<number>> {
    this.#validate(indom);
    this.#indoms ??= this.#findIndoms().catch((error: unknown) => {
      this.#indoms = undefined;
      throw error;
    });
    return this.#indoms;
  }

  async #findIndoms(): Promise<ReadonlySet<number>> {
    const names = await this.traverse('');
    const pmids = (await this.inner.lookupNames(names)).filter((pmid) => pmid >= 0);
    const indoms = new Set<number>();
    for (const descriptor of await this.inner.describe(pmids)) {
      if (typeof descriptor !== 'number' && descriptor.indom !== INDOM_NULL) indoms.add(descriptor.indom);
    }
    return indoms;
  }

  /** Forgets verdicts when the source has changed; `subject` is requested. */
  #validate(subject: number): void {
    lookAtVolatile(this.inner, [subject]);
    if (this.#generation === this.inner.generation) return;
    this.#generation = this.inner.generation;
    this.#visible.clear();
    this.#indoms = undefined;
  }
}

class FilteredRecordedSource extends FilteredSource<RecordedSource> implements RecordedSource {
  override get kind(): 'archive' {
    return 'archive';
  }

  get archive(): RecordedSource {
    return this;
  }

  get position(): RecordedPosition {
    return this.inner.position;
  }

  label(): RecordedLabel {
    return this.inner.label();
  }

  end(): Promise<Timestamp> {
    return this.inner.end();
  }

  setMode(change: RecordedModeChange): void {
    this.inner.setMode(change);
  }

  standLike(other: RecordedSource): void {
    this.inner.standLike(other instanceof FilteredRecordedSource ? other.inner : other);
  }

  async nextRecord(into: FetchResult): Promise<RecordedSample> {
    const record = await this.inner.nextRecord(into);
    const { sets } = record.result;
    const kept = [];
    for (const set of sets) if (await this.isVisible(set.pmid)) kept.push(set);
    sets.splice(0, sets.length, ...kept);
    await this.hideParameters(record.result);
    return record;
  }

  async instancesEver(indom: number): Promise<InstanceDomain> {
    await this.requireIndom(indom);
    return this.inner.instancesEver(indom);
  }

  nextLabels(target: LabelTarget, after: Timestamp): Timestamp | undefined {
    return this.inner.nextLabels?.(target, after);
  }

  nextInstances(indom: number, after: Timestamp): Timestamp | undefined {
    return this.inner.nextInstances?.(indom, after);
  }

  range(prepared: PreparedFetch, profile: InstanceProfile, options?: InterpolationOptions): ReadMoment {
    const begin = async () => {
      const asked = await this.complete(prepared);
      return { asked, read: this.inner.range(asked.inner, profile, options) };
    };
    let begun: Awaited<ReturnType<typeof begin>> | undefined;
    const hide = (into: FetchResult): Promise<void> | undefined => this.hideParameters(into);
    const steps = function* (time: Timestamp, into: FetchResult): Waits<void> {
      const { asked, read } = (begun ??= yield* waitFor(begin()));
      const reading = read(time, into);
      if (reading instanceof Promise) yield* waitFor(reading);
      spread(asked, into);
      const hiding = hide(into);
      if (hiding) yield* waitFor(hiding);
    };
    return (time, into) => doWaiting(steps(time, into));
  }

  readonly neighbours: FindNeighbours = async (pmids, profile, at, signal) => {
    const visible = await Promise.all(pmids.map((pmid) => this.isVisible(pmid)));
    const shown = pmids.filter((_, i) => visible[i]);
    const found = (await this.inner.neighbours?.(shown, profile, at, signal)) ?? [];
    return pmids.map((pmid, i) => (visible[i] ? (found[shown.indexOf(pmid)] ?? []) : []));
  };

  async *batches(prepared: PreparedFetch, ...window: ReadWindow): AsyncGenerator<Batch, void> {
    const asked = await this.complete(prepared);
    const hidden = asked.pmids.map((pmid, i) => (asked.places[i]! < 0 ? columnOfNothing(hiddenSet(pmid)) : undefined));
    const holdsEvents = await this.#holdsEvents(asked);
    for await (const batch of this.inner.batches(asked.inner, ...window)) {
      if (batch.isMark) {
        yield batch;
        continue;
      }
      const { length, isMark, secs, nsecs } = batch;
      const columns = asked.places.map((place, i) => hidden[i] ?? batch.columns[place]!);
      const shown = { length, isMark, secs, nsecs, columns };
      if (holdsEvents) yield* this.#withoutHiddenParameters(shown);
      else yield shown;
    }
  }

  readonly interruptions: FindInterruptions = async (...window) => (await this.inner.interruptions?.(...window)) ?? [];

  readonly estimate: EstimateRange = async (prepared, ...range) => {
    const { inner } = await this.complete(prepared);
    return (await this.inner.estimate?.(inner, ...range)) ?? { records: 0, values: 0 };
  };

  async #holdsEvents({ inner }: Asked): Promise<boolean> {
    const descriptors = await this.inner.describe(inner.pmids);
    return descriptors.some((descriptor) => typeof descriptor !== 'number' && isEvent(descriptor.type));
  }

  /** Removes hidden parameters; rows with event records come one by one. */
  async *#withoutHiddenParameters(batch: Batch): AsyncGenerator<Batch, void> {
    let row = 0;
    const { columns } = batch;
    const single = new RowBatch(columns.length, 1, (_, metric) => columns[metric]!.holds(row));
    for (; row < batch.length; row++) {
      single.clear();
      single.next.timestamp = timeOfRow(batch, row);
      single.next.sets.length = 0;
      for (const column of columns) single.next.sets.push(column.at(row));
      await this.hideParameters(single.next);
      single.push();
      yield single;
    }
  }
}

/** Moves value sets to their requested places; hidden metrics are unknown. */
function spread({ pmids, places }: Asked, into: FetchResult): void {
  if (into.sets.length === pmids.length && !places.includes(-1)) return;
  const answered = [...into.sets];
  into.sets.length = 0;
  for (const [i, place] of places.entries()) {
    into.sets.push(place >= 0 ? answered[place]! : hiddenSet(pmids[i]!));
  }
}

function hiddenSet(pmid: number): ValueSet {
  const hidden = new ValueSet();
  hidden.reset(pmid, MetricType.NOSUPPORT);
  hidden.fail(PM_ERR.PMID);
  return hidden;
}
