import type { InstanceProfile } from '../profile.js';
import { PROFILE_SLOTS } from './pdu-types.js';

/** The key of the profile that lets everything through. */
export const ALL_INSTANCES = 'all';

const KEYS = new WeakMap<InstanceProfile, { readonly version: number; readonly key: string }>();

/** Equal for profiles that let the same instances through by the same rules. */
export function profileKey(profile: InstanceProfile): string {
  if (profile.isAll) return ALL_INSTANCES;
  const known = KEYS.get(profile);
  if (known?.version === profile.version) return known.key;
  const rules = profile.indoms
    .map(({ indom, state, listed }) => `${indom}${state}${[...listed].sort((a, b) => a - b).join(',')}`)
    .sort();
  const key = `${profile.defaultIncluded}|${rules.join('|')}`;
  KEYS.set(profile, { version: profile.version, key });
  return key;
}

/**
 * Which profile pmcd has in which slot of one connection. Slots are few and are reused, the least recently used first; contexts
 * with equal profiles share one. A slot with a new profile needs a PROFILE PDU before its next fetch.
 */
export class ProfileSlots {
  /** In order of use, oldest first. */
  readonly #slots = new Map<string, number>();
  readonly #size: number;
  #newest: string | undefined;

  /** @param size how many slots pmcd allows */
  constructor(size = PROFILE_SLOTS) {
    this.#size = size;
  }

  /** The slot for a profile, and whether the profile must be sent first. */
  assign(key: string): { readonly slot: number; readonly isNew: boolean } {
    const known = this.#slots.get(key);
    if (known !== undefined) {
      if (key !== this.#newest) {
        this.#slots.delete(key);
        this.#slots.set(key, known);
        this.#newest = key;
      }
      return { slot: known, isNew: false };
    }
    const slot = this.#slots.size < this.#size ? this.#free() : this.#evict();
    this.#slots.set(key, slot);
    this.#newest = key;
    return { slot, isNew: true };
  }

  /** Forgets the profile of a slot: the PROFILE PDU may not have arrived. */
  forget(key: string): void {
    this.#slots.delete(key);
  }

  #free(): number {
    const used = new Set(this.#slots.values());
    for (let slot = 0; ; slot++) if (!used.has(slot)) return slot;
  }

  #evict(): number {
    const [key, slot] = this.#slots.entries().next().value!;
    this.#slots.delete(key);
    return slot;
  }
}
