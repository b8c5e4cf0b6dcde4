import fc from 'fast-check';
import { extractValue, MetricType, PM_ERR, PmError } from '../../../src/pmapi/index.js';
import type { AtomValue } from '../../../src/pmapi/index.js';

const { I32, U32, I64, U64, FLOAT, DOUBLE, STRING, AGGREGATE, AGGREGATE_STATIC, EVENT } = MetricType;

describe('extractValue', () => {
  it.each<[MetricType, AtomValue, MetricType, AtomValue]>([
    [I32, -1, I64, -1n],
    [I32, -1, DOUBLE, -1],
    [U32, 4_294_967_295, U64, 4_294_967_295n],
    [U32, 4_294_967_295, FLOAT, 4_294_967_296],
    [I64, 2n ** 53n + 1n, U64, 2n ** 53n + 1n],
    [U64, 2n ** 60n + 1n, DOUBLE, 2 ** 60],
    [U64, 2n ** 63n, U64, 2n ** 63n],
    [U64, 5, I32, 5],
    [I64, 2n ** 54n + 2n ** 30n + 1n, FLOAT, 2 ** 54 + 2 ** 31],
    [I64, -(2n ** 54n + 2n ** 30n + 1n), FLOAT, -(2 ** 54 + 2 ** 31)],
    [I64, 2n ** 54n + 2n ** 31n + 2n ** 30n - 1n, FLOAT, 2 ** 54 + 2 ** 31],
    [I64, 2n ** 54n + 2n ** 30n, FLOAT, 2 ** 54],
    [I64, -(2n ** 63n), FLOAT, -(2 ** 63)],
    [FLOAT, 1.9, I32, 1],
    [FLOAT, -1.9, I32, -1],
    [FLOAT, -0.5, I64, 0n],
    [FLOAT, -0, U32, 0],
    [DOUBLE, 3e9, U32, 3_000_000_000],
    [DOUBLE, 2_147_483_647.5, I32, 2_147_483_647],
    [DOUBLE, -2_147_483_648.5, I32, -2_147_483_648],
    [DOUBLE, 18_446_744_073_709_549_568, U64, 18_446_744_073_709_549_568n],
    [DOUBLE, 1e300, FLOAT, Infinity],
    [DOUBLE, NaN, DOUBLE, NaN],
    [STRING, 'abc', STRING, 'abc'],
    [AGGREGATE, Uint8Array.of(1), AGGREGATE, Uint8Array.of(1)],
  ])('of type %d: %s as type %d is %s', (from, value, to, expected) => {
    expect(extractValue(value, from, to)).toEqual(expected);
  });

  it.each<[MetricType, AtomValue, MetricType, number]>([
    [I32, -1, U32, PM_ERR.SIGN],
    [I32, -1, U64, PM_ERR.SIGN],
    [I64, -1n, U64, PM_ERR.SIGN],
    [FLOAT, -0.5, U32, PM_ERR.SIGN],
    [DOUBLE, -Infinity, U64, PM_ERR.SIGN],
    [U32, 4_000_000_000, I32, PM_ERR.TRUNC],
    [I64, 2n ** 31n, I32, PM_ERR.TRUNC],
    [I64, -(2n ** 31n) - 1n, I32, PM_ERR.TRUNC],
    [I64, 2n ** 32n, U32, PM_ERR.TRUNC],
    [U64, 2n ** 63n, I64, PM_ERR.TRUNC],
    [DOUBLE, 3e9, I32, PM_ERR.TRUNC],
    [DOUBLE, 1e20, I64, PM_ERR.TRUNC],
    [DOUBLE, -1e20, I64, PM_ERR.TRUNC],
    [DOUBLE, NaN, I32, PM_ERR.TRUNC],
    [FLOAT, Infinity, U64, PM_ERR.TRUNC],
    [STRING, '5', I32, PM_ERR.CONV],
    [I32, 5, STRING, PM_ERR.CONV],
    [I32, 5, AGGREGATE, PM_ERR.CONV],
    [AGGREGATE, Uint8Array.of(1), STRING, PM_ERR.CONV],
    [AGGREGATE_STATIC, Uint8Array.of(1), AGGREGATE_STATIC, PM_ERR.CONV],
    [EVENT, Uint8Array.of(1), EVENT, PM_ERR.CONV],
  ])('of type %d: %s as type %d is error %d', (from, value, to, pmErr) => {
    expect(() => extractValue(value, from, to)).toThrow(new PmError(pmErr));
  });

  it('keeps every 64-bit integer that fits', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }), (value) => {
        expect(extractValue(extractValue(value, U64, I64), I64, U64)).toBe(value);
      }),
    );
  });

  it('rounds 64-bit integers to the nearest float, halves to even', () => {
    const floatBits = (value: number): number => new Uint32Array(Float32Array.of(value).buffer)[0]!;
    const fromBits = (bits: number): number => new Float32Array(Uint32Array.of(bits).buffer)[0]!;
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 2n ** 63n - 1n }), (value) => {
        const rounded = extractValue(value, I64, FLOAT) as number;
        const error = (float: number): bigint => {
          const distance = BigInt(float) - value;
          return distance < 0n ? -distance : distance;
        };
        const bits = floatBits(rounded);
        for (const neighbour of [fromBits(bits - 1), fromBits(bits + 1)]) {
          if (!Number.isInteger(neighbour)) continue;
          expect(error(rounded) < error(neighbour) || (error(rounded) === error(neighbour) && bits % 2 === 0)).toBe(
            true,
          );
        }
      }),
    );
  });
});
