import { OverloadGuard } from '../../../../src/http/guards/overload/overload-guard.js';
import { GatewayError } from '../../../../src/pmapi/index.js';
import { ManualLoop } from '../../../support/loop-timers.js';

function setUp(limits: { requests?: number; ranges?: number; loopDelayMs?: number } = {}) {
  const loop = new ManualLoop();
  const guard = new OverloadGuard(
    { requests: 4, ranges: 1, hostRequests: 2, loopDelayMs: 100, unsentBytes: 1000, ...limits },
    loop,
  );
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

function delay({ loop, enter, guard }: ReturnType<typeof setUp>): void {
  for (let i = 0; i < 4; i++) {
    loop.turn(200, () => {
      if (enter('usual') === 'in') guard.leave('usual');
    });
  }
}

describe('OverloadGuard', () => {
  it('has room for large answers until so many bytes wait; one alone may be of any size', () => {
    const { guard } = setUp();
    const takeLarge = guard.holdAnswer(5000);
    expect(() => guard.holdAnswer(1)).toThrow('5000 bytes of responses are waiting to be read by clients');
    takeLarge();
    const take = guard.holdAnswer(400);
    guard.holdAnswer(600);
    expect(() => guard.holdAnswer(1)).toThrow(GatewayError);
    take();
    guard.holdAnswer(400);
    expect(guard.statistics.unsent).toBe(2);
  });

  it('takes so many requests on at once, half of them costly, and probes always', () => {
    const { guard, enter } = setUp();
    expect(
      ['costly', 'costly', 'costly', 'usual', 'usual', 'usual', 'none'].map((cost) => enter(cost as 'none')),
    ).toEqual(['in', 'in', 'OVERLOADED', 'in', 'in', 'OVERLOADED', 'in']);
    expect([guard.underWay, guard.statistics.full]).toEqual([5, 2]);
    guard.leave('usual');
    guard.leave('usual');
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

  it('asks for nothing at the end of the turn of a request: the event loop would go round once more', () => {
    const { loop, enter } = setUp();
    for (let i = 0; i < 3; i++) {
      enter('usual');
      expect(loop.pendingAfterTurn).toBe(0);
      loop.turn(1);
    }
  });

  it('serves for half of the time that may be waited in each turn of a loop that is late, a quarter for what is costly', () => {
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
    loop.turn(0, () => {
      expect([enter(), enter('costly')]).toEqual(['in', 'in']);
      loop.advance(25);
      expect([enter(), enter('costly')]).toEqual(['in', 'OVERLOADED']);
    });
  });

  it('takes no more on than gets done in time while the event loop never rests, and all when it does', () => {
    const set = setUp({ requests: 1000 });
    const { loop, guard, enter } = set;
    // Costly work in slices: ten requests get done in each 20 ms, none of which is late.
    const saturate = (turns: number): void => {
      for (let i = 0; i < turns; i++) {
        loop.turn(20, () => undefined, 1);
        for (let j = 0; j < 10; j++) if (enter('costly') === 'in') guard.leave('costly');
      }
    };
    const take = (): number => {
      let taken = 0;
      while (enter('costly') === 'in') taken++;
      for (let i = 0; i < taken; i++) guard.leave('costly');
      return taken;
    };
    enter('costly');
    guard.leave('costly');
    saturate(4);
    const early = take();
    expect(early).toBeGreaterThanOrEqual(8);
    saturate(300);
    // Half a request per millisecond, and 200 ms that one may take.
    expect(Math.abs(take() - 100)).toBeLessThan(10);
    for (let i = 0; i < 5; i++) loop.turn(25);
    expect(take()).toBe(500);
    expect(guard.loopDelayMs).toBeLessThan(10);
  });

  it('takes the burst of clients on that follows a start, before it knows how fast it is', () => {
    const { loop, guard, enter } = setUp({ requests: 1000 });
    enter();
    guard.leave('usual');
    // Busy with compiling: nothing gets done.
    for (let i = 0; i < 20; i++) {
      loop.turn(20, () => undefined, 1);
      if (enter() === 'in') guard.leave('usual');
    }
    let taken = 0;
    while (enter() === 'in') taken++;
    expect(taken).toBe(500);
  });

  it('has few expositions of one source made at once, and refuses those that would wait too long', async () => {
    const { guard, loop } = setUp({ requests: 1000 });
    const { signal } = new AbortController();
    const [source, other] = [{}, {}];
    const leaves = await Promise.all(Array.from({ length: 8 }, () => guard.enterExposition(source, signal)));
    const waiting = [guard.enterExposition(source, signal), guard.enterExposition(source, signal)];
    (await guard.enterExposition(other, signal))();
    leaves[0]!();
    (await waiting[0]!)();
    const gone = new AbortController();
    for (const leave of leaves) leave();
    const leave = await waiting[1]!;
    leave();
    // Nobody is there: what was said of it is forgotten.
    const again = await Promise.all(Array.from({ length: 8 }, () => guard.enterExposition(source, signal)));
    const late = guard.enterExposition(source, signal);
    const left = guard.enterExposition(source, gone.signal);
    gone.abort(new Error('the client disconnected'));
    await expect(left).rejects.toThrow('the client disconnected');
    loop.advance(300);
    await expect(late).rejects.toMatchObject({ code: 'OVERLOADED' });
    for (const each of again) each();
  });

  it('lets streams sample nothing more while the event loop works for most of its time', () => {
    const { guard, loop } = setUp();
    const admits = (): boolean => {
      try {
        guard.admitSampling();
        return true;
      } catch (error) {
        expect(error).toMatchObject({ code: 'OVERLOADED' });
        return false;
      }
    };
    expect(admits()).toBe(true);
    loop.turn(999, undefined, 0.9);
    // A second tells; less may be one large answer.
    expect(admits()).toBe(true);
    loop.turn(1, undefined, 0.9);
    expect(admits()).toBe(false);
    loop.turn(1000, undefined, 0.5);
    expect(admits()).toBe(true);
  });

  it('lets no host have more requests wait for it than it may, however it is called', () => {
    const { guard } = setUp();
    const [host, other] = [{}, {}];
    const releases = [guard.enterHost(host, () => 'web1'), guard.enterHost(host, () => '10.0.0.7')];
    expect(() => guard.enterHost(host, () => 'web1')).toThrow(
      expect.objectContaining({
        code: 'OVERLOADED',
        message: 'too many requests wait for web1 (hosts.requests is 2): try again later',
      }) as Error,
    );
    guard.enterHost(other, () => 'web2');
    for (const release of releases) release();
    guard.enterHost(host, () => 'web1');
    expect(guard.statistics.host).toBe(1);
  });

  it('keeps to other limits from then on', async () => {
    const { guard, enter } = setUp({ requests: 1 });
    guard.limits = { requests: 3, ranges: 2, hostRequests: 2, loopDelayMs: 100, unsentBytes: 1000 };
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
