import { INSTANCE_NULL, MetricType, ValueSet } from '../../../../src/pmapi/index.js';
import { InstanceProfile } from '../../../../src/sources/index.js';
import { ColumnBuilder, rowsOf } from '../../../../src/sources/archive/columns/column-builder.js';
import type { MetricColumn } from '../../../../src/sources/archive/columns/metric-column.js';
import { markTable } from '../../../../src/sources/archive/records/record-table.js';
import { rows } from '../../../support/rows.js';

const TABLE = markTable({ sec: 1, nsec: 0 });
const PLANNED = [{ record: 0, count: 1, recordOffset: 0, setOffset: 0 }];

function builderOf(type: MetricType, add: (set: ValueSet) => void): ColumnBuilder {
  const builder = new ColumnBuilder(1, 1);
  const set = new ValueSet();
  set.reset(1, type);
  add(set);
  builder.add(set);
  return builder;
}

function valueOf(column: MetricColumn): unknown {
  const set = new ValueSet();
  column.fill(0, 0, new InstanceProfile(), set);
  const { texts, bytes, wide, numbers } = set.column;
  return texts[0] ?? bytes[0] ?? (wide ? set.column.integerAt(0) : numbers[0]);
}

describe('ColumnBuilder', () => {
  it('works in what another left, and gives nothing of that on', () => {
    const values: unknown[] = [];
    const columns = [
      builderOf(MetricType.STRING, (set) => set.addText(INSTANCE_NULL, 'text')).finish(
        MetricType.STRING,
        rowsOf(TABLE, PLANNED),
      ),
      builderOf(MetricType.U64, (set) => set.addInteger(INSTANCE_NULL, 2n ** 64n - 1n)).finish(
        MetricType.U64,
        rowsOf(TABLE, PLANNED),
      ),
      builderOf(MetricType.AGGREGATE, (set) => set.addBytes(INSTANCE_NULL, Uint8Array.of(7))).finish(
        MetricType.AGGREGATE,
        rowsOf(TABLE, PLANNED),
      ),
      builderOf(MetricType.DOUBLE, (set) => set.addNumber(INSTANCE_NULL, 0.5)).finish(
        MetricType.DOUBLE,
        rowsOf(TABLE, PLANNED),
      ),
      new ColumnBuilder(1, 0).finish(MetricType.U32, rowsOf(TABLE, [])),
    ];
    for (const column of columns.slice(0, 4)) values.push(valueOf(column));
    expect(values).toEqual(['text', 2n ** 64n - 1n, Uint8Array.of(7), 0.5]);
    expect(columns[4]!.values).toEqual({ numbers: new Int32Array(0), wide: undefined, texts: [], bytes: [] });
  });

  it('does not work in what another still works in', () => {
    const builders = [0.5, 1.5].map((value) =>
      builderOf(MetricType.DOUBLE, (set) => set.addNumber(INSTANCE_NULL, value)),
    );
    expect(builders.map((builder) => valueOf(builder.finish(MetricType.DOUBLE, rowsOf(TABLE, PLANNED))))).toEqual([
      0.5, 1.5,
    ]);
  });

  it.each<[string, readonly (readonly number[])[], boolean]>([
    ['the same in every row', rows([1, 2], [1, 2], [1, 2]), true],
    ['of a single row', [[1, 2]], true],
    ['others in the last row', rows([1, 2], [1, 2], [1, 3]), false],
    ['others in the first row', rows([0, 2], [1, 2], [1, 2]), false],
    ['in another order', rows([2, 1], [2, 1]), false],
    ['as many, but not in each row', [[1, 2], [1], [1, 2, 3]], false],
  ])('knows whether instances are regular: %s', (_what, records, isRegular) => {
    const builder = new ColumnBuilder(1, 6);
    const set = new ValueSet();
    for (const instances of records) {
      set.reset(1, MetricType.U32);
      for (const instance of instances) set.addNumber(instance, 7);
      builder.add(set);
    }
    const planned = records.map((_, record) => ({ record }));
    expect(builder.finish(MetricType.U32, rowsOf(TABLE, planned)).isRegular).toBe(isRegular);
  });
});
