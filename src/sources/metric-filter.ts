import { globMatcher } from '../kit/index.js';
import { MetricType, PmError, type FetchResult, type ValueSet } from '../pmapi/index.js';
import { decodeEventRecords, selectEventParameters } from './wire/index.js';

/** Which metrics a principal may see, by name. Filters with equal keys decide alike. */
export interface MetricFilter {
  /** Identifies the filter: what was learnt through one filter holds for all with its key. */
  readonly key: string;
  allows(name: string): boolean;
}

/** One rule about metric names: those that match any of `allow` and none of `deny`. */
export interface MetricRule {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

/** Globs over names: `kernel.*`, `*.util`, `!proc.*` (excluded). `*` includes dots; a name its subtree; exclusions alone all else. */
export function metricRule(globs: readonly string[]): MetricRule {
  const deny = globs.filter((glob) => glob.startsWith('!')).map((glob) => glob.slice(1));
  const allow = globs.filter((glob) => !glob.startsWith('!'));
  return { allow: allow.length === 0 && deny.length > 0 ? ['*'] : allow, deny };
}

/** A filter by any of several rules; undefined if one of them allows everything. */
export function metricFilter(rules: readonly MetricRule[]): MetricFilter | undefined {
  if (rules.some(({ allow, deny }) => allow.includes('*') && deny.length === 0)) return undefined;
  const compiled = rules.map(({ allow, deny }) => ({ allow: matcher(allow), deny: matcher(deny) }));
  return {
    key: JSON.stringify(rules.map(({ allow, deny }) => [[...allow].sort(), [...deny].sort()])),
    allows: (name) => compiled.some(({ allow, deny }) => allow(name) && !deny(name)),
  };
}

function matcher(globs: readonly string[]): (name: string) => boolean {
  const patterns = globs.map(globMatcher);
  // A plain name stands for its whole subtree.
  const subtrees = globs.filter((glob) => !glob.includes('*')).map((glob) => `${glob}.`);
  return (name) => patterns.some((matches) => matches(name)) || subtrees.some((subtree) => name.startsWith(subtree));
}

/** Maximum number of PMIDs looked up per result: an agent may send any number of parameters. */
const LOOKED_UP_AT_ONCE = 256;
/** Maximum number of cached PMIDs. */
const REMEMBERED = 4096;

/** Removes parameters of event records that are hidden or unknown. The records stay: they belong to a visible metric. */
export class EventParameterFilter {
  readonly #isVisible: (pmid: number) => Promise<boolean>;
  readonly #generation: () => number;
  /** Verdicts on parameters, unknown ones included: they recur in every record. */
  readonly #verdicts = new Map<number, boolean>();
  #knownAt: number | undefined;

  /** @param generation verdicts are valid as long as this does not change */
  constructor(isVisible: (pmid: number) => Promise<boolean>, generation: () => number) {
    this.#isVisible = isVisible;
    this.#generation = generation;
  }

  /** Hides parameters in a result that belongs to the caller; undefined if there is nothing to wait for. */
  hide({ sets }: FetchResult): Promise<void> | undefined {
    const events = sets.filter(({ status, type }) => status > 0 && isEvent(type));
    return events.length === 0 ? undefined : this.#hideIn(events);
  }

  async #hideIn(sets: readonly ValueSet[]): Promise<void> {
    this.#forgetOutdated();
    const unknown = [...new Set(sets.flatMap(parameterPmids))].filter((pmid) => !this.#verdicts.has(pmid));
    await Promise.all(
      unknown.slice(0, LOOKED_UP_AT_ONCE).map(async (pmid) => this.#verdicts.set(pmid, await this.#isVisible(pmid))),
    );
    const isShown = (pmid: number): boolean => this.#verdicts.get(pmid) === true;
    for (const { column, status } of sets) {
      const isHighres = column.type === MetricType.HIGHRES_EVENT;
      for (let i = 0; i < status; i++) column.bytes[i] = shownOf(column.bytes[i]!, isHighres, isShown);
    }
  }

  #forgetOutdated(): void {
    const generation = this.#generation();
    if (generation !== this.#knownAt || this.#verdicts.size > REMEMBERED) this.#verdicts.clear();
    this.#knownAt = generation;
  }
}

/** Whether the values of a metric of this type are event records. */
export function isEvent(type: MetricType): boolean {
  return type === MetricType.EVENT || type === MetricType.HIGHRES_EVENT;
}

function parameterPmids({ column, status }: ValueSet): readonly number[] {
  const pmids: number[] = [];
  for (let i = 0; i < status; i++) {
    try {
      for (const { parameters } of decodeEventRecords(column.bytes[i]!, column.type === MetricType.HIGHRES_EVENT)) {
        for (const { pmid } of parameters) pmids.push(pmid);
      }
    } catch (error) {
      if (!(error instanceof PmError)) throw error;
    }
  }
  return pmids;
}

/** Replaces invalid bytes, which could contain anything, by a byte that is not an event array. */
function shownOf(bytes: Uint8Array, isHighres: boolean, isShown: (pmid: number) => boolean): Uint8Array {
  try {
    return selectEventParameters(bytes, isHighres, isShown);
  } catch (error) {
    if (error instanceof PmError) return DAMAGED;
    throw error;
  }
}

const DAMAGED = new Uint8Array(1);
