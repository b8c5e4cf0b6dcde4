import { MetricType, PmError, type FetchResult, type ValueSet } from '../pmapi/index.js';
import { decodeEventRecords, selectEventParameters } from './wire/index.js';

/** Maximum number of PMIDs looked up per result: an agent may send any number of parameters. */
const LOOKED_UP_AT_ONCE = 256;
/** Maximum number of cached PMIDs. */
const REMEMBERED = 4096;

/** Whether the values of a metric of this type are event records. */
export function isEvent(type: MetricType): boolean {
  return type === MetricType.EVENT || type === MetricType.HIGHRES_EVENT;
}

/** Facts about the parameters of event records, by PMID, unknown ones included: they recur in every record. */
export class EventParameters<Fact> {
  readonly #lookUp: (pmid: number) => Promise<Fact>;
  readonly #generation: () => number;
  /** Made on demand: most contexts never see an event. */
  #facts: Map<number, Fact> | undefined;
  #knownAt: number | undefined;

  /** @param generation facts are valid as long as this does not change */
  constructor(lookUp: (pmid: number) => Promise<Fact>, generation: () => number) {
    this.#lookUp = lookUp;
    this.#generation = generation;
  }

  /** Undefined for a PMID that was in no result. */
  get(pmid: number): Fact | undefined {
    return this.#facts?.get(pmid);
  }

  /** Looks up the parameters of a result; undefined if there is nothing to wait for. Rejects as the look-up. */
  learn({ sets }: FetchResult): Promise<void> | undefined {
    const events = eventSets(sets);
    if (events.length === 0) return undefined;
    const facts = this.#current();
    const unknown = new Set(events.flatMap(parametersOf).filter((pmid) => !facts.has(pmid)));
    return unknown.size === 0 ? undefined : this.#learn([...unknown].slice(0, LOOKED_UP_AT_ONCE), facts);
  }

  async #learn(pmids: readonly number[], facts: Map<number, Fact>): Promise<void> {
    await Promise.all(pmids.map(async (pmid) => facts.set(pmid, await this.#lookUp(pmid))));
  }

  /** The cached facts, unless they are outdated or too many. */
  #current(): Map<number, Fact> {
    const generation = this.#generation();
    if (!this.#facts || generation !== this.#knownAt || this.#facts.size > REMEMBERED) this.#facts = new Map();
    this.#knownAt = generation;
    return this.#facts;
  }
}

/** Removes parameters that are not shown from a result that belongs to the caller. The records stay: they belong to a visible metric. */
export function hideParameters({ sets }: FetchResult, isShown: (pmid: number) => boolean): void {
  for (const { column, status, type } of eventSets(sets)) {
    const isHighres = type === MetricType.HIGHRES_EVENT;
    for (let i = 0; i < status; i++) column.bytes[i] = shownOf(column.bytes[i]!, isHighres, isShown);
  }
}

function eventSets(sets: readonly ValueSet[]): readonly ValueSet[] {
  return sets.filter(({ status, type }) => status > 0 && isEvent(type));
}

/** The PMIDs of parameters in a set of event records, without those of invalid ones. */
export function parametersOf({ column, status, type }: ValueSet): readonly number[] {
  const records = column.bytes.slice(0, status).flatMap((bytes) => {
    return orInvalid(() => decodeEventRecords(bytes, type === MetricType.HIGHRES_EVENT), []);
  });
  return records.flatMap(({ parameters }) => parameters.map(({ pmid }) => pmid));
}

/** Replaces invalid bytes, which could contain anything, by a byte that is not an event array. */
function shownOf(bytes: Uint8Array, isHighres: boolean, isShown: (pmid: number) => boolean): Uint8Array {
  return orInvalid(() => selectEventParameters(bytes, isHighres, isShown), DAMAGED);
}

const DAMAGED = new Uint8Array(1);

function orInvalid<T>(decode: () => T, invalid: T): T {
  try {
    return decode();
  } catch (error) {
    if (error instanceof PmError) return invalid;
    throw error;
  }
}
