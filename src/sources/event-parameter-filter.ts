import { MetricType, PmError } from '../pmapi/index.js';
import type { FetchResult, ValueSet } from '../pmapi/index.js';
import { decodeEventRecords, selectEventParameters } from './wire/index.js';

/** PMIDs that are looked up for one result at most: an agent may claim any number of parameters. */
const LOOKED_UP_AT_ONCE = 256;
/** PMIDs that are remembered at most. */
const REMEMBERED = 4096;

/**
 * Takes the parameters out of event records that are hidden metrics, or no metrics that anybody knows. The records stay: they
 * are values of a metric that may be seen.
 */
export class EventParameterFilter {
  readonly #isVisible: (pmid: number) => Promise<boolean>;
  readonly #generation: () => number;
  /** Verdicts on parameters, those without a name too: they come again with every record. */
  readonly #verdicts = new Map<number, boolean>();
  #knownAt: number | undefined;

  /** @param generation the verdicts hold as long as this stays the same */
  constructor(isVisible: (pmid: number) => Promise<boolean>, generation: () => number) {
    this.#isVisible = isVisible;
    this.#generation = generation;
  }

  /** Hide parameters in a result that is the caller's own; undefined when there is nothing to wait for. */
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

/** Nobody can unpack what is damaged, but it may hold anything: a byte that is no event array stands for it. */
function shownOf(bytes: Uint8Array, isHighres: boolean, isShown: (pmid: number) => boolean): Uint8Array {
  try {
    return selectEventParameters(bytes, isHighres, isShown);
  } catch (error) {
    if (error instanceof PmError) return DAMAGED;
    throw error;
  }
}

const DAMAGED = new Uint8Array(1);
