import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { MemoryQuota, DefinitionStore } from '../derived/index.js';
import type {
  DefinitionNotes,
  DefinitionOrigin,
  GlobalDefinition,
  StoredDefinition,
  StoreState,
} from '../derived/index.js';
import type { ChangeGuard, DerivedRegistration } from '../http/index.js';
import { StateFile } from '../kit/node/index.js';
import { attempt, throughInTurns } from '../kit/index.js';
import { GatewayError } from '../pmapi/index.js';

export interface DerivedRegistryOptions {
  /** Definition files that ship with the package; in the order of their names. */
  readonly shippedDirectory: string | undefined;
  readonly files: readonly string[];
  /** Where definitions registered over REST are saved. */
  readonly stateFile: string;
  readonly allowMutation: boolean;
  /** The budget for all definitions and their compiled programs; 16 MiB by default. */
  readonly memoryBytes?: number | undefined;
  /** Reports what is left out: an unreadable file, an invalid line, a damaged state file. */
  readonly complain: (message: string, fields: Readonly<Record<string, unknown>>) => void;
}

/** What a state file has of the definitions of a fleet: a copy, with what tells which version it is. */
export interface FleetCopy extends StoreState {
  readonly fleet: object;
}

/** How many names a message of the log has at most. */
const SHOWN_NAMES = 20;

/** A change of the store that has been checked; it may throw. */
export type PreparedChange<T> = () => T;

/** Where changes of the definitions of the API are ordered and kept: the state file, or what the members of a fleet share. */
export interface DefinitionLog {
  /** Makes a change, or none of it; `prepare` may be called again. Throws also UNAVAILABLE and OUTCOME_UNKNOWN. */
  change<T>(prepare: () => PreparedChange<T> | Promise<PreparedChange<T>>): Promise<T>;
}

/** The global derived metrics of a gateway: loaded at start, changed over REST, saved on disk. */
export class DerivedRegistry implements DerivedRegistration {
  readonly store: DefinitionStore;
  readonly #state: StateFile;
  #options: DerivedRegistryOptions;
  #log: DefinitionLog = { change: (prepare) => this.#betweenChanges(() => this.#changeHere(prepare)) };
  #lastChange: Promise<unknown> = Promise.resolve();
  /** The copy that the state file had at the start; undefined: definitions of a gateway without a fleet. */
  fleetCopy: FleetCopy | undefined;
  /** The next copy to be saved, and the writes in progress. */
  #nextCopy: { readonly copy: FleetCopy; readonly isOther: boolean } | undefined;
  #saving: Promise<void> = Promise.resolve();

  private constructor(options: DerivedRegistryOptions) {
    this.#options = options;
    const { memoryBytes } = options;
    const budget = memoryBytes === undefined ? undefined : new MemoryQuota('global derived metrics', memoryBytes);
    this.store = new DefinitionStore({ ...(budget && { budget }) });
    this.#state = new StateFile(options.stateFile);
  }

  /** Loads everything. Invalid parts are left out and reported: one bad line must not keep the gateway from starting. */
  static async open(options: DerivedRegistryOptions): Promise<DerivedRegistry> {
    const registry = new DerivedRegistry(options);
    const state = await registry.#readState();
    await registry.#loadFiles();
    if (state !== undefined) await registry.#restore(state);
    return registry;
  }

  get allowMutation(): boolean {
    return this.#options.allowMutation;
  }

  /** Reads the files again, in turns of the event loop. Unchanged definitions keep their PMIDs, and those of the API stay. */
  reload(options: DerivedRegistryOptions): Promise<void> {
    this.#options = options;
    return this.#betweenChanges(() => this.#reloadFiles(options));
  }

  async #reloadFiles(options: DerivedRegistryOptions): Promise<void> {
    const fresh = new DerivedRegistry({ ...options, complain: () => undefined });
    await fresh.#loadFiles();
    for (const { name, canonical, origin } of this.store.list()) {
      if (origin !== 'api' && fresh.store.get(name)?.canonical !== canonical) this.store.unregister(name);
    }
    this.store.resetControls();
    await this.#loadFiles();
  }

  /** Throws FORBIDDEN for help texts of a definition from a file: they would be lost at the next start. */
  register(
    name: string,
    expression: string,
    notes: DefinitionNotes = {},
    guard?: ChangeGuard,
  ): Promise<GlobalDefinition> {
    return this.#change(() => () => {
      guard?.();
      const origin = this.store.get(name)?.origin ?? 'api';
      const definition = this.store.register(name, expression, 'api', origin === 'api' ? notes : {});
      if (origin === 'api' || (notes.oneline ?? notes.helptext) === undefined) return definition;
      throw new GatewayError('FORBIDDEN', `${name} is defined in a configured file: change its help texts there`);
    });
  }

  /** Registers all definitions of a text, or none; `by`: who sent it. Throws the signal's reason, and as DefinitionStore.load. */
  load(text: string, signal?: AbortSignal, by?: string, guard?: ChangeGuard): Promise<readonly GlobalDefinition[]> {
    return this.#change(async () => {
      const take = await throughInTurns(this.store.readInSteps(text, { file: 'body', origin: 'api', by }), signal);
      return () => {
        guard?.();
        return take().definitions;
      };
    });
  }

  /** Throws FORBIDDEN for a definition from a file of the gateway: it would be back at the next start. */
  unregister(name: string, guard?: ChangeGuard): Promise<void> {
    return this.#change(() => () => {
      guard?.();
      const definition = this.store.get(name);
      if (definition && definition.origin !== 'api') {
        throw new GatewayError('FORBIDDEN', `${name} is defined in a configured file: remove it there`);
      }
      this.store.unregister(name);
    });
  }

  /** Resolves when the changes and readings of files so far are done. */
  settled(): Promise<unknown> {
    return this.#lastChange;
  }

  /** Has changes ordered and kept by a log that others share. */
  shareChanges(log: DefinitionLog): void {
    this.#log = log;
  }

  /** Does something while no change is being made. */
  #betweenChanges<T>(work: () => T | Promise<T>): Promise<T> {
    const mine = this.#lastChange.then(work);
    this.#lastChange = mine.catch(() => undefined);
    return mine;
  }

  /** Saves a copy of a fleet's definitions; with `isOther`, replaced ones that it lacks are set aside. Never rejects. */
  keepCopy(copy: FleetCopy, isOther: boolean): Promise<void> {
    const isScheduled = this.#nextCopy !== undefined;
    this.#nextCopy = { copy, isOther: isOther || this.#nextCopy?.isOther === true };
    if (isScheduled) return this.#saving;
    this.#saving = this.#saving.then(async () => {
      const next = this.#nextCopy!;
      this.#nextCopy = undefined;
      if (next.isOther) await this.#setAsideReplaced(next.copy);
      await this.#write(next.copy).catch(() => undefined);
    });
    return this.#saving;
  }

  /** Resolves once all copies are saved. */
  saved(): Promise<void> {
    return this.#saving;
  }

  async #setAsideReplaced({ definitions }: StoreState): Promise<void> {
    const before = (await this.#state.read().catch(() => undefined)) as StoreState | undefined;
    const expressions = new Map(definitions.map(({ name, expression }) => [name, expression]));
    const gone = (before?.definitions ?? []).filter(({ name, expression }) => expressions.get(name) !== expression);
    if (gone.length === 0) return;
    const kept = await this.#state.setAside().catch(() => undefined);
    const metrics = gone.map(({ name }) => name).slice(0, SHOWN_NAMES);
    this.#options.complain('the definitions of the fleet replace saved ones', { metrics, kept });
  }

  async #change<T>(prepare: () => PreparedChange<T> | Promise<PreparedChange<T>>): Promise<T> {
    if (!this.allowMutation) {
      throw new GatewayError('FORBIDDEN', 'changing global derived metrics is disabled (derived.allowMutation)');
    }
    return this.#log.change(async () => {
      for (;;) {
        const { version } = this.store;
        const change = await prepare();
        // Definition files may have been read again meanwhile.
        if (this.store.version === version) return change;
      }
    });
  }

  /** Changes and saves the store, or undoes the change. One at a time: a save could include a change that is then undone. */
  async #changeHere<T>(prepare: () => PreparedChange<T> | Promise<PreparedChange<T>>): Promise<T> {
    const change = await prepare();
    const before = this.store.snapshot();
    const { version } = this.store;
    const result = change();
    if (this.store.version === version) return result;
    try {
      await this.#write();
    } catch (error) {
      this.store.rollBack(before);
      throw error;
    }
    return result;
  }

  async #write(state: StoreState = this.store.toState()): Promise<void> {
    try {
      await this.#state.write(state, printState(state));
    } catch (cause) {
      const { message } = cause as Error;
      this.#options.complain('cannot save derived metrics', { reason: message });
      throw new GatewayError('UNAVAILABLE', `cannot write the state of derived metrics: ${message}`, {}, { cause });
    }
  }

  async #loadFiles(): Promise<void> {
    const { shippedDirectory, files } = this.#options;
    if (shippedDirectory !== undefined) {
      for (const file of this.#shippedFiles(shippedDirectory)) await this.#loadFile(file, 'shipped');
    }
    for (const file of files) await this.#loadFile(file, 'file');
  }

  #shippedFiles(directory: string): readonly string[] {
    try {
      const files = readdirSync(directory).filter((file) => file.endsWith('.conf'));
      return files.sort().map((file) => path.join(directory, file));
    } catch (err) {
      this.#options.complain('the shipped derived metrics are missing', { directory, reason: (err as Error).message });
      return [];
    }
  }

  async #loadFile(file: string, origin: DefinitionOrigin): Promise<void> {
    const { complain } = this.#options;
    let text: string;
    try {
      text = readFileSync(file, 'utf8');
    } catch (err) {
      complain('skipped a file of derived metrics', { file, reason: (err as Error).message });
      return;
    }
    const { problems } = await throughInTurns(this.store.loadInSteps(text, { file, origin, lenient: true }));
    for (const { line, severity, message } of problems) {
      complain('skipped the definition of a derived metric', { file, line, severity, problem: message });
    }
  }

  /** The saved definitions; their PMIDs are reserved. Undefined if nothing usable was saved. */
  async #readState(): Promise<unknown> {
    try {
      let lost: readonly string[] | undefined;
      const state = await this.#state.read((text) => {
        const read = readState(text);
        ({ lost } = read);
        return read.state;
      });
      if (state !== undefined) this.store.reserve(state);
      if (lost) await this.#keepRescued(state as StoreState, lost);
      const { fleet } = (state ?? {}) as { readonly fleet?: unknown };
      if (typeof fleet === 'object' && fleet !== null) this.fleetCopy = state as FleetCopy;
      return state;
    } catch (err) {
      // The next write would destroy what a person could still read; usually the damaged file has been set aside already.
      await this.#state.setAside().catch(() => undefined);
      const fields = { file: this.#state.path, reason: (err as Error).message };
      this.#options.complain('cannot use the state of derived metrics', fields);
      return undefined;
    }
  }

  /** Replaces a damaged file by what could be read of it, and sets it aside. */
  async #keepRescued(state: StoreState, lost: readonly string[]): Promise<void> {
    const kept = await this.#state.setAside(true).catch(() => undefined);
    if (kept !== undefined) await this.#state.write(state, printState(state)).catch(() => undefined);
    const fields = { file: this.#state.path, metrics: lost.slice(0, SHOWN_NAMES), kept };
    this.#options.complain('the state of derived metrics is damaged: some definitions are lost', fields);
  }

  async #restore(state: unknown): Promise<void> {
    const failures = this.store.restore(state);
    for (const { name, error } of failures) {
      this.#options.complain('skipped a saved derived metric', { metric: name, problem: error.message });
    }
    // Newly assigned PMIDs must be the same next time, and definitions that were left out must not be lost.
    const isSame =
      JSON.stringify(this.store.toState().definitions) === JSON.stringify((state as StoreState).definitions);
    if (failures.length === 0 && this.allowMutation && !isSame) await this.#write().catch(() => undefined);
  }
}

/** A state as JSON with one line for each definition, which has a digest: {@link readState} finds those that damage spared. */
function printState({ definitions, ...rest }: StoreState): string {
  const lines = definitions.map((stored) => JSON.stringify({ ...stored, digest: digestOf(stored) }));
  return `${JSON.stringify(rest).slice(0, -1)},"definitions":[\n${lines.join(',\n')}\n]}\n`;
}

/** What was saved, and the names of lost definitions if it is damaged. Older releases wrote no digests. Throws SyntaxError. */
function readState(text: string): { readonly state: unknown; readonly lost?: readonly string[] } {
  const all = jsonOf(text) as Partial<Record<keyof StoreState, unknown>> | null | undefined;
  const isJson = all?.version === 1 && Array.isArray(all.definitions);
  const entries = isJson ? (all.definitions as readonly unknown[]) : piecesOf(text);
  const definitions: Partial<StoredDefinition>[] = [];
  const lost: string[] = [];
  for (const entry of entries) {
    const { digest, ...stored } = Object(entry) as Partial<StoredDefinition> & { readonly digest?: string };
    if (digest === digestOf(stored) || (isJson && digest === undefined)) definitions.push(stored);
    else lost.push(String(stored.name));
  }
  if (!isJson && definitions.length === 0) return { state: JSON.parse(text) as unknown };
  const state = { ...all, version: 1, definitions };
  return isJson && lost.length === 0 ? { state } : { state, lost };
}

/** The definitions in what is no JSON. No text inside of one looks like its beginning or its end: quotes are escaped there. */
function piecesOf(text: string): readonly unknown[] {
  const pieces = text.split(/(?=\{"name":")/).slice(1);
  return pieces.map((piece) => {
    const whole = /^.*?"digest":"[\da-f]*"\}/s.exec(piece)?.[0] ?? '';
    return jsonOf(whole) ?? { name: /"name":"([^"]*)/.exec(piece)![1] };
  });
}

function jsonOf(text: string): unknown {
  return attempt(() => JSON.parse(text) as unknown);
}

function digestOf(stored: object): string {
  return createHash('sha256').update(JSON.stringify(stored)).digest('hex').slice(0, 16);
}
