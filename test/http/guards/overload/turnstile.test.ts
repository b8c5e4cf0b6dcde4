import { Turnstile } from '../../../../src/http/guards/overload/turnstile.js';
import { ManualTimers } from '../../../support/manual-timers.js';

function setUp(places = 1) {
  const timers = new ManualTimers();
  return { timers, turnstile: new Turnstile({ places, waitMs: 1000, timers, refuse: () => new Error('full') }) };
}

describe('Turnstile', () => {
  it('lets so many in at once and the others in the order in which they came', async () => {
    const { turnstile, timers } = setUp(2);
    const order: number[] = [];
    const leaves = await Promise.all([turnstile.enter(), turnstile.enter()]);
    const later = [1, 2].map((i) => turnstile.enter().then((leave) => (order.push(i), leave)));
    expect([turnstile.inside, turnstile.waiting]).toEqual([2, 2]);
    leaves[1]();
    (await later[0])!();
    (await later[1])!();
    expect(order).toEqual([1, 2]);
    expect([turnstile.inside, turnstile.waiting, timers.pending]).toEqual([1, 0, 0]);
  });

  it('counts nobody out twice', async () => {
    const { turnstile } = setUp(2);
    const leave = await turnstile.enter();
    await turnstile.enter();
    leave();
    leave();
    expect(turnstile.inside).toBe(1);
  });

  it('refuses whoever comes when as many wait as may be inside, and whoever waits too long', async () => {
    const { turnstile, timers } = setUp();
    const leave = await turnstile.enter();
    const waiting = turnstile.enter();
    await expect(turnstile.enter()).rejects.toThrow('full');
    timers.advance(1000);
    await expect(waiting).rejects.toThrow('full');
    leave();
    expect([turnstile.inside, turnstile.waiting]).toEqual([0, 0]);
  });

  it('forgets whoever gives up', async () => {
    const { turnstile, timers } = setUp();
    const leave = await turnstile.enter();
    const gone = new AbortController();
    const waiting = turnstile.enter(gone.signal);
    gone.abort(new Error('the client disconnected'));
    await expect(waiting).rejects.toThrow('the client disconnected');
    expect([turnstile.waiting, timers.pending]).toEqual([0, 0]);
    await expect(turnstile.enter(gone.signal)).rejects.toThrow('the client disconnected');
    leave();
    await turnstile.enter();
    expect(turnstile.inside).toBe(1);
  });

  it('lets more in when there are more places', async () => {
    const { turnstile } = setUp();
    await turnstile.enter();
    const waiting = turnstile.enter();
    turnstile.places = 2;
    await waiting;
    expect(turnstile.inside).toBe(2);
  });
});
