import { DefinitionBudget } from '../derived/index.js';
import { MemoryBudget } from './memory-budget.js';
import { ProgramCache } from './program-cache.js';

/** What all contexts together may keep, in bytes. */
export interface ContextMemoryLimits {
  /** Fetch plans, views of fetches, and what derived metrics remember between fetches. */
  readonly keptBytes: number;
  /** Programs of derived metrics. */
  readonly programBytes: number;
  /** Definitions of derived metrics that are a context's own; one context may have a quarter of them. */
  readonly definitionBytes: number;
}

const MIB = 1024 * 1024;
const DEFAULTS: ContextMemoryLimits = { keptBytes: 64 * MIB, programBytes: 32 * MIB, definitionBytes: 16 * MIB };

/** What the contexts of a gateway keep for their clients, bounded for all of them together. */
export class ContextMemory {
  /** What is dropped when there is no room, and made again when it is asked for. */
  readonly kept: MemoryBudget;
  readonly programs: ProgramCache;
  /** Definitions cannot be dropped: one for which there is no room is refused. */
  readonly definitions: DefinitionBudget;
  readonly definitionBytesPerContext: number;

  constructor({ keptBytes, programBytes, definitionBytes }: ContextMemoryLimits = DEFAULTS) {
    this.kept = new MemoryBudget(keptBytes);
    this.programs = new ProgramCache(new MemoryBudget(programBytes));
    this.definitions = new DefinitionBudget('derived metrics of all contexts', definitionBytes);
    this.definitionBytesPerContext = definitionBytes / 4;
  }
}
