import type { Peer } from './contracts.js';
import type { Member } from './member.js';
import { hashOf } from '../kit/index.js';

/**
 * Which member does the work of a source: of all members, the one whose name together with the source's has the highest hash (rendezvous
 * hashing). When a member comes or goes, only its own sources change their owner.
 */
export class Placement {
  readonly #member: Pick<Member, 'id' | 'isAlone' | 'peers'>;
  #peers: readonly Peer[] = [];
  #hashes: readonly number[] = [];

  constructor(member: Pick<Member, 'id' | 'isAlone' | 'peers'>) {
    this.#member = member;
  }

  /** The member that a source belongs to; undefined: this one, also while it is alone. */
  owner(place: string): Peer | undefined {
    const { id, isAlone, peers } = this.#member;
    if (isAlone || peers.length === 0) return undefined;
    if (peers !== this.#peers) this.#hashes = peers.map((peer) => hashOf(peer.id));
    this.#peers = peers;
    const source = hashOf(place);
    let owner: Peer | undefined;
    let highest = mixed(hashOf(id), source);
    for (const [i, hash] of this.#hashes.entries()) {
      const bits = mixed(hash, source);
      // Names with one hash are rare, but all members must agree on one of them.
      if (bits < highest || (bits === highest && peers[i]!.id < (owner?.id ?? id))) continue;
      highest = bits;
      owner = peers[i];
    }
    return owner;
  }
}

/** Both as one hash, by the end of MurmurHash3: for one source, different hashes of members stay different. */
function mixed(member: number, source: number): number {
  let bits = member ^ source;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
