import type { DescriptorResult, MetricSource, NameResult, PmnsChildren } from '../sources/index.js';
import type { MetadataCache, MetricMetadata } from './metadata-cache.js';

/**
 * THE place where names and PMIDs of a context are resolved, in the order of pmRegisterDerived(3): the source's own names
 * first (base and remapped), then per-context derived metrics, then global derived metrics. Whatever comes later is
 * masked by what comes earlier, silently: by name, by PMID, in children and in traversal.
 */
export class NameResolver {
  readonly #source: MetricSource;
  readonly #metadata: MetadataCache;

  constructor(source: MetricSource, metadata: MetadataCache) {
    this.#source = source;
    this.#metadata = metadata;
  }

  lookupNames(names: readonly string[]): Promise<readonly NameResult[]> {
    return this.#metadata.lookupNames(this.#source, names);
  }

  namesOf(pmid: number): Promise<readonly string[]> {
    return this.#source.namesOf(pmid);
  }

  children(prefix: string): Promise<PmnsChildren> {
    return this.#source.children(prefix);
  }

  traverse(prefix: string): Promise<readonly string[]> {
    return this.#source.traverse(prefix);
  }

  describe(pmids: readonly number[]): Promise<readonly DescriptorResult[]> {
    return this.#metadata.describe(this.#source, pmids);
  }

  metadata(pmid: number): Promise<MetricMetadata> {
    return this.#metadata.metric(this.#source, pmid);
  }
}
