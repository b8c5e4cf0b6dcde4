import { MetricType, PmError } from '../../pmapi/index.js';
import type { FetchResult } from '../../pmapi/index.js';
import { decodeEventRecords } from '../../sources/index.js';
import type { MetricSource } from '../../sources/index.js';

/** Names that are looked up for one result at most: an agent may claim any number of parameters. */
const LOOKED_UP_AT_ONCE = 256;
/** PMIDs that are remembered at most. */
const REMEMBERED = 4096;

/** What the parameters of event records are called in a context, as far as it shows them. @see pmUnpackEventRecords(3) */
export class EventNames {
  readonly #namesOf: (pmid: number) => Promise<readonly string[]>;
  readonly #source: Pick<MetricSource, 'generation'>;
  /** Undefined for a PMID that has no name here. Most contexts never see an event. */
  #names: Map<number, string | undefined> | undefined;
  #knownAt: number | undefined;

  /** @param namesOf the names of a PMID that the context shows */
  constructor(namesOf: (pmid: number) => Promise<readonly string[]>, source: Pick<MetricSource, 'generation'>) {
    this.#namesOf = namesOf;
    this.#source = source;
  }

  /** The name of a parameter; undefined for one that has none here, or that no result was learnt from. */
  nameOf(pmid: number): string | undefined {
    return this.#names?.get(pmid);
  }

  /** Look up what the parameters of a result are called; undefined when there is nothing to wait for. */
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

  /** The names that are known, unless they are outdated or too many. */
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
          // The values are there and must not be lost for want of a name.
          () => undefined,
        );
        this.#names?.set(pmid, name);
      }),
    );
  }
}

/** Add the parameters of event records that no name is known of. */
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
    // What cannot be unpacked has no parameters.
    if (!(error instanceof PmError)) throw error;
  }
}
