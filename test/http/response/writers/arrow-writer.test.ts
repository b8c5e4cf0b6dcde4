import { tableFromIPC } from '@uwdata/flechette';
import type { OpenRange } from '../../../../src/context/index.js';
import { layOutTable } from '../../../../src/context/range/index.js';
import type { RangeSample, SampleBlock } from '../../../../src/context/range/index.js';
import { writeArrow } from '../../../../src/http/response/writers/arrow-writer.js';
import {
  FetchResult,
  INDOM_NULL,
  INSTANCE_NULL,
  MetricType,
  Semantics,
  DIMENSIONLESS,
} from '../../../../src/pmapi/index.js';
import { InstanceProfile } from '../../../../src/sources/index.js';

const METRICS = [
  [MetricType.I64, 'a'],
  [MetricType.STRING, 'b'],
] as const;

/** A range of two metrics, whose samples come as these blocks and runs. */
function rangeOf(items: readonly (SampleBlock | readonly RangeSample[])[]): OpenRange {
  const metrics = METRICS.map(([type, name], i) => ({
    name,
    pmid: i + 1,
    descriptor: { pmid: i + 1, type, indom: INDOM_NULL, semantics: Semantics.INSTANT, units: DIMENSIONLESS },
  }));
  const tableSamples = {
    metrics,
    async *blocks() {
      for (const item of items) yield await Promise.resolve(item);
    },
  };
  const layOut = () => layOutTable(metrics, new InstanceProfile(), () => Promise.reject(new Error('no instances')));
  return { tableSamples, layOut } as unknown as OpenRange;
}

function sample(row: number, value: bigint | undefined, text: string | undefined, isMark = false): RangeSample {
  const result = new FetchResult();
  result.timestamp = { sec: row, nsec: 7 };
  result.resize(2);
  result.sets.forEach((set, i) => set.reset(i + 1, METRICS[i]![0]));
  if (value !== undefined) {
    result.sets[0]!.addInteger(INSTANCE_NULL, value);
  }
  if (text !== undefined) {
    result.sets[1]!.addText(INSTANCE_NULL, text);
  }
  return { isMark, result };
}

function block(length: number, valueAt: (row: number) => number): SampleBlock {
  return {
    length,
    secs: Float64Array.from({ length }, (_, i) => i),
    nsecs: new Int32Array(length),
    columns: [
      {
        type: MetricType.I64,
        instances: Int32Array.of(INSTANCE_NULL),
        numbers: Float64Array.from({ length: 2 * length }, (_, i) => (i % 2 === 1 ? valueAt((i - 1) / 2) : NaN)),
        stride: 2,
        places: Int32Array.of(1),
      },
      undefined,
    ],
  };
}

const NO_LABELS = () => Promise.resolve({ labels: [], instances: undefined });

async function written(range: OpenRange) {
  const pieces: Uint8Array[] = [];
  for await (const piece of writeArrow(range, NO_LABELS)) pieces.push(piece);
  const table = tableFromIPC(Buffer.concat(pieces), { useBigInt: true, useBigIntTimestamp: true });
  return { pieces, table };
}

it('splits long blocks and runs into record batches', async () => {
  const rows = 150_000;
  const valueAt = (row: number): number => (row % 2 === 0 ? -row : row * 2 ** 20);
  const { pieces, table } = await written(rangeOf([block(rows, valueAt), [sample(rows, 1n, 'end')]]));
  expect(pieces).toHaveLength(4);
  expect(table.numRows).toBe(rows + 1);
  const values = table.getChild('a')!.toArray() as BigInt64Array;
  expect(values.every((value, row) => row === rows || value === BigInt(valueAt(row)))).toBe(true);
  expect(table.getChild('b')!.nullCount).toBe(rows);
  expect(table.getChild('b')!.at(rows)).toBe('end');
});

it('keeps 64-bit integers, texts and gaps, and leaves marks out', async () => {
  const wide = -(2n ** 63n) + 1n;
  const { table } = await written(
    rangeOf([
      [sample(1, wide, 'Ä'), sample(2, undefined, undefined, true), sample(3, undefined, ''), sample(4, 5n, undefined)],
    ]),
  );
  expect([...table.getChild('time')!]).toEqual([1_000_000_007n, 3_000_000_007n, 4_000_000_007n]);
  expect([...table.getChild('a')!]).toEqual([wide, null, 5n]);
  expect([...table.getChild('b')!]).toEqual(['Ä', '', null]);
});
