import fc from '../../../support/properties.js';
import {
  FetchResult,
  INDOM_NULL,
  INSTANCE_NULL,
  makeIndom,
  makePmid,
  MetricType,
  PM_ERR,
} from '../../../../src/pmapi/index.js';
import type { PlanEntry } from '../../../../src/context/index.js';
import { PIECE_LENGTH } from '../../../../src/http/response/answer.js';
import { FETCH_FORM, writeFetch, writeFetchInPieces } from '../../../../src/http/response/writers/fetch-writer.js';
import { textOfBytes } from '../../../../src/http/response/writers/event-writer.js';
import type { PlanEntries } from '../../../../src/http/response/writers/fetch-writer.js';
import { descriptor } from '../../../support/memory-gateway.js';

interface Metric {
  readonly type: MetricType;
  readonly name: string;
  readonly indom: number;
  readonly values: readonly (readonly [instance: number, value: number | bigint | string])[];
}

function fetched(metrics: readonly Metric[], sec = 1, nsec = 2): { plan: PlanEntries; result: FetchResult } {
  const result = new FetchResult();
  result.timestamp = { sec, nsec };
  result.resize(metrics.length);
  const entries = metrics.map(({ type, name, indom, values }, i): PlanEntry => {
    const pmid = makePmid(60, 0, i);
    const set = result.sets[i]!;
    set.reset(pmid, type);
    for (const [instance, value] of values) {
      if (typeof value === 'string') set.addText(instance, value);
      else if (typeof value === 'bigint') set.addInteger(instance, value);
      else set.addNumber(instance, value);
    }
    return { name, pmid, descriptor: descriptor(pmid, { type, indom }) };
  });
  return { plan: { entries }, result };
}

const write = (metrics: readonly Metric[], sec?: number, nsec?: number): string => {
  const { plan, result } = fetched(metrics, sec, nsec);
  return writeFetch('{"context":1', plan, result, FETCH_FORM, []);
};

const one = (type: MetricType, value: number | bigint | string): string =>
  /"value":(.*)\}\]\}\]\}$/s.exec(
    write([{ type, name: 'a', indom: INDOM_NULL, values: [[INSTANCE_NULL, value]] }]),
  )![1]!;

const lane = (type: MetricType, value: fc.Arbitrary<number | bigint | string>): fc.Arbitrary<Metric> =>
  fc.record({
    type: fc.constant(type),
    name: fc.string(),
    indom: fc.constant(makeIndom(60, 1)),
    values: fc.array(fc.tuple(fc.integer({ min: 0, max: 0x7fffffff }), value), { maxLength: 5 }),
  });

const anyMetric = fc.oneof(
  lane(MetricType.I32, fc.integer({ min: -0x80000000, max: 0x7fffffff })),
  lane(MetricType.U32, fc.integer({ min: 0, max: 0xffffffff })),
  lane(MetricType.I64, fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
  lane(MetricType.U64, fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })),
  lane(MetricType.FLOAT, fc.float()),
  lane(MetricType.DOUBLE, fc.double()),
  lane(MetricType.STRING, fc.string({ unit: 'binary' })),
);

describe('textOfBytes', () => {
  it('leaves out the NULs at the end, and looks at each byte once', () => {
    expect(textOfBytes(Buffer.from('a\0b\0\0'))).toBe('a\0b');
    expect(textOfBytes(Buffer.from('\0'))).toBe('');
    const long = `${'\0'.repeat(1_000_000)}x`;
    expect(textOfBytes(Buffer.from(long)) === long).toBe(true);
  });
});

describe('writeFetch', () => {
  it('writes JSON whose every value is the one that was fetched', () => {
    fc.assert(
      fc.property(fc.array(anyMetric, { maxLength: 6 }), fc.nat(4e9), fc.nat(999_999_999), (metrics, sec, nsec) => {
        const text = write(metrics, sec, nsec);
        const parsed = JSON.parse(text) as {
          values: { name: string; instances: { instance: number; value: unknown }[] }[];
        };
        expect(parsed.values.map(({ name }) => name)).toEqual(metrics.map(({ name }) => name));
        expect(text).toContain(`"timestamp":${sec}.${String(nsec).padStart(9, '0')},`);
        metrics.forEach(({ values, type }, i) => {
          const { instances } = parsed.values[i]!;
          expect(instances.map(({ instance }) => instance)).toEqual(values.map(([instance]) => instance));
          values.forEach(([, value], k) => {
            const read = instances[k]!.value;
            if (typeof value === 'bigint') expect(read).toBe(Number(value));
            else if (typeof value === 'number' && !Number.isFinite(value)) expect(read).toBeNull();
            else if (type === MetricType.FLOAT) expect(Math.fround(read as number)).toBe(value === 0 ? 0 : value);
            else expect(read).toBe(value === 0 ? 0 : value);
          });
        });
      }),
    );
  });

  it.each<[MetricType, number, string]>([
    [MetricType.FLOAT, Math.fround(0.51), '0.51'],
    [MetricType.FLOAT, Math.fround(2.06), '2.06'],
    [MetricType.FLOAT, Math.fround(16_777_216), '16777216'],
    [MetricType.DOUBLE, 0.1 + 0.2, '0.30000000000000004'],
    [MetricType.DOUBLE, 1e300, '1e+300'],
    [MetricType.DOUBLE, Number.NaN, 'null'],
    [MetricType.FLOAT, Infinity, 'null'],
  ])('writes a number of type %d, %d, as %s', (type, value, expected) => {
    expect(one(type, value)).toBe(expected);
  });

  it('forgets nothing and keeps nothing from one fetch of a plan to the next', () => {
    const { plan, result } = fetched([{ type: MetricType.U32, name: 'a', indom: INDOM_NULL, values: [[-1, 1]] }]);
    const first = writeFetch('{"context":1', plan, result, FETCH_FORM, []);
    result.sets[0]!.reset(plan.entries[0]!.pmid, MetricType.U32);
    result.sets[0]!.setNumber(2);
    expect(writeFetch('{"context":1', plan, result, FETCH_FORM, [])).toBe(first.replace('"value":1', '"value":2'));
  });
});

describe('writeFetchInPieces', () => {
  const inPieces = (metrics: readonly Metric[]): readonly string[] => {
    const { plan, result } = fetched(metrics);
    return [...writeFetchInPieces('{"context":1', plan, result, FETCH_FORM, [])];
  };

  it('gives what writeFetch gives, whatever the metrics', () => {
    fc.assert(
      fc.property(fc.array(anyMetric), (metrics) => {
        expect(inPieces(metrics).join('')).toBe(write(metrics));
      }),
    );
  });

  it.each([
    ['of one metric', 1, 20_000],
    ['of many metrics', 5000, 1],
  ])('divides the values %s', (_, count, instances) => {
    const metrics = Array.from({ length: count }, (_, m) => ({
      type: MetricType.U32,
      name: `metric${m}`,
      indom: makeIndom(60, 1),
      values: Array.from({ length: instances }, (_, i) => [i, i] as const),
    }));
    const pieces = inPieces(metrics);
    expect(pieces.join('')).toBe(write(metrics));
    for (const { length } of pieces) expect(length).toBeLessThan(1.25 * PIECE_LENGTH);
  });

  it('tells what failed in its last piece', () => {
    const { plan, result } = fetched([{ type: MetricType.U32, name: 'a', indom: INDOM_NULL, values: [] }]);
    result.sets[0]!.fail(PM_ERR.PERMISSION);
    const pieces = [...writeFetchInPieces('{', plan, result, FETCH_FORM, [])];
    expect(pieces.join('')).toBe(writeFetch('{', plan, result, FETCH_FORM, []));
    expect(pieces.join('')).toContain('"warnings":[{"name":"a"');
  });
});
