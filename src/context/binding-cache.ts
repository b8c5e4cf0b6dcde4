import { bindExpression, compileProgram, operandNames } from '../derived/index.js';
import type {
  BindingEnvironment,
  BoundExpression,
  DerivedDefinition,
  Expression,
  OperandLookup,
  Program,
  SemanticError,
} from '../derived/index.js';
import { PM_ERR } from '../pmapi/index.js';
import type { InstanceDomain, MetricDescriptor } from '../pmapi/index.js';
import type { MetricSource } from '../sources/index.js';
import { lastUsed } from './last-used.js';
import type { MetadataCache } from './metadata-cache.js';

/** A definition that binds on a source: immutable, shared by every context on the source that defines the same. */
export interface BoundProgram {
  readonly bound: BoundExpression;
  readonly program: Program;
}

/** What binding gave: a program, or the first thing that is wrong. */
export type Binding = BoundProgram | { readonly program?: never; readonly error: SemanticError };

/** What a context says of derived metrics: whether a name is one here, and what `meta=` may copy from it. */
export interface DerivedNames {
  /** The definition that a name means in this context, before the source's own names mask it. */
  get(name: string): DerivedDefinition | undefined;
}

/** A binding, and what it was made from: while that stays, so does the binding, and with it every context's history. */
interface KeptBinding {
  readonly binding: Binding;
  /** What the names of the expression stood for. */
  readonly basis: string;
  /** The generation of the source that the basis was last found the same in. */
  generation: number;
}

/** Bindings kept per source; a thousand contexts with the same definitions share theirs. */
const BINDINGS_KEPT = 20_000;
/** Definitions that `meta=` may lead through, one naming the next. */
const LIKE_DEPTH = 8;

/**
 * Binds definitions on one source, once per canonical text, until the source's generation moves. Kept beside the source's
 * {@link MetadataCache} and shared by all contexts on that source.
 */
export class BindingCache {
  readonly #metadata: MetadataCache;
  readonly #bindings = lastUsed<string, KeptBinding>(BINDINGS_KEPT);
  /** Instance domains that programs ask names of, as last listed. */
  readonly #instances = new Map<number, InstanceDomain>();
  #generation = -1;

  constructor(metadata: MetadataCache) {
    this.#metadata = metadata;
  }

  /** Bind definitions, in order. Everything that they name is looked up in one request. */
  async bindAll(
    source: MetricSource,
    definitions: readonly DerivedDefinition[],
    derived: DerivedNames,
  ): Promise<readonly Binding[]> {
    this.#validate(source);
    const generation = this.#generation;
    const found = new Map<DerivedDefinition, Binding>();
    const open = definitions.filter((definition) => {
      // What another context defines may be an illegal operand here: such definitions are bound for themselves.
      const known = namesDerived(definition.ast, derived) ? undefined : this.#bindings.get(definition.canonical);
      if (known?.generation !== generation) return true;
      found.set(definition, known.binding);
      return false;
    });
    if (open.length > 0) {
      const environment = await this.environment(
        source,
        open.map(({ ast }) => ast),
        derived,
      );
      for (const definition of open) found.set(definition, this.#bind(definition, environment, derived, generation));
    }
    return definitions.map((definition) => found.get(definition)!);
  }

  /** Look up everything that some expressions name, so that they can be bound. */
  async environment(
    source: MetricSource,
    expressions: readonly Expression[],
    derived: DerivedNames,
    depth = 0,
  ): Promise<BindingEnvironment> {
    const names = new Set<string>();
    const like = new Set<string>();
    for (const expression of expressions) {
      const used = operandNames(expression);
      for (const name of [...used.metrics, ...used.like]) names.add(name);
      for (const name of used.like) like.add(name);
    }
    const operands = await this.#lookUp(source, [...names]);
    const isBase = (name: string): boolean => operands.get(name)?.descriptor !== undefined;
    // meta= may name a derived metric: its metadata are those that it binds to.
    const models = new Map<string, OperandLookup>();
    const derivedLike = [...like].flatMap((name) => (isBase(name) ? [] : (derived.get(name) ?? [])));
    if (derivedLike.length > 0 && depth < LIKE_DEPTH) {
      const inner = await this.environment(
        source,
        derivedLike.map(({ ast }) => ast),
        derived,
        depth + 1,
      );
      for (const { name, pmid, ast } of derivedLike) {
        const binding = bind(ast, inner);
        if (binding.program) models.set(name, { descriptor: { pmid, ...binding.program.meta } });
      }
    }
    return {
      operand: (name) => models.get(name) ?? operands.get(name) ?? UNKNOWN,
      isDerived: (name) => !isBase(name) && derived.get(name) !== undefined,
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

  /** Bind, unless what the names stand for is what it was when the kept binding was made. */
  #bind(
    { canonical, ast }: DerivedDefinition,
    environment: BindingEnvironment,
    derived: DerivedNames,
    generation: number,
  ): Binding {
    const basis = basisOf(ast, environment);
    const known = this.#bindings.get(canonical);
    if (known?.basis === basis) {
      known.generation = Math.max(known.generation, generation);
      return known.binding;
    }
    const binding = bind(ast, environment);
    if (!namesDerived(ast, derived)) this.#bindings.set(canonical, { binding, basis, generation });
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
    if (source.generation === this.#generation) return;
    this.#generation = source.generation;
    this.#instances.clear();
  }
}

const UNKNOWN: OperandLookup = { error: PM_ERR.NAME };

function bind(ast: Expression, environment: BindingEnvironment): Binding {
  const result = bindExpression(ast, environment);
  if (!result.ok) return { error: result.errors[0] };
  return { bound: result.bound, program: compileProgram(result.bound) };
}

/** Everything that binding an expression takes from its environment, as text: equal texts bind alike. */
function basisOf(ast: Expression, environment: BindingEnvironment): string {
  const { metrics, like } = operandNames(ast);
  return JSON.stringify(
    [...metrics, ...like].map((name) => {
      const { descriptor, error } = environment.operand(name) as { descriptor?: MetricDescriptor; error?: number };
      return [environment.isDerived(name), descriptor ?? error ?? null];
    }),
  );
}

function namesDerived(ast: Expression, derived: DerivedNames): boolean {
  const { metrics, like } = operandNames(ast);
  return [...metrics, ...like].some((name) => derived.get(name) !== undefined);
}
