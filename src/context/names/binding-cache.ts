import type { BindingEnvironment, DerivedDefinition, OperandLookup, OperandNames } from '../../derived/index.js';
import { inTurns } from '../../kit/index.js';
import { PM_ERR } from '../../pmapi/index.js';
import type { InstanceDomain } from '../../pmapi/index.js';
import type { MetricSource } from '../../sources/index.js';
import { BudgetedMap } from '../memory-budget.js';
import type { MetadataCache } from './metadata-cache.js';
import { bind, keyOf } from './program-cache.js';
import type { Binding, ProgramCache } from './program-cache.js';

/** What a context says of derived metrics: whether a name is one here, and what `meta=` may copy from it. */
export interface DerivedNames {
  /** The definition that a name means in this context, before the source's own names mask it. */
  get(name: string): DerivedDefinition | undefined;
  /** Whether unknown metrics bind as novalue(). */
  readonly unknownIsNovalue?: boolean;
}

/** Where the binding of a definition is, and in which generation of the source that was found. */
interface KnownBinding {
  readonly key: string;
  readonly generation: number;
  /** Unknown metrics were no error. */
  readonly unknownIsNovalue: boolean;
}

/** What is remembered of a definition on one source, beside its text. */
const KNOWN_BYTES = 200;
/** What looking names up may cost. */
interface LookUpOptions {
  /** How far `meta=` may lead from one derived metric to the next. */
  readonly depth?: number;
  /** Aborted when the client leaves: rejects with its reason then, in the same turn of the event loop. */
  readonly signal?: AbortSignal | undefined;
}

/** Definitions that `meta=` may lead through, one naming the next. */
const LIKE_DEPTH = 8;

/**
 * Binds definitions on one source, as many in a turn of the event loop as there is time for. Kept beside the source's
 * {@link MetadataCache} and shared by all contexts on that source; the programs are shared by all sources.
 */
export class BindingCache {
  readonly #metadata: MetadataCache;
  readonly #programs: ProgramCache;
  /** By canonical text, until the source's generation moves: saves looking up what the names of the text stand for. */
  readonly #known: BudgetedMap<string, KnownBinding>;
  /** Instance domains that programs ask names of, as last listed. */
  readonly #instances = new Map<number, InstanceDomain>();
  #generation = -1;

  constructor(metadata: MetadataCache, programs: ProgramCache) {
    this.#metadata = metadata;
    this.#programs = programs;
    this.#known = new BudgetedMap(programs.budget);
  }

  /** Nobody is on the source any more. */
  close(): void {
    this.#known.clear();
  }

  /**
   * Bind definitions, in order. Everything that they name is looked up in one request. Each caller binds what no other has bound yet, so that
   * what one leaves undone is not done for nobody.
   * @param signal aborted when the client leaves: rejects with its reason then, and binds no more
   */
  async bindAll(
    source: MetricSource,
    definitions: readonly DerivedDefinition[],
    derived: DerivedNames,
    signal?: AbortSignal,
  ): Promise<readonly Binding[]> {
    this.#validate(source);
    const generation = this.#generation;
    const found = new Map<DerivedDefinition, Binding>();
    const open = definitions.filter((definition) => {
      const binding = this.#current(definition, derived, generation);
      if (binding) found.set(definition, binding);
      return !binding;
    });
    if (open.length > 0) {
      const names = open.map(({ operands }) => operands);
      const environment = await this.environment(source, names, derived, { signal });
      for await (const definition of inTurns(open)) {
        signal?.throwIfAborted();
        found.set(definition, this.#bind(definition, environment, derived, generation));
      }
    }
    return definitions.map((definition) => found.get(definition)!);
  }

  /** Look up everything that some expressions name, so that they can be bound. */
  async environment(
    source: MetricSource,
    expressions: readonly OperandNames[],
    derived: DerivedNames,
    { depth = LIKE_DEPTH, signal }: LookUpOptions = {},
  ): Promise<BindingEnvironment> {
    const names = new Set<string>();
    const like = new Set<string>();
    for await (const used of inTurns(expressions)) {
      signal?.throwIfAborted();
      for (const name of [...used.metrics, ...used.like]) names.add(name);
      for (const name of used.like) like.add(name);
    }
    const generation = this.#generation;
    const operands = await this.#lookUp(source, [...names]);
    const isBase = (name: string): boolean => operands.get(name)?.descriptor !== undefined;
    // meta= may name a derived metric: its metadata are those that it binds to.
    const models = new Map<string, OperandLookup>();
    const derivedLike = [...like].flatMap((name) => (isBase(name) ? [] : (derived.get(name) ?? [])));
    if (derivedLike.length > 0 && depth > 0) {
      const inner = await this.environment(
        source,
        derivedLike.map((definition) => definition.operands),
        derived,
        { depth: depth - 1, signal },
      );
      for await (const definition of inTurns(derivedLike)) {
        signal?.throwIfAborted();
        const { program } = this.#bind(definition, inner, derived, generation);
        if (program) models.set(definition.name, { descriptor: { pmid: definition.pmid, ...program.meta } });
      }
    }
    return {
      operand: (name) => models.get(name) ?? operands.get(name) ?? UNKNOWN,
      isDerived: (name) => !isBase(name) && derived.get(name) !== undefined,
      unknownIsNovalue: derived.unknownIsNovalue === true,
    };
  }

  /** An instance domain as last listed; undefined when it was never asked for. */
  instances(indom: number): InstanceDomain | undefined {
    return this.#instances.get(indom);
  }

  /** List an instance domain anew. One that the source does not know is empty. */
  async refreshInstances(source: MetricSource, indom: number): Promise<void> {
    this.#validate(source);
    this.#instances.set(indom, await source.instances(indom).catch((): InstanceDomain => ({ indom, instances: [] })));
  }

  /** The binding of a definition, as far as it is known to hold in a generation of the source. */
  #current(definition: DerivedDefinition, derived: DerivedNames, generation: number): Binding | undefined {
    const known = this.#known.get(definition.canonical);
    // What another context defines may be an illegal operand here.
    if (known?.generation !== generation || namesDerived(definition, derived)) return undefined;
    if (known.unknownIsNovalue !== (derived.unknownIsNovalue === true)) return undefined;
    return this.#programs.get(known.key);
  }

  /** Bind, unless the same was bound before, here or on another source. */
  #bind(
    definition: DerivedDefinition,
    environment: BindingEnvironment,
    derived: DerivedNames,
    generation: number,
  ): Binding {
    const key = keyOf(definition, environment);
    let binding = this.#programs.get(key);
    if (!binding) {
      binding = bind(definition, environment);
      this.#programs.set(key, binding, definition);
    }
    const { canonical } = definition;
    if (generation === this.#generation && !namesDerived(definition, derived)) {
      const unknownIsNovalue = derived.unknownIsNovalue === true;
      this.#known.set(canonical, { key, generation, unknownIsNovalue }, KNOWN_BYTES + 2 * canonical.length);
    }
    return binding;
  }

  async #lookUp(source: MetricSource, names: readonly string[]): Promise<Map<string, OperandLookup>> {
    if (names.length === 0) return new Map();
    const pmids = await this.#metadata.lookupNames(source, names);
    const descriptors = await this.#metadata.describe(
      source,
      pmids.filter((pmid) => pmid >= 0),
    );
    let next = 0;
    return new Map(
      names.map((name, i): [string, OperandLookup] => {
        const pmid = pmids[i]!;
        if (pmid < 0) return [name, { error: pmid }];
        const descriptor = descriptors[next++]!;
        return [name, typeof descriptor === 'number' ? { error: descriptor } : { descriptor }];
      }),
    );
  }

  #validate(source: MetricSource): void {
    // Any of the definitions may name a metric that changed without notice.
    source.volatile?.look();
    if (source.generation === this.#generation) return;
    this.#generation = source.generation;
    this.#instances.clear();
  }
}

const UNKNOWN: OperandLookup = { error: PM_ERR.NAME };

function namesDerived({ operands }: DerivedDefinition, derived: DerivedNames): boolean {
  return [...operands.metrics, ...operands.like].some((name) => derived.get(name) !== undefined);
}
