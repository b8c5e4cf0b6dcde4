import { ByteAllowance } from '../../../../src/features/recorder/who/byte-allowance.js';

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1440;

it('spreads what may be written over the day', () => {
  let nowMs = 0;
  const allowance = new ByteAllowance(DAY_MINUTES * 100, () => nowMs);
  const written: number[] = [];
  for (let minute = 0; minute < DAY_MINUTES; minute++, nowMs += MINUTE_MS) {
    if (!allowance.isOpen()) continue;
    allowance.spend(1000);
    written.push(minute);
  }
  // A tenth of the samples, after those that an hour's savings allow.
  expect(written.slice(0, 7)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(written.length).toBeLessThanOrEqual(DAY_MINUTES / 10 + 7);
  expect(written.at(-1)).toBeGreaterThan(DAY_MINUTES - 15);
});

it('is open to who writes less', () => {
  let nowMs = 0;
  const allowance = new ByteAllowance(DAY_MINUTES * 100, () => nowMs);
  for (let minute = 0; minute < DAY_MINUTES; minute++, nowMs += MINUTE_MS) {
    expect(allowance.isOpen()).toBe(true);
    allowance.spend(100);
  }
});

it('leaves half of the savings to others', () => {
  let nowMs = 0;
  const allowance = new ByteAllowance(DAY_MINUTES * 100, () => nowMs);
  for (let minute = 0; minute < DAY_MINUTES; minute++, nowMs += MINUTE_MS) {
    if (allowance.isOpen(true)) allowance.spend(1000);
    expect(allowance.isOpen()).toBe(true);
    allowance.spend(50);
  }
  expect(allowance.isOpen(true)).toBe(false);
});
