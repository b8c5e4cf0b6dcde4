import { RowBatch } from '../../../../src/sources/index.js';
import type { EventNames, OpenRange } from '../../../../src/context/index.js';
import { DamageLog } from '../../../../src/context/open-range.js';
import type { RangeSamples } from '../../../../src/context/range/index.js';
import { TableLayout } from '../../../../src/context/range/table-layout.js';
import { PIECE_LENGTH } from '../../../../src/http/response/answer.js';
import { FETCH_FORM } from '../../../../src/http/response/writers/fetch-writer.js';
import { writeColumns, writeCsv, writeNdjson, writeRows } from '../../../../src/http/response/writers/range-writer.js';
import { INSTANCE_NULL, makeIndom, makePmid, MetricType } from '../../../../src/pmapi/index.js';
import { descriptor } from '../../../support/memory-gateway.js';

const INDOM = makeIndom(60, 1);
const PMID = makePmid(60, 0, 0);
const metrics = [{ name: 'wide', pmid: PMID, descriptor: descriptor(PMID, { indom: INDOM }) }];
const noNames = { learn: () => undefined, get: () => undefined } as unknown as EventNames;

function rangeOf(instances: number): OpenRange {
  const samples: RangeSamples = {
    metrics,
    async *batches() {
      // Scratch, as it may be: whoever asks for the second sample too early writes that twice.
      const batch = new RowBatch(1);
      for (const sec of [1, 2]) {
        await Promise.resolve();
        batch.clear();
        const result = batch.next;
        result.resize(1);
        result.timestamp = { sec, nsec: 0 };
        result.sets[0]!.reset(PMID, MetricType.U32);
        for (let i = 0; i < instances; i++) result.sets[0]!.addNumber(i, sec * 1_000_000 + i);
        batch.push();
        yield batch;
      }
    },
  };
  const layout = new TableLayout();
  layout.add(
    'wide',
    Array.from({ length: instances }, (_, id) => ({ id, name: `i${id}` })),
  );
  const layOut = () => Promise.resolve(layout);
  return { samples, tableSamples: samples, layOut, request: {}, damage: new DamageLog() } as unknown as OpenRange;
}

const FORMS: Readonly<Record<string, (range: OpenRange) => AsyncIterable<string>>> = {
  rows: (range) => writeRows('{"context":1', range, [], FETCH_FORM, noNames),
  ndjson: (range) => writeNdjson(range, FETCH_FORM, noNames),
  csv: (range) => writeCsv(range, 'epoch'),
};

async function piecesOf(form: string, instances: number): Promise<readonly string[]> {
  const pieces = [];
  for await (const piece of FORMS[form]!(rangeOf(instances))) pieces.push(piece);
  return pieces;
}

interface Sample {
  readonly timestamp: number;
  readonly values: readonly { readonly instances: readonly { readonly instance: number; readonly value: number }[] }[];
}

function samplesIn(form: string, text: string): readonly (readonly number[])[] {
  if (form === 'csv')
    return text
      .trim()
      .split('\r\n')
      .slice(1)
      .map((line) => line.split(',').map(Number));
  const samples =
    form === 'rows'
      ? (JSON.parse(text) as { samples: Sample[] }).samples
      : text
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line) as Sample);
  return samples.map(({ timestamp, values }) => [timestamp, ...values[0]!.instances.map(({ value }) => value)]);
}

describe.each(Object.keys(FORMS))('a range as %s', (form) => {
  it.each([3, 20_000])('holds every value of samples with %i instances', async (instances) => {
    const text = (await piecesOf(form, instances)).join('');
    const expected = [1, 2].map((sec) => [sec, ...Array.from({ length: instances }, (_, i) => sec * 1_000_000 + i)]);
    expect(samplesIn(form, text)).toEqual(expected);
  });

  it('is written in small pieces where samples are wide, and a sample at once where they are not', async () => {
    const [, ...wide] = await piecesOf(form, 20_000);
    expect(Math.max(...wide.map(({ length }) => length))).toBeLessThan(PIECE_LENGTH + 4096);
    expect((await piecesOf(form, 3)).length).toBeLessThanOrEqual(4);
  });
});

describe('a range as columns', () => {
  const ROWS = 1500;

  /** What stands behind `"values":` in the columns of a metric that has the values of `at` in each row, and none where that is undefined. */
  async function valuesOf(type: MetricType, at: (row: number) => number | bigint | undefined): Promise<string> {
    const samples: RangeSamples = {
      metrics: [{ name: 'm', pmid: PMID, descriptor: descriptor(PMID, { type }) }],
      async *batches() {
        const batch = new RowBatch(1);
        for (let row = 0; row < ROWS; row++) {
          await Promise.resolve();
          batch.clear();
          const result = batch.next;
          result.resize(1);
          const set = result.sets[0]!;
          const value = at(row);
          result.timestamp = { sec: row, nsec: 0 };
          set.reset(PMID, type);
          if (typeof value === 'bigint') set.addInteger(INSTANCE_NULL, value);
          else if (value !== undefined) set.addNumber(INSTANCE_NULL, value);
          batch.push();
          yield batch;
        }
      },
    };
    const range = { samples, tableSamples: samples, request: {}, damage: new DamageLog() } as unknown as OpenRange;
    let text = '';
    for await (const piece of writeColumns('{"context":1', range, [], undefined, FETCH_FORM)) text += piece;
    return /"values":(.*?])/.exec(text)![1]!;
  }

  const isMissing = (row: number): boolean => row % 7 === 3 || row >= ROWS - 2;

  it.each([
    [MetricType.I32, (row: number) => row - 20],
    [MetricType.U32, (row: number) => 2 ** 32 - 1 - row],
    [MetricType.I64, (row: number) => (row % 2 === 0 ? -1 : 1) * (2 ** 40 + row)],
    [MetricType.U64, (row: number) => 2 ** 53 - 1 - row],
    [MetricType.U64, (row: number) => row],
    [MetricType.DOUBLE, (row: number) => Math.sin(row) * 10 ** ((row % 60) - 30)],
    [MetricType.DOUBLE, (row: number) => [NaN, Infinity, -Infinity, -0, 5e-324, 1e21][row % 6]!],
    [MetricType.FLOAT, (row: number) => Math.fround(row / 8)],
  ])('has the numbers of type %i as JSON does, and null where there is none', async (type, number) => {
    const values = Array.from({ length: ROWS }, (_, row) => (isMissing(row) ? undefined : number(row)));
    // An array's undefined is null in JSON, too.
    expect(await valuesOf(type, (row) => values[row])).toBe(JSON.stringify(values));
  });

  it('has every digit of 64-bit integers', async () => {
    const first = 2n ** 64n - 1n;
    const values = Array.from({ length: ROWS }, (_, row) => (isMissing(row) ? 'null' : String(first - BigInt(row))));
    const text = await valuesOf(MetricType.U64, (row) => (isMissing(row) ? undefined : first - BigInt(row)));
    expect(text).toBe(`[${values.join(',')}]`);
  });
});
