import type { InSteps } from '../kit/index.js';
import { atOnce } from '../kit/index.js';
import { formatPmid, GatewayError, parsePmid } from '../pmapi/index.js';
import { definitionBytes, helpBytes, parseDefinition } from './definition.js';
import type { DerivedDefinition, ParsedDefinition } from './definition.js';
import { MemoryQuota } from './memory-quota.js';
import { fileError, loadDefinitions } from './load-definitions.js';
import type { DerivedControls, HelpTexts } from './load-definitions.js';
import type { FileProblem } from './language/definition-file.js';
import { parseExpression } from './language/parse.js';
import { printExpression } from './language/print.js';
import { globalPmids, isGlobalDerivedPmid } from './pmid-allocator.js';
import { duplicateName, tooManyDefinitions } from './registration-error.js';

/** Where a global definition comes from. Only those of the API are part of the state that survives a restart. */
export type DefinitionOrigin = 'shipped' | 'file' | 'api';

/** A definition that every context sees. */
export interface GlobalDefinition extends DerivedDefinition {
  readonly scope: 'global';
  readonly origin: DefinitionOrigin;
}

/** What of a store survives a restart: plain JSON. */
export interface StoreState {
  readonly version: 1;
  readonly definitions: readonly StoredDefinition[];
  /** The last PMID that was given to a definition of the API: later ones get others, even if that one is gone. */
  readonly lastPmid?: string;
}

/** The definitions of the API at one time. */
export interface StoreSnapshot {
  readonly api: readonly GlobalDefinition[];
  readonly withheld: readonly KeptDefinition[];
}

/** One definition of a state. */
export interface StoredDefinition extends HelpTexts {
  readonly name: string;
  readonly expression: string;
  /** As formatPmid() prints it; absent in states of old. */
  readonly pmid?: string;
}

/** Options of a store. */
export interface StoreOptions {
  /** More definitions than these are refused; -1 for no limit. */
  readonly limit?: number;
  /** What definitions and their help texts have to fit into. */
  readonly budget?: MemoryQuota;
}

/** A definition of the state that is not in force, and why. */
export interface WithheldDefinition {
  readonly name: string;
  readonly error: GatewayError;
}

/** A withheld definition as the state has it. */
interface KeptDefinition extends WithheldDefinition {
  readonly stored: StoredDefinition;
}

/** Options of {@link DefinitionStore.load}. */
export interface StoreLoadOptions {
  /** What messages call the file. */
  readonly file: string;
  readonly origin: DefinitionOrigin;
  /** Take what is good in spite of errors, as PCP does; without it, an error anywhere leaves the store as it was. */
  readonly lenient?: boolean;
}

/** What loading a file did. */
export interface LoadReport {
  /** Those the file defines, whether or not they were there before. */
  readonly definitions: readonly GlobalDefinition[];
  readonly problems: readonly FileProblem[];
  /** What the file's `#control` lines ask for; the limits have been applied. */
  readonly controls: DerivedControls;
}

const NO_LIMIT = -1;
const DEFAULT_LIMIT = 5_000;
const DEFAULT_BYTES = 16 * 1024 * 1024;

/**
 * The registry of global derived metrics. It does no I/O and binds nothing: a definition whose operands do not fit stays
 * registered, and is unknown in the contexts where it does not bind.
 * @see pmRegisterDerived(3), pmLoadDerivedConfig(3)
 */
export class DefinitionStore {
  readonly #byName = new Map<string, GlobalDefinition>();
  readonly #byPmid = new Map<number, GlobalDefinition>();
  /** PMIDs of a state, by name, that is to be restored once files are loaded. */
  readonly #reserved = new Map<string, number>();
  readonly #reservedPmids = new Set<number>();
  /** Definitions of the state that could not be restored: they stay in it until somebody removes them. */
  readonly #withheld = new Map<string, KeptDefinition>();
  readonly #budget: MemoryQuota;
  readonly #pmids = globalPmids((pmid) => this.#byPmid.has(pmid) || this.#reservedPmids.has(pmid));
  #lastApiPmid: number | undefined;
  readonly #usualLimit: number;
  #version = 0;
  #controls: DerivedControls = {};

  constructor({ limit = DEFAULT_LIMIT, budget }: StoreOptions = {}) {
    this.#usualLimit = limit;
    this.#budget = budget ?? new MemoryQuota('global derived metrics', DEFAULT_BYTES);
  }

  /** Moves with every change: whoever keeps something that depends on the definitions compares it. */
  get version(): number {
    return this.#version;
  }

  get size(): number {
    return this.#byName.size;
  }

  /** What the definitions take of their budget, programs included. */
  get bytes(): number {
    return this.#budget.bytes;
  }

  /** Definitions that a state holds and that are not in force, in its order. */
  get withheld(): readonly WithheldDefinition[] {
    return [...this.#withheld.values()];
  }

  /** What `#control` lines of loaded files have set. */
  get controls(): DerivedControls {
    return this.#controls;
  }

  /** Forget what `#control` lines have set, for files that are loaded again. */
  resetControls(): void {
    this.#controls = {};
    this.#version++;
  }

  get #limit(): number {
    return this.#controls.globalLimit ?? this.#usualLimit;
  }

  get(name: string): GlobalDefinition | undefined {
    return this.#byName.get(name);
  }

  byPmid(pmid: number): GlobalDefinition | undefined {
    return this.#byPmid.get(pmid);
  }

  /** All definitions in order of registration. */
  list(): readonly GlobalDefinition[] {
    return [...this.#byName.values()];
  }

  /**
   * Register a definition. The same expression again under the same name is no error: help texts that are given replace those that
   * there were, and nothing else changes. An empty one is none.
   * @throws GatewayError BAD_PARAMETER, DUPLICATE_NAME, LIMIT_EXCEEDED, MEMORY_FULL; SourceTextError SYNTAX_ERROR
   * @see pmRegisterDerivedMetric(3)
   */
  register(name: string, expression: string, origin: DefinitionOrigin = 'api', help: HelpTexts = {}): GlobalDefinition {
    return this.#register(name, expression, origin, help);
  }

  #register(
    name: string,
    expression: string,
    origin: DefinitionOrigin,
    help: HelpTexts,
    pmid?: number,
  ): GlobalDefinition {
    const known = this.#byName.get(name);
    // Before it is parsed: what there is no room for costs nothing.
    if (!known) this.#budget.require(definitionBytes(name, expression) + helpBytes(help));
    const parsed = parseDefinition('global', name, expression);
    if (known) {
      if (known.canonical === parsed.canonical) return this.#describe(known, help);
      throw duplicateName('global', name, expression);
    }
    if ((this.#canonicalOf(name, origin) ?? parsed.canonical) !== parsed.canonical) {
      throw duplicateName('global', name, expression);
    }
    if (this.#limit !== NO_LIMIT && this.#byName.size >= this.#limit) throw tooManyDefinitions('global', this.#limit);
    const definition = this.#add(parsed, origin, help, pmid);
    this.#version++;
    return definition;
  }

  /**
   * Forget a definition, or one that is withheld. Its PMID is not given out again before all others were.
   * @throws GatewayError UNKNOWN_DERIVED
   * @see pmUnregisterDerived(3)
   */
  unregister(name: string): void {
    const known = this.#byName.get(name);
    // One that a file's definition keeps out comes back when that is gone.
    const wasWithheld = known?.origin !== 'file' && known?.origin !== 'shipped' && this.#withheld.delete(name);
    if (!known && !wasWithheld) {
      throw new GatewayError('UNKNOWN_DERIVED', `there is no global derived metric ${name}`);
    }
    if (known) this.#remove(known);
    this.#version++;
  }

  /**
   * Load the text of a definition file: all of it or, after any error, nothing (unless `lenient`).
   * @throws GatewayError SYNTAX_ERROR with every problem of the file
   * @see pmLoadDerivedConfig(3)
   */
  load(text: string, options: StoreLoadOptions): LoadReport {
    return atOnce(this.loadInSteps(text, options));
  }

  /** The same in steps. Nothing is registered before the last of them. */
  *loadInSteps(text: string, { file, origin, lenient = false }: StoreLoadOptions): InSteps<LoadReport> {
    const loaded = yield* loadDefinitions(text, {
      scope: 'global',
      isTaken: (name, canonical) => (this.#canonicalOf(name, origin) ?? canonical) !== canonical,
      // What files define, clients cannot describe: it would be another text after a restart.
      exists: (name) => (origin === 'api' ? this.#byName.get(name)?.origin === 'api' : this.#byName.has(name)),
      isTrusted: origin !== 'api',
      count: this.#byName.size,
      limit: this.#limit,
      budget: this.#budget,
    });
    const { problems, controls } = loaded;
    if (!lenient && problems.some(({ severity }) => severity === 'error')) throw fileError(file, text, problems);
    const fresh = loaded.definitions.filter(({ name }) => !this.#byName.has(name));
    const helpFor = (name: string): HelpTexts => loaded.help.get(name) ?? {};
    // Others may have taken what there was room for between the steps.
    if (!lenient)
      this.#budget.require(fresh.reduce((sum, { name, bytes }) => sum + bytes + helpBytes(helpFor(name)), 0));
    this.#controls = { ...this.#controls, ...controls };
    for (const parsed of fresh) this.#add(parsed, origin, helpFor(parsed.name));
    const { version } = this;
    for (const [name, help] of loaded.help) {
      const known = this.#byName.get(name);
      if (known) this.#describe(known, help);
    }
    const isChanged = loaded.definitions.length > 0 || Object.keys(controls).length > 0;
    if (this.version === version && isChanged) this.#version++;
    return { definitions: loaded.definitions.map(({ name }) => this.#byName.get(name)!), problems, controls };
  }

  /** What must survive a restart: the definitions that came over the API, in order. */
  toState(): StoreState {
    const definitions = this.list()
      .filter(({ origin }) => origin === 'api')
      .map(({ name, expression, pmid, oneline, helptext }) => ({
        name,
        expression,
        pmid: formatPmid(pmid),
        ...helpOf(oneline, helptext),
      }));
    return {
      version: 1,
      definitions: [...definitions, ...[...this.#withheld.values()].map(({ stored }) => stored)],
      ...(this.#lastApiPmid !== undefined && { lastPmid: formatPmid(this.#lastApiPmid) }),
    };
  }

  /**
   * Keep the PMIDs of a state for its definitions, before files are loaded whose definitions would take them. Of two that claim
   * the same one, the first has it; who has none gets a new one.
   * @throws GatewayError BAD_BODY when `state` is no state
   */
  reserve(state: unknown): void {
    for (const { name, pmid: text = '' } of readState(state).definitions) {
      const pmid = parsePmid(text);
      if (pmid === undefined || !isGlobalDerivedPmid(pmid) || this.#reservedPmids.has(pmid)) continue;
      if (this.#byPmid.has(pmid) || this.#reserved.has(name)) continue;
      this.#reserved.set(name, pmid);
      this.#reservedPmids.add(pmid);
    }
  }

  /**
   * Register what a state holds, under the PMIDs that it had. A definition that cannot be registered any more (its name is taken by
   * a file now, or there is no room for it) is withheld and returned with the reason: it has no effect, and stays in the state.
   * @throws GatewayError BAD_BODY when `state` is no state
   */
  restore(state: unknown): readonly WithheldDefinition[] {
    const failures: WithheldDefinition[] = [];
    this.reserve(state);
    const { definitions, lastPmid } = readState(state);
    if (lastPmid !== undefined) this.#pmids.continueAfter(lastPmid);
    for (const stored of definitions) {
      const { name, expression, oneline, helptext } = stored;
      try {
        this.#register(name, expression, 'api', helpOf(oneline, helptext), this.#reserved.get(name));
        this.#reserved.delete(name);
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error;
        failures.push({ name, error });
        if (this.#byName.get(name)?.origin !== 'api') this.#withheld.set(name, { name, stored, error });
      }
    }
    return failures;
  }

  /** What came over the API, for {@link rollBack}. */
  snapshot(): StoreSnapshot {
    return { api: this.list().filter(({ origin }) => origin === 'api'), withheld: [...this.#withheld.values()] };
  }

  /** Undo everything that came over the API since a snapshot; what files have defined meanwhile stays. */
  rollBack({ api, withheld }: StoreSnapshot): void {
    const wanted = new Set(api);
    for (const definition of this.list()) {
      if (definition.origin === 'api' && !wanted.has(definition)) this.#remove(definition);
    }
    for (const definition of api) if (!this.#byName.has(definition.name)) this.#put(definition);
    this.#withheld.clear();
    for (const definition of withheld) this.#withheld.set(definition.name, definition);
    this.#version++;
  }

  /** What a name stands for already, in canonical form; what is withheld keeps its name from other clients of the API. */
  #canonicalOf(name: string, origin: DefinitionOrigin): string | undefined {
    const known = this.#byName.get(name)?.canonical;
    const withheld = origin === 'api' ? this.#withheld.get(name) : undefined;
    if (known !== undefined || !withheld) return known;
    const { expression } = withheld.stored;
    const parsed = parseExpression(expression);
    return parsed.ok ? printExpression(parsed.expression) : expression;
  }

  #add(parsed: ParsedDefinition, origin: DefinitionOrigin, help: HelpTexts, pmid?: number): GlobalDefinition {
    this.#budget.require(parsed.bytes + helpBytes(help));
    pmid ??= this.#pmids.next();
    if (origin === 'api') this.#lastApiPmid = Math.max(pmid, this.#lastApiPmid ?? 0);
    const definition: GlobalDefinition = Object.freeze({
      ...parsed,
      ...withoutEmpty(help),
      pmid,
      scope: 'global',
      origin,
    });
    this.#put(definition);
    // What a file defines now may be gone from it tomorrow.
    if (origin === 'api') this.#withheld.delete(definition.name);
    return definition;
  }

  #put(definition: GlobalDefinition): void {
    this.#budget.take(costOf(definition));
    this.#byName.set(definition.name, definition);
    this.#byPmid.set(definition.pmid, definition);
  }

  #remove(definition: GlobalDefinition): void {
    this.#budget.give(costOf(definition));
    this.#byName.delete(definition.name);
    this.#byPmid.delete(definition.pmid);
  }

  /** Replace help texts of a definition; answers what it is then. */
  #describe(known: GlobalDefinition, help: HelpTexts): GlobalDefinition {
    const { oneline, helptext, ...rest } = known;
    const definition = Object.freeze({ ...rest, ...withoutEmpty({ ...helpOf(oneline, helptext), ...help }) });
    if (definition.oneline === oneline && definition.helptext === helptext) return known;
    const added = costOf(definition) - costOf(known);
    if (added > 0) this.#budget.require(added);
    this.#budget.take(added);
    this.#byName.set(known.name, definition);
    this.#byPmid.set(known.pmid, definition);
    this.#version++;
    return definition;
  }
}

function costOf(definition: GlobalDefinition): number {
  return definition.bytes + helpBytes(definition);
}

function helpOf(oneline: string | undefined, helptext: string | undefined): HelpTexts {
  return { ...(oneline !== undefined && { oneline }), ...(helptext !== undefined && { helptext }) };
}

function withoutEmpty({ oneline, helptext }: HelpTexts): HelpTexts {
  return helpOf(oneline === '' ? undefined : oneline, helptext === '' ? undefined : helptext);
}

/** A state as it was read: the last PMID of the API is one that can be, or none. */
interface ReadState {
  readonly definitions: readonly StoredDefinition[];
  readonly lastPmid: number | undefined;
}

function readState(state: unknown): ReadState {
  const bad = (what: string): GatewayError =>
    new GatewayError('BAD_BODY', `the state of derived metrics is damaged: ${what}`);
  if (!isRecord(state) || state['version'] !== 1) throw bad('its version is not 1');
  const { definitions, lastPmid } = state;
  if (!Array.isArray(definitions)) throw bad('it has no list of definitions');
  const last = typeof lastPmid === 'string' ? parsePmid(lastPmid) : undefined;
  const read = definitions.map((entry: unknown, index) => {
    if (!isRecord(entry)) throw bad(`definition ${index} is not an object`);
    const { name, expression, pmid, oneline, helptext } = entry;
    if (typeof name !== 'string' || typeof expression !== 'string') throw bad(`definition ${index} is incomplete`);
    return {
      name,
      expression,
      ...(typeof pmid === 'string' && { pmid }),
      ...(typeof oneline === 'string' && { oneline }),
      ...(typeof helptext === 'string' && { helptext }),
    };
  });
  return { definitions: read, lastPmid: last !== undefined && isGlobalDerivedPmid(last) ? last : undefined };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
