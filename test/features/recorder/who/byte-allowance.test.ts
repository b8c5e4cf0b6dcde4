import { shareAllowance } from '../../../../src/features/recorder/who/byte-allowance.js';

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1440;
/** 100 bytes a minute. */
const BYTES_PER_DAY = DAY_MINUTES * 100;

/** The minutes of a day in which each of some wrote, of which one wants to write so many bytes in every minute. */
function minutesOf(...wanted: readonly number[]): readonly (readonly number[])[] {
  let nowMs = 0;
  const allowances = shareAllowance(BYTES_PER_DAY, wanted.length, () => nowMs);
  const written = wanted.map((): number[] => []);
  for (let minute = 0; minute < DAY_MINUTES; minute++, nowMs += MINUTE_MS) {
    for (const [i, bytes] of wanted.entries()) {
      if (!allowances[i]!.isOpen()) continue;
      allowances[i]!.spend(bytes);
      written[i]!.push(minute);
    }
  }
  return written;
}

it('spreads what may be written over the day', () => {
  const [written = []] = minutesOf(1000);
  // A tenth of the samples, after those that an hour's savings allow.
  expect(written.slice(0, 7)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(written.length).toBeLessThanOrEqual(DAY_MINUTES / 10 + 7);
  expect(written.at(-1)).toBeGreaterThan(DAY_MINUTES - 15);
});

it('is open to who writes less', () => {
  expect(minutesOf(100)[0]).toHaveLength(DAY_MINUTES);
});

it('gives each a share, however much the other would write', () => {
  for (const [greedy, modest] of [minutesOf(1000, 50), [...minutesOf(50, 1000)].reverse()]) {
    expect(modest).toHaveLength(DAY_MINUTES);
    expect(greedy!.length * 1000).toBeGreaterThan(0.45 * BYTES_PER_DAY);
  }
  const [one = [], other = []] = minutesOf(1000, 1000);
  expect(Math.abs(one.length - other.length)).toBeLessThanOrEqual(1);
  expect(one.at(-1)).toBeGreaterThan(DAY_MINUTES - 25);
});

it('gives one what the other does not need', () => {
  for (const [greedy, modest] of [minutesOf(1000, 10), [...minutesOf(10, 1000)].reverse()]) {
    expect(modest).toHaveLength(DAY_MINUTES);
    expect(greedy!.length * 1000).toBeGreaterThan(0.85 * BYTES_PER_DAY);
  }
});
