import type { Context, FetchPlan, OpenRange, RangeSettings } from '../context/index.js';
import { formatTimestamp, INDOM_NULL, type Timestamp, type ValueSet } from '../pmapi/index.js';
import { recordsOf } from '../sources/index.js';
import { harmless, type Culprit, type Culprits } from './culprit.js';
import { CULPRIT_METRICS_HINT, culpritMetrics, recipeOf, START_TIME } from './recipes.js';
import type { CulpritResource, Recipe } from './recipes.js';
import { baseFactor, instanceNames } from './sample.js';
import { Tally } from './tally.js';

/** A window of time. */
export interface Window {
  readonly start: Timestamp;
  readonly finish: Timestamp;
}

export interface CulpritQuery {
  readonly resource: CulpritResource;
  readonly window: Window;
  readonly before?: Window | undefined;
  /** The control group whose processes are looked at, by its name. */
  readonly within?: string | undefined;
  /** How many are named; 5 by default. */
  readonly most?: number;
}

/** By how much the moment of the machine's start changes when the clock is set, at the least: samples take a while. */
const LEAST_STEP_SEC = 5;
/** A use that fell below this share of all is not worth a name. */
const LEAST_SHARE = 0.01;
/** Groups are named where processes explain less than this share of the use. */
const LEAST_EXPLAINED = 0.5;
const DEFAULT_MOST = 5;
/** Shares are of the rise if the whole use rose by this share of what it was. */
const LEAST_RISE = 0.2;

/** A process or group, before its share is known: there may be thousands, of which few are described. */
interface Candidate extends Pick<Culprit, 'use' | 'before' | 'group'> {
  describe(): Omit<Culprit, 'share' | 'use' | 'before'>;
}

/**
 * Who uses a resource in a window, from recorded or remembered samples of processes and control groups: processes, or groups where
 * these explain more. Says `unknown` where there are no such samples. Throws as Fetching.range() does.
 */
export async function findCulprits(context: Context, query: CulpritQuery, settings: RangeSettings): Promise<Culprits> {
  const { resource, window, before, within, most = DEFAULT_MOST } = query;
  const recipe = recipeOf(resource);
  const plan = await context.plans.get({ names: culpritMetrics(resource) });
  const has = new Set(plan.entries.map(({ name }) => name));
  const { unit, by } = recipe;
  const none = { resource, unit, ...(by === undefined ? {} : { by }), shareOf: 'whole', who: [] } as const;
  const hasProcesses = [START_TIME, ...recipe.processes].every((name) => has.has(name));
  if (!hasProcesses && !recipe.groups.some((names) => names.every((name) => has.has(name)))) {
    return { ...none, unknown: `Who it is is not known: ${CULPRIT_METRICS_HINT} are missing or hidden here.` };
  }
  const now = await tally(context, plan, recipe, window, settings);
  const then = before && (await tally(context, plan, recipe, before, settings));
  const candidates = await chooseCandidates(now.tally, then?.tally, recipe, now.range, within);
  const total = within === undefined ? now.tally.total() : undefined;
  if (resource === 'processes' && sumOf(candidates) <= LEAST_EXPLAINED * (total ?? 0)) {
    return { ...(await findCulprits(context, { ...query, resource: 'children' }, settings)), resource };
  }
  if (candidates.length === 0) {
    return {
      ...none,
      unknown: 'Who it is is not known: there are too few samples of processes and groups in this time.',
    };
  }
  return { ...none, ...shareOut(candidates, total, within === undefined ? then?.tally.total() : undefined, most) };
}

async function tally(
  context: Context,
  plan: FetchPlan,
  recipe: Recipe,
  { start, finish }: Window,
  settings: RangeSettings,
): Promise<{ readonly tally: Tally; readonly range: OpenRange }> {
  const texts = { start: formatTimestamp(start), finish: formatTimestamp(finish) };
  const range = await context.fetching.range(plan, texts, settings);
  const places = new Map(plan.entries.map(({ name }, i) => [name, i]));
  const factors = plan.entries.map(baseFactor);
  let tally = new Tally(recipe);
  for await (const record of recordsOf(range.samples.batches())) {
    const { isMark, timestamp, result } = record;
    settings.signal?.throwIfAborted();
    if (isMark) {
      tally.interrupt();
      continue;
    }
    const set = (name: string): ValueSet | undefined => {
      const place = places.get(name);
      if (place === undefined || !record.holds(place)) return undefined;
      const found = result.sets[place]!;
      return found.status > 0 ? found : undefined;
    };
    const factor = (name: string): number => factors[places.get(name)!]!;
    const sample = { sec: timestamp.sec + timestamp.nsec / 1e9, set, factor };
    const before = tally.bootSec;
    tally.add(sample);
    // The clock was set, or the machine started again: nothing is counted across that.
    if (before !== undefined && Math.abs(tally.bootSec! - before) > LEAST_STEP_SEC) {
      tally = new Tally(recipe);
      tally.add(sample);
    }
  }
  return { tally, range };
}

async function chooseCandidates(
  now: Tally,
  then: Tally | undefined,
  recipe: Recipe,
  range: OpenRange,
  within: string | undefined,
): Promise<readonly Candidate[]> {
  const processes = await processCandidates(now, then, recipe, range, within);
  const all = await groupCandidates(now, then, range);
  const groups = within === undefined ? all : all.filter(({ group }) => group === within);
  const isExplained =
    (recipe.measure !== 'growth' && processes.length > 0) ||
    sumOf(processes) >= LEAST_EXPLAINED * Math.max((within === undefined ? now.total() : 0) ?? 0, sumOf(groups));
  return isExplained || sumOf(groups) <= sumOf(processes) ? processes : groups;
}

function sumOf(candidates: readonly Candidate[]): number {
  return candidates.reduce((total, { use }) => total + use, 0);
}

async function processCandidates(
  now: Tally,
  then: Tally | undefined,
  { processes, children }: Recipe,
  range: OpenRange,
  within: string | undefined,
): Promise<readonly Candidate[]> {
  const earlier = then?.ofProcesses();
  const candidates: Candidate[] = [];
  const uses = [...now.ofProcesses()];
  const isNameless = uses.some(([{ name }, { use }]) => use > 0 && name === undefined);
  const nameOf = isNameless ? await namesOf(range, START_TIME) : undefined;
  for (const [process, { use, ofChildren }] of uses) {
    const { pid, start, extent, user, groups, container, number = NaN } = process;
    const name = process.name ?? nameOf?.(pid)?.replace(/^\d+ /, '') ?? '';
    const group = groups === undefined ? undefined : groupOf(groups, within);
    if (within !== undefined && group === undefined) continue;
    const gone = now.goneOf(process);
    const was = then?.find(pid, start);
    const before = was && earlier!.get(was)?.use;
    const describe = (): ReturnType<Candidate['describe']> => ({
      kind: 'process',
      name: harmless(name),
      // Where one recording follows another, instances may have other numbers than their processes.
      pid: Number.isNaN(number) ? pid : number,
      ...(now.bootSec === undefined ? {} : { startTime: Math.round((now.bootSec + start) * 100) / 100 }),
      ...(user === undefined ? {} : { user: harmless(user) }),
      ...(group === undefined ? {} : { group: harmless(group) }),
      ...(container === undefined || container === '' ? {} : { container: harmless(container) }),
      ...(ofChildren > 0 ? { ofChildren } : {}),
      lastSeen: extent.sec,
      ...(gone ? { gone } : {}),
      metrics: [...processes, ...children],
      instance: pid,
    });
    candidates.push({ use, ...(before === undefined ? {} : { before }), describe });
  }
  return candidates;
}

/** Of a process' groups as pmdaproc writes them, `cpu:/a;memory:/a`, the first that is not the root, or is in one. */
function groupOf(groups: string, within: string | undefined): string | undefined {
  return groups
    .split(';')
    .map((text) => text.slice(text.lastIndexOf(':') + 1))
    .find((name) => (within === undefined ? name.length > 1 : `${harmless(name)}/`.startsWith(`${within}/`)));
}

/** Groups without what is of the groups directly below them, so that nothing counts twice. The root is the machine, and no one. */
async function groupCandidates(now: Tally, then: Tally | undefined, range: OpenRange): Promise<readonly Candidate[]> {
  const [metric] = now.groupMetrics;
  if (metric === undefined) return [];
  const nameOf = await namesOf(range, metric);
  const ids = new Map(now.groups.map((id) => [nameOf(id)!, id]));
  ids.delete('/');
  const ownUse = (tally: Tally | undefined): ReadonlyMap<string, number> => {
    const own = new Map<string, number>();
    for (const [name, id] of ids) {
      const use = tally?.ofGroup(id);
      if (use !== undefined) own.set(name, use);
    }
    for (const [name, use] of [...own]) {
      const above = enclosing(name, own);
      if (above !== undefined) own.set(above, Math.max(0, own.get(above)! - use));
    }
    return own;
  };
  const whole = ownUse(now);
  const earlier = ownUse(then);
  return [...whole].map(([text, use]): Candidate => {
    const before = earlier.get(text);
    const name = harmless(text);
    const { groupMetrics: metrics } = now;
    const instance = ids.get(text)!;
    const isGone = now.isGroupGone(instance);
    const described = {
      kind: 'group',
      name,
      group: name,
      lastSeen: now.lastSeen(instance),
      ...(isGone ? { gone: 'ended' as const } : {}),
      metrics,
      instance,
    } as const;
    return { use, group: name, ...(before === undefined ? {} : { before }), describe: () => described };
  });
}

/** The names of the instances of a metric. */
function namesOf(range: OpenRange, metric: string): ReturnType<typeof instanceNames> {
  const found = range.samples.metrics.find(({ name }) => name === metric);
  return instanceNames(range, found?.descriptor.indom ?? INDOM_NULL);
}

/** The nearest group above one that is known. */
function enclosing(name: string, known: ReadonlyMap<string, unknown>): string | undefined {
  let above = name;
  do above = above.slice(0, Math.max(0, above.lastIndexOf('/')));
  while (above !== '' && !known.has(above));
  return above === '' ? undefined : above;
}

function shareOut(
  candidates: readonly Candidate[],
  total: number | undefined,
  totalBefore: number | undefined,
  most: number,
): Pick<Culprits, 'who' | 'shareOf'> {
  const whole = Math.max(total ?? 0, sumOf(candidates));
  const wasKnown = candidates.some(({ before }) => before !== undefined);
  const sumBefore = candidates.reduce((all, { before = 0 }) => all + before, 0);
  const before = wasKnown ? Math.max(totalBefore ?? 0, sumBefore) : undefined;
  const isRise = before !== undefined && whole - before > LEAST_RISE * before;
  const part = ({ use, before: was = 0 }: Candidate): number => (isRise ? Math.max(0, use - was) : use);
  const all = Math.max(
    isRise ? whole - before : whole,
    candidates.reduce((parts, one) => parts + part(one), 0),
  );
  if (all === 0) return { who: [], shareOf: 'whole' };
  const named = candidates
    .filter((one) => part(one) >= LEAST_SHARE * all)
    .sort((a, b) => part(b) - part(a))
    .slice(0, most);
  const who = named.map((one): Culprit => {
    const { use, before: was } = one;
    return { ...one.describe(), use, ...(was === undefined ? {} : { before: was }), share: part(one) / all };
  });
  const rest = Math.max(0, 1 - who.reduce((shares, { share }) => shares + share, 0));
  const use = Math.max(0, whole - named.reduce((uses, one) => uses + one.use, 0));
  const others: Culprit = { kind: 'others', name: 'others', use, share: rest, metrics: [] };
  return { who: [...who, others], shareOf: isRise ? 'rise' : 'whole' };
}
