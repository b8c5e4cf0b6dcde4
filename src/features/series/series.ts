import { LRUCache } from 'lru-cache';
import { expressionId } from '../../http/index.js';
import type { Clock } from '../../pmapi/index.js';
import type { MetricFilter, SourceSpec, SampleStores } from '../../sources/index.js';
import type { ArchiveSeries } from './catalogue/archive-series.js';
import { Catalogue } from './catalogue/catalogue.js';
import { printQuery, type Expression } from './language/index.js';
import { ValueMemory } from './evaluation/value-memory.js';
import { SeriesView, type SeriesBasis, type SeriesLimits } from './series-view.js';

export interface SeriesOptions {
  /** Archives, and live hosts as far as they are remembered. */
  readonly stores: readonly SampleStores[];
  readonly clock: Clock;
  readonly limits: SeriesLimits;
}

/** Returns what a principal may see of an archive or a host: undefined for nothing. */
export type StoreVisibility = (spec: SourceSpec) => { readonly filter: MetricFilter | undefined } | undefined;

/** Expressions that are remembered by their identifiers, and characters of all together. */
const EXPRESSIONS = 10_000;
const EXPRESSION_CHARACTERS = 2_000_000;

/** The series of all archives and remembered hosts: what `/series` answers from. */
export class Series implements SeriesBasis {
  readonly clock: Clock;
  readonly memory: ValueMemory;
  limits: SeriesLimits;
  readonly catalogue: Catalogue;
  readonly #expressions = new LRUCache<string, Expression>({
    max: EXPRESSIONS,
    maxSize: EXPRESSION_CHARACTERS,
    sizeCalculation: (expression) => printQuery(expression).length + 1,
  });

  constructor({ stores, clock, limits }: SeriesOptions) {
    this.clock = clock;
    this.limits = limits;
    this.memory = new ValueMemory(limits.bytes);
    this.catalogue = new Catalogue(stores, clock);
  }

  /** The series that a principal may see: others do not exist. */
  async view(visibility: StoreVisibility, signal?: AbortSignal): Promise<SeriesView> {
    const archives: ArchiveSeries[] = [];
    for (const archive of await this.catalogue.list(signal)) {
      const visible = visibility(archive.spec);
      if (visible) archives.push(archive.seenThrough(visible.filter));
    }
    return new SeriesView(this, archives, signal);
  }

  /** The identifier of an expression, which stands for it from now on, for as long as few others are asked for. */
  remember(expression: Expression): string {
    const id = expressionId(printQuery(expression));
    this.#expressions.set(id, expression);
    return id;
  }

  expression(id: string): Expression | undefined {
    return this.#expressions.get(id);
  }
}
