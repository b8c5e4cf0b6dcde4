import { bindExpression, compileProgram, treeOf } from '../../derived/index.js';
import type {
  BindingEnvironment,
  DerivedDefinition,
  OperandLookup,
  OperandNames,
  Program,
  SemanticError,
} from '../../derived/index.js';
import { inTurns } from '../../kit/index.js';
import { PM_ERR, type InstanceDomain, type MetricDescriptor } from '../../pmapi/index.js';
import type { MetricSource } from '../../sources/index.js';
import { BudgetedMap, type MemoryBudget } from '../memory-budget.js';
import type { MetadataCache } from './metadata-cache.js';

/** A definition that binds: immutable, shared by every context with the same descriptions of its operands. */
export interface BoundProgram {
  readonly program: Program;
  /** PMIDs of its operands, by operand index. */
  readonly operands: readonly number[];
  readonly bytes: number;
}

export type Binding = BoundProgram | { readonly program?: never; readonly error: SemanticError };

/** Results of binding, for all sources: they depend only on the expression and the metadata of its names. */
export class ProgramCache {
  /** The budget of all programs, and of what sources cache of them. */
  readonly budget: MemoryBudget;
  readonly #bindings: BudgetedMap<string, Binding>;

  constructor(budget: MemoryBudget) {
    this.budget = budget;
    this.#bindings = new BudgetedMap(budget);
  }

  /** The result for a key of {@link keyOf}; undefined if it is not cached. */
  get(key: string): Binding | undefined {
    return this.#bindings.get(key);
  }

  set(key: string, binding: Binding, { bytes }: Pick<DerivedDefinition, 'bytes'>): void {
    this.#bindings.set(key, binding, bytes + 2 * key.length);
  }
}

/** Equal for definitions that bind alike. */
function keyOf(
  { canonical, operands }: Pick<DerivedDefinition, 'canonical' | 'operands'>,
  environment: BindingEnvironment,
): string {
  const basis = [...operands.metrics, ...operands.like].map((name) => {
    const { descriptor, error } = environment.operand(name) as { descriptor?: MetricDescriptor; error?: number };
    return [environment.isDerived(name), descriptor ?? error ?? null];
  });
  return JSON.stringify([canonical, environment.unknownIsNovalue === true, basis]);
}

function bind(definition: DerivedDefinition, environment: BindingEnvironment): Binding {
  const result = bindExpression(treeOf(definition), environment);
  if (!result.ok) return { error: result.errors[0] };
  const { bound } = result;
  const operands = bound.operands.map(({ descriptor }) => descriptor.pmid);
  return { program: compileProgram(bound), operands, bytes: definition.bytes };
}

/** A context's view of names: whether one is derived, and what `meta=` may copy. */
interface DerivedNames {
  /** The definition of a name, masked or not. */
  get(name: string): DerivedDefinition | undefined;
  readonly unknownIsNovalue?: boolean;
}

/** The binding of a definition, and the generation of the source in which it was valid. */
interface KnownBinding {
  readonly key: string;
  readonly generation: number;
  readonly unknownIsNovalue: boolean;
}

/** Memory of a cached definition on one source, without its text. */
const KNOWN_BYTES = 200;
interface LookUpOptions {
  /** How many derived metrics a chain of `meta=` may have. */
  readonly depth?: number;
  /** Rejects with its reason, in the same turn of the event loop. */
  readonly signal?: AbortSignal | undefined;
}

/** Definitions in a chain of `meta=`. */
const LIKE_DEPTH = 8;

/** Binds definitions on one source, in turns of the event loop. Shared by its contexts, as is its {@link MetadataCache}. */
export class BindingCache {
  readonly #metadata: MetadataCache;
  readonly #programs: ProgramCache;
  /** By canonical text, for one generation: saves resolving the names. */
  readonly #known: BudgetedMap<string, KnownBinding>;
  /** Instance domains whose names programs use, as last listed. */
  readonly #instances = new Map<number, InstanceDomain>();
  #generation = -1;

  constructor(metadata: MetadataCache, programs: ProgramCache) {
    this.#metadata = metadata;
    this.#programs = programs;
    this.#known = new BudgetedMap(programs.budget);
  }

  close(): void {
    this.#known.clear();
  }

  /** Binds definitions in order; looks up all names at once. Callers share work. Throws the signal's reason. */
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

  /** Looks up all names of some expressions, so that they can be bound. */
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
    // meta= may name a derived metric: its metadata is that of its binding.
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

  /** An instance domain as last listed; undefined if it was never requested. */
  instances(indom: number): InstanceDomain | undefined {
    return this.#instances.get(indom);
  }

  /** Lists an instance domain again. An unknown one is empty. */
  async refreshInstances(source: MetricSource, indom: number): Promise<void> {
    this.#validate(source);
    this.#instances.set(indom, await source.instances(indom).catch((): InstanceDomain => ({ indom, instances: [] })));
  }

  /** The binding of a definition, if known to be valid in a generation of the source. */
  #current(definition: DerivedDefinition, derived: DerivedNames, generation: number): Binding | undefined {
    const known = this.#known.get(definition.canonical);
    // A definition of another context may be an invalid operand here.
    if (known?.generation !== generation || namesDerived(definition, derived)) return undefined;
    if (known.unknownIsNovalue !== (derived.unknownIsNovalue === true)) return undefined;
    return this.#programs.get(known.key);
  }

  /** Binds, unless the same was bound before, here or on another source. */
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
      this.#known.set(
        canonical,
        { key, generation, unknownIsNovalue },
        KNOWN_BYTES + 2 * (canonical.length + key.length),
      );
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
