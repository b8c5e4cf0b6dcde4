import { createHash } from 'node:crypto';
import type { Peer } from './contracts.js';
import type { Member } from './member.js';

/** Sources whose owners are kept. */
const OWNERS_KEPT = 100_000;

/**
 * Which member does the work of a source: of all members, the one whose name together with the source's has the highest hash (rendezvous
 * hashing). When a member comes or goes, only its own sources change their owner.
 */
export class Placement {
  readonly #member: Pick<Member, 'id' | 'isAlone' | 'peers'>;
  readonly #owners = new Map<string, Peer | undefined>();
  #peers: readonly Peer[] = [];

  constructor(member: Pick<Member, 'id' | 'isAlone' | 'peers'>) {
    this.#member = member;
  }

  /** The member that a source belongs to; undefined: this one, also while it is alone. */
  owner(place: string): Peer | undefined {
    const { isAlone, peers } = this.#member;
    if (isAlone || peers.length === 0) return undefined;
    if (peers !== this.#peers) this.#owners.clear();
    this.#peers = peers;
    if (this.#owners.has(place)) return this.#owners.get(place);
    if (this.#owners.size >= OWNERS_KEPT) this.#owners.delete(this.#owners.keys().next().value!);
    const owner = this.#find(place);
    this.#owners.set(place, owner);
    return owner;
  }

  #find(place: string): Peer | undefined {
    let best: Peer | undefined;
    let highest = hashOf(this.#member.id, place);
    for (const peer of this.#peers) {
      const hash = hashOf(peer.id, place);
      if (hash <= highest) continue;
      highest = hash;
      best = peer;
    }
    return best;
  }
}

function hashOf(member: string, place: string): string {
  return createHash('sha256').update(member).update('\n').update(place).digest('hex');
}
