import type { DefinitionStore, GlobalDefinition } from './definition-store.js';
import type { DerivedControls } from './load-definitions.js';

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
