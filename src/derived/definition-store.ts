import { atOnce, type InSteps } from '../kit/index.js';
import { formatPmid, GatewayError, parsePmid } from '../pmapi/index.js';
import { costOf, definitionBytes, helpBytes, helpOf, parseDefinition, MemoryQuota } from './definition.js';
import type { DerivedDefinition, HelpTexts, ParsedDefinition } from './definition.js';
import { fileError, loadDefinitions, type DerivedControls, type LoadedFile, displayOf } from './load-definitions.js';
import type { FileProblem } from './language/definition-file.js';
import { parseExpression } from './language/parse.js';
import { printExpression } from './language/print.js';
import { globalPmids, isGlobalDerivedPmid } from './pmid-allocator.js';
import { duplicateName, tooManyDefinitions } from './registration-error.js';

/** The origin of a global definition. Only those of the API are saved. */
export type DefinitionOrigin = 'shipped' | 'file' | 'api';

/** A definition that every context sees. */
export interface GlobalDefinition extends DerivedDefinition {
  readonly scope: 'global';
  readonly origin: DefinitionOrigin;
}

/** The saved state of a store: plain JSON. */
export interface StoreState {
  readonly version: 1;
  readonly definitions: readonly StoredDefinition[];
  /** The last PMID assigned over the API, even if its definition is gone. */
  readonly lastPmid?: string;
}

/** The definitions of the API at one time. */
export interface StoreSnapshot {
  readonly api: readonly GlobalDefinition[];
  readonly withheld: readonly KeptDefinition[];
}

/** How definitions of the API differ from those at an earlier time: plain JSON. */
export interface DefinitionChange {
  /** New definitions, and those with changed help texts. */
  readonly put: readonly StoredDefinition[];
  readonly removed: readonly string[];
}

export interface DefinitionNotes extends HelpTexts {
  /** As {@link DerivedDefinition.by}. */
  readonly by?: string | undefined;
}

export interface StoredDefinition extends DefinitionNotes {
  readonly name: string;
  readonly expression: string;
  /** As formatPmid() prints it; absent in old states. */
  readonly pmid?: string;
}

export interface StoreOptions {
  /** The maximum number of definitions; -1 for no limit. */
  readonly limit?: number;
  readonly budget?: MemoryQuota;
}

/** A saved definition that is not in force, and why. */
export interface WithheldDefinition {
  readonly name: string;
  readonly error: GatewayError;
}

interface KeptDefinition extends WithheldDefinition {
  readonly stored: StoredDefinition;
}

export interface StoreLoadOptions {
  readonly file: string;
  readonly origin: DefinitionOrigin;
  readonly by?: string | undefined;
  /** Registers what is valid in spite of errors, as PCP does; by default, an error leaves the store unchanged. */
  readonly lenient?: boolean;
}

export interface LoadReport {
  /** The file's definitions, whether or not they existed before. */
  readonly definitions: readonly GlobalDefinition[];
  readonly problems: readonly FileProblem[];
  /** The file's `#control` lines; their limits have been applied. */
  readonly controls: DerivedControls;
}

const NO_LIMIT = -1;
const DEFAULT_LIMIT = 5_000;
const DEFAULT_BYTES = 16 * 1024 * 1024;

/**
 * The registry of global derived metrics. It does no I/O and binds nothing: a definition whose operands do not fit stays
 * registered, and is unknown in contexts where it does not bind.
 * @see pmRegisterDerived(3), pmLoadDerivedConfig(3)
 */
export class DefinitionStore {
  readonly #byName = new Map<string, GlobalDefinition>();
  readonly #byPmid = new Map<number, GlobalDefinition>();
  /** PMIDs of a saved state, by name, to be restored after files are loaded. */
  readonly #reserved = new Map<string, number>();
  readonly #reservedPmids = new Set<number>();
  /** Definitions of the saved state that could not be restored: they stay in it until removed. */
  readonly #withheld = new Map<string, KeptDefinition>();
  readonly #budget: MemoryQuota;
  readonly #pmids = globalPmids((pmid) => this.#byPmid.has(pmid) || this.#reservedPmids.has(pmid));
  /** PMIDs of definitions from files, by name, which are the same at all members of a fleet. */
  readonly #agreed = new Map<string, number>();
  #lastApiPmid: number | undefined;
  readonly #usualLimit: number;
  /** Changes with every change: caches that depend on the definitions compare it. */
  version = 0;
  controls: DerivedControls = {};

  constructor({ limit = DEFAULT_LIMIT, budget }: StoreOptions = {}) {
    this.#usualLimit = limit;
    this.#budget = budget ?? new MemoryQuota('global derived metrics', DEFAULT_BYTES);
  }

  get bytes(): number {
    return this.#budget.bytes;
  }

  get withheld(): readonly WithheldDefinition[] {
    return [...this.#withheld.values()];
  }

  /** Resets the settings of `#control` lines, for files that are loaded again. */
  resetControls(): void {
    this.controls = {};
    this.version++;
  }

  get #limit(): number {
    return this.controls.globalLimit ?? this.#usualLimit;
  }

  get(name: string): GlobalDefinition | undefined {
    return this.#byName.get(name);
  }

  byPmid(pmid: number): GlobalDefinition | undefined {
    return this.#byPmid.get(pmid);
  }

  list(): readonly GlobalDefinition[] {
    return [...this.#byName.values()];
  }

  /**
   * Registers a definition. Repeating it only replaces given help texts; an empty text removes one.
   * @throws GatewayError BAD_PARAMETER, DUPLICATE_NAME, LIMIT_EXCEEDED, MEMORY_FULL; SourceTextError SYNTAX_ERROR
   * @see pmRegisterDerivedMetric(3)
   */
  register(
    name: string,
    expression: string,
    origin: DefinitionOrigin = 'api',
    help: DefinitionNotes = {},
    pmid?: number,
  ): GlobalDefinition {
    const known = this.#byName.get(name);
    // Before it is parsed: a definition without room costs nothing.
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
    this.version++;
    return definition;
  }

  /** Removes a definition, also a withheld one. Throws UNKNOWN_DERIVED. @see pmUnregisterDerived(3) */
  unregister(name: string): void {
    const known = this.#byName.get(name);
    // A definition displaced by a file's comes back when that is gone.
    const wasWithheld = known?.origin !== 'file' && known?.origin !== 'shipped' && this.#withheld.delete(name);
    if (!known && !wasWithheld) {
      throw new GatewayError('UNKNOWN_DERIVED', `there is no global derived metric ${name}`);
    }
    if (known) this.#remove(known);
    this.version++;
  }

  /** Loads a definition file: all or, unless `lenient`, nothing. Throws SYNTAX_ERROR with every problem. @see pmLoadDerivedConfig(3) */
  load(text: string, options: StoreLoadOptions): LoadReport {
    return atOnce(this.loadInSteps(text, options));
  }

  *loadInSteps(text: string, options: StoreLoadOptions): InSteps<LoadReport> {
    return (yield* this.readInSteps(text, options))();
  }

  /** Reads and checks a file in steps. The result registers its definitions; the store must not change before that. */
  *readInSteps(text: string, options: StoreLoadOptions): InSteps<() => LoadReport> {
    const { file, origin, lenient = false } = options;
    const loaded = yield* loadDefinitions(text, {
      scope: 'global',
      file: origin === 'api' ? undefined : file,
      isTaken: (name, canonical) => (this.#canonicalOf(name, origin) ?? canonical) !== canonical,
      // Clients cannot change help texts of definitions from files: they would be lost after a restart.
      exists: (name) => (origin === 'api' ? this.#byName.get(name)?.origin === 'api' : this.#byName.has(name)),
      isTrusted: origin !== 'api',
      count: this.#byName.size,
      limit: this.#limit,
      budget: this.#budget,
    });
    const { problems } = loaded;
    if (!lenient && problems.some(({ severity }) => severity === 'error')) throw fileError(file, text, problems);
    return () => this.#takeFile(loaded, options);
  }

  #takeFile(loaded: LoadedFile, { origin, by, lenient = false }: StoreLoadOptions): LoadReport {
    const { problems, controls } = loaded;
    const fresh = loaded.definitions.filter(({ name }) => !this.#byName.has(name));
    const helpFor = (name: string): HelpTexts => loaded.help.get(name) ?? {};
    // Other definitions may have used the room between the steps.
    if (!lenient)
      this.#budget.require(fresh.reduce((sum, { name, bytes }) => sum + bytes + helpBytes(helpFor(name)), 0));
    this.controls = { ...this.controls, ...controls };
    for (const parsed of fresh) this.#add(parsed, origin, { ...helpFor(parsed.name), by });
    const { version } = this;
    for (const [name, help] of loaded.help) {
      const known = this.#byName.get(name);
      if (known) this.#describe(known, help);
    }
    const isChanged = loaded.definitions.length > 0 || Object.keys(controls).length > 0;
    if (this.version === version && isChanged) this.version++;
    return { definitions: loaded.definitions.map(({ name }) => this.#byName.get(name)!), problems, controls };
  }

  toState(): StoreState {
    const definitions = this.list()
      .filter(({ origin }) => origin === 'api')
      .map(toStored);
    return {
      version: 1,
      definitions: [...definitions, ...[...this.#withheld.values()].map(({ stored }) => stored)],
      ...(this.#lastApiPmid !== undefined && { lastPmid: formatPmid(this.#lastApiPmid) }),
    };
  }

  /** Reserves the PMIDs of a saved state before files are loaded. Of equal PMIDs the first counts. Throws BAD_BODY. */
  reserve(state: unknown): void {
    for (const { name, pmid: text = '' } of readState(state).definitions) {
      const pmid = parsePmid(text);
      if (pmid === undefined || !isGlobalDerivedPmid(pmid) || this.#reservedPmids.has(pmid)) continue;
      if (this.#byPmid.has(pmid) || this.#reserved.has(name)) continue;
      this.#reserved.set(name, pmid);
      this.#reservedPmids.add(pmid);
    }
  }

  /** Registers a saved state. Definitions whose name is taken, or that have no room, are withheld and returned. Throws BAD_BODY. */
  restore(state: unknown): readonly WithheldDefinition[] {
    const failures: WithheldDefinition[] = [];
    this.reserve(state);
    const { definitions, lastPmid } = readState(state);
    if (lastPmid !== undefined) this.#pmids.continueAfter(lastPmid);
    for (const stored of definitions) {
      const { name, expression, by } = stored;
      try {
        const pmid = this.#reserved.get(name);
        this.register(name, expression, 'api', { ...helpOf(stored), by }, pmid);
        this.#reserved.delete(name);
        if (pmid !== undefined) this.#reservedPmids.delete(pmid);
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error;
        failures.push({ name, error });
        if (this.#byName.get(name)?.origin !== 'api') this.#withheld.set(name, { name, stored, error });
      }
    }
    return failures;
  }

  snapshot(): StoreSnapshot {
    return { api: this.list().filter(({ origin }) => origin === 'api'), withheld: [...this.#withheld.values()] };
  }

  /** Undoes all changes over the API since a snapshot; definitions of files stay. */
  rollBack({ api, withheld }: StoreSnapshot): void {
    const wanted = new Map(api.map((definition) => [definition.name, definition]));
    for (const definition of this.list()) {
      if (definition.origin !== 'api') continue;
      const before = wanted.get(definition.name);
      if (before === definition) continue;
      // One that was only described keeps its place.
      if (before?.pmid === definition.pmid) {
        this.#budget.give(costOf(definition));
        this.#put(before);
      } else this.#remove(definition);
    }
    for (const definition of api) if (!this.#byName.has(definition.name)) this.#put(definition);
    this.arrange(api.map(({ name }) => name));
    this.#withheld.clear();
    for (const definition of withheld) this.#withheld.set(definition.name, definition);
    this.version++;
  }

  /** Puts definitions of the API in this order, behind those of files. */
  arrange(names: readonly string[]): void {
    const isArranged = (): boolean => {
      const listed = this.list().filter(({ origin }) => origin === 'api');
      const known = names.filter((name) => this.#byName.get(name)?.origin === 'api');
      return listed.every(({ name }, i) => name === known[i]);
    };
    if (isArranged()) return;
    for (const name of names) {
      const definition = this.#byName.get(name);
      if (definition?.origin !== 'api') continue;
      this.#byName.delete(name);
      this.#byName.set(name, definition);
    }
    this.version++;
  }

  changeSince({ api, withheld }: StoreSnapshot): DefinitionChange {
    const before = new Set(api);
    const put = this.list().filter((definition) => definition.origin === 'api' && !before.has(definition));
    const isKept = (name: string): boolean => this.#byName.get(name)?.origin === 'api' || this.#withheld.has(name);
    const removed = [...api, ...withheld].map(({ name }) => name).filter((name) => !isKept(name));
    return { put: put.map(toStored), removed };
  }

  /** Makes a change checked elsewhere, with its PMIDs. Returns definitions withheld, as {@link restore}. Throws BAD_BODY. */
  apply({ put, removed }: DefinitionChange): readonly WithheldDefinition[] {
    for (const name of removed) {
      const known = this.#byName.get(name);
      if (known?.origin === 'api') this.#remove(known);
      this.#withheld.delete(name);
    }
    const pmids = put.map(({ name, pmid = '' }) => ({ name, pmid: parsePmid(pmid) ?? 0 }));
    for (const { name, pmid } of pmids) this.#freePmid(pmid, name);
    const lastPmid = pmids.reduce((last, { pmid }) => (isGlobalDerivedPmid(pmid) ? Math.max(last, pmid) : last), 0);
    this.version++;
    return this.restore({
      version: 1,
      // Absent help texts remove those of before.
      definitions: put.map((stored) => ({ oneline: '', helptext: '', display: '', ...stored })),
      ...(lastPmid > 0 && { lastPmid: formatPmid(lastPmid) }),
    });
  }

  filePmids(): ReadonlyMap<string, number> {
    return new Map(this.list().flatMap(({ name, pmid, origin }) => (origin === 'api' ? [] : [[name, pmid]])));
  }

  /** Gives a file's definition its PMID at the other members of a fleet, now or when it is loaded. */
  agreeOnPmid(name: string, pmid: number): void {
    if (!isGlobalDerivedPmid(pmid)) return;
    this.#agreed.set(name, pmid);
    this.#freePmid(pmid, name);
    const known = this.#byName.get(name);
    if (!known || known.origin === 'api') this.#reservedPmids.add(pmid);
    else if (known.pmid !== pmid) this.#move(known, pmid);
  }

  /** Gives a definition of a file another PMID if it has this one under another name. */
  #freePmid(pmid: number, name: string): void {
    const holder = this.#byPmid.get(pmid);
    if (holder && holder.name !== name && holder.origin !== 'api') this.#move(holder, this.#pmids.next());
  }

  #move(definition: GlobalDefinition, pmid: number): void {
    this.#byPmid.delete(definition.pmid);
    const moved = Object.freeze({ ...definition, pmid });
    this.#byName.set(moved.name, moved);
    this.#byPmid.set(pmid, moved);
    this.version++;
  }

  #canonicalOf(name: string, origin: DefinitionOrigin): string | undefined {
    const known = this.#byName.get(name)?.canonical;
    const withheld = origin === 'api' ? this.#withheld.get(name) : undefined;
    if (known !== undefined || !withheld) return known;
    const { expression } = withheld.stored;
    const parsed = parseExpression(expression);
    return parsed.ok ? printExpression(parsed.expression) : expression;
  }

  #add(parsed: ParsedDefinition, origin: DefinitionOrigin, help: DefinitionNotes, pmid?: number): GlobalDefinition {
    this.#budget.require(parsed.bytes + helpBytes(help));
    const agreed = origin === 'api' ? undefined : this.#agreed.get(parsed.name);
    pmid ??= agreed === undefined || this.#byPmid.has(agreed) ? this.#pmids.next() : agreed;
    if (origin === 'api') this.#lastApiPmid = Math.max(pmid, this.#lastApiPmid ?? 0);
    const definition: GlobalDefinition = Object.freeze({
      ...parsed,
      ...withoutEmpty(help),
      ...(help.by !== undefined && { by: help.by }),
      pmid,
      scope: 'global',
      origin,
    });
    this.#put(definition);
    // A file's definition may be removed tomorrow.
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

  #describe(known: GlobalDefinition, help: HelpTexts): GlobalDefinition {
    const { oneline, helptext, display, ...rest } = known;
    const definition = Object.freeze({ ...rest, ...withoutEmpty({ ...helpOf(known), ...help }) });
    const isSame = definition.oneline === oneline && definition.helptext === helptext && definition.display === display;
    if (isSame) return known;
    const added = costOf(definition) - costOf(known);
    if (added > 0) this.#budget.require(added);
    this.#budget.take(added);
    this.#byName.set(known.name, definition);
    this.#byPmid.set(known.pmid, definition);
    this.version++;
    return definition;
  }
}

function toStored(definition: GlobalDefinition): StoredDefinition {
  const { name, expression, pmid, by } = definition;
  return { name, expression, pmid: formatPmid(pmid), ...helpOf(definition), ...(by !== undefined && { by }) };
}

function withoutEmpty(help: HelpTexts): HelpTexts {
  return Object.fromEntries(Object.entries(helpOf(help)).filter(([, text]) => text !== ''));
}

/** Reads a state; the last PMID of the API is valid, or undefined. */
function readState(state: unknown) {
  const bad = (what: string): GatewayError =>
    new GatewayError('BAD_BODY', `the state of derived metrics is damaged: ${what}`);
  if (!isRecord(state) || state['version'] !== 1) throw bad('its version is not 1');
  const { definitions, lastPmid } = state;
  if (!Array.isArray(definitions)) throw bad('it has no list of definitions');
  const last = typeof lastPmid === 'string' ? parsePmid(lastPmid) : undefined;
  const read = definitions.map((entry: unknown, index): StoredDefinition => {
    if (!isRecord(entry)) throw bad(`definition ${index} is not an object`);
    const { name, expression, pmid, oneline, helptext, display, by } = entry;
    if (typeof name !== 'string' || typeof expression !== 'string') throw bad(`definition ${index} is incomplete`);
    return {
      name,
      expression,
      ...(typeof pmid === 'string' && { pmid }),
      ...helpOf({ oneline, helptext, display: display === '' || displayOf(String(display)) ? display : undefined }),
      ...(typeof by === 'string' && { by }),
    };
  });
  return { definitions: read, lastPmid: last !== undefined && isGlobalDerivedPmid(last) ? last : undefined };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
