import { NumberColumn } from '../../../src/features/series/evaluation/number-column.js';
import { rows } from '../../support/rows.js';

const STALE = 0x7ff0000000000002n;

/** Times with their numbers; `stale` for a stale marker. */
function contents({ times, numbers }: NumberColumn): readonly (readonly [number, number | string])[] {
  const bits = new BigUint64Array(numbers.buffer);
  return [...times].map((time, i) => [time, bits[i] === STALE ? 'stale' : numbers[i]!]);
}

it('keeps numbers and markers however many there are', () => {
  const column = new NumberColumn();
  for (let i = 0; i < 1000; i++) {
    if (i % 10 === 9) column.end(i);
    else column.push(i, i / 4);
  }
  const expected = Array.from({ length: 1000 }, (_, i) => [i, i % 10 === 9 ? 'stale' : i / 4]);
  expect(contents(column)).toEqual(expected);
});

it('ends once, behind the last number, and not before the first', () => {
  const column = new NumberColumn();
  column.end(1);
  column.push(2, 20);
  column.end(2);
  column.end(5);
  expect(contents(column)).toEqual(rows([2, 20], [3, 'stale']));
});

it('sorts what archives that overlap give: the later one counts', () => {
  const column = new NumberColumn();
  for (const time of [10, 20, 30]) column.push(time, time);
  column.beginArchive();
  for (const time of [15, 20, 40]) column.push(time, -time);
  column.end(50);
  column.sort();
  expect(contents(column)).toEqual(rows([10, 10], [15, -15], [20, -20], [30, 30], [40, -40], [50, 'stale']));
});

it('takes the later of two numbers at one time', () => {
  const column = new NumberColumn();
  column.push(1, 10);
  column.push(1, 11);
  expect(contents(column)).toEqual([[1, 11]]);
});
