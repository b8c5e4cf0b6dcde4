import type { DefinitionStore, GlobalDefinition } from './definition-store.js';
import { operandNames } from './semantics/bind.js';

/** The global definitions that a context sees. */
export type GlobalDefinitions = Pick<DefinitionStore, 'version' | 'get' | 'byPmid' | 'list'>;

/**
 * The definitions of a store for somebody who does not see all metrics: those that name anything hidden do not exist, for their texts and
 * the reasons why they give no values would tell of it.
 */
export class ShownDefinitions implements GlobalDefinitions {
  readonly #store: GlobalDefinitions;
  readonly #allows: (name: string) => boolean;
  readonly #verdicts = new WeakMap<GlobalDefinition, boolean>();

  /** @param allows whether a metric may be seen, by name */
  constructor(store: GlobalDefinitions, allows: (name: string) => boolean) {
    this.#store = store;
    this.#allows = allows;
  }

  get version(): number {
    return this.#store.version;
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
    if (!definition) return undefined;
    let verdict = this.#verdicts.get(definition);
    if (verdict === undefined) {
      const { metrics, like } = operandNames(definition.ast);
      verdict = [...metrics, ...like].every(this.#allows);
      this.#verdicts.set(definition, verdict);
    }
    return verdict ? definition : undefined;
  }
}
