import { requireExplainable } from '../../../src/context/index.js';
import { MetricType, Semantics, ValueSet } from '../../../src/pmapi/index.js';
import {
  addValueBetween,
  filterSource,
  InstanceProfile,
  ruleBetween,
  secondsBehind,
} from '../../../src/sources/index.js';
import type { Observation, RecordedSource } from '../../../src/sources/index.js';
import { descriptor } from '../../support/memory-gateway.js';
import { rows } from '../../support/rows.js';

describe('requireExplainable', () => {
  it('refuses more than a hundred metrics', () => {
    expect(() => {
      requireExplainable(100);
    }).not.toThrow();
    expect(() => {
      requireExplainable(101);
    }).toThrow("'why' explains at most 100 metrics; there are 101");
  });
});

function observe(sec: number, nsec: number, value: number): Observation {
  const values = { numbers: Float64Array.of(value), wide: undefined };
  const copyValue = (_i: number, instance: number, set: ValueSet): void => {
    set.addNumber(instance, value);
  };
  return { sec, nsec, column: { values, copyValue }, index: 0 };
}

describe('ruleBetween', () => {
  const start = { sec: 1, nsec: 999_999_999 };
  const [low, high] = [observe(10, 7, 100), observe(14, 900_000_000, 300)];
  const moments = [10.5, 12.4, 12.45, 12.46, 13, 14.8].map((sec) => ({
    sec: Math.floor(sec),
    nsec: Math.round((sec % 1) * 1e9),
  }));

  it.each([
    ['a counter', Semantics.COUNTER, MetricType.DOUBLE],
    ['a gauge', Semantics.INSTANT, MetricType.DOUBLE],
    ['a state', Semantics.DISCRETE, MetricType.U32],
  ] as const)('says what addValueBetween() does with %s', (_, semantics, type) => {
    for (const at of moments) {
      const set = new ValueSet();
      set.reset(1, type);
      const metric = descriptor(1, { semantics, type });
      addValueBetween(low, high, -1, at, metric, { stepRule: 'nearer', wrap: false, start }, set);
      const [elapsed, span] = [secondsBehind(low, at, start), secondsBehind(low, high, start)];
      const rule = ruleBetween(metric, elapsed, span);
      const value = { earlier: 100, later: 300, line: 100 + (elapsed * 200) / span }[rule];
      expect([at, set.column.numbers[0]]).toEqual([at, value]);
    }
  });
});

describe('neighbours', () => {
  it('of hidden metrics are not there', async () => {
    const value = { timestamp: { sec: 1, nsec: 0 }, value: 770077 };
    const asked: number[][] = [];
    const names = new Map(rows([1, 'open'], [2, 'secret']));
    const source: Partial<RecordedSource> = {
      kind: 'archive',
      generation: 1,
      namesOf: (pmid) => Promise.resolve([names.get(pmid)!]),
      neighbours: (pmids) => {
        asked.push([...pmids]);
        return Promise.resolve(
          pmids.map(() => [{ instance: -1, exact: [value], low: { kind: 'none' }, high: { kind: 'none' } }]),
        );
      },
    };
    const recorded = { ...source, archive: source } as unknown as RecordedSource;
    const filtered = filterSource(recorded, { key: 'open', allows: (name) => name === 'open' });
    const found = await filtered.archive!.neighbours!([2, 1], new InstanceProfile(), { sec: 1, nsec: 0 });
    expect(found.map(({ length }) => length)).toEqual([0, 1]);
    expect(asked).toEqual([[1]]);
  });
});
