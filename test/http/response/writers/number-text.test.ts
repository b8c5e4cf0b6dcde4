import fc from '../../../support/properties.js';
import { NumberText } from '../../../../src/http/response/writers/number-text.js';

const LARGE = 2 ** 31;

/** How often a piece is written before it is always written digit by digit, and a little more. */
const OFTEN = 110;

test('numbers are as JSON has them, and what is no number is null', () => {
  const number = fc.oneof(
    fc.double(),
    fc.maxSafeInteger(),
    fc.nat(),
    fc.integer({ min: 0, max: 17 }).chain((power) => fc.constantFrom(10 ** power - 1, 10 ** power, 10 ** power + 1)),
    fc.constantFrom(-0, LARGE, 2 ** 32, 2 ** 53 - 1, 2 ** 53, 2 ** 64, -1, 1e21, 5e-324, NaN, Infinity),
  );
  const compiled = new NumberText(100);
  for (let i = 0; i < OFTEN; i++) compiled.write([LARGE]);
  fc.assert(
    fc.property(fc.array(number), (numbers) => {
      expect(`[${new NumberText(100).write(numbers)}]`).toBe(JSON.stringify(numbers));
      expect(`[${compiled.write([LARGE, ...numbers])}]`).toBe(JSON.stringify([LARGE, ...numbers]));
    }),
  );
});

test('large integers are written as often as one likes', () => {
  const text = new NumberText(2);
  for (let i = 0; i < OFTEN; i++) {
    expect(text.write([1234567890123 + i, i])).toBe(`${1234567890123 + i},${i}`);
  }
});

test('no numbers have no text, and more than there is room for are refused', () => {
  const text = new NumberText(2);
  expect(text.write([])).toBe('');
  expect(() => text.write([1, 2, 3])).toThrow(RangeError);
});
