import { LoopDelay } from '../../../src/http/overload/loop-delay.js';
import { ManualLoop } from '../../support/loop-timers.js';

function setUp(limitMs = 100) {
  const loop = new ManualLoop();
  return { loop, delay: new LoopDelay(limitMs, loop) };
}

/** Turn so many times, asking in each: what was answered. */
function turns({ loop, delay }: ReturnType<typeof setUp>, workMs: readonly number[]): boolean[] {
  return workMs.map((ms) => {
    const isLate = delay.check();
    loop.turn(ms);
    return isLate;
  });
}

describe('LoopDelay', () => {
  it('is late after three long turns in a row, and not after one', () => {
    const set = setUp();
    // A turn of 120 ms ends 100 ms after the timer was due.
    expect(turns(set, [120, 25, 25, 120, 120, 25, 25])).not.toContain(true);
    expect(turns(set, [120, 120, 120, 25])).toEqual([false, false, false, true]);
    expect(set.delay.delayMs).toBe(5);
  });

  it('is early again after two turns that are well below the limit', () => {
    const set = setUp();
    turns(set, [150, 150, 150]);
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
    expect(set.delay.check()).toBe(false);
  });

  it('takes another limit', () => {
    const set = setUp(1000);
    turns(set, [150, 150, 150]);
    expect(set.delay.check()).toBe(false);
    set.delay.limitMs = 50;
    turns(set, [150, 150, 150, 150]);
    expect(set.delay.check()).toBe(true);
  });
});
