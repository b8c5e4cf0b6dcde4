import type { EventNames, OpenRange } from '../../../src/context/index.js';
import type { RangeSamples } from '../../../src/context/range/index.js';
import { TableLayout } from '../../../src/context/range/table-layout.js';
import { PIECE_LENGTH } from '../../../src/http/answer.js';
import { FETCH_FORM } from '../../../src/http/writers/fetch-writer.js';
import { writeCsv, writeNdjson, writeRows } from '../../../src/http/writers/range-writer.js';
import { FetchResult, makeIndom, makePmid, MetricType } from '../../../src/pmapi/index.js';
import { descriptor } from '../../support/memory-gateway.js';

const INDOM = makeIndom(60, 1);
const PMID = makePmid(60, 0, 0);
const metrics = [{ name: 'wide', pmid: PMID, descriptor: descriptor(PMID, { indom: INDOM }) }];
const noNames = { learn: () => undefined, nameOf: () => undefined } as unknown as EventNames;

/** A range of two samples with so many instances. */
function rangeOf(instances: number): OpenRange {
  const samples: RangeSamples = {
    metrics,
    async *[Symbol.asyncIterator]() {
      // Scratch, as it may be: whoever asks for the second sample too early writes that twice.
      const result = new FetchResult();
      result.resize(1);
      for (const sec of [1, 2]) {
        await Promise.resolve();
        result.timestamp = { sec, nsec: 0 };
        result.sets[0]!.reset(PMID, MetricType.U32);
        for (let i = 0; i < instances; i++) result.sets[0]!.addNumber(i, sec * 1_000_000 + i);
        yield { isMark: false, result };
      }
    },
  };
  const layout = new TableLayout();
  layout.add(
    'wide',
    Array.from({ length: instances }, (_, id) => ({ id, name: `i${id}` })),
  );
  const layOut = () => Promise.resolve(layout);
  return { samples, tableSamples: samples, layOut, request: {} } as unknown as OpenRange;
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

/** Time and values of the samples in a text. */
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
