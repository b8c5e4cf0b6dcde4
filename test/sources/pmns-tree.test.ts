import { PM_ERR, PmError } from '../../src/pmapi/index.js';
import { PmnsTree } from '../../src/sources/pmns-tree.js';
import { rows } from '../support/rows.js';

describe('PmnsTree', () => {
  const tree = PmnsTree.of([
    ['kernel.all.load', 1],
    ['kernel.all.nprocs', 2],
    ['hinv.ncpu', 3],
    ['hinv.alias', 2],
    ['hinv.ncpu', 9],
    ['top', 4],
  ]);

  it.each([
    ['kernel.all.load', 1],
    ['hinv.ncpu', 3],
    ['top', 4],
    ['kernel.all', PM_ERR.NONLEAF],
    ['kernel', PM_ERR.NONLEAF],
    ['', PM_ERR.NAME],
    ['kernel.all.nosuch', PM_ERR.NAME],
    ['kernel.all.load.more', PM_ERR.NAME],
    ['kernel..all', PM_ERR.NAME],
    ['constructor', PM_ERR.NAME],
  ])('looks up %j as %d', (name, result) => {
    expect(tree.lookup(name)).toBe(result);
  });

  it('gives all names of a PMID', () => {
    expect(tree.namesOf(2)).toEqual(['kernel.all.nprocs', 'hinv.alias']);
    expect(() => tree.namesOf(9)).toThrow(new PmError(PM_ERR.PMID));
  });

  it('keeps a leaf that is also the beginning of other names', () => {
    const odd = PmnsTree.of(rows(['a', 1], ['a.b', 2]));
    expect(odd.lookup('a')).toBe(1);
    expect(odd.children('')).toEqual({ leaf: [], nonleaf: ['a'] });
    expect(odd.traverse('')).toEqual(['a', 'a.b']);
  });
});
