import fc from 'fast-check';
import { NumberText } from '../../../src/http/writers/number-text.js';

const PRESENT = (): boolean => false;

function textOf(numbers: readonly number[], isMissing: (row: number) => boolean = PRESENT): string {
  return new NumberText(numbers.length).write(Float64Array.from(numbers), 0, numbers.length, isMissing);
}

test('numbers are as JSON has them', () => {
  const number = fc.oneof(
    fc.double(),
    fc.maxSafeInteger(),
    fc.nat(),
    fc.integer({ min: 0, max: 17 }).chain((power) => fc.constantFrom(10 ** power - 1, 10 ** power, 10 ** power + 1)),
    fc.constantFrom(-0, 2 ** 31, 2 ** 32, 2 ** 53 - 1, 2 ** 53, 2 ** 64, -1, 1e21, 5e-324),
  );
  fc.assert(
    fc.property(fc.array(number, { minLength: 1 }), (numbers) => {
      expect(`[${textOf(numbers).slice(1)}]`).toBe(JSON.stringify(numbers));
    }),
  );
});

test('what is missing is null, whatever stands in its place', () => {
  expect(textOf([0, 1, NaN, 3.5], (row) => row !== 1)).toBe(',null,1,null,null');
});

test('a part is written as often as one likes', () => {
  const text = new NumberText(2);
  const numbers = Float64Array.of(1234567890123, 5, -7);
  expect(text.write(numbers, 0, 2, PRESENT)).toBe(',1234567890123,5');
  expect(text.write(numbers, 2, 3, PRESENT)).toBe(',-7');
  expect(() => text.write(numbers, 0, 3, PRESENT)).toThrow(RangeError);
});
