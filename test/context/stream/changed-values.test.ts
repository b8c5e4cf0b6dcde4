import fc from '../../support/properties.js';
import { FetchResult, MetricType, PM_ERR } from '../../../src/pmapi/index.js';
import { ChangedValues } from '../../../src/context/stream/changed-values.js';
import type { StreamSample } from '../../../src/context/stream/index.js';
import { descriptor } from '../../support/memory-gateway.js';

type Values = Readonly<Record<number, number | bigint | string>> | number;
const TYPES = { number: MetricType.DOUBLE, bigint: MetricType.U64, string: MetricType.STRING };

const answered: StreamSample['answered'] = {
  entries: [1, 2].map((pmid) => ({ name: `m${pmid}`, pmid, descriptor: descriptor(pmid) })),
};

function resultOf(...metrics: Values[]): FetchResult {
  const result = new FetchResult();
  result.resize(metrics.length);
  for (const [i, values] of metrics.entries()) {
    const set = result.sets[i]!;
    const first = typeof values === 'number' ? 0 : Object.values(values)[0];
    set.reset(i + 1, first === undefined ? MetricType.DOUBLE : typeOf(first));
    if (typeof values === 'number') set.fail(values);
    else {
      for (const [id, value] of Object.entries(values)) {
        if (typeof value === 'string') set.addText(Number(id), value);
        else if (typeof value === 'bigint') set.addInteger(Number(id), value);
        else set.addNumber(Number(id), value);
      }
    }
  }
  return result;
}

const typeOf = (value: unknown): MetricType => TYPES[typeof value as keyof typeof TYPES];

function view({ answered: { entries }, result, changes }: ReturnType<ChangedValues['next']>): unknown {
  const values = entries.map(({ name }, i): readonly [string, unknown] => {
    const { status, instances, column, type } = result.sets[i]!;
    if (status < 0) return [name, status];
    const valueOf = (v: number): unknown =>
      column.texts[v] ?? (type === MetricType.U64 ? column.integerAt(v) : column.numbers[v]);
    return [name, Object.fromEntries(Array.from({ length: status }, (_, v) => [instances[v], valueOf(v)]))];
  });
  const { isFull, gone } = changes!;
  return [...(isFull ? ['full'] : []), Object.fromEntries(values), ...gone.map((g) => [g.name, ...g.instances])];
}

describe('ChangedValues', () => {
  it.each<[string, Values, Values, unknown]>([
    ['nothing', { 1: 5, 2: 6 }, { 1: 5, 2: 6 }, [{}]],
    ['a value', { 1: 5, 2: 6 }, { 1: 5, 2: 7 }, [{ m1: { 2: 7 } }]],
    ['an instance more', { 1: 5 }, { 1: 5, 2: 7 }, [{ m1: { 2: 7 } }]],
    ['an instance less', { 1: 5, 2: 6 }, { 2: 6 }, [{ m1: {} }, ['m1', 1]]],
    ['another instance', { 1: 5, 2: 6 }, { 1: 5, 3: 6 }, [{ m1: { 3: 6 } }, ['m1', 2]]],
    ['values that cannot be had', { 1: 5 }, PM_ERR.AGAIN, [{ m1: PM_ERR.AGAIN }, ['m1', 1]]],
    ['values that can be had again', PM_ERR.AGAIN, { 1: 5 }, [{ m1: { 1: 5 } }]],
    ['the same error', PM_ERR.AGAIN, PM_ERR.AGAIN, [{}]],
    ['another error', PM_ERR.AGAIN, PM_ERR.PMID, [{ m1: PM_ERR.PMID }]],
    ['no values after an error', PM_ERR.AGAIN, {}, [{ m1: {} }]],
    ['NaN', { 1: Number.NaN }, { 1: Number.NaN }, [{}]],
    ['a text', { 1: 'a', 2: 'b' }, { 1: 'a', 2: 'c' }, [{ m1: { 2: 'c' } }]],
    ['the last bit of 64', { 1: 2n ** 63n, 2: 1n }, { 1: 2n ** 63n + 1n, 2: 1n }, [{ m1: { 1: 2n ** 63n + 1n } }]],
  ])('tells %s', (_, before, now, expected) => {
    const changed = new ChangedValues();
    const still = { 1: 1 };
    expect(view(changed.next(answered, resultOf(before, still)))).toMatchObject(['full', {}]);
    expect(view(changed.next(answered, resultOf(now, still)))).toEqual(expected);
    expect(view(changed.next(answered, resultOf(now, still)))).toEqual([{}]);
  });

  it('gives everything when the metrics are others, and when it is asked to', () => {
    const changed = new ChangedValues();
    changed.next(answered, resultOf({ 1: 1 }, { 1: 1 }));
    const other = { entries: [answered.entries[1]!] };
    expect(view(changed.next(other, resultOf({ 1: 1 })))).toEqual(['full', { m2: { 1: 1 } }]);
    changed.next(other, resultOf({ 1: 2 }));
    expect(view(changed.last(other)!)).toEqual(['full', { m2: { 1: 2 } }]);
    expect(changed.last({ entries: [] })).toBeUndefined();
  });

  it('tells all there is to know', () => {
    const values = fc.dictionary(fc.integer({ min: 0, max: 5 }).map(String), fc.integer({ min: 0, max: 3 }));
    fc.assert(
      fc.property(fc.array(values, { minLength: 1, maxLength: 8 }), (samples) => {
        const changed = new ChangedValues();
        const known = new Map<number, number>();
        for (const values of samples) {
          const {
            result,
            answered: { entries },
            changes,
          } = changed.next(answered, resultOf(values, {}));
          if (changes!.isFull) known.clear();
          for (const { instances } of changes!.gone) for (const id of instances) known.delete(id);
          for (const [i] of entries.entries()) {
            const { status, instances, column } = result.sets[i]!;
            for (let v = 0; v < status; v++) known.set(instances[v]!, column.numbers[v]!);
          }
          expect(Object.fromEntries(known)).toEqual({ ...values });
        }
      }),
    );
  });
});
