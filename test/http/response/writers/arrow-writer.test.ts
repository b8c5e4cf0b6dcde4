import { tableFromIPC } from '@uwdata/flechette';
import type { OpenRange } from '../../../../src/context/index.js';
import { layOutTable } from '../../../../src/context/range/index.js';
import { writeArrow } from '../../../../src/http/response/writers/arrow-writer.js';
import { DIMENSIONLESS, INDOM_NULL, INSTANCE_NULL, MetricType, Semantics } from '../../../../src/pmapi/index.js';
import { type Batch, InstanceProfile, RowBatch, columnOfNothing, markAt } from '../../../../src/sources/index.js';

const METRICS = [
  [MetricType.I64, 'a'],
  [MetricType.STRING, 'b'],
] as const;

/** A range of two metrics, whose samples come in these batches. */
function rangeOf(batches: readonly Batch[], of: readonly (readonly [MetricType, string])[] = METRICS): OpenRange {
  const metrics = of.map(([type, name], i) => ({
    name,
    pmid: i + 1,
    descriptor: { pmid: i + 1, type, indom: INDOM_NULL, semantics: Semantics.INSTANT, units: DIMENSIONLESS },
  }));
  const tableSamples = {
    metrics,
    async *batches() {
      for (const batch of batches) yield await Promise.resolve(batch);
    },
  };
  const layOut = () => layOutTable(metrics, new InstanceProfile(), () => Promise.reject(new Error('no instances')));
  return { tableSamples, layOut } as unknown as OpenRange;
}

/** Rows of an integer and a text, a second apart. */
function rowsOf(start: number, rows: readonly (readonly [bigint | undefined, string | undefined])[]): Batch {
  const batch = new RowBatch(2, rows.length);
  for (const [row, [value, text]] of rows.entries()) {
    const { next } = batch;
    next.timestamp = { sec: start + row, nsec: 7 };
    next.resize(2);
    next.sets.forEach((set, i) => set.reset(i + 1, METRICS[i]![0]));
    if (value !== undefined) next.sets[0]!.addInteger(INSTANCE_NULL, value);
    if (text !== undefined) next.sets[1]!.addText(INSTANCE_NULL, text);
    batch.push();
  }
  return batch;
}

/** Rows of integers that come as a whole. */
function blockOf(length: number, valueAt: (row: number) => number): Batch {
  const block = {
    type: MetricType.I64,
    instances: Int32Array.of(INSTANCE_NULL),
    numbers: Float64Array.from({ length: 2 * length }, (_, i) => (i % 2 === 1 ? valueAt((i - 1) / 2) : NaN)),
    stride: 2,
    places: Int32Array.of(1),
  };
  const nothing = columnOfNothing();
  return {
    length,
    isMark: false,
    secs: Float64Array.from({ length }, (_, i) => i),
    nsecs: new Int32Array(length),
    columns: [{ ...nothing, block }, nothing],
  };
}

const NO_LABELS = () => Promise.resolve({ labels: [], instances: undefined });

async function written(range: OpenRange) {
  const pieces: Uint8Array[] = [];
  for await (const piece of writeArrow(range, NO_LABELS)) pieces.push(piece);
  const table = tableFromIPC(Buffer.concat(pieces), { useBigInt: true, useBigIntTimestamp: true });
  return { pieces, table };
}

it('looks at each column a few times, however many metrics there are', async () => {
  const many = Array.from({ length: 500 }, (_, i) => [MetricType.U32, `m${i}`] as const);
  const range = rangeOf([], many);
  const { columns } = await range.layOut();
  let looks = 0;
  const watched = columns.map((column) => ({
    ...column,
    get metric() {
      looks++;
      return column.metric;
    },
  }));
  const { table } = await written({
    ...range,
    layOut: () => Promise.resolve({ columns: watched }),
  } as unknown as OpenRange);
  expect(table.numCols).toBe(501);
  expect(looks).toBeLessThan(10 * columns.length);
});

it('splits long batches into record batches', async () => {
  const rows = 150_000;
  const valueAt = (row: number): number => (row % 2 === 0 ? -row : row * 2 ** 20);
  const { pieces, table } = await written(rangeOf([blockOf(rows, valueAt), rowsOf(rows, [[1n, 'end']])]));
  expect(pieces).toHaveLength(4);
  expect(table.numRows).toBe(rows + 1);
  const values = table.getChild('a').toArray() as BigInt64Array;
  expect(values.every((value, row) => row === rows || value === BigInt(valueAt(row)))).toBe(true);
  expect(table.getChild('b').nullCount).toBe(rows);
  expect(table.getChild('b').at(rows)).toBe('end');
});

it('keeps 64-bit integers, texts and gaps, and has a row of nulls at a mark', async () => {
  const wide = -(2n ** 63n) + 1n;
  const { table } = await written(
    rangeOf([
      rowsOf(1, [[wide, 'Ä']]),
      markAt({ sec: 2, nsec: 0 }),
      rowsOf(3, [
        [undefined, ''],
        [5n, undefined],
      ]),
    ]),
  );
  expect([...table.getChild('time')]).toEqual([1_000_000_007n, 2_000_000_000n, 3_000_000_007n, 4_000_000_007n]);
  expect([...table.getChild('a')]).toEqual([wide, null, null, 5n]);
  expect([...table.getChild('b')]).toEqual(['Ä', null, '', null]);
});
