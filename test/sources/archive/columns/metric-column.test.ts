import { MetricType, ValueSet } from '../../../../src/pmapi/index.js';
import { ColumnBuilder } from '../../../../src/sources/archive/columns/column-builder.js';
import type { MetricColumn } from '../../../../src/sources/archive/columns/metric-column.js';

/** A column of rows, each a list of instances; the value of an instance is ten times its row, and the instance. */
function columnOf(rows: readonly (readonly number[])[]): MetricColumn {
  const builder = new ColumnBuilder(1, 0);
  const set = new ValueSet();
  rows.forEach((instances, row) => {
    set.reset(1, MetricType.U32);
    for (const instance of instances) set.addNumber(instance, 10 * row + instance);
    builder.add(set);
  });
  // Every other record of the segment holds the metric.
  const records = Uint32Array.from(rows.keys(), (row) => 2 * row);
  const times = { secs: new Float64Array(rows.length), nsecs: new Int32Array(rows.length) };
  return builder.finish(MetricType.U32, { records, ...times, bytes: 0, shape: { last: undefined } });
}

describe('a column asked for the neighbours of instances', () => {
  const irregular = columnOf([[1, 2, 3], [2, 3, 4, 5, 6], [], [6, 1]]);
  const regular = columnOf([[1, 2, 3, 4, 5], [1, 2, 3, 4, 5]]); // prettier-ignore

  function take(
    column: MetricColumn,
    which: 'takeFirst' | 'takeLast',
    ids: readonly number[],
    start = 0,
    end = Infinity,
  ) {
    const found: Record<number, number> = {};
    const wanted = new Map(ids.map((id) => [id, id]));
    column[which](wanted, start, end, (id, value) => (found[id] = column.values.numbers[value]!));
    return { found, left: [...wanted.keys()] };
  }

  it.each([[[1, 4, 6, 9]], [[1, 4, 6, 9, 10, 11]]])('finds the first and the last of %j at once', (ids) => {
    const left = ids.filter((id) => id > 6);
    expect(take(irregular, 'takeFirst', ids)).toEqual({ found: { 1: 1, 4: 14, 6: 16 }, left });
    expect(take(irregular, 'takeLast', ids)).toEqual({ found: { 1: 31, 4: 14, 6: 36 }, left });
  });

  it('looks at no record outside of those asked for', () => {
    expect(take(irregular, 'takeFirst', [1, 4], 1, 6)).toEqual({ found: { 4: 14 }, left: [1] });
    expect(take(irregular, 'takeLast', [1, 4], 1, 6)).toEqual({ found: { 4: 14 }, left: [1] });
    expect(take(regular, 'takeFirst', [1], 1, 2)).toEqual({ found: {}, left: [1] });
  });

  it('knows where every row has the same instances', () => {
    expect(take(regular, 'takeFirst', [5, 6])).toEqual({ found: { 5: 5 }, left: [6] });
    expect(take(regular, 'takeLast', [1, 2, 3, 4, 5, 6])).toEqual({
      found: { 1: 11, 2: 12, 3: 13, 4: 14, 5: 15 },
      left: [6],
    });
  });

  it('takes the first value of a row for a singular metric, passing by rows without any', () => {
    const column = columnOf([[7], [], [3, 4]]);
    expect(take(column, 'takeFirst', [-1], 1)).toEqual({ found: { [-1]: 23 }, left: [] });
    expect(take(column, 'takeLast', [-1], 0, 4)).toEqual({ found: { [-1]: 7 }, left: [] });
  });
});
