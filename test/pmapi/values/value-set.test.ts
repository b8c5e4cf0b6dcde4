import fc from '../../support/properties.js';
import { Column, MetricType } from '../../../src/pmapi/index.js';

describe('Column', () => {
  const small = fc.bigInt({ min: -(2n ** 53n), max: 2n ** 53n });

  it.each([
    [MetricType.I64, -(2n ** 63n), 2n ** 63n - 1n],
    [MetricType.U64, 0n, 2n ** 64n - 1n],
  ])('gives back every integer of type %d, in whatever order small and large ones come', (type, min, max) => {
    const value = fc.oneof(small, fc.bigInt({ min, max })).filter((n) => n >= min);
    fc.assert(
      fc.property(fc.array(value, { maxLength: 40 }), (values) => {
        const column = new Column();
        column.reset(type);
        for (const n of values) {
          // Some sources push exact numbers, others push bigints.
          if (Number.isSafeInteger(Number(n)) && n % 2n === 0n) column.pushNumber(Number(n));
          else column.pushInteger(n);
        }
        expect(column.length).toBe(values.length);
        expect(values.map((_, i) => column.integerAt(i))).toEqual(values);
        expect([...column.numbers.subarray(0, values.length)]).toEqual(values.map(Number));
      }),
    );
  });

  it('has a wide lane just when a number is not exact', () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })), (values) => {
        const column = new Column();
        column.reset(MetricType.I64);
        for (const n of values) column.pushInteger(n);
        expect(column.wide !== undefined).toBe(values.some((n) => !Number.isSafeInteger(Number(n))));
      }),
    );
  });

  it('forgets everything when it is reset', () => {
    const column = new Column();
    column.reset(MetricType.U64);
    column.pushInteger(2n ** 63n);
    column.reset(MetricType.U64);
    expect([column.length, column.wide]).toEqual([0, undefined]);
    column.pushNumber(1);
    expect(column.integerAt(0)).toBe(1n);
    column.reset(MetricType.STRING);
    column.pushText('a');
    column.reset(MetricType.AGGREGATE);
    column.pushBytes(Uint8Array.of(1));
    expect([column.texts, column.bytes, column.length]).toEqual([[], [Uint8Array.of(1)], 1]);
  });

  it('keeps its values when room is made for more', () => {
    const column = new Column();
    column.reset(MetricType.U64);
    column.pushInteger(2n ** 64n - 1n);
    column.reserve(1000);
    expect(column.numbers.length).toBeGreaterThanOrEqual(1000);
    expect(column.wide!.length).toBe(column.numbers.length);
    expect(column.integerAt(0)).toBe(2n ** 64n - 1n);
  });
});
