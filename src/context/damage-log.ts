import type { PmError } from '../pmapi/index.js';

/** Locations that are distinguished: a file may have millions. */
const MOST_PLACES = 1000;

/** The damage found in an archive, each location once: the first is reported, and the number of them. */
export class DamageLog {
  readonly #places = new Set<string>();
  #first: PmError | undefined;

  /** Records damage; the message says where it is. */
  readonly add = (damage: PmError): void => {
    this.#first ??= damage;
    if (this.#places.size < MOST_PLACES) this.#places.add(damage.message);
  };

  /** One text for all of it, with the code of the first; undefined without damage. */
  get summary(): Pick<PmError, 'pmErr' | 'message'> | undefined {
    if (!this.#first) return undefined;
    const { pmErr, message } = this.#first;
    const more = this.#places.size - 1;
    if (more === 0) return { pmErr, message };
    const count = this.#places.size < MOST_PLACES ? String(more) : `at least ${more}`;
    return { pmErr, message: `${message}; and ${count} more damaged ${more === 1 ? 'place' : 'places'}` };
  }
}
