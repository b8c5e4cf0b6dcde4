import type { InSteps } from '../kit/index.js';
import { atOnce } from '../kit/index.js';
import { GatewayError } from '../pmapi/index.js';
import { definitionBytes, helpBytes, helpOf, parseDefinition, treeOf } from './definition.js';
import type { DerivedDefinition, HelpTexts, ParsedDefinition } from './definition.js';
import type { MemoryQuota } from './memory-quota.js';
import type { GlobalDefinition } from './definition-store.js';
import { fileError, loadDefinitions } from './load-definitions.js';
import { contextPmids, flagged } from './pmid-allocator.js';
import type { GlobalDefinitions } from './shown-definitions.js';
import { duplicateName, semanticError, tooManyDefinitions } from './registration-error.js';
import { bindExpression } from './semantics/bind.js';
import type { BindingEnvironment } from './semantics/bound-expression.js';

/** A definition that one context alone sees. */
export interface ContextDefinition extends DerivedDefinition {
  readonly scope: 'context';
}

/** Definitions that have been parsed, to be added together. */
export interface ParsedDefinitions {
  readonly definitions: readonly ParsedDefinition[];
  readonly help: ReadonlyMap<string, HelpTexts>;
}

/** What of a definition is needed to make it again. */
export type KeptDefinition = Pick<ContextDefinition, 'name' | 'expression' | keyof HelpTexts>;

/** Options of a scope. */
export interface ScopeOptions {
  /** More per-context definitions than these are refused, unless a definition file says otherwise; -1 for no limit. */
  readonly limit?: number;
  /** What the context's own definitions have to fit into; without one they are bounded by their number alone. */
  readonly budget?: MemoryQuota | undefined;
}

/** A context's own definitions; most contexts have none. */
class OwnDefinitions {
  readonly byName = new Map<string, ContextDefinition>();
  readonly byPmid = new Map<number, ContextDefinition>();
  readonly pmids = contextPmids();
}

const NO_LIMIT = -1;
const DEFAULT_LIMIT = 500;

/**
 * The derived metrics of one context: its own, and the global ones that its own do not mask. What the source's own names mask,
 * the caller decides; see context/names/namespace.ts.
 *
 * Adding takes two steps, for the metrics that an expression names must be looked up in between:
 * `parse…()`, then (with `operandNames` looked up) `add()`.
 * @see pmAddDerived(3)
 */
export class DerivedScope {
  readonly #store: GlobalDefinitions;
  readonly #usualLimit: number;
  readonly #budget: MemoryQuota | undefined;
  #own: OwnDefinitions | undefined;
  #ownVersion = 0;

  constructor(store: GlobalDefinitions, { limit = DEFAULT_LIMIT, budget }: ScopeOptions = {}) {
    this.#store = store;
    this.#usualLimit = limit;
    this.#budget = budget;
  }

  /** Moves with every change of the context's own definitions and of the global ones. */
  get version(): number {
    return this.#ownVersion + this.#store.version;
  }

  /** OPTION_NOVALUE: unknown metrics bind as novalue(). @see pmSetDerivedControl(3) */
  get unknownIsNovalue(): boolean {
    return this.#store.controls.unknownIsNovalue ?? false;
  }

  get #limit(): number {
    return this.#store.controls.contextLimit ?? this.#usualLimit;
  }

  /** Moves with every change of the context's own definitions. */
  get ownVersion(): number {
    return this.#ownVersion;
  }

  /** Whether the context has never had definitions of its own: it sees what all others see, and {@link version} is the same for them. */
  get isGlobal(): boolean {
    return this.#ownVersion === 0;
  }

  /** The definition that a name means here: the context's own, or else the global one. */
  get(name: string): ContextDefinition | GlobalDefinition | undefined {
    return this.#own?.byName.get(name) ?? this.#store.get(name);
  }

  /** The global definition of a name, even if the context's own masks it. */
  global(name: string): GlobalDefinition | undefined {
    return this.#store.get(name);
  }

  /**
   * The definition of a PMID; undefined for a global one that the context's own definition masks. The context's own may be
   * named without the flag bit, for that is how PMIDs are printed.
   */
  byPmid(pmid: number): ContextDefinition | GlobalDefinition | undefined {
    const own = this.#own?.byPmid.get(pmid);
    if (own) return own;
    const global = this.#store.byPmid(pmid);
    if (!global) return this.#own?.byPmid.get(flagged(pmid));
    return this.#isOwn(global.name) ? undefined : global;
  }

  /** Everything that is visible: the context's own definitions, then the global ones that they do not mask. */
  list(): readonly (ContextDefinition | GlobalDefinition)[] {
    return [...this.own(), ...this.#store.list().filter(({ name }) => !this.#isOwn(name))];
  }

  /** The context's own definitions. */
  own(): readonly ContextDefinition[] {
    return [...(this.#own?.byName.values() ?? [])];
  }

  /**
   * Parse one definition for this context.
   * @throws GatewayError BAD_PARAMETER, DUPLICATE_NAME, MEMORY_FULL; SourceTextError SYNTAX_ERROR
   */
  parse(name: string, expression: string): ParsedDefinitions {
    this.#budget?.require(definitionBytes(name, expression));
    const parsed = parseDefinition('context', name, expression);
    this.#checkName(parsed);
    return { definitions: [parsed], help: new Map() };
  }

  /**
   * Parse a little file of definitions, in the form that pmproxy takes: `;` and `&` end a line, too.
   * @throws GatewayError SYNTAX_ERROR with every problem
   */
  parseFile(text: string, file?: string): ParsedDefinitions {
    return atOnce(this.parseFileInSteps(text, file));
  }

  /** The same in steps. */
  *parseFileInSteps(text: string, file = 'expr'): InSteps<ParsedDefinitions> {
    const { definitions, help, problems } = yield* loadDefinitions(text, {
      scope: 'context',
      inline: true,
      isTaken: (name) => this.#isOwn(name),
      ...(this.#budget && { budget: this.#budget }),
    });
    if (problems.some(({ severity }) => severity === 'error')) throw fileError(file, text, problems, { inline: true });
    return { definitions, help };
  }

  /**
   * Add definitions, all or none: each must bind in `environment`.
   * Differs from PCP: a definition that does not bind is not kept, so that its name and PMID stay free.
   * @throws SourceTextError SEMANTIC_ERROR; GatewayError DUPLICATE_NAME, LIMIT_EXCEEDED, MEMORY_FULL
   */
  add(parsed: ParsedDefinitions, environment: BindingEnvironment): readonly ContextDefinition[] {
    return atOnce(this.addInSteps(parsed, environment));
  }

  /** The same in steps. Nothing is added before the last of them. */
  *addInSteps(
    { definitions, help }: ParsedDefinitions,
    environment: BindingEnvironment,
  ): InSteps<readonly ContextDefinition[]> {
    this.#checkRoom(definitions);
    const added = new Set(definitions.map(({ name }) => name));
    const together: BindingEnvironment = {
      ...environment,
      operand: (name) => environment.operand(name),
      isDerived: (name) =>
        environment.isDerived(name) || (added.has(name) && environment.operand(name).descriptor === undefined),
    };
    for (const parsed of definitions) {
      yield;
      this.#checkName(parsed);
      const bound = bindExpression(treeOf(parsed), together);
      if (!bound.ok) throw semanticError('context', parsed.name, parsed.expression, bound.errors[0]);
    }
    // Others may have added theirs between the steps.
    this.#checkRoom(definitions);
    for (const parsed of definitions) this.#checkName(parsed);
    const described = definitions.map((parsed) => ({ ...parsed, ...help.get(parsed.name) }));
    const bytes = described.reduce((sum, definition) => sum + costOf(definition), 0);
    this.#budget?.require(bytes);
    this.#budget?.take(bytes);
    return this.#keep(described);
  }

  /**
   * Puts back all definitions that a scope had, in the order in which they were added: their PMIDs are the same then. They are not bound:
   * they were when they were added.
   * @throws GatewayError MEMORY_FULL, and what parsing throws
   */
  restore(definitions: readonly KeptDefinition[]): void {
    const parsed = definitions.map((definition) => ({
      ...parseDefinition('context', definition.name, definition.expression),
      ...helpOf(definition),
    }));
    const bytes = parsed.reduce((sum, definition) => sum + costOf(definition), 0);
    this.#budget?.require(bytes);
    this.#budget?.take(bytes);
    this.#keep(parsed);
  }

  /**
   * Forget one of the context's own definitions.
   * @throws GatewayError UNKNOWN_DERIVED
   */
  remove(name: string): void {
    const known = this.#own?.byName.get(name);
    if (!known) throw new GatewayError('UNKNOWN_DERIVED', `there is no derived metric ${name} in this context`);
    this.#own?.byName.delete(name);
    this.#own?.byPmid.delete(known.pmid);
    this.#budget?.give(costOf(known));
    this.#ownVersion++;
  }

  /** What pmReconnectContext does: the context's own definitions are lost, and PMIDs start at the top again. */
  clear(): void {
    for (const definition of this.own()) this.#budget?.give(costOf(definition));
    this.#own = undefined;
    this.#ownVersion++;
  }

  /** The context is gone: what its definitions took is given back. */
  close(): void {
    this.#budget?.close();
  }

  #keep(definitions: readonly (ParsedDefinition & HelpTexts)[]): readonly ContextDefinition[] {
    const own = (this.#own ??= new OwnDefinitions());
    const kept = definitions.map((parsed): ContextDefinition => {
      const definition = { ...parsed, pmid: own.pmids.next(), scope: 'context' as const };
      own.byName.set(definition.name, definition);
      own.byPmid.set(definition.pmid, definition);
      return definition;
    });
    this.#ownVersion++;
    return kept;
  }

  #isOwn(name: string): boolean {
    return this.#own?.byName.has(name) ?? false;
  }

  #checkRoom({ length }: readonly ParsedDefinition[]): void {
    const limit = this.#limit;
    if (limit === NO_LIMIT || (this.#own?.byName.size ?? 0) + length <= limit) return;
    throw tooManyDefinitions('context', limit);
  }

  #checkName({ name, expression }: ParsedDefinition): void {
    if (this.#isOwn(name)) throw duplicateName('context', name, expression);
  }
}

function costOf(definition: Pick<ContextDefinition, 'bytes' | keyof HelpTexts>): number {
  return definition.bytes + helpBytes(definition);
}
