import type { Peer } from '../../src/fleet/index.js';
import { hashOf } from '../../src/kit/index.js';
import { Placement } from '../../src/fleet/placement.js';

const IDS = ['a', 'b', 'c', 'd'];
const PLACES = Array.from({ length: 400 }, (_, i) => `host web${i}:44321`);

/** The owner of each place, as a member sees it that knows these. */
function ownersAt(self: string, ids: readonly string[]): readonly string[] {
  const peers = ids.filter((id) => id !== self).map((id): Peer => ({ id, link: { host: id, port: 1 } }));
  const placement = new Placement({ id: self, isAlone: false, peers });
  return PLACES.map((place) => placement.owner(place)?.id ?? self);
}

describe('Placement', () => {
  it('is the same at all members', () => {
    for (const id of IDS) expect(ownersAt(id, IDS)).toEqual(ownersAt('a', [...IDS].reverse()));
  });

  it('is the same at members whose names have one hash', () => {
    const [id, twin] = ['costarring', 'liquid'] as const;
    expect(hashOf(id)).toBe(hashOf(twin));
    expect(ownersAt(id, [id, twin, 'a'])).toEqual(ownersAt(twin, ['a', twin, id]));
  });

  it('gives every member its share', () => {
    const owners = ownersAt('a', IDS);
    for (const id of IDS) expect(owners.filter((owner) => owner === id).length).toBeGreaterThan(PLACES.length / 8);
  });

  it('moves only what belonged to a member that goes', () => {
    const before = ownersAt('a', IDS);
    const after = ownersAt('a', ['a', 'b', 'c']);
    expect(after.filter((owner, i) => before[i] !== 'd' && owner !== before[i])).toEqual([]);
    expect(after).not.toContain('d');
  });

  it('notices that members come and go', () => {
    const member = { id: 'a', isAlone: false, peers: [] as readonly Peer[] };
    const placement = new Placement(member);
    const places = (): number => PLACES.filter((place) => placement.owner(place)).length;
    expect(places()).toBe(0);
    member.peers = [{ id: 'b', link: { host: 'b', port: 1 } }];
    expect(places()).toBeGreaterThan(0);
    member.isAlone = true;
    expect(places()).toBe(0);
  });
});
