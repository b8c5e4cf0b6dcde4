import fc from '../../support/properties.js';
import { MetricType } from '../../../src/pmapi/index.js';
import { joinInstances } from '../../../src/derived/evaluation/instance-join.js';
import { singular, valueSet } from './support/values.js';
import { rows } from '../../support/rows.js';

const ids = fc.uniqueArray(fc.integer({ min: 0, max: 20 }), { maxLength: 12 });

function setOf(instances: readonly number[]): ReturnType<typeof valueSet> {
  return valueSet(
    MetricType.I32,
    instances.map((instance) => [instance, instance]),
  );
}

function joined(...args: Parameters<typeof joinInstances>): [number, number, number][] {
  const { count, left, right, instances } = joinInstances(...args);
  return Array.from({ length: count }, (_, i) => [instances[i]!, left ? left[i]! : i, right ? right[i]! : i]);
}

describe('joinInstances', () => {
  it('pairs two sets by instance id, in the order of the left one', () => {
    fc.assert(
      fc.property(ids, ids, (left, right) => {
        const expected = left
          .map((instance, i) => [instance, i, right.indexOf(instance)])
          .filter(([, , at]) => at !== -1);
        expect(joined(setOf(left), false, setOf(right), false)).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });

  it('lets a singular operand meet every value of the other', () => {
    const one = singular(MetricType.I32, 5);
    expect(joined(one, true, setOf([4, 9]), false)).toEqual(rows([4, 0, 0], [9, 0, 1]));
    expect(joined(setOf([4, 9]), false, one, true)).toEqual(rows([4, 0, 0], [9, 1, 0]));
    expect(joined(one, true, one, true)).toEqual([[-1, 0, 0]]);
  });

  it('keeps the instance that an archive recorded for a singular right operand', () => {
    expect(joined(setOf([7]), true, setOf([9]), true)).toEqual([[9, 0, 0]]);
  });

  it('is empty when either side has no values', () => {
    const none = setOf([]);
    const one = singular(MetricType.I32, 5);
    expect(joined(none, true, one, true)).toEqual([]);
    expect(joined(one, true, none, false)).toEqual([]);
    expect(joined(setOf([1]), false, none, true)).toEqual([]);
    expect(joined(none, false, setOf([1]), false)).toEqual([]);
  });
});
