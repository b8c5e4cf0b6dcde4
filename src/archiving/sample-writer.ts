import { addTo, getOrMake, hashOf, inTurns } from '../kit/index.js';
import {
  compareTimestamps,
  DERIVED_DOMAIN,
  INDOM_NULL,
  isDerivedPmid,
  makePmid,
  MetricType,
  onPmError,
  PmError,
  pmidDomain,
  REMAPPED_CLUSTER_BASE,
  ValueSet,
  type FetchResult,
  type Instance,
  type InstanceDomain,
  type LabelTarget,
  type MetricDescriptor,
  type Timestamp,
} from '../pmapi/index.js';
import type { Context, PlanEntry } from '../context/index.js';
import { decodeEventRecords } from '../sources/index.js';
import type { ArchiveSample, ArchiveWriter } from '../sources/archive/writing/index.js';

type RecordedSet = ArchiveSample['sets'][number];

/** Metrics whose value sets are written: those of a fetch plan or of a range, in order. */
export interface WrittenMetrics {
  readonly entries: readonly PlanEntry[];
}

export interface SampleWriterOptions {
  readonly writer: ArchiveWriter;
  readonly context: Context;
  /** Whether a derived metric is written, by its name. */
  readonly recordsDerived: (name: string) => boolean;
  /** Writes metadata of the sample's moment, and only instances with values; by default, current metadata. */
  readonly isExport?: boolean;
}

export interface WrittenSample extends Pick<FetchResult, 'timestamp' | 'sets'> {
  /** The instances of one domain, without labels; by default, those of the source. */
  readonly named?: InstanceDomain | undefined;
}

/** A metric of a plan: its value set in the plan, and its descriptor in the archive. */
interface WrittenMetric {
  readonly index: number;
  readonly descriptor: MetricDescriptor;
}

interface WrittenPlan {
  readonly metrics: readonly WrittenMetric[];
  readonly targets: ReadonlyMap<string, LabelTarget>;
}

/** How long a lookup is valid. */
interface Validity {
  readonly generation: number;
  /** When it changes next; undefined: unknown, or never. */
  readonly until: Timestamp | undefined;
}

/** No generation: instances that were named by a caller say nothing of others. */
const NEVER_VALID = -1;
/** The maximum number of described parameters of event records: an agent may send any number. */
const MAX_EVENT_PARAMETERS = 4096;

/** Writes samples of a context into one archive, with their metadata. Calls must not overlap. */
export class SampleWriter {
  readonly #options: SampleWriterOptions;
  readonly #plans = new WeakMap<WrittenMetrics, WrittenPlan>();
  readonly #indoms = new Map<number, Validity & { readonly ids: ReadonlySet<number> }>();
  /** Instances that had values, by domain. */
  readonly #seen = new Map<number, Set<number>>();
  readonly #labels = new Map<string, Validity>();
  readonly #parameters = new Set<number>();

  constructor(options: SampleWriterOptions) {
    this.#options = options;
  }

  /**
   * Writes a sample; returns its number of values. Throws PM_ERR_LOGCHANGE… or PM_ERR_PMID if the archive describes it differently.
   * @param holds whether the sample has an entry, even without values; by default it has
   */
  async write(
    plan: WrittenMetrics,
    { timestamp, sets, named }: WrittenSample,
    holds: (entry: number) => boolean = () => true,
  ): Promise<number> {
    let written = this.#plans.get(plan);
    if (!written) this.#plans.set(plan, (written = await this.#describe(plan)));
    const held = written.metrics.filter(({ index }) => holds(index));
    if (held.length === 0) return 0;
    const unknown = [...written.targets].filter(([key]) => !this.#isValid(this.#labels.get(key), timestamp));
    for await (const [, target] of inTurns(unknown)) await this.#writeLabels(target, timestamp);
    const byIndom = new Map<number, ValueSet[]>();
    for (const { index, descriptor } of held) {
      const set = sets[index]!;
      const { indom } = descriptor;
      if (indom !== INDOM_NULL) addTo(byIndom, indom, set);
      if (set.type === MetricType.EVENT || set.type === MetricType.HIGHRES_EVENT) await this.#describeParameters(set);
    }
    for (const [indom, ofIndom] of byIndom) {
      await this.#writeIndom(indom, ofIndom, timestamp, named?.indom === indom ? named.instances : undefined);
    }
    const recorded = held.map(({ index, descriptor }) => this.#recordable(descriptor, sets[index]!));
    await this.#options.writer.append({ timestamp, sets: recorded });
    return recorded.reduce((sum, { status }) => sum + Math.max(status, 0), 0);
  }

  async #describe({ entries }: WrittenMetrics): Promise<WrittenPlan> {
    const { context, writer, recordsDerived } = this.#options;
    const targets = new Map<string, LabelTarget>();
    const addTarget = (target: LabelTarget): void => void targets.set(keyOf(target), target);
    addTarget({ kind: 'context' });
    const metrics = new Map<number, WrittenMetric>();
    for await (const [index, { pmid, name, descriptor: found }] of inTurns(entries.entries())) {
      if (found.type < MetricType.I32 || found.type > MetricType.HIGHRES_EVENT) continue;
      const isDerived = isDerivedPmid(pmid & 0x7fffffff);
      if (isDerived && !recordsDerived(name)) continue;
      const { names, oneline, help } = await context.names.metadata(pmid);
      const descriptor = { ...found, pmid: isDerived ? this.#derivedPmid(name) : pmid };
      // A metric may be requested by several names.
      if (metrics.has(descriptor.pmid)) continue;
      writer.describe(descriptor, names.includes(name) ? names : [name]);
      metrics.set(descriptor.pmid, { index, descriptor });
      this.#writeHelp({ kind: 'metric', pmid: descriptor.pmid }, oneline, help);
      if (pmidDomain(descriptor.pmid) === DERIVED_DOMAIN) continue;
      addTarget({ kind: 'domain', domain: pmidDomain(pmid) });
      addTarget({ kind: 'cluster', pmid });
      addTarget({ kind: 'item', pmid });
    }
    return { metrics: [...metrics.values()], targets };
  }

  /** A derived metric's PMID in archives: the same for a name everywhere, unless taken by another name. */
  #derivedPmid(name: string): number {
    const { writer } = this.#options;
    const known = writer.pmidOf(name);
    if (known !== undefined) return known;
    for (let hash = hashOf(name); ; hash++) {
      const pmid = makePmid(DERIVED_DOMAIN, REMAPPED_CLUSTER_BASE | ((hash >>> 10) & 2047), hash & 1023 || 1);
      if (!writer.hasMetric(pmid)) return pmid;
    }
  }

  #writeHelp(target: Parameters<ArchiveWriter['help']>[0], oneline: string, help: string): void {
    const { writer } = this.#options;
    if (oneline !== '') writer.help(target, 'oneline', oneline);
    if (help !== '' && help !== oneline) writer.help(target, 'help', help);
  }

  /** Write an instance domain if the values have unknown instances, or the source may have changed. */
  async #writeIndom(
    indom: number,
    sets: readonly ValueSet[],
    time: Timestamp,
    named: readonly Instance[] | undefined,
  ): Promise<void> {
    const known = this.#indoms.get(indom);
    if (!named && this.#isValid(known, time) && !sets.some((set) => hasUnknown(set, known.ids))) return;
    const { context, writer, isExport = false } = this.#options;
    const generation = named ? NEVER_VALID : context.names.generation;
    const valued = !named && isExport ? await this.#instancesWithValues(indom, sets, time) : named;
    const instances = valued ?? (await context.names.instances(indom)).instances;
    const ids = new Set(instances.map(({ id }) => id));
    writer.instances(indom, instances);
    const until = named
      ? undefined
      : earliest([
          this.#moment(time) && context.names.nextInstances(indom, time),
          await this.#writeLabels({ kind: 'indom', indom }, time),
          await this.#writeLabels({ kind: 'instances', indom }, time, ids),
        ]);
    this.#indoms.set(indom, { ids, generation, until });
    if (known) return;
    const { oneline = '', help = '' } = await context.names.indomMetadata(indom);
    this.#writeHelp({ kind: 'indom', indom }, oneline, help);
  }

  /** The instances at a moment that had values until then, including those of the sample even if their domain does not list them. */
  async #instancesWithValues(indom: number, sets: readonly ValueSet[], time: Timestamp): Promise<readonly Instance[]> {
    const { context } = this.#options;
    const seen = getOrMake(this.#seen, indom, () => new Set());
    const valued = new Set(sets.flatMap((set) => [...set.instances.slice(0, Math.max(set.status, 0))]));
    for (const id of valued) seen.add(id);
    const none = onPmError(() => ({ instances: [] as readonly Instance[] }));
    const { instances } = await context.names.instances(indom, this.#moment(time) ?? 'position').catch(none);
    const present = instances.filter(({ id }) => seen.has(id));
    const ids = new Set(present.map(({ id }) => id));
    const missing = new Set([...valued].filter((id) => !ids.has(id)));
    if (missing.size === 0) return present;
    const ever = await context.names.instances(indom, 'archive').catch(none);
    return [...present, ...ever.instances.filter(({ id }) => missing.has(id))];
  }

  /** Writes changed labels of a target; returns when they change next. @param ids instances in the archive */
  async #writeLabels(target: LabelTarget, time: Timestamp, ids?: ReadonlySet<number>): Promise<Timestamp | undefined> {
    const { context, writer } = this.#options;
    const { generation } = context.names;
    const sets = await context.names.labels(target, this.#moment(time));
    writer.labels(target, ids ? sets.filter(({ instance }) => ids.has(instance)) : sets);
    const until = this.#moment(time) && context.names.nextLabels(target, time);
    this.#labels.set(keyOf(target), { generation, until });
    return until;
  }

  /** The moment whose metadata is written; undefined: now. */
  #moment(time: Timestamp): Timestamp | undefined {
    const { context, isExport = false } = this.#options;
    return isExport && context.archive ? time : undefined;
  }

  #isValid<Known extends Validity>(known: Known | undefined, time: Timestamp): known is Known {
    if (known?.generation !== this.#options.context.names.generation) return false;
    return !known.until || compareTimestamps(time, known.until) < 0;
  }

  /** Describe the parameters of event records that the context may show. */
  async #describeParameters(set: ValueSet): Promise<void> {
    const { context, writer } = this.#options;
    for (const pmid of parametersOf(set)) {
      if (this.#parameters.has(pmid) || this.#parameters.size >= MAX_EVENT_PARAMETERS) continue;
      this.#parameters.add(pmid);
      const [descriptor] = await context.names.describe([pmid]);
      if (typeof descriptor !== 'object' || writer.hasMetric(pmid)) continue;
      writer.describe(descriptor, await context.names.namesOf(pmid).catch(onPmError(() => [])));
    }
  }

  /** A set with the recorded PMID, without instances that disappeared before their names were known. */
  #recordable({ pmid, indom }: MetricDescriptor, set: ValueSet): RecordedSet {
    const ids = this.#indoms.get(indom)?.ids;
    const named = ids && hasUnknown(set, ids) ? withInstances(set, ids) : set;
    const { status, type, instances, column } = named;
    return { pmid, status, type, instances, column };
  }
}

function keyOf(target: LabelTarget): string {
  return JSON.stringify(target);
}

function earliest(times: readonly (Timestamp | undefined)[]): Timestamp | undefined {
  return times.reduce((a, b) => (!a || (b && compareTimestamps(b, a) < 0) ? b : a), undefined);
}

function hasUnknown({ status, instances }: ValueSet, ids: ReadonlySet<number>): boolean {
  for (let i = 0; i < status; i++) if (!ids.has(instances[i]!)) return true;
  return false;
}

function withInstances(set: ValueSet, ids: ReadonlySet<number>): ValueSet {
  const kept = new ValueSet();
  kept.reset(set.pmid, set.type);
  const { column } = set;
  for (let i = 0; i < set.status; i++) {
    const instance = set.instances[i]!;
    if (!ids.has(instance)) continue;
    if (column.texts.length > 0) kept.addText(instance, column.texts[i]!);
    else if (column.bytes.length > 0) kept.addBytes(instance, column.bytes[i]!);
    else if (column.wide) kept.addInteger(instance, column.integerAt(i));
    else kept.addNumber(instance, column.numbers[i]!);
  }
  return kept;
}

/** The PMIDs in event records; those of invalid records are left out. */
function parametersOf({ status, type, column }: ValueSet): Set<number> {
  const pmids = new Set<number>();
  for (let i = 0; i < status; i++) {
    try {
      for (const { parameters } of decodeEventRecords(column.bytes[i]!, type === MetricType.HIGHRES_EVENT)) {
        for (const { pmid } of parameters) pmids.add(pmid);
      }
    } catch (error) {
      if (!(error instanceof PmError)) throw error;
    }
  }
  return pmids;
}
