import fc from 'fast-check';
import { editDistance, nearestNames } from '../../../src/derived/dry-run/nearest-names.js';

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
