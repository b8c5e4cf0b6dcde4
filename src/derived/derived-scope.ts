import type { InSteps } from '../kit/index.js';
import { costOf, definitionBytes, helpOf, parseDefinition, treeOf } from './definition.js';
import type { DerivedDefinition, HelpTexts, ParsedDefinition, MemoryQuota } from './definition.js';
import type { DefinitionStore, GlobalDefinition } from './definition-store.js';
import { fileError, loadDefinitions, type DerivedControls } from './load-definitions.js';
import { contextPmids, flagged } from './pmid-allocator.js';
import { duplicateName, semanticError, tooManyDefinitions } from './registration-error.js';
import { bindExpression } from './semantics/bind.js';
import type { BindingEnvironment } from './semantics/bound-expression.js';

export interface ContextDefinition extends DerivedDefinition {
  readonly scope: 'context';
}

/** Definitions that have been parsed, to be added together. */
export interface ParsedDefinitions {
  readonly definitions: readonly ParsedDefinition[];
  readonly help: ReadonlyMap<string, HelpTexts>;
}

export type KeptDefinition = Pick<ContextDefinition, 'name' | 'expression' | keyof HelpTexts>;

export interface ScopeOptions {
  /** Maximum number of per-context definitions, unless a definition file sets one; -1 for no limit. */
  readonly limit?: number;
  readonly budget?: MemoryQuota | undefined;
}

class OwnDefinitions {
  readonly byName = new Map<string, ContextDefinition>();
  readonly byPmid = new Map<number, ContextDefinition>();
  readonly pmids = contextPmids();
}

const NO_LIMIT = -1;
const DEFAULT_LIMIT = 500;

/**
 * The derived metrics of one context: its own, and the global ones that these do not mask. Adding takes two steps, with look-ups of the
 * named metrics in between: `parse…()`, then (with `operandNames` looked up) `addInSteps()`. @see pmAddDerived(3)
 */
export class DerivedScope {
  readonly #store: GlobalDefinitions;
  readonly #usualLimit: number;
  readonly #budget: MemoryQuota | undefined;
  #own: OwnDefinitions | undefined;
  ownVersion = 0;

  constructor(store: GlobalDefinitions, { limit = DEFAULT_LIMIT, budget }: ScopeOptions = {}) {
    this.#store = store;
    this.#usualLimit = limit;
    this.#budget = budget;
  }

  /** Changes with the context's own definitions and the global ones. */
  get version(): number {
    return this.ownVersion + this.#store.version;
  }

  /** OPTION_NOVALUE: unknown metrics bind as novalue(). @see pmSetDerivedControl(3) */
  get unknownIsNovalue(): boolean {
    return this.#store.controls.unknownIsNovalue ?? false;
  }

  get #limit(): number {
    return this.#store.controls.contextLimit ?? this.#usualLimit;
  }

  /** The context never had definitions of its own: it sees what all others see. */
  get isGlobal(): boolean {
    return this.ownVersion === 0;
  }

  get(name: string): ContextDefinition | GlobalDefinition | undefined {
    return this.#own?.byName.get(name) ?? this.#store.get(name);
  }

  global(name: string): GlobalDefinition | undefined {
    return this.#store.get(name);
  }

  /** The definition of a PMID, if not masked. The flag bit of the context's own may be missing, as in printed PMIDs. */
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

  own(): readonly ContextDefinition[] {
    return [...(this.#own?.byName.values() ?? [])];
  }

  /** Parses a definition. Throws BAD_PARAMETER, DUPLICATE_NAME, MEMORY_FULL, SYNTAX_ERROR. */
  parse(name: string, expression: string): ParsedDefinitions {
    this.#budget?.require(definitionBytes(name, expression));
    const parsed = parseDefinition('context', name, expression);
    this.#checkName(parsed);
    return { definitions: [parsed], help: new Map() };
  }

  /** Parses a file of definitions in pmproxy's form: `;` and `&` end a line, too. Throws SYNTAX_ERROR with every problem. */
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
   * Adds definitions at the last step, all or none; each must bind. Differs from PCP: one that does not bind keeps no name and PMID.
   * @throws SourceTextError SEMANTIC_ERROR; GatewayError DUPLICATE_NAME, LIMIT_EXCEEDED, MEMORY_FULL
   */
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
    return this.#keep(described);
  }

  /** Puts back a scope's definitions in their order, with the same PMIDs, without binding. Throws MEMORY_FULL, and parse errors. */
  restore(definitions: readonly KeptDefinition[]): void {
    const parsed = definitions.map((definition) => ({
      ...parseDefinition('context', definition.name, definition.expression),
      ...helpOf(definition),
    }));
    this.#keep(parsed);
  }

  close(): void {
    this.#budget?.close();
  }

  #keep(definitions: readonly (ParsedDefinition & HelpTexts)[]): readonly ContextDefinition[] {
    const bytes = definitions.reduce((sum, definition) => sum + costOf(definition), 0);
    this.#budget?.require(bytes);
    this.#budget?.take(bytes);
    const own = (this.#own ??= new OwnDefinitions());
    const kept = definitions.map((parsed): ContextDefinition => {
      const definition = { ...parsed, pmid: own.pmids.next(), scope: 'context' as const };
      own.byName.set(definition.name, definition);
      own.byPmid.set(definition.pmid, definition);
      return definition;
    });
    this.ownVersion++;
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

export type GlobalDefinitions = Pick<DefinitionStore, 'version' | 'controls' | 'get' | 'byPmid' | 'list'>;

/** Definitions for a client who may not see all metrics. Those over hidden metrics are hidden: their texts would reveal them. */
export class ShownDefinitions implements GlobalDefinitions {
  readonly #store: GlobalDefinitions;
  readonly #allows: (name: string) => boolean;
  readonly #verdicts = new Map<string, boolean>();
  #version = -1;

  /** @param allows whether a metric may be seen, by name */
  constructor(store: GlobalDefinitions, allows: (name: string) => boolean) {
    this.#store = store;
    this.#allows = allows;
  }

  get version(): number {
    return this.#store.version;
  }

  get controls(): DerivedControls {
    return this.#store.controls;
  }

  get(name: string): GlobalDefinition | undefined {
    return this.#shown(this.#store.get(name));
  }

  byPmid(pmid: number): GlobalDefinition | undefined {
    return this.#shown(this.#store.byPmid(pmid));
  }

  list(): readonly GlobalDefinition[] {
    return this.#store.list().filter((definition) => this.#shown(definition));
  }

  #shown(definition: GlobalDefinition | undefined): GlobalDefinition | undefined {
    return definition && this.#isShown(definition) ? definition : undefined;
  }

  /** Whether a definition and all that it refers to may be seen. Without recursion: chains may be long. */
  #isShown(definition: GlobalDefinition): boolean {
    if (this.#version !== this.version) {
      this.#verdicts.clear();
      this.#version = this.version;
    }
    const known = this.#verdicts.get(definition.name);
    if (known !== undefined) return known;
    const path: { readonly name: string; readonly operands: string[] }[] = [];
    const enter = ({ name, operands }: GlobalDefinition): void => {
      // Hidden until everything that it refers to turns out to be visible; so is a circular definition, which has no value anyway.
      this.#verdicts.set(name, false);
      path.push({ name, operands: [...operands.metrics, ...operands.like] });
    };
    enter(definition);
    if (!this.#allows(definition.name)) return false;
    for (let walk = path.at(-1); walk; walk = path.at(-1)) {
      const operand = walk.operands.pop();
      if (operand === undefined) {
        this.#verdicts.set(walk.name, true);
        path.pop();
        continue;
      }
      // Everything on the path refers to it.
      if (!this.#allows(operand) || this.#verdicts.get(operand) === false) return false;
      const inner = this.#store.get(operand);
      if (inner && !this.#verdicts.has(operand)) enter(inner);
    }
    return true;
  }
}
