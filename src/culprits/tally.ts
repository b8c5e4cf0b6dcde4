import { IDENTITY, START_TIME, UPTIME, type Recipe } from './recipes.js';
import { Cells, singularSum, sumsOf, type Sample } from './sample.js';

/** Waits for children whose parents ended before them. */
const INIT = 1;

/** A recorder keeps so many of the busiest in its next sample, unless they end. */
const BUSIEST = 10;

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
export interface SeenProcess {
  /** Of its instance. */
  readonly pid: number;
  /** Its own, where it was sampled. */
  number?: number | undefined;
  /** Seconds since boot. */
  readonly start: number;
  extent: Extent;
  parent: number | undefined;
  /** Known of those that used something. */
  name?: string | undefined;
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
  /** The last process of each number, and those that had the number before. */
  readonly #byPid = new Map<number, SeenProcess>();
  readonly #earlier: SeenProcess[] = [];
  readonly #groups = new Map<number, Extent>();
  /** Those of the last sample. */
  #groupsThere: ReadonlySet<number> = new Set();
  /** Processes of the last sample that the next one has, if they go on; and those that it did not have. */
  #busiest: readonly SeenProcess[] = [];
  readonly #ended = new Set<SeenProcess>();
  #total: Extent | undefined;
  /** When each was sampled first and last, in seconds: they may begin earlier than others, and go on longer. */
  #firstOfTotal = Infinity;
  #firstOfGroups = Infinity;
  #lastOfGroups = -Infinity;
  #firstOfProcesses = Infinity;
  #lastOfProcesses = -Infinity;
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
    const uptime = singularSum(sample, [UPTIME]);
    if (uptime !== undefined) this.bootSec = sample.sec - uptime;
    const total = singularSum(sample, totals);
    if (total !== undefined) {
      this.#total = extended(this.#total, total, undefined, sample.sec);
      this.#firstOfTotal = Math.min(this.#firstOfTotal, sample.sec);
    }
    // A machine may have both versions, which count apart.
    if (this.groupMetrics.length === 0) {
      this.groupMetrics = groups.find((names) => names.every((name) => sample.set(name))) ?? [];
    }
    const ofGroups = sumsOf(sample, this.groupMetrics);
    if (ofGroups) {
      this.#groupsThere = new Set(new Cells(sample.set(this.groupMetrics[0]!)!).instances);
      this.#firstOfGroups = Math.min(this.#firstOfGroups, sample.sec);
      this.#lastOfGroups = sample.sec;
    }
    for (const id of ofGroups ? this.#groupsThere : []) {
      const sum = ofGroups!(id);
      if (!Number.isNaN(sum)) this.#groups.set(id, extended(this.#groups.get(id), sum, undefined, sample.sec));
    }
    if (this.#addProcesses(sample)) {
      this.#firstOfProcesses = Math.min(this.#firstOfProcesses, sample.sec);
      this.#lastOfProcesses = sample.sec;
    }
  }

  #addProcesses(sample: Sample): boolean {
    const { processes, children, measure } = this.#recipe;
    const starts = sumsOf(sample, [START_TIME]);
    const sums = sumsOf(sample, processes);
    if (!starts || !sums) return false;
    const ofChildren = sumsOf(sample, children);
    const [names, parents, users, groups, containers, numbers] = Object.values(IDENTITY).map((name) => {
      const set = sample.set(name);
      return set && new Cells(set);
    });
    const steps: (readonly [step: number, own: number, process: SeenProcess])[] = [];
    for (const pid of new Cells(sample.set(processes[0]!)!).instances) {
      const [start, sum] = [starts(pid), sums(pid)];
      if (Number.isNaN(start + sum)) continue;
      const process = this.#processOf(pid, start, sample.sec);
      const childrenSum = ofChildren?.(pid);
      const { last: lastSum, lastChildren: lastOfChildren = NaN } = process.extent;
      const step = sum - lastSum + ((childrenSum ?? NaN) - lastOfChildren || 0);
      if (step > 0) steps.push([step, sum - lastSum, process]);
      process.extent = extended(process.extent, sum, Number.isNaN(childrenSum) ? undefined : childrenSum, sample.sec);
      // Some samples were asked for less than others.
      process.parent = parents?.number(pid) ?? process.parent;
      const { first, last, firstChildren, lastChildren } = process.extent;
      // Thousands that do nothing need no names.
      if (measure !== 'level' && measure !== 'children' && first === last && firstChildren === lastChildren) continue;
      process.name = names?.text(pid) ?? process.name;
      process.user = users?.text(pid) ?? process.user;
      process.groups = groups?.text(pid) ?? process.groups;
      process.container = containers?.text(pid) ?? process.container;
      process.number = numbers?.number(pid) ?? process.number;
    }
    for (const process of this.#busiest) if (process.extent.sec < sample.sec) this.#ended.add(process);
    // The recorder leaves out what it knew of children: only their own work tells that it kept them.
    const [least] = steps.sort(([a], [b]) => b - a)[BUSIEST - 1] ?? [Number.MIN_VALUE];
    this.#busiest = steps.slice(0, BUSIEST).flatMap(([, own, process]) => (own >= least ? process : []));
    return true;
  }

  /** Samples are missing, or come from another place: who is not in the next one need not have ended. */
  interrupt(): void {
    this.#busiest = [];
  }

  /** Why the last samples are without a process; undefined if they have it, maybe by another number of its instance. */
  goneOf(process: SeenProcess): 'ended' | 'unseen' | undefined {
    const { extent, start, number } = process;
    if (extent.sec >= this.#lastOfProcesses) return undefined;
    const isSame = (one: SeenProcess): boolean => one.start === start && one.number === number;
    if (this.processes.some((one) => one.extent.sec > extent.sec && isSame(one))) return undefined;
    return this.#ended.has(process) ? 'ended' : 'unseen';
  }

  isGroupGone(id: number): boolean {
    return !this.#groupsThere.has(id);
  }

  #processOf(pid: number, start: number, sec: number): SeenProcess {
    const known = this.#byPid.get(pid);
    if (known?.start === start) return known;
    if (known) {
      this.#earlier.push(known);
      this.#ended.add(known);
    }
    const none: Extent = { first: NaN, last: NaN, firstChildren: undefined, lastChildren: undefined, sec };
    const process = { pid, start, extent: this.#begin(start) ?? none, parent: undefined };
    this.#byPid.set(pid, process);
    return process;
  }

  /** What a process had before its first sample: nothing, if it began within the window; undefined if it was there before. */
  #begin(start: number): Extent | undefined {
    const isNew = this.bootSec !== undefined && this.bootSec + start >= this.#firstOfProcesses;
    if (!isNew || this.#recipe.measure === 'level') return undefined;
    return { first: 0, last: 0, firstChildren: 0, lastChildren: 0, sec: this.#firstOfProcesses };
  }

  /** All that were there at the last sample, or began and ended within the window. */
  get processes(): readonly SeenProcess[] {
    return [...this.#earlier, ...this.#byPid.values()];
  }

  find(pid: number, start: number): SeenProcess | undefined {
    const known = this.#byPid.get(pid);
    return known?.start === start ? known : this.#earlier.find((one) => one.pid === pid && one.start === start);
  }

  get groups(): readonly number[] {
    return [...this.#groups.keys()];
  }

  /** The use of the machine; undefined without such a metric. */
  total(): number | undefined {
    return this.#total && this.#useOver(this.#total, this.#total.sec - this.#firstOfTotal);
  }

  ofGroup(id: number): number | undefined {
    const extent = this.#groups.get(id);
    return extent && this.#useOver(extent, this.#lastOfGroups - this.#firstOfGroups);
  }

  /** When the last sample of a group was taken. */
  lastSeen(id: number): number {
    return this.#groups.get(id)!.sec;
  }

  ofProcesses(): ReadonlyMap<SeenProcess, Use> {
    const uses = new Map<SeenProcess, Use>();
    const { measure } = this.#recipe;
    const seconds = this.#lastOfProcesses - this.#firstOfProcesses;
    if (measure !== 'level' && !(seconds > 0)) return uses;
    const charged = this.#chargedToParents();
    const begun = new Map<number, number>();
    const { processes } = this;
    for (const { parent, start } of processes) {
      const isNew = this.bootSec !== undefined && this.bootSec + start >= this.#firstOfProcesses;
      if (isNew && parent !== undefined) begun.set(parent, (begun.get(parent) ?? 0) + 1);
    }
    for (const process of processes) {
      const { pid, extent } = process;
      if (measure === 'children') uses.set(process, { use: (begun.get(pid) ?? 0) / seconds, ofChildren: 0 });
      else if (measure === 'growth' || extent.sec === this.#lastOfProcesses) {
        uses.set(process, this.#useOf(extent, seconds, charged.get(pid)));
      }
    }
    // Children that lived for longer than the window bring what they did before it: no more than others left of what all did within it.
    const all = [...uses.values()];
    const grown = all.reduce((sum, { ofChildren }) => sum + ofChildren, 0);
    const own = all.reduce((sum, { use, ofChildren }) => sum + use - ofChildren, 0);
    const left = Math.max(0, (this.total() ?? Infinity) - own);
    if (grown <= left) return uses;
    for (const [process, { use, ofChildren }] of uses) {
      const part = (ofChildren * left) / grown;
      uses.set(process, { use: use - ofChildren + part, ofChildren: part });
    }
    return uses;
  }

  /** What was seen of children that ended, by parent: it is in the parent's sum once more, with what was charged to the children. */
  #chargedToParents(): ReadonlyMap<number, number> {
    const ended = this.processes.filter(({ extent }) => extent.sec < this.#lastOfProcesses);
    const byPid = new Map(ended.map((process) => [process.pid, process]));
    const charged = new Map<number, number>();
    for (const { parent, extent } of ended) {
      const { last, lastChildren = 0, sec } = extent;
      const passed = new Set<number>();
      // A parent that ended with it was waited for in turn.
      for (let above = parent; above !== undefined && !passed.has(above);) {
        passed.add(above);
        charged.set(above, (charged.get(above) ?? 0) + last + lastChildren);
        const next = byPid.get(above);
        above = next?.extent.sec === sec ? next.parent : undefined;
      }
      // Or its parent did not wait for it, and the first process had to.
      if (!passed.has(INIT)) charged.set(INIT, (charged.get(INIT) ?? 0) + last + lastChildren);
    }
    return charged;
  }

  /** Undefined if it cannot be told: growth needs two samples. */
  #useOver(extent: Extent, seconds: number): number | undefined {
    return this.#recipe.measure === 'level' || seconds > 0 ? this.#useOf(extent, seconds).use : undefined;
  }

  #useOf({ first, last, firstChildren, lastChildren }: Extent, seconds: number, charged = 0): Use {
    const { measure, factor } = this.#recipe;
    if (measure === 'level') return { use: last * factor, ofChildren: 0 };
    const perSec = factor / seconds;
    const grown = Math.max(0, (lastChildren ?? 0) - (firstChildren ?? 0) - charged);
    return { use: (Math.max(0, last - first) + grown) * perSec, ofChildren: grown * perSec };
  }
}

/** Extent with one more sum; a sum that fell starts again. */
function extended(known: Extent | undefined, last: number, children: number | undefined, sec: number): Extent {
  const isKnown = known !== undefined && !Number.isNaN(known.first);
  return {
    first: isKnown ? Math.min(known.first, last) : last,
    last,
    firstChildren: known?.firstChildren ?? children,
    lastChildren: children ?? known?.lastChildren,
    sec,
  };
}
