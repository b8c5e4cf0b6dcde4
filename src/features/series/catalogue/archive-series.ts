import { instanceId, seriesId, sourceId } from '../../../http/index.js';
import {
  INDOM_NULL,
  indomDomain,
  labelTargetKey,
  makeLabel,
  mergeLabels,
  pmidDomain,
  pmidItem,
} from '../../../pmapi/index.js';
import type { Label, LabelTarget, MetricDescriptor, Timestamp } from '../../../pmapi/index.js';
import { addTo, eventLoopTurns, getOrMake, once } from '../../../kit/index.js';
import type { MetricFilter, SourceSpec, StoreMetadata, StoreReader } from '../../../sources/index.js';

/** One name of one metric of an archive: what a series is there. */
export interface CataloguedMetric {
  readonly series: string;
  readonly name: string;
  readonly descriptor: MetricDescriptor;
  /** Of context, domain, instance domain, cluster and item; optional ones included. */
  readonly labels: readonly Label[];
  /** Undefined for a metric without instance domain. */
  readonly indom: CataloguedIndom | undefined;
}

export interface CataloguedIndom {
  readonly instances: readonly CataloguedInstance[];
  readonly byNumber: ReadonlyMap<number, CataloguedInstance>;
}

/** An instance that was at some time. */
export interface CataloguedInstance {
  readonly instance: string;
  readonly number: number;
  readonly name: string;
  /** Of context, domain, instance domain and the instance itself. */
  readonly labels: readonly Label[];
  readonly ownLabels: readonly Label[];
}

export interface CataloguedStore {
  readonly name: string;
  readonly spec: SourceSpec;
  /** Open it to read values; the caller closes it. Throws a PmError, or UNKNOWN_ARCHIVE for an archive that is gone. */
  readonly open: (signal?: AbortSignal) => Promise<StoreReader>;
}

export type Postings<Owner> = ReadonlyMap<string, ReadonlySet<Owner>>;

/** About what an entry takes beside its texts. */
const METRIC_BYTES = 400;
const INSTANCE_BYTES = 300;
const LABEL_BYTES = 60;

/** The series of an archive, or of a host's remembered samples, from metadata. Immutable; maps are made on demand. */
export class ArchiveSeries implements CataloguedStore {
  readonly name: string;
  readonly spec: SourceSpec;
  readonly open: CataloguedStore['open'];
  readonly hostName: string;
  readonly source: string;
  readonly start: Timestamp;
  readonly #views = new Map<string, ArchiveSeries>();
  readonly #bySeries = once(() => {
    const bySeries = new Map<string, CataloguedMetric[]>();
    for (const metric of this.metrics) addTo(bySeries, metric.series, metric);
    return bySeries;
  });
  readonly #byName = once(() => new Map(this.metrics.map((metric) => [metric.name, metric])));
  readonly #instances = once(() => {
    const instances = [...this.indoms().keys()].flatMap((indom) => indom.instances);
    return new Map(instances.map((instance) => [instance.instance, instance]));
  });
  /** The instance domains of its metrics, with the metrics. */
  readonly indoms = once((): ReadonlyMap<CataloguedIndom, ReadonlySet<CataloguedMetric>> => {
    const indoms = new Map<CataloguedIndom, Set<CataloguedMetric>>();
    for (const metric of this.metrics) if (metric.indom) add(indoms, metric.indom, metric);
    return indoms;
  });
  /** Label names, with their values as JSON and the metrics without instances that have them. */
  readonly labels = once(() => {
    const single = this.metrics.filter(({ indom }) => !indom || indom.instances.length === 0);
    return postings(single.map((metric) => [metric, metric.labels]));
  });
  /** Names of instances, with the instance domains that have them. */
  readonly instanceNames = once((): Postings<CataloguedIndom> => {
    const names = new Map<string, Set<CataloguedIndom>>();
    for (const indom of this.indoms().keys()) for (const { name } of indom.instances) add(names, name, indom);
    return names;
  });
  readonly instanceLabels = once(() =>
    postings(
      [...this.indoms().keys()].flatMap((indom) => indom.instances.map(({ labels }) => [indom, labels] as const)),
    ),
  );

  constructor(
    about: CataloguedStore & Pick<ArchiveSeries, 'hostName' | 'source' | 'start'>,
    readonly metrics: readonly CataloguedMetric[],
    readonly bytes: number,
  ) {
    this.name = about.name;
    this.spec = about.spec;
    this.open = about.open;
    this.hostName = about.hostName;
    this.source = about.source;
    this.start = about.start;
  }

  /** The series that a filter allows; all without one. */
  seenThrough(filter: MetricFilter | undefined): ArchiveSeries {
    if (!filter) return this;
    const allowed = (): ArchiveSeries => {
      const metrics = this.metrics.filter(({ name }) => filter.allows(name));
      return new ArchiveSeries(this, metrics, 0);
    };
    return getOrMake(this.#views, filter.key, allowed);
  }

  /** The metrics of a series: several when one is described alike under two PMIDs. */
  ofSeries(series: string): readonly CataloguedMetric[] {
    return this.#bySeries().get(series) ?? [];
  }

  named(name: string): CataloguedMetric | undefined {
    return this.#byName().get(name);
  }

  instance(id: string): CataloguedInstance | undefined {
    return this.#instances().get(id);
  }
}

/** Makes the catalog of an archive, in turns of the event loop. Throws the signal's reason. */
export async function catalogueArchive(
  store: CataloguedStore,
  metadata: StoreMetadata,
  signal?: AbortSignal,
): Promise<ArchiveSeries> {
  const { hostName, start } = metadata.label;
  const labelsOf = labelReader(metadata);
  const recorded = await labelsOf({ kind: 'context' });
  const context = recorded.length > 0 ? recorded : [makeLabel('hostname', hostName)];
  const indoms = new Map<number, Promise<CataloguedIndom>>();
  /** By cluster and instance domain. */
  const sharedLabels = new Map<string, readonly Label[]>();
  const metrics: CataloguedMetric[] = [];
  let bytes = 1000;
  for (const [metricName, pmid] of metadata.metrics()) {
    signal?.throwIfAborted();
    const turn = eventLoopTurns.next();
    if (turn) await turn;
    const descriptor = metadata.descriptor(pmid);
    if (!descriptor) continue;
    const { indom } = descriptor;
    const ofIndom = indom === INDOM_NULL ? [] : await labelsOf({ kind: 'indom', indom });
    const key = `${pmid - pmidItem(pmid)} ${indom}`;
    let shared = sharedLabels.get(key);
    if (!shared) {
      const domain = await labelsOf({ kind: 'domain', domain: pmidDomain(pmid) });
      shared = mergeLabels([context, domain, ofIndom, await labelsOf({ kind: 'cluster', pmid })]);
      sharedLabels.set(key, shared);
    }
    const item = await labelsOf({ kind: 'item', pmid });
    const labels = item.length > 0 ? mergeLabels([shared, item]) : shared;
    let catalogued: CataloguedIndom | undefined;
    if (indom !== INDOM_NULL) {
      let making = indoms.get(indom);
      if (!making) {
        making = catalogueIndom(metadata, indom, [
          context,
          await labelsOf({ kind: 'domain', domain: indomDomain(indom) }),
          ofIndom,
        ]);
        indoms.set(indom, making);
        for (const instance of (await making).instances) {
          bytes += INSTANCE_BYTES + 2 * instance.name.length + LABEL_BYTES * instance.labels.length;
        }
      }
      catalogued = await making;
    }
    bytes += METRIC_BYTES + 2 * metricName.length + LABEL_BYTES * labels.length;
    metrics.push({
      series: seriesId(metricName, descriptor, labels),
      name: metricName,
      descriptor,
      labels,
      indom: catalogued,
    });
  }
  return new ArchiveSeries({ ...store, hostName, source: sourceId(context), start }, metrics, bytes);
}

/** @param levels the labels that every instance has */
async function catalogueIndom(
  metadata: StoreMetadata,
  indom: number,
  levels: readonly (readonly Label[])[],
): Promise<CataloguedIndom> {
  const own = new Map(
    (await metadata.lastLabels({ kind: 'instances', indom })).map((set) => [set.instance, set.labels]),
  );
  const shared = mergeLabels(levels);
  const instances: CataloguedInstance[] = [];
  for (const { id, name } of await metadata.instancesEver(indom)) {
    const turn = eventLoopTurns.next();
    if (turn) await turn;
    const labels = own.get(id);
    instances.push({
      instance: instanceId(name, shared),
      number: id,
      name,
      labels: labels ? mergeLabels([shared, labels]) : shared,
      ownLabels: labels ?? NO_LABELS,
    });
  }
  return { instances, byNumber: new Map(instances.map((instance) => [instance.number, instance])) };
}

const NO_LABELS: readonly Label[] = [];

function labelReader(metadata: StoreMetadata): (target: LabelTarget) => Promise<readonly Label[]> {
  const known = new Map<string, Promise<readonly Label[]>>();
  return (target) =>
    getOrMake(known, labelTargetKey(target), () =>
      metadata.lastLabels(target).then(([set]) => set?.labels ?? NO_LABELS),
    );
}

/** By label and value, the owners that have it. */
function postings<Owner>(owned: readonly (readonly [Owner, readonly Label[]])[]): ReadonlyMap<string, Postings<Owner>> {
  const found = new Map<string, Map<string, Set<Owner>>>();
  for (const [owner, labels] of owned) {
    for (const { name, json } of labels) {
      const byValue = getOrMake(found, name, () => new Map<string, Set<Owner>>());
      add(byValue, json, owner);
    }
  }
  return found;
}

function add<K, V>(sets: Map<K, Set<V>>, key: K, value: V): void {
  getOrMake(sets, key, () => new Set()).add(value);
}
