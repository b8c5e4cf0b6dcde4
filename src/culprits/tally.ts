import { IDENTITY, START_TIME, UPTIME } from './recipes.js';
import type { Recipe } from './recipes.js';
import { sumsOf, textsOf } from './sample.js';
import type { Sample } from './sample.js';

/** The first and the last sum of one process, group or machine. */
interface Extent {
  first: number;
  last: number;
  /** The same of children that ended; undefined if not known. */
  firstChildren: number | undefined;
  lastChildren: number | undefined;
  /** When the last was taken. */
  sec: number;
}

/** A process: a number and a start time, since a number is used again. */
export interface SeenProcess extends Extent {
  readonly pid: number;
  /** Seconds since boot. */
  readonly start: number;
  parent: number | undefined;
  name: string;
  user?: string | undefined;
  groups?: string | undefined;
  container?: string | undefined;
}

/** The use of something over a window. */
export interface Use {
  readonly use: number;
  readonly ofChildren: number;
}

/** What the samples of one window say of processes, groups and the machine. */
export class Tally {
  readonly #recipe: Recipe;
  readonly #processes = new Map<string, SeenProcess>();
  readonly #groups = new Map<number, Extent>();
  #total: Extent | undefined;
  #firstSec = Infinity;
  #lastSec = -Infinity;
  /** Seconds since the epoch; undefined if no sample had the uptime. */
  bootSec: number | undefined;
  /** The metrics of groups that the samples have. */
  groupMetrics: readonly string[] = [];

  constructor(recipe: Recipe) {
    this.#recipe = recipe;
  }

  /** Samples must come in the order of time. */
  add(sample: Sample): void {
    const { totals, groups } = this.#recipe;
    const uptime = sumsOf(sample, [UPTIME])?.values().next().value;
    if (uptime !== undefined) this.bootSec = sample.sec - uptime;
    const total = totals.length === 0 ? undefined : sumsOf(sample, totals)?.values().next().value;
    if (total !== undefined) this.#total = extended(this.#total, total, undefined, sample.sec);
    this.groupMetrics = groups.find((names) => (sumsOf(sample, names)?.size ?? 0) > 0) ?? this.groupMetrics;
    const ofGroups = this.groupMetrics.length === 0 ? undefined : sumsOf(sample, this.groupMetrics);
    for (const [id, sum] of ofGroups ?? []) {
      this.#groups.set(id, extended(this.#groups.get(id), sum, undefined, sample.sec));
    }
    const hasProcesses = this.#addProcesses(sample);
    if (total === undefined && ofGroups === undefined && !hasProcesses) return;
    this.#firstSec = Math.min(this.#firstSec, sample.sec);
    this.#lastSec = sample.sec;
  }

  #addProcesses(sample: Sample): boolean {
    const { processes, children } = this.#recipe;
    const starts = sumsOf(sample, [START_TIME]);
    const sums = sumsOf(sample, processes);
    if (!starts || !sums) return false;
    const ofChildren = children.length === 0 ? undefined : sumsOf(sample, children);
    const parents = sumsOf(sample, [IDENTITY.parent]);
    const [names, users, groups, containers] = [
      textsOf(sample, IDENTITY.name),
      textsOf(sample, IDENTITY.user),
      textsOf(sample, IDENTITY.groups),
      textsOf(sample, IDENTITY.container),
    ];
    for (const [pid, sum] of sums) {
      const start = starts.get(pid);
      if (start === undefined) continue;
      const key = `${pid} ${start}`;
      const known = this.#processes.get(key) ?? this.#begin(start, ofChildren !== undefined);
      this.#processes.set(key, {
        ...extended(known, sum, ofChildren?.get(pid), sample.sec),
        pid,
        start,
        parent: parents?.get(pid),
        name: names.get(pid) ?? '',
        user: users.get(pid),
        groups: groups.get(pid),
        container: containers.get(pid),
      });
    }
    return true;
  }

  /** What a process had before its first sample: nothing, if it began within the window; undefined if it was there before. */
  #begin(start: number, hasChildren: boolean): Extent | undefined {
    const isNew = this.bootSec !== undefined && this.bootSec + start >= this.#firstSec;
    if (!isNew || this.#recipe.measure === 'level') return undefined;
    const none = hasChildren ? 0 : undefined;
    return { first: 0, last: 0, firstChildren: none, lastChildren: none, sec: this.#firstSec };
  }

  /** The seconds between the first and the last sample. */
  get seconds(): number {
    return this.#lastSec - this.#firstSec;
  }

  /** Whether a use can be told: growth needs two samples. */
  get isMeasured(): boolean {
    return this.#recipe.measure === 'level' ? this.#lastSec > -Infinity : this.seconds > 0;
  }

  /** All that were there at the last sample, or began and ended within the window. */
  get processes(): readonly SeenProcess[] {
    return [...this.#processes.values()];
  }

  get groups(): readonly number[] {
    return [...this.#groups.keys()];
  }

  /** The use of the machine; undefined without such a metric. */
  total(): number | undefined {
    return this.#total && this.isMeasured ? this.#useOf(this.#total, 0).use : undefined;
  }

  ofGroup(id: number): number | undefined {
    const extent = this.#groups.get(id);
    return extent && this.isMeasured ? this.#useOf(extent, 0).use : undefined;
  }

  /** Of each process, by pid and start time. */
  ofProcesses(): ReadonlyMap<string, Use> {
    const uses = new Map<string, Use>();
    if (!this.isMeasured) return uses;
    const { measure } = this.#recipe;
    const charged = this.#chargedToParents();
    const begun = new Map<number, number>();
    for (const { parent, start } of this.#processes.values()) {
      const isNew = this.bootSec !== undefined && this.bootSec + start >= this.#firstSec;
      if (isNew && parent !== undefined) begun.set(parent, (begun.get(parent) ?? 0) + 1);
    }
    for (const [key, process] of this.#processes) {
      if (measure === 'children') uses.set(key, { use: (begun.get(process.pid) ?? 0) / this.seconds, ofChildren: 0 });
      else if (measure === 'growth' || process.sec === this.#lastSec) {
        uses.set(key, this.#useOf(process, charged.get(process.pid) ?? 0));
      }
    }
    return uses;
  }

  /** What was seen of children that ended, by parent: it is in the parent's sum once more, with what was charged to the children. */
  #chargedToParents(): ReadonlyMap<number, number> {
    const ended = [...this.#processes.values()].filter(({ sec }) => sec < this.#lastSec);
    const byPid = new Map(ended.map((process) => [process.pid, process]));
    const charged = new Map<number, number>();
    for (const { parent, last, lastChildren = 0, sec } of ended) {
      const seen = last + lastChildren;
      const passed = new Set<number>();
      // A parent that ended with it was waited for in turn.
      for (let above = parent; above !== undefined && !passed.has(above);) {
        passed.add(above);
        charged.set(above, (charged.get(above) ?? 0) + seen);
        const next = byPid.get(above);
        above = next?.sec === sec ? next.parent : undefined;
      }
    }
    return charged;
  }

  #useOf({ first, last, firstChildren, lastChildren }: Extent, charged: number): Use {
    const { measure, factor } = this.#recipe;
    if (measure === 'level') return { use: last * factor, ofChildren: 0 };
    const perSec = factor / this.seconds;
    // Children that lived for longer than the window bring what they did before it: no more than all did within it.
    const most = this.#total ? this.#total.last - this.#total.first : Infinity;
    const grown = Math.min(most, Math.max(0, (lastChildren ?? 0) - (firstChildren ?? 0) - charged));
    return { use: (Math.max(0, last - first) + grown) * perSec, ofChildren: grown * perSec };
  }
}

/** Extent with one more sum; a sum that fell starts again. */
function extended(known: Extent | undefined, last: number, children: number | undefined, sec: number): Extent {
  return {
    first: known ? Math.min(known.first, last) : last,
    last,
    firstChildren: known ? known.firstChildren : children,
    lastChildren: children,
    sec,
  };
}
