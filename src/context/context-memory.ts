import { MemoryQuota } from '../derived/index.js';
import { MemoryBudget } from './memory-budget.js';
import { ProgramCache } from './names/binding-cache.js';

/** The memory budgets of all contexts together, in bytes. */
export interface ContextMemoryLimits {
  /** Fetch plans, views of fetches, and the histories of derived metrics. */
  readonly kept: number;
  readonly programs: number;
  /** Names, descriptors, help texts and labels of all sources. */
  readonly metadata: number;
  /** Definitions of contexts' own derived metrics; one context may use a quarter of it. */
  readonly definitions: number;
  /** Instance profiles; one context may use a quarter of it. */
  readonly profiles: number;
}

const MIB = 1024 * 1024;
const DEFAULTS: ContextMemoryLimits = {
  kept: 64 * MIB,
  programs: 32 * MIB,
  metadata: 80 * MIB,
  definitions: 16 * MIB,
  profiles: 16 * MIB,
};
const PARTS = 4;

/** Memory of a gateway's contexts for their clients, in one budget. */
export class ContextMemory {
  /** Evicted when there is no room, and rebuilt when needed. */
  readonly kept: MemoryBudget;
  readonly programs: ProgramCache;
  /** Evicted when there is no room, and requested again. */
  readonly metadata: MemoryBudget;
  /** Definitions cannot be evicted: one for which there is no room is rejected. */
  readonly definitions: MemoryQuota;
  readonly definitionBytesPerContext: number;
  /** Neither can instance profiles. */
  readonly profiles: MemoryQuota;
  readonly profileBytesPerContext: number;

  constructor(limits: Partial<ContextMemoryLimits> = {}) {
    const { kept, programs, metadata, definitions, profiles } = { ...DEFAULTS, ...limits };
    this.kept = new MemoryBudget(kept);
    this.programs = new ProgramCache(new MemoryBudget(programs));
    this.metadata = new MemoryBudget(metadata);
    this.definitions = new MemoryQuota('derived metrics of all contexts', definitions);
    this.definitionBytesPerContext = definitions / PARTS;
    this.profiles = new MemoryQuota('instance profiles of all contexts', profiles);
    this.profileBytesPerContext = profiles / PARTS;
  }
}
