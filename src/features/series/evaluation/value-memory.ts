import { GatewayError, limitExceeded } from '../../../pmapi/index.js';
import type { SeriesSample, SeriesValues } from './series-values.js';

const SAMPLE_BYTES = 144;
const VALUE_BYTES = 16;

/** About what a sample takes, texts included. */
export function bytesOfSample({ values }: SeriesSample): number {
  let bytes = SAMPLE_BYTES + values.length * VALUE_BYTES;
  if (typeof values[0] === 'string') for (const value of values) bytes += 2 * String(value).length;
  return bytes;
}

/** About what values take that were computed, without the texts, which they share. */
export function bytesOfValues(series: readonly SeriesValues[]): number {
  let bytes = 0;
  for (const { samples } of series) {
    for (const { values } of samples) bytes += SAMPLE_BYTES + values.length * VALUE_BYTES;
  }
  return bytes;
}

/** How soon a client may find room again. */
const RETRY_AFTER_SEC = 2;

export class ValueMemory {
  #held = 0;

  constructor(readonly bytes: number) {}

  share(): MemoryShare {
    let own = 0;
    const take = (bytes: number): void => {
      this.#take(bytes, own);
      own += bytes;
    };
    return { take, release: () => take(-own) };
  }

  /** One request has at most half of what others leave, so that a small one always finds room. */
  #take(more: number, own: number): void {
    const others = this.#held - own;
    if (more > 0 && own + more > (this.bytes - others) / 2) {
      const most = this.bytes / 2;
      if (own + more > most) {
        const message = `the values take more than ${most} bytes: ask for fewer series, or for less time`;
        throw limitExceeded(message, `values of at most ${most} bytes`);
      }
      const message = 'other requests for values take the memory for them: try again later';
      throw new GatewayError('OVERLOADED', message, { retryAfterSec: RETRY_AFTER_SEC });
    }
    this.#held += more;
  }
}

export interface MemoryShare {
  /** Takes more, or gives some back. Throws LIMIT_EXCEEDED, OVERLOADED. */
  readonly take: (bytes: number) => void;
  readonly release: () => void;
}
