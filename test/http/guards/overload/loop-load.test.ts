import { LoopLoad, systemLoopTimers } from '../../../../src/http/guards/overload/overload-guard.js';
import { ManualLoop } from '../../../support/loop-timers.js';

function setUp(limitMs = 100) {
  const loop = new ManualLoop();
  const samples: number[] = [];
  return { loop, samples, delay: new LoopLoad(limitMs, loop, (ms) => samples.push(ms)) };
}

/** Turn so many times, asking in each: what was answered. */
function turns({ loop, delay }: ReturnType<typeof setUp>, workMs: readonly number[]): boolean[] {
  return workMs.map((ms) => {
    delay.keepMeasuring();
    const { isLate } = delay;
    loop.turn(ms);
    return isLate;
  });
}

describe('LoopLoad', () => {
  it('is late after long turns for three tenths of a second, and not after one', () => {
    const set = setUp();
    // A turn of 120 ms ends 100 ms after the timer was due.
    expect(turns(set, [120, 25, 25, 120, 120, 25, 25])).not.toContain(true);
    expect(turns(set, [120, 120, 120, 25])).toEqual([false, false, false, true]);
    expect(set.delay.delayMs).toBe(5);
  });

  it('is early again after two turns that are well below the limit', () => {
    const set = setUp();
    turns(set, [150, 150]);
    expect(turns(set, [90, 90, 60, 90, 60, 60, 60])).toEqual([true, true, true, true, true, true, false]);
  });

  it('rests while nobody asks, but never on a verdict of being late', () => {
    const set = setUp();
    expect(set.loop.pending).toBe(0);
    turns(set, [30]);
    set.loop.turn(30);
    set.loop.turn(30);
    expect(set.loop.pending).toBe(0);
    turns(set, [150, 150, 150]);
    for (let i = 0; i < 3; i++) set.loop.turn(30);
    expect(set.delay.isLate).toBe(false);
  });

  it('is busy after a tenth of a second without rest, though no sample is late, and is not after two with some', () => {
    const { loop, delay, samples } = setUp();
    const shares = [1, 1, 0.5, 1, 1, 1, 1, 1, 0.95, 0.95, 0.8, 0.95, 0.8, 0.8, 0.8];
    const verdicts = shares.map((share) => {
      delay.keepMeasuring();
      loop.turn(20, () => undefined, share);
      return delay.isBusy;
    });
    expect(verdicts.indexOf(true)).toBe(7);
    expect(verdicts.lastIndexOf(true)).toBe(12);
    expect(delay.isLate).toBe(false);
    expect(samples).toEqual(Array(15).fill(20));
  });

  it('takes another limit', () => {
    const set = setUp(1000);
    turns(set, [150, 150, 150]);
    expect(set.delay.isLate).toBe(false);
    set.delay.limitMs = 50;
    turns(set, [150, 150, 150, 150]);
    expect(set.delay.isLate).toBe(true);
  });
});

describe('systemLoopTimers', () => {
  it('gives every turn of the event loop a number of its own', async () => {
    const afterTurn = (): Promise<void> => new Promise((resolve) => systemLoopTimers.afterTurn(resolve));
    await afterTurn();
    const number = systemLoopTimers.turnNumber();
    await Promise.resolve();
    expect(systemLoopTimers.turnNumber()).toBe(number);
    await afterTurn();
    expect(systemLoopTimers.turnNumber()).toBe(number + 1);
  });
});
