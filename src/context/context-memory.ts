import { MemoryQuota } from '../derived/index.js';
import { MemoryBudget } from './memory-budget.js';
import { ProgramCache } from './names/program-cache.js';

/** What all contexts together may keep, in bytes. */
export interface ContextMemoryLimits {
  /** Fetch plans, views of fetches, and what derived metrics remember between fetches. */
  readonly keptBytes: number;
  /** Programs of derived metrics. */
  readonly programBytes: number;
  /** Names, descriptors, help texts and labels of all sources. */
  readonly metadataBytes: number;
  /** Definitions of derived metrics that are a context's own; one context may have a quarter of them. */
  readonly definitionBytes: number;
  /** Instance profiles; that of one context may take a quarter of them. */
  readonly profileBytes: number;
}

const MIB = 1024 * 1024;
const DEFAULTS: ContextMemoryLimits = {
  keptBytes: 64 * MIB,
  programBytes: 32 * MIB,
  metadataBytes: 80 * MIB,
  definitionBytes: 16 * MIB,
  profileBytes: 16 * MIB,
};
/** Into so many parts is divided what contexts have of their own. */
const PARTS = 4;

/** What the contexts of a gateway keep for their clients, bounded for all of them together. */
export class ContextMemory {
  /** What is dropped when there is no room, and made again when it is asked for. */
  readonly kept: MemoryBudget;
  readonly programs: ProgramCache;
  /** Dropped when there is no room, and asked for again. */
  readonly metadata: MemoryBudget;
  /** Definitions cannot be dropped: one for which there is no room is refused. */
  readonly definitions: MemoryQuota;
  readonly definitionBytesPerContext: number;
  /** Nor can instance profiles. */
  readonly profiles: MemoryQuota;
  readonly profileBytesPerContext: number;

  constructor(limits: Partial<ContextMemoryLimits> = {}) {
    const { keptBytes, programBytes, metadataBytes, definitionBytes, profileBytes } = { ...DEFAULTS, ...limits };
    this.kept = new MemoryBudget(keptBytes);
    this.programs = new ProgramCache(new MemoryBudget(programBytes));
    this.metadata = new MemoryBudget(metadataBytes);
    this.definitions = new MemoryQuota('derived metrics of all contexts', definitionBytes);
    this.definitionBytesPerContext = definitionBytes / PARTS;
    this.profiles = new MemoryQuota('instance profiles of all contexts', profileBytes);
    this.profileBytesPerContext = profileBytes / PARTS;
  }
}
