import { OverloadGuard } from '../../../src/http/overload/overload-guard.js';
import { GatewayError } from '../../../src/pmapi/index.js';
import { ManualLoop } from '../../support/loop-timers.js';

function setUp(limits: { requests?: number; ranges?: number; loopDelayMs?: number } = {}) {
  const loop = new ManualLoop();
  const guard = new OverloadGuard({ requests: 4, ranges: 1, loopDelayMs: 100, ...limits }, loop);
  const enter = (cost: 'none' | 'usual' | 'costly' = 'usual'): string => {
    try {
      guard.enter(cost);
      return 'in';
    } catch (error) {
      return (error as GatewayError).code;
    }
  };
  return { loop, guard, enter };
}

/** Make the event loop late. */
function delay({ loop, enter, guard }: ReturnType<typeof setUp>): void {
  for (let i = 0; i < 4; i++) {
    loop.turn(200, () => {
      if (enter('usual') === 'in') guard.leave();
    });
  }
}

describe('OverloadGuard', () => {
  it('takes so many requests on at once, half of them costly, and probes always', () => {
    const { guard, enter } = setUp();
    expect(
      ['costly', 'costly', 'costly', 'usual', 'usual', 'usual', 'none'].map((cost) => enter(cost as 'none')),
    ).toEqual(['in', 'in', 'OVERLOADED', 'in', 'in', 'OVERLOADED', 'in']);
    expect([guard.underWay, guard.statistics.full]).toEqual([5, 2]);
    guard.leave();
    guard.leave();
    expect(enter()).toBe('in');
  });

  it('says when to come back: not all at once', () => {
    const { guard } = setUp({ requests: 1 });
    guard.enter('usual');
    const times = Array.from({ length: 50 }, () => {
      try {
        guard.enter('usual');
        return 0;
      } catch (error) {
        return (error as GatewayError).details.retryAfterSec!;
      }
    });
    expect(times.every((sec) => sec >= 1 && sec <= 2)).toBe(true);
    expect(new Set(times).size).toBeGreaterThan(1);
  });

  it('serves half of the time that may be waited in each turn of a loop that is late, and nothing costly', () => {
    const set = setUp({ requests: 1000 });
    delay(set);
    const { loop, guard, enter } = set;
    const outcomes: string[] = [];
    loop.turn(0, () => {
      for (let i = 0; i < 10; i++) {
        outcomes.push(enter());
        loop.advance(10);
      }
      outcomes.push(enter('costly'), enter('none'));
    });
    expect(outcomes).toEqual([
      ...Array.from({ length: 5 }, () => 'in'),
      ...Array.from({ length: 5 }, () => 'OVERLOADED'),
      'OVERLOADED',
      'in',
    ]);
    expect(guard.statistics.late).toBe(6);
    // The next turn has its own time.
    loop.turn(0, () => expect(enter()).toBe('in'));
  });

  it('is itself again within a second of the load going away', () => {
    const set = setUp({ requests: 1000 });
    delay(set);
    const { loop, enter } = set;
    expect(enter('costly')).toBe('OVERLOADED');
    const startMs = loop.nowMs();
    while (enter('costly') !== 'in') loop.turn(25);
    expect(loop.nowMs() - startMs).toBeLessThan(1000);
  });

  it('keeps to other limits from then on', async () => {
    const { guard, enter } = setUp({ requests: 1 });
    guard.limits = { requests: 3, ranges: 2, loopDelayMs: 100 };
    expect([enter(), enter(), enter(), enter()]).toEqual(['in', 'in', 'in', 'OVERLOADED']);
    await Promise.all([guard.ranges.enter(), guard.ranges.enter()]);
    expect(guard.ranges.inside).toBe(2);
  });

  it('tells ranges for which there is no place that there is too much to do', async () => {
    const { guard, loop } = setUp();
    await guard.ranges.enter();
    const second = guard.ranges.enter();
    await expect(guard.ranges.enter()).rejects.toMatchObject({ code: 'OVERLOADED' });
    loop.advance(5000);
    await expect(second).rejects.toMatchObject({ code: 'OVERLOADED' });
    expect(guard.statistics.full).toBe(2);
  });
});
