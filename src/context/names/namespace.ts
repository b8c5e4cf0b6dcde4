import { displayOf, formatSemanticError, type DerivedDefinition } from '../../derived/index.js';
import {
  DERIVED_DOMAIN,
  DIMENSIONLESS,
  formatPmErr,
  INDOM_NULL,
  INSTANCE_NULL,
  isDerivedPmid,
  mergeLabels,
  MetricType,
  PM_ERR,
  pmidDomain,
  onPmError,
  PmError,
  Semantics,
  GatewayError,
  nearestNames,
} from '../../pmapi/index.js';
import type { InstanceDomain, Label, LabelSet, LabelTarget, MetricDescriptor, Timestamp } from '../../pmapi/index.js';
import { EventParameters } from '../../sources/index.js';
import type { DescriptorResult, MetricSource, NameResult, PmnsChildren, SourceKind } from '../../sources/index.js';
import type { ComputedMetric } from '../plans/fetch-plan.js';
import type { SeriesDirectory } from '../selection/index.js';
import type { SharedSource } from '../shared-source.js';
import type { DerivedMetrics } from './derived-metrics.js';
import type { IndomMetadata, MetadataCache, MetricMetadata } from './metadata-cache.js';
import { LRUCache } from 'lru-cache';

/** An operand without a description: PMIDs are never negative. */
const NO_METRIC: MetricDescriptor = {
  pmid: -1,
  type: MetricType.NOSUPPORT,
  indom: INDOM_NULL,
  semantics: Semantics.INSTANT,
  units: DIMENSIONLESS,
};

/** The context's `position` (now, if live), a moment of an archive, or the whole `archive`: all instances, last labels. */
export type MetadataMoment = 'position' | 'archive' | Timestamp;

/** The names of parameters in event records, as far as the context shows them. @see pmUnpackEventRecords(3) */
export type EventNames = EventParameters<string | undefined>;

/** A metric, with its definition if it is a derived one, or why it is missing. */
export type ResolvedMetric =
  | {
      readonly descriptor: MetricDescriptor;
      readonly computed?: ComputedMetric;
      readonly definition?: DerivedDefinition;
    }
  | { readonly descriptor?: undefined; readonly pmErr: number; readonly explanation?: string };

/**
 * The names and metadata of a context: the only place where names and PMIDs are resolved, in the order of pmRegisterDerived(3):
 *
 * 1. the source's own names, base and remapped;
 * 2. per-context derived metrics;
 * 3. global derived metrics.
 *
 * Earlier ones mask later ones silently: by name, by PMID, among children and in traversal. A derived metric that does not bind
 * here keeps its name and PMID, but has no descriptor and no place among children and in traversal.
 *
 * A `signal` is aborted when the client leaves: methods with one then reject with its reason, and bind no more.
 */
export class Namespace {
  readonly #source: MetricSource;
  readonly #metadata: MetadataCache;
  readonly #derived: DerivedMetrics;
  readonly #origin: object | string;
  /** Requests without a context have no position. */
  readonly #usualMoment: MetadataMoment;
  /** The names of parameters in event values of fetches; those of other results must be looked up. */
  readonly events: EventNames;
  #meant: MeantNames | undefined;

  /** @param isShared requests without a context use it, which have no position */
  constructor(source: MetricSource, { metadata, origin }: SharedSource, derived: DerivedMetrics, isShared = false) {
    this.#source = source;
    this.#metadata = metadata;
    this.#derived = derived;
    this.#origin = origin;
    this.#usualMoment = source.archive && isShared ? 'archive' : 'position';
    const nameOf = async (pmid: number): Promise<string | undefined> => (await this.namesOf(pmid))[0];
    // Values must not be lost because a name is missing.
    this.events = new EventParameters(
      (pmid) => nameOf(pmid).catch(() => undefined),
      () => source.generation,
    );
  }

  /** Changes when names may have new PMIDs. Undefined where that is impossible. */
  get numbering(): number | undefined {
    return this.#source.numbering;
  }

  /** Equal for contexts that show the same names and metadata: a context that has, or had, derived metrics of its own is unique. */
  get viewKey(): object | string {
    return this.#derived.scope.isGlobal ? this.#origin : this;
  }

  /** Changes when visible derived metrics are defined or removed. */
  get viewVersion(): number {
    return this.#derived.scope.version;
  }

  get kind(): SourceKind {
    return this.#source.kind;
  }

  /** Changes with the source's names or metadata, those of volatile metrics too. */
  get generation(): number {
    this.#source.volatile?.look();
    return this.#source.generation;
  }

  /** PMIDs of names, in order, or PM_ERR codes. @see pmLookupName(3) */
  async lookupNames(names: readonly string[]): Promise<readonly NameResult[]> {
    const base = await this.#metadata.lookupNames(this.#source, names);
    if (base.every((pmid) => pmid >= 0)) return base;
    let nodes: ReadonlySet<string> | undefined;
    return base.map((result, i) => {
      if (result !== PM_ERR.NAME && result !== PM_ERR.NONLEAF) return result;
      const name = names[i]!;
      const definition = this.#derived.scope.get(name);
      if (definition) return definition.pmid;
      if (result !== PM_ERR.NAME) return result;
      nodes ??= this.#derivedNodes();
      return nodes.has(name) ? PM_ERR.NONLEAF : result;
    });
  }

  /** All names of a PMID. Throws PM_ERR_PMID. @see pmNameAll(3) */
  async namesOf(pmid: number): Promise<readonly string[]> {
    const definition = await this.#visible(pmid);
    return definition ? [definition.name] : this.#source.namesOf(pmid);
  }

  async resolve(pmids: readonly number[], signal?: AbortSignal): Promise<readonly ResolvedMetric[]> {
    const candidates = pmids.map((pmid) => this.#definitionOf(pmid));
    const basePmids = pmids.filter((_, i) => candidates[i] === undefined);
    const descriptors = await this.#metadata.describe(this.#source, basePmids);
    const visible = await this.#unmasked(candidates.filter((definition) => definition !== undefined));
    const bindings = await this.#derived.bindAll([...visible], signal);
    const byDefinition = new Map([...visible].map((definition, i) => [definition, bindings[i]!]));

    let next = 0;
    return candidates.map((definition): ResolvedMetric => {
      if (!definition) {
        const descriptor = descriptors[next++]!;
        return typeof descriptor === 'number' ? { pmErr: descriptor } : { descriptor };
      }
      const binding = byDefinition.get(definition);
      if (!binding) return { pmErr: PM_ERR.PMID };
      if (!binding.program) {
        const reason = formatSemanticError(definition.name, binding.error);
        return { pmErr: PM_ERR.BADDERIVE, explanation: `${formatPmErr(PM_ERR.BADDERIVE)}: ${reason}` };
      }
      const computed = this.#derived.compute(definition, binding);
      return { descriptor: computed.descriptor, computed, definition };
    });
  }

  async explainMissing(names: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const pmids = await this.lookupNames(names);
    const resolved = await this.resolve(pmids.filter((pmid) => pmid >= 0));
    const explanations = new Map<string, string>();
    let next = 0;
    for (const [i, pmid] of pmids.entries()) {
      if (pmid < 0) continue;
      const metric = resolved[next++]!;
      if (!metric.descriptor && metric.explanation !== undefined) explanations.set(names[i]!, metric.explanation);
    }
    return explanations;
  }

  async describe(pmids: readonly number[], signal?: AbortSignal): Promise<readonly DescriptorResult[]> {
    const resolved = await this.resolve(pmids, signal);
    return resolved.map((metric) => metric.descriptor ?? metric.pmErr);
  }

  async metadata(pmid: number, moment?: MetadataMoment): Promise<MetricMetadata> {
    const at = await this.#timeOf(moment);
    if (!this.#definitionOf(pmid)) return this.#metadata.metric(this.#source, pmid, at);
    const [resolved] = await this.resolve([pmid]);
    if (resolved && !resolved.descriptor) throw new PmError(resolved.pmErr, resolved.explanation);
    if (!resolved?.definition) return this.#metadata.metric(this.#source, pmid, at);
    const { descriptor, definition } = resolved;
    const labels = await this.#derivedLabels(descriptor, at);
    return {
      descriptor,
      names: [definition.name],
      labels,
      identity: await this.#metadata.identity(this.#source, labels, (end) => this.#derivedLabels(descriptor, end)),
      oneline: definition.oneline ?? '',
      help: definition.helptext ?? definition.oneline ?? '',
      display: displayOf(definition.display),
    };
  }

  /** The instances of a domain, regardless of the profile. Throws PM_ERR_INDOM. @see pmGetInDom(3), pmGetInDomArchive(3) */
  instances(indom: number, at: MetadataMoment = this.#usualMoment): Promise<InstanceDomain> {
    if (at === 'archive' && this.#source.archive) return this.#source.archive.instancesEver(indom);
    return this.#source.instances(indom, typeof at === 'object' ? at : undefined);
  }

  /** The labels of one target of the source, now or at a moment, not merged with those of others. @see pmLookupLabels(3) */
  labels(target: LabelTarget, at?: Timestamp): Promise<readonly LabelSet[]> {
    return this.#source.labels(target, at);
  }

  /** A target's labels as in identifiers: of a live source, cached except for those of instances. */
  async identifyingLabels(target: LabelTarget): Promise<readonly LabelSet[]> {
    if (target.kind === 'instances') return this.#source.labels(target);
    const labels = await this.#metadata.targetLabels(this.#source, target);
    return [{ instance: INSTANCE_NULL, labels }];
  }

  async indomMetadata(indom: number, at?: MetadataMoment): Promise<IndomMetadata> {
    return this.#metadata.indom(this.#source, indom, await this.#timeOf(at));
  }

  /** Labels of the source as a whole; of an archive, the last ones. */
  async contextLabels(): Promise<readonly Label[]> {
    return this.#metadata.targetLabels(this.#source, { kind: 'context' }, await this.#source.archive?.end());
  }

  /** The labels that identify the source. */
  async identity(): Promise<readonly Label[]> {
    const labelsAt = (end?: Timestamp): Promise<readonly Label[]> =>
      this.#metadata.targetLabels(this.#source, { kind: 'context' }, end);
    return this.#metadata.identity(this.#source, await labelsAt(), labelsAt);
  }

  /** Descriptors of metrics of the source; an unknown PMID has an empty one. */
  async describeBase(pmids: readonly number[]): Promise<readonly { readonly descriptor: MetricDescriptor }[]> {
    const found = await this.#metadata.describe(this.#source, pmids);
    return found.map((descriptor) => ({ descriptor: typeof descriptor === 'number' ? NO_METRIC : descriptor }));
  }

  /** Look-ups for selections: current instances and labels, or the whole archive's. Unknown ones are empty. */
  directory(): SeriesDirectory {
    const at = this.#source.archive ? 'archive' : 'position';
    const source = this.#source;
    return {
      get generation() {
        source.volatile?.look();
        return source.generation;
      },
      instances: (indom) =>
        this.instances(indom, at)
          .then(({ instances }) => instances)
          .catch(onPmError(() => [])),
      metricLabels: async (descriptor) =>
        this.#labels(descriptor, await this.#timeOf(at)).catch(onPmError((): Label[] => [])),
      instanceLabels: async (indom) =>
        this.#metadata.instanceLabels(source, indom, await this.#timeOf(at)).catch(onPmError(() => new Map())),
    };
  }

  meantNames(unknown: readonly string[], kind: MeantKind): Promise<ReadonlyMap<string, readonly string[]>> {
    this.#meant ??= new MeantNames(() => this.#possibleNames());
    return this.#meant.of(unknown, kind);
  }

  /** The moment of labels; undefined: the position, or now. */
  async #timeOf(at: MetadataMoment = this.#usualMoment): Promise<Timestamp | undefined> {
    if (typeof at === 'object') return at;
    return at === 'archive' ? this.#source.archive?.end() : undefined;
  }

  #labels(descriptor: MetricDescriptor, at?: Timestamp): Promise<readonly Label[]> {
    if (this.#definitionOf(descriptor.pmid)) return this.#derivedLabels(descriptor, at);
    return this.#metadata.metricLabels(this.#source, descriptor, at);
  }

  async #derivedLabels({ indom }: MetricDescriptor, at?: Timestamp): Promise<readonly Label[]> {
    const [context, own] = await Promise.all([
      this.#metadata.targetLabels(this.#source, { kind: 'context' }, at),
      indom === INDOM_NULL ? [] : this.#metadata.targetLabels(this.#source, { kind: 'indom', indom }, at),
    ]);
    return mergeLabels([context, own]);
  }

  /** Children of a PMNS node, '' being the root. Throws PM_ERR_NAME. */
  async children(prefix: string, signal?: AbortSignal): Promise<PmnsChildren> {
    const [base, derived] = await Promise.all([
      orUndefined(this.#source.children(prefix)),
      this.#listedBelow(prefix, signal),
    ]);
    if (!base && derived.length === 0) throw new PmError(PM_ERR.NAME);
    const leaf = new Set(base?.leaf);
    const nonleaf = new Set(base?.nonleaf);
    const start = prefix === '' ? 0 : prefix.length + 1;
    for (const { name } of derived) {
      if (name === prefix) continue;
      const [component = '', ...rest] = name.slice(start).split('.');
      if (leaf.has(component) || nonleaf.has(component)) continue;
      (rest.length === 0 ? leaf : nonleaf).add(component);
    }
    return { leaf: [...leaf], nonleaf: [...nonleaf] };
  }

  /** Full names at or below a node, '' being the root: the source's, then the derived ones. Throws PM_ERR_NAME. */
  async traverse(prefix: string, signal?: AbortSignal): Promise<readonly string[]> {
    const [base, derived] = await Promise.all([
      orUndefined(this.#source.traverse(prefix)),
      this.#listedBelow(prefix, signal),
    ]);
    const names = [...(base ?? []), ...derived.map(({ name }) => name)];
    if (names.length === 0 && prefix !== '') throw new PmError(PM_ERR.NAME);
    return names;
  }

  /** All possible names, for suggestions; derived metrics are not bound. */
  async #possibleNames(): Promise<readonly string[]> {
    const base = (await orUndefined(this.#source.traverse(''))) ?? [];
    return [...base, ...this.#derived.scope.list().map(({ name }) => name)];
  }

  #derivedNodes(): ReadonlySet<string> {
    const nodes = new Set<string>();
    for (const { name } of this.#derived.scope.list()) {
      for (let end = name.lastIndexOf('.'); end > 0; end = name.lastIndexOf('.', end - 1))
        nodes.add(name.slice(0, end));
    }
    return nodes;
  }

  #definitionOf(pmid: number): DerivedDefinition | undefined {
    if (pmidDomain(pmid) !== DERIVED_DOMAIN || !isDerivedPmid(pmid)) return undefined;
    return this.#derived.scope.byPmid(pmid);
  }

  async #visible(pmid: number): Promise<DerivedDefinition | undefined> {
    const definition = this.#definitionOf(pmid);
    if (!definition) return undefined;
    if ((await this.#unmasked([definition])).size === 0) throw new PmError(PM_ERR.PMID);
    return definition;
  }

  /** The definitions that no name of the source masks. */
  async #unmasked(definitions: readonly DerivedDefinition[]): Promise<ReadonlySet<DerivedDefinition>> {
    if (definitions.length === 0) return new Set();
    const base = await this.#metadata.lookupNames(
      this.#source,
      definitions.map(({ name }) => name),
    );
    return new Set(definitions.filter((_, i) => base[i]! < 0));
  }

  /** Definitions at or below a node that are in the PMNS: not masked, not an interior node of the source, bound. */
  async #listedBelow(prefix: string, signal: AbortSignal | undefined): Promise<readonly DerivedDefinition[]> {
    const start = `${prefix}.`;
    const below = this.#derived.scope
      .list()
      .filter(({ name }) => prefix === '' || name === prefix || name.startsWith(start));
    if (below.length === 0) return [];
    const base = await this.#metadata.lookupNames(
      this.#source,
      below.map(({ name }) => name),
    );
    const free = below.filter((_, i) => base[i] === PM_ERR.NAME);
    const bindings = await this.#derived.bindAll(free, signal);
    return free.filter((_, i) => bindings[i]!.program !== undefined);
  }
}

/** A source's result for a node; undefined if it does not know it. */
function orUndefined<T>(asked: Promise<T>): Promise<T | undefined> {
  return asked.catch(
    onPmError((error) => {
      if (error.pmErr !== PM_ERR.NAME) throw error;
      return undefined;
    }),
  );
}

/** Misspelt names handled per request: each is compared with thousands. */
const NAMES_SOUGHT = 3;
/** Names that each is compared with: a namespace may have millions. */
const CANDIDATES = 20_000;
/** Cached answers: a client that polls a misspelt name must not cause the namespace to be read each time. */
const ANSWERS_KEPT = 8;

/** Whether to suggest metrics only, or interior nodes of the namespace as well. */
export type MeantKind = 'metric' | 'node';

/** Suggests names for misspelt ones, among those that a context shows. */
export class MeantNames {
  readonly #names: () => Promise<readonly string[]>;
  #known: LRUCache<string, readonly string[]> | undefined;

  /** `names` reads all names of metrics; it is called for a name that is not cached. */
  constructor(names: () => Promise<readonly string[]>) {
    this.#names = names;
  }

  /** The nearest names of the first three unknown ones, best first, at most three each. A source that fails has none. */
  async of(unknown: readonly string[], kind: MeantKind): Promise<ReadonlyMap<string, readonly string[]>> {
    const sought = [...new Set(unknown)].slice(0, NAMES_SOUGHT);
    const known = (this.#known ??= new LRUCache({ max: ANSWERS_KEPT }));
    let candidates: readonly string[] | undefined;
    const found = new Map<string, readonly string[]>();
    for (const name of sought) {
      const key = `${kind} ${name}`;
      let nearest = known.get(key);
      if (!nearest) {
        candidates ??= await this.#candidates(kind);
        // Its own parents are near, but not what was meant.
        nearest = nearestNames(
          name,
          candidates.filter((candidate) => !name.startsWith(`${candidate}.`)),
        );
        known.set(key, nearest);
      }
      if (nearest.length > 0) found.set(name, nearest);
    }
    return found;
  }

  async #candidates(kind: MeantKind): Promise<readonly string[]> {
    const names = (await this.#names().catch(noneOf)).slice(0, CANDIDATES);
    if (kind === 'metric') return names;
    const nodes = new Set<string>();
    for (const name of names) {
      for (let end = name.length; end > 0 && !nodes.has(name.slice(0, end)); end = name.lastIndexOf('.', end - 1)) {
        nodes.add(name.slice(0, end));
        if (nodes.size === CANDIDATES) return [...nodes];
      }
    }
    return [...nodes];
  }
}

/** A failure of the source is not an answer here; the request reports it. */
function noneOf(error: unknown): readonly string[] {
  if (error instanceof PmError || error instanceof GatewayError) return [];
  throw error;
}
