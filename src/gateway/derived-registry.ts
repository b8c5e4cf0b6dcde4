import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { MemoryQuota, DefinitionStore } from '../derived/index.js';
import type { DefinitionOrigin, GlobalDefinition, HelpTexts, StoreState } from '../derived/index.js';
import type { ChangeGuard, DerivedRegistration } from '../http/index.js';
import { throughInTurns } from '../kit/index.js';
import { GatewayError } from '../pmapi/index.js';
import { StateFile } from './state-file.js';

/** Where global derived metrics come from. */
export interface DerivedRegistryOptions {
  /** Definition files that ship with the package; in the order of their names. */
  readonly shippedDirectory: string | undefined;
  /** Further definition files, from the configuration. */
  readonly files: readonly string[];
  /** Where definitions that were made over REST survive a restart. */
  readonly stateFile: string;
  readonly allowMutation: boolean;
  /** What all definitions have to fit into, with the programs that they become; 16 MiB by default. */
  readonly memoryBytes?: number | undefined;
  /** Hears of what is left out: a file that cannot be read, a line that is wrong, a damaged state. */
  readonly complain: (message: string, fields: Readonly<Record<string, unknown>>) => void;
}

/** The global derived metrics of a gateway: loaded at the start, changed over REST, kept on disk. */
export class DerivedRegistry implements DerivedRegistration {
  readonly store: DefinitionStore;
  readonly #state: StateFile;
  #options: DerivedRegistryOptions;
  #lastChange: Promise<unknown> = Promise.resolve();

  private constructor(options: DerivedRegistryOptions) {
    this.#options = options;
    const { memoryBytes } = options;
    const budget = memoryBytes === undefined ? undefined : new MemoryQuota('global derived metrics', memoryBytes);
    this.store = new DefinitionStore({ ...(budget && { budget }) });
    this.#state = new StateFile(options.stateFile);
  }

  /** Load everything. What is wrong is left out and complained of: one bad line must not keep the gateway from serving. */
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

  /**
   * Read the files again: definitions that are gone from them are forgotten, new ones registered, those that are the same
   * keep their PMIDs. Definitions made over REST stay, and so does the state file. Files are parsed in turns of the event loop; what else
   * the options say is in force at once.
   */
  reload(options: DerivedRegistryOptions): Promise<void> {
    this.#options = options;
    const mine = this.#lastChange.then(() => this.#reloadFiles(options));
    this.#lastChange = mine.catch(() => undefined);
    return mine;
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

  /**
   * Throws FORBIDDEN for help texts of a definition that a file of the gateway gives: they would be others after the next start.
   * @see DefinitionStore.register
   */
  register(name: string, expression: string, help: HelpTexts = {}, guard?: ChangeGuard): Promise<GlobalDefinition> {
    return this.#change(() => {
      guard?.();
      const origin = this.store.get(name)?.origin ?? 'api';
      const definition = this.store.register(name, expression, 'api', origin === 'api' ? help : {});
      if (origin === 'api' || (help.oneline ?? help.helptext) === undefined) return definition;
      throw new GatewayError('FORBIDDEN', `${name} is defined in a configured file: change its help texts there`);
    });
  }

  /**
   * All definitions of a file's text, or after any error none.
   * @param signal aborted when the client leaves: throws its reason then, and nothing has changed
   * @see DefinitionStore.load
   */
  load(text: string, signal?: AbortSignal): Promise<readonly GlobalDefinition[]> {
    return this.#change(async () => {
      const steps = this.store.loadInSteps(text, { file: 'body', origin: 'api' });
      const { definitions } = await throughInTurns(steps, signal);
      return definitions;
    });
  }

  /** Throws FORBIDDEN for a definition that a file of the gateway gives: it would be back at the next start. */
  unregister(name: string, guard?: ChangeGuard): Promise<void> {
    return this.#change(() => {
      guard?.();
      const definition = this.store.get(name);
      if (definition && definition.origin !== 'api') {
        throw new GatewayError('FORBIDDEN', `${name} is defined in a configured file: remove it there`);
      }
      this.store.unregister(name);
    });
  }

  /**
   * Change the store and keep the outcome; when it cannot be kept, undo the change and say so. One change at a time: otherwise
   * one that is kept would keep another that is then undone.
   */
  #change<T>(change: () => T | Promise<T>): Promise<T> {
    const mine = this.#lastChange.then(async () => {
      this.#requireMutation();
      const before = this.store.snapshot();
      const { version } = this.store;
      const result = await change();
      if (this.store.version === version) return result;
      try {
        await this.#write();
      } catch (error) {
        this.store.rollBack(before);
        throw error;
      }
      return result;
    });
    this.#lastChange = mine.catch(() => undefined);
    return mine;
  }

  #requireMutation(): void {
    if (this.allowMutation) return;
    throw new GatewayError('FORBIDDEN', 'changing global derived metrics is disabled (derived.allowMutation)');
  }

  async #write(): Promise<void> {
    try {
      await this.#state.write(this.store.toState());
    } catch (cause) {
      const { message } = cause as Error;
      this.#options.complain('cannot save derived metrics', { err: cause });
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
      this.#options.complain('the shipped derived metrics are missing', { directory, err });
      return [];
    }
  }

  async #loadFile(file: string, origin: DefinitionOrigin): Promise<void> {
    const { complain } = this.#options;
    let text: string;
    try {
      text = readFileSync(file, 'utf8');
    } catch (err) {
      complain('skipped a file of derived metrics', { file, err });
      return;
    }
    const { problems } = await throughInTurns(this.store.loadInSteps(text, { file, origin, lenient: true }));
    for (const { line, severity, message } of problems) {
      complain('skipped the definition of a derived metric', { file, line, severity, problem: message });
    }
  }

  /** What was kept; its PMIDs are reserved. Undefined when there is nothing that can be used. */
  async #readState(): Promise<unknown> {
    try {
      const state = await this.#state.read();
      if (state !== undefined) this.store.reserve(state);
      return state;
    } catch (err) {
      // The next write would destroy what may still be read by eye; mostly it is out of the way already.
      await this.#state.setAside().catch(() => undefined);
      this.#options.complain('cannot use the state of derived metrics', { file: this.#state.path, err });
      return undefined;
    }
  }

  async #restore(state: unknown): Promise<void> {
    const failures = this.store.restore(state);
    for (const { name, error } of failures) {
      this.#options.complain('skipped a saved derived metric', { metric: name, problem: error.message });
    }
    // PMIDs that were given only now must be the same next time. What was left out must not be lost by that.
    const isSame =
      JSON.stringify(this.store.toState().definitions) === JSON.stringify((state as StoreState).definitions);
    if (failures.length === 0 && this.allowMutation && !isSame) await this.#write().catch(() => undefined);
  }
}
