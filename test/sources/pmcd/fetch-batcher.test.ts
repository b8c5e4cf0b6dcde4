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
  it('asks for a PROFILE once for each profile', () => {
    const slots = new ProfileSlots();
    expect(slots.assign('a')).toEqual({ slot: 0, isNew: true });
    expect(slots.assign('b')).toEqual({ slot: 1, isNew: true });
    expect(slots.assign('a')).toEqual({ slot: 0, isNew: false });
  });

  it('reuses the slot that was not used for longest', () => {
    const slots = new ProfileSlots(2);
    slots.assign('a');
    slots.assign('b');
    slots.assign('a');
    expect(slots.assign('c')).toEqual({ slot: 1, isNew: true });
    expect(slots.assign('a')).toEqual({ slot: 0, isNew: false });
    expect(slots.assign('b')).toEqual({ slot: 1, isNew: true });
  });

  it('never leaves the slots that pmcd has', () => {
    const slots = new ProfileSlots();
    const used = Array.from({ length: 1000 }, (_, i) => slots.assign(`profile ${i}`).slot);
    expect(Math.max(...used)).toBe(63);
    expect(new Set(used).size).toBe(64);
  });

  it('forgets a slot whose PROFILE may not have arrived', () => {
    const slots = new ProfileSlots();
    slots.assign('a');
    slots.assign('b');
    slots.forget('a');
    expect(slots.assign('c')).toEqual({ slot: 0, isNew: true });
    expect(slots.assign('a')).toEqual({ slot: 2, isNew: true });
  });
});
