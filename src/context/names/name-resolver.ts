import type { DerivedDefinition } from '../../derived/index.js';
import {
  DERIVED_DOMAIN,
  INDOM_NULL,
  isDerivedPmid,
  mergeLabels,
  PM_ERR,
  pmidDomain,
  PmError,
} from '../../pmapi/index.js';
import type { Label, MetricDescriptor, Timestamp } from '../../pmapi/index.js';
import type { DescriptorResult, MetricSource, NameResult, PmnsChildren } from '../../sources/index.js';
import { explainBinding } from './derived-metrics.js';
import type { DerivedMetrics } from './derived-metrics.js';
import type { ComputedMetric } from '../plans/fetch-plan.js';
import type { MetadataCache, MetricMetadata } from './metadata-cache.js';

/** A metric of a context: one that the source has, one that is computed here, or why there is none. */
export type ResolvedMetric =
  | { readonly kind: 'base'; readonly descriptor: Exclude<DescriptorResult, number> }
  | { readonly kind: 'derived'; readonly metric: ComputedMetric; readonly definition: DerivedDefinition }
  | { readonly kind: 'missing'; readonly pmErr: number; readonly explanation?: string };

/**
 * THE place where names and PMIDs of a context are resolved, in the order of pmRegisterDerived(3):
 *
 * 1. the source's own names, base and remapped;
 * 2. per-context derived metrics;
 * 3. global derived metrics.
 *
 * What comes later is masked by what comes earlier, silently: by name, by PMID, among children and in traversal. A derived
 * metric that does not bind here keeps its name and PMID, but has no descriptor and no place among children and in traversal.
 *
 * A `signal` is aborted when the client leaves: what takes it rejects with its reason then, and binds no more.
 */
export class NameResolver {
  readonly #source: MetricSource;
  readonly #metadata: MetadataCache;
  readonly #derived: DerivedMetrics;

  constructor(source: MetricSource, metadata: MetadataCache, derived: DerivedMetrics) {
    this.#source = source;
    this.#metadata = metadata;
    this.#derived = derived;
  }

  /** PMIDs of names, in order, or PM_ERR codes. */
  async lookupNames(names: readonly string[]): Promise<readonly NameResult[]> {
    const base = await this.#metadata.lookupNames(this.#source, names);
    if (base.every((pmid) => pmid >= 0)) return base;
    return base.map((result, i) => {
      if (result !== PM_ERR.NAME && result !== PM_ERR.NONLEAF) return result;
      const name = names[i]!;
      const definition = this.#derived.scope.get(name);
      if (definition) return definition.pmid;
      return result === PM_ERR.NAME && this.#isInterior(name) ? PM_ERR.NONLEAF : result;
    });
  }

  /** Names of a PMID. Throws PM_ERR_PMID. */
  async namesOf(pmid: number): Promise<readonly string[]> {
    const definition = await this.#visible(pmid);
    return definition ? [definition.name] : this.#source.namesOf(pmid);
  }

  /** What some PMIDs stand for, in order. */
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
        return typeof descriptor === 'number' ? { kind: 'missing', pmErr: descriptor } : { kind: 'base', descriptor };
      }
      const binding = byDefinition.get(definition);
      if (!binding) return { kind: 'missing', pmErr: PM_ERR.PMID };
      if (binding.program) {
        return { kind: 'derived', metric: this.#derived.compute(definition, binding), definition };
      }
      const explanation = explainBinding(definition.name, binding)!;
      return { kind: 'missing', pmErr: PM_ERR.BADDERIVE, explanation };
    });
  }

  /** Why metrics are missing here although their names are known, by name: derived metrics that do not bind. */
  async explainMissing(names: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const pmids = await this.lookupNames(names);
    const resolved = await this.resolve(pmids.filter((pmid) => pmid >= 0));
    const explanations = new Map<string, string>();
    let next = 0;
    for (const [i, pmid] of pmids.entries()) {
      if (pmid < 0) continue;
      const metric = resolved[next++]!;
      if (metric.kind === 'missing' && metric.explanation !== undefined)
        explanations.set(names[i]!, metric.explanation);
    }
    return explanations;
  }

  /** Descriptors of PMIDs, in order, or PM_ERR codes. */
  async describe(pmids: readonly number[], signal?: AbortSignal): Promise<readonly DescriptorResult[]> {
    return (await this.resolve(pmids, signal)).map((resolved) => {
      switch (resolved.kind) {
        case 'base':
          return resolved.descriptor;
        case 'derived':
          return resolved.metric.descriptor;
        case 'missing':
          return resolved.pmErr;
      }
    });
  }

  /** All metadata of one metric; labels of an archive are those `at` a moment. Throws PmError when it has no descriptor. */
  async metadata(pmid: number, at?: Timestamp): Promise<MetricMetadata> {
    if (!this.#definitionOf(pmid)) return this.#metadata.metric(this.#source, pmid, at);
    const [resolved] = await this.resolve([pmid]);
    if (resolved?.kind === 'missing') throw new PmError(resolved.pmErr, resolved.explanation);
    if (resolved?.kind !== 'derived') return this.#metadata.metric(this.#source, pmid, at);
    const { metric, definition } = resolved;
    const { descriptor } = metric;
    const labels = await this.#derivedLabels(descriptor, at);
    return {
      descriptor,
      names: [definition.name],
      labels,
      identity: await this.#metadata.identity(this.#source, labels, (end) => this.#derivedLabels(descriptor, end)),
      oneline: definition.oneline ?? '',
      help: definition.helptext ?? definition.oneline ?? '',
    };
  }

  /** Merged labels of a metric with a descriptor; those of an archive `at` a moment. */
  labels(descriptor: MetricDescriptor, at?: Timestamp): Promise<readonly Label[]> {
    if (this.#definitionOf(descriptor.pmid)) return this.#derivedLabels(descriptor, at);
    return this.#metadata.metricLabels(this.#source, descriptor, at);
  }

  async #derivedLabels({ indom }: MetricDescriptor, at?: Timestamp): Promise<readonly Label[]> {
    const [context, own] = await Promise.all([
      this.#metadata.contextLabels(this.#source, at),
      indom === INDOM_NULL ? [] : this.#metadata.indomLabels(this.#source, indom, at),
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

  /** Every name that there may be, for suggestions: derived metrics are not bound for that. */
  async possibleNames(): Promise<readonly string[]> {
    const base = (await orUndefined(this.#source.traverse(''))) ?? [];
    return [...base, ...this.#derived.scope.list().map(({ name }) => name)];
  }

  /** Whether a name is an interior node that only derived metrics make. */
  #isInterior(name: string): boolean {
    const start = `${name}.`;
    return this.#derived.scope.list().some((definition) => definition.name.startsWith(start));
  }

  /** The definition behind a derived PMID, masked or not. */
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

  /** Those definitions that no name of the source masks. */
  async #unmasked(definitions: readonly DerivedDefinition[]): Promise<ReadonlySet<DerivedDefinition>> {
    if (definitions.length === 0) return new Set();
    const base = await this.#metadata.lookupNames(
      this.#source,
      definitions.map(({ name }) => name),
    );
    return new Set(definitions.filter((_, i) => base[i]! < 0));
  }

  /** Definitions at or below a node that have a place in the PMNS: not masked, not an interior node of the source, bound. */
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

/** What a source says of a node; undefined when it does not know it. */
async function orUndefined<T>(asking: Promise<T>): Promise<T | undefined> {
  try {
    return await asking;
  } catch (error) {
    if (error instanceof PmError && error.pmErr === PM_ERR.NAME) return undefined;
    throw error;
  }
}
