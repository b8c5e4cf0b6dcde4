import { MetricType, PmError, type FetchResult } from '../../pmapi/index.js';
import { decodeEventRecords, type MetricSource } from '../../sources/index.js';

/** Maximum number of names looked up per result: an agent may send any number of parameters. */
const LOOKED_UP_AT_ONCE = 256;
/** Maximum number of cached PMIDs. */
const REMEMBERED = 4096;

/** The names of parameters in event records, as far as the context may show them. @see pmUnpackEventRecords(3) */
export class EventNames {
  readonly #namesOf: (pmid: number) => Promise<readonly string[]>;
  readonly #source: Pick<MetricSource, 'generation'>;
  /** Undefined for a PMID without a name here. Most contexts never see an event. */
  #names: Map<number, string | undefined> | undefined;
  #knownAt: number | undefined;

  /** @param namesOf the names of a PMID that the context shows */
  constructor(namesOf: (pmid: number) => Promise<readonly string[]>, source: Pick<MetricSource, 'generation'>) {
    this.#namesOf = namesOf;
    this.#source = source;
  }

  /** The name of a parameter; undefined without one here, or if it was in no result. */
  nameOf(pmid: number): string | undefined {
    return this.#names?.get(pmid);
  }

  /** Looks up the parameters of a result; undefined if there is nothing to wait for. */
  learn({ sets }: FetchResult): Promise<void> | undefined {
    let unknown: Set<number> | undefined;
    for (const { status, column } of sets) {
      const { type, length, bytes } = column;
      if (status <= 0 || (type !== MetricType.EVENT && type !== MetricType.HIGHRES_EVENT)) continue;
      unknown ??= new Set();
      const names = this.#current();
      for (let i = 0; i < length; i++) collect(bytes[i], type === MetricType.HIGHRES_EVENT, names, unknown);
    }
    return unknown && unknown.size > 0 ? this.#lookUp(unknown) : undefined;
  }

  /** The cached names, unless they are outdated or too many. */
  #current(): Map<number, string | undefined> {
    const { generation } = this.#source;
    if (!this.#names || generation !== this.#knownAt || this.#names.size > REMEMBERED) this.#names = new Map();
    this.#knownAt = generation;
    return this.#names;
  }

  async #lookUp(pmids: ReadonlySet<number>): Promise<void> {
    await Promise.all(
      [...pmids].map(async (pmid) => {
        const name = await this.#namesOf(pmid).then(
          ([first]) => first,
          // Values must not be lost because a name is missing.
          () => undefined,
        );
        this.#names?.set(pmid, name);
      }),
    );
  }
}

function collect(
  bytes: Uint8Array | undefined,
  isHighres: boolean,
  names: ReadonlyMap<number, string | undefined>,
  unknown: Set<number>,
): void {
  if (!bytes) return;
  try {
    for (const { parameters } of decodeEventRecords(bytes, isHighres)) {
      for (const { pmid } of parameters) {
        if (unknown.size < LOOKED_UP_AT_ONCE && !names.has(pmid)) unknown.add(pmid);
      }
    }
  } catch (error) {
    // Invalid records have no parameters.
    if (!(error instanceof PmError)) throw error;
  }
}
