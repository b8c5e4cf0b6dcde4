import { getEventListeners } from 'node:events';
import { rarely, Semaphore, unlessAborted } from '../../src/kit/index.js';
import { ManualTimers } from '../support/manual-timers.js';

function setUp(places = 1) {
  const timers = new ManualTimers();
  return { timers, semaphore: new Semaphore({ places, waitMs: 1000, timers, refuse: () => new Error('full') }) };
}

describe('Semaphore', () => {
  it('lets so many in at once and the others in the order in which they came', async () => {
    const { semaphore, timers } = setUp(2);
    const order: number[] = [];
    const leaves = await Promise.all([semaphore.enter(), semaphore.enter()]);
    const later = [1, 2].map((i) => semaphore.enter().then((leave) => (order.push(i), leave)));
    expect([semaphore.inside, semaphore.waiting]).toEqual([2, 2]);
    leaves[1]();
    (await later[0])!();
    (await later[1])!();
    expect(order).toEqual([1, 2]);
    expect([semaphore.inside, semaphore.waiting, timers.pending]).toEqual([1, 0, 0]);
  });

  it('counts nobody out twice', async () => {
    const { semaphore } = setUp(2);
    const leave = await semaphore.enter();
    await semaphore.enter();
    leave();
    leave();
    expect(semaphore.inside).toBe(1);
  });

  it('refuses whoever comes when as many wait as may be inside, and whoever waits too long', async () => {
    const { semaphore, timers } = setUp();
    const leave = await semaphore.enter();
    const waiting = semaphore.enter();
    await expect(semaphore.enter()).rejects.toThrow('full');
    timers.advance(1000);
    await expect(waiting).rejects.toThrow('full');
    leave();
    expect([semaphore.inside, semaphore.waiting]).toEqual([0, 0]);
  });

  it('forgets whoever gives up', async () => {
    const { semaphore, timers } = setUp();
    const leave = await semaphore.enter();
    const gone = new AbortController();
    const waiting = semaphore.enter(gone.signal);
    gone.abort(new Error('the client disconnected'));
    await expect(waiting).rejects.toThrow('the client disconnected');
    expect([semaphore.waiting, timers.pending]).toEqual([0, 0]);
    await expect(semaphore.enter(gone.signal)).rejects.toThrow('the client disconnected');
    leave();
    await semaphore.enter();
    expect(semaphore.inside).toBe(1);
  });

  it('lets more in when there are more places', async () => {
    const { semaphore } = setUp();
    await semaphore.enter();
    const waiting = semaphore.enter();
    semaphore.places = 2;
    await waiting;
    expect(semaphore.inside).toBe(2);
  });
});

it('works at once, and once more for whatever comes while it rests', () => {
  const timers = new ManualTimers();
  let count = 0;
  const ask = rarely(
    () => {
      count++;
    },
    1000,
    timers,
  );
  for (let i = 0; i < 300; i++) ask();
  expect(count).toBe(1);
  timers.advance(1000);
  expect(count).toBe(2);
  timers.advance(5000);
  expect(count).toBe(2);
  ask();
  expect(count).toBe(3);
});

describe('unlessAborted', () => {
  it('has one listener of a signal for all who wait, who all hear of its end', async () => {
    const controller = new AbortController();
    const waits = Array.from({ length: 20 }, () => unlessAborted(controller.signal, new Promise(() => undefined)));
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1);
    await expect(unlessAborted(controller.signal, Promise.resolve(1))).resolves.toBe(1);
    controller.abort(new Error('gone'));
    await Promise.all(waits.map((wait) => expect(wait).rejects.toThrow('gone')));
    await expect(unlessAborted(controller.signal, Promise.resolve(1))).rejects.toThrow('gone');
  });

  it('leaves no listener behind: Node would keep a signal of signals for as long as those live', async () => {
    const signal = AbortSignal.any([new AbortController().signal]);
    let finish = (): void => undefined;
    const longer = unlessAborted(signal, new Promise<void>((resolve) => (finish = resolve)));
    await unlessAborted(signal, Promise.resolve());
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    finish();
    await longer;
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});
