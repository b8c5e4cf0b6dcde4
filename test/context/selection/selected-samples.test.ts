import { pickInstances, pickTop } from '../../../src/context/selection/index.js';
import { INSTANCE_NULL, MetricType, ValueSet } from '../../../src/pmapi/index.js';
import fc from '../../support/properties.js';
import { rows } from '../../support/rows.js';

type Pairs = readonly (readonly [instance: number, value: number | bigint | string])[];

function setOf(type: MetricType, pairs: Pairs): ValueSet {
  const set = new ValueSet();
  set.reset(7, type);
  for (const [instance, value] of pairs) {
    if (typeof value === 'string') set.addText(instance, value);
    else if (typeof value === 'bigint') set.addInteger(instance, value);
    else set.addNumber(instance, value);
  }
  return set;
}

function pairsOf(set: ValueSet): Pairs {
  return Array.from({ length: Math.max(set.status, 0) }, (_, i) => {
    const { column } = set;
    const value =
      column.type === MetricType.STRING
        ? column.texts[i]!
        : column.type === MetricType.U64
          ? column.integerAt(i)
          : column.numbers[i]!;
    return [set.instances[i]!, value];
  });
}

const doubles = fc.uniqueArray(fc.tuple(fc.nat(50), fc.oneof(fc.double(), fc.constantFrom(1, 2, 3))), {
  selector: ([instance]) => instance,
});
const integers = fc.uniqueArray(fc.tuple(fc.nat(50), fc.oneof(fc.bigInt(0n, 2n ** 64n - 1n), fc.bigInt(0n, 3n))), {
  selector: ([instance]) => instance,
});
const texts = fc.uniqueArray(fc.tuple(fc.nat(50), fc.string()), { selector: ([instance]) => instance });
const sets = fc.oneof(
  doubles.map((pairs) => ({ type: MetricType.DOUBLE, pairs: pairs })),
  integers.map((pairs) => ({ type: MetricType.U64, pairs: pairs })),
  texts.map((pairs) => ({ type: MetricType.STRING, pairs: pairs })),
);

describe('pickInstances', () => {
  it('gives the wanted values, in their order, and no others', () => {
    fc.assert(
      fc.property(sets, fc.func(fc.boolean()), ({ type, pairs }, isWanted) => {
        const from = setOf(type, pairs);
        const picked = pickInstances(from, new ValueSet(), isWanted);
        expect(pairsOf(picked)).toEqual(pairs.filter(([instance]) => isWanted(instance)));
        expect([picked.pmid, picked.type]).toEqual([7, type]);
        expect(pairsOf(from)).toEqual(pairs);
      }),
    );
  });

  it('copies nothing when all are wanted, nor errors', () => {
    const from = setOf(MetricType.U32, [[1, 5]]);
    expect(pickInstances(from, new ValueSet(), () => true)).toBe(from);
    const failed = setOf(MetricType.U32, []);
    failed.fail(-12357);
    expect(pickInstances(failed, new ValueSet(), () => false)).toBe(failed);
  });
});

describe('pickTop', () => {
  it('gives the greatest values, greatest first, equal ones in their order', () => {
    fc.assert(
      fc.property(fc.oneof(doubles, integers), fc.integer({ min: 1, max: 10 }), (pairs, count) => {
        const type = typeof pairs[0]?.[1] === 'bigint' ? MetricType.U64 : MetricType.DOUBLE;
        const top = pairsOf(pickTop(setOf(type, pairs), new ValueSet(), count));
        expect(top.length).toBe(Math.min(count, pairs.length));
        const place = new Map(pairs.map(([instance], i) => [instance, i]));
        const rest = pairs.filter(([instance]) => !top.some(([chosen]) => chosen === instance));
        expect(top.every(([instance, value]) => Object.is(pairs[place.get(instance)!]![1], value))).toBe(true);
        const ordered = [...top, ...rest];
        for (let i = 1; i < top.length; i++) expect(isBefore(ordered[i - 1]!, ordered[i]!, place)).toBe(true);
        const last = top.at(-1);
        if (last) for (const one of rest) expect(isBefore(last, one, place)).toBe(true);
      }),
    );
  });

  it('leaves singular metrics, texts and errors alone', () => {
    const singular = setOf(MetricType.U32, [[INSTANCE_NULL, 5]]);
    const names = setOf(MetricType.STRING, rows([0, 'a'], [1, 'b']));
    const failed = setOf(MetricType.U32, []);
    failed.fail(-12357);
    for (const set of [singular, names, failed]) expect(pickTop(set, new ValueSet(), 1)).toBe(set);
  });

  it('compares 64-bit integers exactly', () => {
    const set = setOf(MetricType.U64, rows([0, 2n ** 63n], [1, 2n ** 63n + 1n]));
    expect(pairsOf(pickTop(set, new ValueSet(), 1))).toEqual([[1, 2n ** 63n + 1n]]);
  });
});

/** Whether one value may stand before another: it is greater, or equal and was before it; what is no number is last. */
function isBefore(a: Pairs[number], b: Pairs[number], place: ReadonlyMap<number, number>): boolean {
  const [x, y] = [a[1], b[1]];
  const inPlace = place.get(a[0])! < place.get(b[0])!;
  if (Number.isNaN(y)) return !Number.isNaN(x) || inPlace;
  if (Number.isNaN(x)) return false;
  return x > y || (x === y && inPlace);
}
