import fc from '../support/properties.js';
import { editDistance, nearestNames } from '../../src/pmapi/nearest-names.js';

describe('nearestNames', () => {
  it('puts the fewest edits first, and then the alphabet', () => {
    expect(nearestNames('kernel.all.lod', ['kernel.all.nod', 'kernel.all.load', 'mem.free'])).toEqual([
      'kernel.all.load',
      'kernel.all.nod',
    ]);
  });

  it('suggests nothing that is far off, and at most three names', () => {
    expect(nearestNames('abc', ['xyz', 'abcdef'])).toEqual([]);
    expect(nearestNames('aaaaaaaaa', ['aaaaaaaab', 'aaaaaaaac', 'aaaaaaaad', 'aaaaaaaae'])).toHaveLength(3);
    expect(nearestNames('', ['a'])).toEqual([]);
  });
});

describe('nearestNames among very many', () => {
  it('finds what looking at all of them finds', () => {
    const name = fc.stringMatching(/^[a-d.]{1,9}$/);
    fc.assert(
      fc.property(name, fc.array(name, { maxLength: 30 }), (wanted, names) => {
        const limit = Math.max(1, Math.floor(wanted.length / 3));
        const ranked = [...new Set(names)]
          .filter((each) => each !== wanted)
          .map((each) => ({ each, distance: plainDistance(wanted, each) }))
          .filter(({ distance }) => distance <= limit)
          .sort((a, b) => a.distance - b.distance || (a.each < b.each ? -1 : 1));
        expect(nearestNames(wanted, new Set(names))).toEqual(ranked.slice(0, 3).map(({ each }) => each));
      }),
    );
  });
});

/** Edits between two texts, as the definition has it. */
function plainDistance(a: string, b: string): number {
  const table = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  for (let i = 0; i <= a.length; i++) {
    for (let j = 0; j <= b.length; j++) {
      if (i === 0 || j === 0) {
        table[i]![j] = i + j;
        continue;
      }
      const change = table[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      table[i]![j] = Math.min(table[i - 1]![j]! + 1, table[i]![j - 1]! + 1, change);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        table[i]![j] = Math.min(table[i]![j]!, table[i - 2]![j - 2]! + 1);
    }
  }
  return table[a.length]![b.length]!;
}

describe('editDistance', () => {
  it.each([
    ['', 'abc', 3],
    ['abc', 'abc', 0],
    ['abc', 'acb', 1],
    ['load', 'laod', 1],
    ['rate', 'rats', 1],
    ['avg', 'average', 4],
  ])('of %j and %j is %i', (a, b, distance) => {
    expect(editDistance(a, b, 10)).toBe(distance);
  });

  it('is symmetric, and gives up beyond its limit', () => {
    const word = fc.stringMatching(/^[abc]{0,8}$/);
    fc.assert(
      fc.property(word, word, (a, b) => {
        const distance = editDistance(a, b, 20);
        expect(editDistance(b, a, 20)).toBe(distance);
        expect(distance <= 3 ? editDistance(a, b, 3) : editDistance(a, b, 3) > 3).toBe(distance <= 3 ? distance : true);
      }),
    );
  });
});
