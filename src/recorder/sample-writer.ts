import {
  INDOM_NULL,
  isDerivedPmid,
  makePmid,
  MetricType,
  DERIVED_DOMAIN,
  REMAPPED_CLUSTER_BASE,
  pmidDomain,
  ValueSet,
} from '../pmapi/index.js';
import type { FetchResult, LabelTarget, MetricDescriptor, Timestamp } from '../pmapi/index.js';
import type { Context, FetchPlan } from '../context/index.js';
import type { ArchiveSample, ArchiveWriter } from '../sources/archive/index.js';

type RecordedSet = ArchiveSample['sets'][number];

/** A metric of a plan as it is recorded: its value set in the plan, and its descriptor in the archive. */
interface RecordedMetric {
  readonly index: number;
  readonly descriptor: MetricDescriptor;
}

/** What is known of an instance domain in the archive. */
interface RecordedIndom {
  readonly ids: ReadonlySet<number>;
  readonly generation: number;
}

/** Writes fetches of a context into one archive, with the metadata that makes sense of them. Calls must not overlap. */
export class SampleWriter {
  readonly #writer: ArchiveWriter;
  readonly #recordsDerived: (name: string) => boolean;
  readonly #plans = new WeakMap<FetchPlan, readonly RecordedMetric[]>();
  readonly #indoms = new Map<number, RecordedIndom>();
  /** The labels that were written, by target and generation of the source. */
  readonly #labelled = new Set<string>();

  /** @param recordsDerived whether a derived metric is recorded, by its name */
  constructor(writer: ArchiveWriter, recordsDerived: (name: string) => boolean) {
    this.#writer = writer;
    this.#recordsDerived = recordsDerived;
  }

  /**
   * Write a sample; answers how many values. Throws PM_ERR_LOGCHANGETYPE, …SEM, …INDOM, …UNITS or PM_ERR_PMID when the archive
   * says otherwise of a metric: it has to be recorded in another archive.
   */
  async write(context: Context, plan: FetchPlan, { timestamp, sets }: FetchResult): Promise<number> {
    let metrics = this.#plans.get(plan);
    if (!metrics) {
      metrics = await this.#describe(context, plan, timestamp);
      this.#plans.set(plan, metrics);
    }
    for (const { index, descriptor } of metrics) await this.#recordIndom(context, descriptor, sets[index]!, timestamp);
    const recorded = metrics.map(({ index, descriptor }) => this.#recordable(descriptor, sets[index]!));
    if (recorded.length === 0) return 0;
    await this.#writer.append({ timestamp, sets: recorded });
    return recorded.reduce((sum, { status }) => sum + Math.max(status, 0), 0);
  }

  async #describe(context: Context, { entries }: FetchPlan, time: Timestamp): Promise<RecordedMetric[]> {
    await this.#recordLabels(context, { kind: 'context' }, time);
    const metrics = new Map<number, RecordedMetric>();
    for (const [index, { pmid, name, descriptor: found }] of entries.entries()) {
      if (found.type < MetricType.I32 || found.type > MetricType.HIGHRES_EVENT) continue;
      const isDerived = isDerivedPmid(pmid & 0x7fffffff);
      if (isDerived && !this.#recordsDerived(name)) continue;
      const { names, oneline, help } = await context.names.metadata(pmid);
      const descriptor = { ...found, pmid: isDerived ? this.#derivedPmid(name) : pmid };
      // One metric may be asked for by several names.
      if (metrics.has(descriptor.pmid)) continue;
      this.#writer.describe(descriptor, names.includes(name) ? names : [name]);
      metrics.set(descriptor.pmid, { index, descriptor });
      const target = { kind: 'metric', pmid: descriptor.pmid } as const;
      if (oneline !== '') this.#writer.help(target, 'oneline', oneline);
      if (help !== '' && help !== oneline) this.#writer.help(target, 'help', help);
      if (pmidDomain(descriptor.pmid) === DERIVED_DOMAIN) continue;
      await this.#recordLabels(context, { kind: 'domain', domain: pmidDomain(pmid) }, time);
      await this.#recordLabels(context, { kind: 'cluster', pmid }, time);
      await this.#recordLabels(context, { kind: 'item', pmid }, time);
    }
    return [...metrics.values()];
  }

  /**
   * The PMID that a derived metric is recorded with: the same for a name in every archive, whatever its PMID happens to be in this process,
   * unless another name has taken it.
   */
  #derivedPmid(name: string): number {
    const known = this.#writer.pmidOf(name);
    if (known !== undefined) return known;
    for (let hash = hashOf(name); ; hash++) {
      const pmid = makePmid(DERIVED_DOMAIN, REMAPPED_CLUSTER_BASE | ((hash >>> 10) & 2047), hash & 1023 || 1);
      if (!this.#writer.hasMetric(pmid)) return pmid;
    }
  }

  /** Write which instances there are, when the values hold others than were known or the source says that something has changed. */
  async #recordIndom(context: Context, descriptor: MetricDescriptor, set: ValueSet, time: Timestamp): Promise<void> {
    const { indom } = descriptor;
    if (indom === INDOM_NULL) return;
    const known = this.#indoms.get(indom);
    if (known?.generation === context.names.generation && !hasUnknown(set, known.ids)) return;
    const { generation } = context.names;
    const { instances } = await context.names.instances(indom);
    this.#writer.instances(time, indom, instances);
    this.#indoms.set(indom, { ids: new Set(instances.map(({ id }) => id)), generation });
    await this.#recordLabels(context, { kind: 'indom', indom }, time, generation);
    await this.#recordLabels(context, { kind: 'instances', indom }, time, generation);
    if (known) return;
    const { oneline = '', help = '' } = await context.names.indomMetadata(indom);
    if (oneline !== '') this.#writer.help({ kind: 'indom', indom }, 'oneline', oneline);
    if (help !== '' && help !== oneline) this.#writer.help({ kind: 'indom', indom }, 'help', help);
  }

  /** Write the labels of a target, once for each generation of the source. */
  async #recordLabels(context: Context, target: LabelTarget, time: Timestamp, generation = 0): Promise<void> {
    const key = JSON.stringify([target, generation]);
    if (this.#labelled.has(key)) return;
    this.#writer.labels(time, target, await context.names.labels(target));
    this.#labelled.add(key);
  }

  /** A set with the PMID that is recorded, without values of instances that went before their names could be asked for. */
  #recordable({ pmid, indom }: MetricDescriptor, set: ValueSet): RecordedSet {
    const ids = this.#indoms.get(indom)?.ids;
    const named = ids && hasUnknown(set, ids) ? withInstances(set, ids) : set;
    const { status, type, instances, column } = named;
    return { pmid, status, type, instances, column };
  }
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

/** FNV-1a, 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return hash;
}
