import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { DefinitionStore } from './derived/index.js';
import type { DefinitionOrigin, GlobalDefinition, StoreState } from './derived/index.js';
import type { DerivedRegistration } from './http/index.js';
import { GatewayError } from './pmapi/index.js';
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
  /** Hears of what is left out: a file that cannot be read, a line that is wrong, a damaged state. */
  readonly complain: (message: string, fields: Readonly<Record<string, unknown>>) => void;
}

/** The global derived metrics of a gateway: loaded at the start, changed over REST, kept on disk. */
export class DerivedRegistry implements DerivedRegistration {
  readonly store = new DefinitionStore();
  readonly #state: StateFile;
  #options: DerivedRegistryOptions;

  private constructor(options: DerivedRegistryOptions) {
    this.#options = options;
    this.#state = new StateFile(options.stateFile);
  }

  /** Load everything. What is wrong is left out and complained of: one bad line must not keep the gateway from serving. */
  static async open(options: DerivedRegistryOptions): Promise<DerivedRegistry> {
    const registry = new DerivedRegistry(options);
    registry.#loadFiles();
    await registry.#restore();
    return registry;
  }

  get allowMutation(): boolean {
    return this.#options.allowMutation;
  }

  /**
   * Read the files again: definitions that are gone from them are forgotten, new ones registered, those that are the same
   * keep their PMIDs. Definitions made over REST stay.
   */
  reload(options: DerivedRegistryOptions): void {
    this.#options = options;
    const fresh = new DerivedRegistry({ ...options, complain: () => undefined });
    fresh.#loadFiles();
    for (const { name, canonical, origin } of this.store.list()) {
      if (origin !== 'api' && fresh.store.get(name)?.canonical !== canonical) this.store.unregister(name);
    }
    this.#loadFiles();
  }

  /** @see DefinitionStore.register */
  async register(name: string, expression: string): Promise<GlobalDefinition> {
    this.#requireMutation();
    const known = this.store.get(name);
    const definition = this.store.register(name, expression);
    if (!known) await this.#keep([name]);
    return definition;
  }

  /** All definitions of a file's text, or after any error none. @see DefinitionStore.load */
  async load(text: string): Promise<readonly GlobalDefinition[]> {
    this.#requireMutation();
    const before = new Set(this.store.list().map(({ name }) => name));
    const { definitions } = this.store.load(text, { file: 'body', origin: 'api' });
    await this.#keep(definitions.flatMap(({ name }) => (before.has(name) ? [] : [name])));
    return definitions;
  }

  /** Throws FORBIDDEN for a definition that a file of the gateway gives: it would be back at the next start. */
  async unregister(name: string): Promise<void> {
    this.#requireMutation();
    const definition = this.store.get(name);
    if (definition && definition.origin !== 'api') {
      throw new GatewayError(
        'FORBIDDEN',
        `${name} is defined in a file of the gateway's configuration and can be removed only there`,
      );
    }
    if (definition) {
      const { definitions, version } = this.store.toState();
      await this.#write({ version, definitions: definitions.filter((kept) => kept.name !== name) });
    }
    this.store.unregister(name);
  }

  #requireMutation(): void {
    if (this.allowMutation) return;
    throw new GatewayError(
      'FORBIDDEN',
      'global derived metrics cannot be changed here (derived.allowMutation is false)',
    );
  }

  /** Write the state; when that fails, forget the new definitions again and say so. */
  async #keep(added: readonly string[]): Promise<void> {
    try {
      await this.#write();
    } catch (error) {
      for (const name of added) this.store.unregister(name);
      throw error;
    }
  }

  async #write(state: StoreState = this.store.toState()): Promise<void> {
    try {
      await this.#state.write(state);
    } catch (cause) {
      const { message } = cause as Error;
      this.#options.complain('derived metrics cannot be kept', { err: cause });
      throw new GatewayError(
        'UNAVAILABLE',
        `the state of derived metrics cannot be written: ${message}`,
        {},
        { cause },
      );
    }
  }

  #loadFiles(): void {
    const { shippedDirectory, files, complain } = this.#options;
    if (shippedDirectory !== undefined) {
      const shipped = readdirSync(shippedDirectory).filter((file) => file.endsWith('.conf'));
      for (const file of shipped.sort()) this.#loadFile(path.join(shippedDirectory, file), 'shipped');
    }
    for (const file of files) {
      try {
        this.#loadFile(file, 'file');
      } catch (err) {
        complain('a file of derived metrics was left out', { file, err });
      }
    }
  }

  #loadFile(file: string, origin: DefinitionOrigin): void {
    const { problems } = this.store.load(readFileSync(file, 'utf8'), { file, origin, lenient: true });
    for (const { line, severity, message } of problems) {
      this.#options.complain('a definition of a derived metric was left out', {
        file,
        line,
        severity,
        problem: message,
      });
    }
  }

  async #restore(): Promise<void> {
    const { complain } = this.#options;
    try {
      const state = await this.#state.read();
      if (state === undefined) return;
      for (const { name, error } of this.store.restore(state)) {
        complain('a kept derived metric was left out', { metric: name, problem: error.message });
      }
    } catch (err) {
      if (err instanceof GatewayError) await this.#state.setAside().catch(() => undefined);
      complain('the state of derived metrics cannot be used', { file: this.#state.path, err });
    }
  }
}
