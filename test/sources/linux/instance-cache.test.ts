import { InstanceCache } from '../../../src/sources/linux/instance-cache.js';
import { InstanceTable } from '../../../src/sources/linux/instance-table.js';

const INDOM = 1;

/** A cache that keeps three unseen names, and how a cluster tells it what there is. */
function smallCache() {
  const clock = { sec: 100 };
  const cache = new InstanceCache(INDOM, { nowSec: () => clock.sec, changed: () => undefined, unseenKept: 3 });
  const see = (...names: readonly string[]): readonly number[] => {
    const table = new InstanceTable(INDOM);
    for (const name of names) table.add(cache.numberOf(name));
    cache.present(table);
    return [...table.ids.subarray(0, table.count)];
  };
  return { cache, clock, see };
}

const names = (cache: InstanceCache): string =>
  cache
    .entries()
    .map(({ id, name }) => `${id}${name}`)
    .join(' ');

describe('InstanceCache', () => {
  it('forgets the names that were unseen longest, and gives their numbers to nobody', () => {
    const { cache, see } = smallCache();
    expect(see('a', 'b')).toEqual([0, 1]);
    for (const name of ['c', 'd', 'e', 'f', 'g']) see('a', name);
    expect(names(cache)).toBe('0a 3d 4e 5f 6g');
    expect(cache.nameOf(1)).toBeUndefined();
    expect(see('a', 'b', 'e')).toEqual([0, 7, 4]);
  });

  it('never forgets what is there, nor what has just come back', () => {
    const { cache, see } = smallCache();
    see('a', 'b');
    see('c');
    see('a'); // b has been unseen for longer than c
    for (const name of ['d', 'e']) see('a', name);
    expect(names(cache)).toBe('0a 1b 2c 3d 4e');
    see('f');
    expect(names(cache)).toBe('0a 3d 4e 5f');
  });

  it('keeps as many unseen names as there are others, so that half of the CPUs may go offline', () => {
    const { cache, see } = smallCache();
    const all = 'a b c d e f g h i j'.split(' ');
    see(...all);
    see(...all.slice(5));
    expect(see(...all)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(cache.entries()).toHaveLength(10);
  });

  it('forgets nothing of an instance domain whose members nobody tells', () => {
    const { cache } = smallCache();
    for (let i = 0; i < 100; i++) cache.numberOf(`${i}`);
    expect(cache.entries()).toHaveLength(100);
  });

  it('tells when names were last there', () => {
    const { cache, clock, see } = smallCache();
    see('a', 'b');
    clock.sec = 200;
    see('a');
    clock.sec = 300;
    expect(cache.entries()).toEqual([
      { id: 0, name: 'a', seenSec: 300 },
      { id: 1, name: 'b', seenSec: 200 },
    ]);
  });

  it('begins again at the lowest free number behind the largest', () => {
    const { cache, see } = smallCache();
    expect(cache.adopt({ id: 0x7fff_ffff, name: 'last', seenSec: 1 })).toBe(true);
    expect(cache.adopt({ id: 0, name: 'first', seenSec: 1 })).toBe(true);
    expect(cache.adopt({ id: 0x8000_0000, name: 'beyond', seenSec: 1 })).toBe(false);
    expect(see('a', 'last', 'b')).toEqual([1, 0x7fff_ffff, 2]);
  });
});
