import fc from '../../support/properties.js';
import { MetricType, ValueSet } from '../../../src/pmapi/index.js';
import { ByteScanner } from '../../../src/sources/linux/proc-files.js';
import { addInteger, addNumber, NumberGrid } from '../../../src/sources/linux/sample.js';
import { rows } from '../../support/rows.js';

function gridOf(...numbers: readonly bigint[]): NumberGrid {
  const scanner = new ByteScanner();
  const bytes = Buffer.from(numbers.join(' '));
  scanner.start(bytes, bytes.length);
  const grid = new NumberGrid(numbers.length);
  grid.storeLine(grid.addRow(), 0, numbers.length, scanner);
  return grid;
}

function emitted(type: MetricType, emit: (set: ValueSet) => void): bigint {
  const set = new ValueSet();
  set.reset(1, type);
  emit(set);
  expect(set.status).toBe(1);
  return set.column.integerAt(0);
}

const u64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });

describe('NumberGrid', () => {
  it('emits sums, multiples and quotients as C computes them in 64 and 32 bits', () => {
    fc.assert(
      fc.property(u64, u64, fc.constantFrom(1, 2, 10, 1024), fc.constantFrom(1, 2, 3), (a, b, multiplier, divisor) => {
        const grid = gridOf(a, b);
        for (const [type, bits] of rows([MetricType.U64, 64], [MetricType.U32, 32])) {
          const one = emitted(type, (set) => grid.emit(set, 0, 0, 0, multiplier, divisor));
          expect(one).toBe(BigInt.asUintN(bits, (a * BigInt(multiplier)) / BigInt(divisor)));
          const sum = emitted(type, (set) => grid.emitSum(set, 0, 0, 0, 1, 1, multiplier, divisor));
          expect(sum).toBe(BigInt.asUintN(bits, ((a + b) * BigInt(multiplier)) / BigInt(divisor)));
          const rest = emitted(type, (set) => grid.emitSum(set, 0, 0, 0, 1, -1, multiplier, divisor));
          const difference = a > b ? a - b : 0n;
          expect(rest).toBe(BigInt.asUintN(bits, (difference * BigInt(multiplier)) / BigInt(divisor)));
        }
      }),
    );
  });

  it('emits nothing for an absent cell, and takes an absent term for 0', () => {
    const grid = new NumberGrid(2);
    grid.clear(1);
    grid.set(0, 0, 5);
    const set = new ValueSet();
    set.reset(1, MetricType.U64);
    grid.emit(set, 0, 0, 1);
    grid.emitSum(set, 0, 0, 1, 0);
    expect(set.status).toBe(0);
    grid.emitSum(set, 0, 0, 0, 1);
    expect(set.column.numbers[0]).toBe(5);
  });
});

describe('addNumber and addInteger', () => {
  it.each([
    [MetricType.U32, 2 ** 32 + 5, 5],
    [MetricType.U32, -1, 4294967295],
    [MetricType.I32, 2 ** 31, -(2 ** 31)],
    [MetricType.FLOAT, 0.1, Math.fround(0.1)],
    [MetricType.FLOAT, 1e300, (2 - 2 ** -23) * 2 ** 127],
    [MetricType.DOUBLE, 0.1, 0.1],
    [MetricType.U64, 2 ** 52, 2 ** 52],
  ])('type %i takes %d as %d', (type, value, expected) => {
    const set = new ValueSet();
    set.reset(1, type);
    addNumber(set, 0, value);
    if (Number.isSafeInteger(value)) addInteger(set, 1, BigInt(value));
    expect([...set.column.numbers.subarray(0, set.status)]).toEqual(
      Number.isSafeInteger(value) ? [expected, expected] : [expected],
    );
  });

  it('wrap what is below 0 alike', () => {
    expect(emitted(MetricType.U64, (set) => addNumber(set, 0, -4))).toBe(2n ** 64n - 4n);
    expect(emitted(MetricType.U64, (set) => addInteger(set, 0, -4n))).toBe(2n ** 64n - 4n);
    expect(emitted(MetricType.I64, (set) => addNumber(set, 0, -4))).toBe(-4n);
  });

  it('refuses a number for a text metric', () => {
    const set = new ValueSet();
    set.reset(1, MetricType.STRING);
    expect(() => addNumber(set, 0, 1)).toThrow('type 6');
  });
});
