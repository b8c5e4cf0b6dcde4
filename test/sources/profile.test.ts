import fc from '../support/properties.js';
import { INDOM_NULL, PM_ERR, PmError } from '../../src/pmapi/index.js';
import { InstanceProfile } from '../../src/sources/index.js';
import { rows } from '../support/rows.js';

type Op = readonly ['add' | 'delete', indom?: number | undefined, instances?: readonly number[] | undefined];
const INSTANCES = [0, 1, 2];

function profileOf(...ops: readonly Op[]): InstanceProfile {
  const profile = new InstanceProfile();
  for (const [op, indom, instances] of ops) profile[op](indom, instances);
  return profile;
}

function visible(profile: InstanceProfile, indom: number): number[] {
  return INSTANCES.filter((instance) => profile.includes(indom, instance));
}

describe('InstanceProfile', () => {
  // Each row was fetched through libpcp 6.0.3 from a pmcd, indoms 7 and 8 standing for two of three instances or more.
  it.each<[Op[], number[], number[]]>([
    [[], [0, 1, 2], [0, 1, 2]],
    [[['delete']], [], []],
    [
      [['delete'], ['add']],
      [0, 1, 2],
      [0, 1, 2],
    ],
    [[['delete', 7]], [], [0, 1, 2]],
    [[['add', 7, [0]]], [0], [0, 1, 2]],
    [rows(['add', 7, [0]], ['add', 7, [2]]), [0, 2], [0, 1, 2]],
    [rows(['add', 7, [0, 1]], ['delete', 7, [0]]), [1], [0, 1, 2]],
    [[['delete'], ['add', 7, [1]]], [1], []],
    [[['delete'], ['add', 7]], [0, 1, 2], []],
    // A fresh indom starts from nothing, for deletions as well.
    [[['delete', 7, [0]]], [], [0, 1, 2]],
    [[['add'], ['delete', 7, [1]]], [], [0, 1, 2]],
    [rows(['add', 7], ['delete', 7, [1]]), [0, 2], [0, 1, 2]],
    [rows(['add', 7], ['delete', 7, [0, 1]], ['add', 7, [1]]), [1, 2], [0, 1, 2]],
    [rows(['add', 7], ['add', 7, [0]]), [0, 1, 2], [0, 1, 2]],
    [rows(['delete', 7], ['add', 7, [0]]), [0], [0, 1, 2]],
    [rows(['add', 7, [0]], ['add', 7]), [0, 1, 2], [0, 1, 2]],
    [[['add', 7, [0]], ['delete']], [], []],
  ])('after %j lets %j and %j through', (ops, ofSeven, ofEight) => {
    const profile = profileOf(...ops);
    expect([visible(profile, 7), visible(profile, 8)]).toEqual([ofSeven, ofEight]);
  });

  it('always lets singular metrics through', () => {
    const profile = profileOf(['delete']);
    expect(profile.includes(INDOM_NULL, -1)).toBe(true);
    expect(profile.includesAll(INDOM_NULL)).toBe(true);
  });

  it('takes PM_INDOM_NULL as no indom, and then no instances', () => {
    expect(visible(profileOf(['delete', INDOM_NULL]), 7)).toEqual([]);
    const fresh = new InstanceProfile();
    expect(() => fresh.add(INDOM_NULL, [1])).toThrow(new PmError(PM_ERR.PROFILESPEC));
    expect(() => fresh.delete(undefined, [1])).toThrow(new PmError(PM_ERR.PROFILESPEC));
    expect(fresh.version).toBe(0);
  });

  it('moves its version with every change', () => {
    expect(profileOf(['add'], ['delete', 7], ['add', 7, [1]]).version).toBe(3);
  });

  it('tells whether it is everything', () => {
    expect(new InstanceProfile().isAll).toBe(true);
    expect(profileOf(['delete'], ['add']).isAll).toBe(true);
    expect(profileOf(['add', 7, [0]]).isAll).toBe(false);
    expect(profileOf(['delete']).isAll).toBe(false);
  });

  it('lists the indoms with rules', () => {
    const profile = profileOf(['delete'], ['add', 7, [1, 2]], ['add', 8]);
    expect(profile.defaultIncluded).toBe(false);
    expect(profile.indoms).toEqual([
      { indom: 7, state: 'exclude', listed: new Set([1, 2]) },
      { indom: 8, state: 'include', listed: new Set() },
    ]);
  });

  const op = fc.tuple(
    fc.constantFrom('add' as const, 'delete' as const),
    fc.constantFrom(7, 8),
    fc.option(fc.subarray(INSTANCES), { nil: undefined }),
  );

  it('says of a whole indom what it says of each instance', () => {
    fc.assert(
      fc.property(fc.array(op, { maxLength: 6 }), (ops) => {
        const profile = profileOf(...ops);
        for (const indom of [7, 8, 9]) {
          if (profile.includesAll(indom)) expect(visible(profile, indom)).toEqual(INSTANCES);
          else expect(profile.indoms.map((rule) => rule.indom)).toContain(indom);
        }
      }),
    );
  });

  it('clones into an independent copy', () => {
    fc.assert(
      fc.property(fc.array(op, { maxLength: 4 }), fc.array(op, { maxLength: 4 }), (before, after) => {
        const original = profileOf(...before);
        const copy = original.clone();
        const seen = [7, 8].map((indom) => visible(original, indom));
        for (const [name, indom, instances] of after) original[name](indom, instances);
        expect([7, 8].map((indom) => visible(copy, indom))).toEqual(seen);
        expect(visible(original, 7)).toEqual(visible(profileOf(...before, ...after), 7));
      }),
    );
  });
});
