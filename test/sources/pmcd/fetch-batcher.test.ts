import { InstanceProfile } from '../../../src/sources/index.js';
import { ALL_INSTANCES, ProfileSlots, profileKey } from '../../../src/sources/pmcd/fetch-batcher.js';

describe('profileKey', () => {
  it('is equal for profiles that say the same', () => {
    const [a, b] = [new InstanceProfile(), new InstanceProfile()];
    expect(profileKey(a)).toBe(ALL_INSTANCES);
    a.delete();
    a.add(5, [1, 2]);
    a.add(6, [3]);
    b.delete();
    b.add(6, [3]);
    b.add(5, [2, 1]);
    expect(profileKey(a)).toBe(profileKey(b));
    b.add(5, [4]);
    expect(profileKey(a)).not.toBe(profileKey(b));
  });

  it('tells apart what is let through from what is kept out', () => {
    const [a, b, c] = [new InstanceProfile(), new InstanceProfile(), new InstanceProfile()];
    a.add(5, [1]);
    b.delete(5, [1]);
    c.delete();
    expect(new Set([a, b, c].map(profileKey)).size).toBe(3);
  });
});

describe('ProfileSlots', () => {
  it('forgets a slot whose PROFILE may not have arrived', () => {
    const slots = new ProfileSlots();
    slots.assign('a');
    slots.assign('b');
    slots.forget('a');
    expect(slots.assign('c')).toEqual({ slot: 0, isNew: true });
    expect(slots.assign('a')).toEqual({ slot: 2, isNew: true });
  });
});
