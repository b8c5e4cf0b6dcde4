import { atOnce, EventLoopTurns, inTurns, sortInSteps } from '../../src/kit/index.js';

const turnOfLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('EventLoopTurns', () => {
  it('costs nothing while there is time left in the turn', async () => {
    let nowMs = 0;
    const turns = new EventLoopTurns(() => nowMs);
    await turns.next();
    nowMs = 0.9;
    expect(turns.next()).toBeUndefined();
    nowMs = 1;
    expect(turns.next()).toBeInstanceOf(Promise);
  });

  it('lets a range use up its turn, also when others wait', async () => {
    let nowMs = 0;
    const turns = new EventLoopTurns(() => nowMs);
    const steps = { a: 0, b: 0 };
    let turned = 0;
    const count = (): void => {
      if (steps.a + steps.b < 80) setImmediate(count);
      turned++;
    };
    setImmediate(count);
    const work = async (name: 'a' | 'b'): Promise<void> => {
      for (; steps[name] < 40; steps[name]++) {
        const turn = turns.next();
        if (turn) await turn;
        nowMs += 0.25;
        await Promise.resolve();
      }
    };
    await Promise.all([work('a'), work('b')]);
    expect(steps).toEqual({ a: 40, b: 40 });
    expect(turned).toBeGreaterThan(10);
    expect(turned).toBeLessThan(40);
  });

  it('lets one range go on per turn, in the order in which they came', async () => {
    const nowMs = 0;
    const turns = new EventLoopTurns(() => nowMs);
    const seen: string[] = [];
    for (const name of ['a', 'b', 'c']) void turns.next()!.then(() => seen.push(name));
    const counts: number[] = [];
    for (let i = 0; i < 4; i++) {
      await turnOfLoop();
      counts.push(seen.length);
    }
    expect(counts.every((count, i) => i === 0 || count - counts[i - 1]! <= 1)).toBe(true);
    expect(seen).toEqual(['a', 'b', 'c']);
  });

  it.each([
    [3, 3],
    [1000, 65],
  ])('takes %i connections that come one after the other before long work goes on, in turn %i', async (count, turn) => {
    const turns = new EventLoopTurns(() => 0);
    let [turned, isDone] = [0, false];
    const take = (): void => {
      if (turned < count) turns.arrived();
      if (!isDone) setImmediate(take);
      turned++;
    };
    take();
    await turns.own();
    isDone = true;
    expect(turned - 1).toBe(turn);
  });
});

describe('inTurns', () => {
  it('lets others have their turn between two items, and neither before the first nor behind the last', async () => {
    let nowMs = 0;
    const seen: (number | string)[] = [];
    const gone = async (items: readonly number[]): Promise<void> => {
      for await (const item of inTurns(items, new EventLoopTurns(() => nowMs++))) seen.push(item);
      seen.push('end');
    };
    const three = gone([1, 2, 3]);
    const other = (): void => {
      seen.push('other');
      if (seen.length < 8) setImmediate(other);
    };
    setImmediate(other);
    await three;
    expect(seen.filter((item) => item !== 'other')).toEqual([1, 2, 3, 'end']);
    expect(seen[0]).toBe(1);
    expect(seen.slice(-2)).toEqual([3, 'end']);
    expect(seen.slice(seen.indexOf(1), seen.indexOf(2))).toContain('other');
    seen.length = 0;
    await Promise.race([gone([1]), turnOfLoop().then(() => seen.push('too late'))]);
    expect(seen).toEqual([1, 'end']);
  });

  it('closes what the items come from when nobody wants the rest', async () => {
    let isClosed = false;
    const items = function* (): Generator<number, void> {
      try {
        for (let i = 0; ; i++) yield i;
      } finally {
        isClosed = true;
      }
    };
    for await (const item of inTurns(items())) if (item > 3) break;
    expect(isClosed).toBe(true);
  });
});

describe('sortInSteps', () => {
  it.each([0, 1, 1024, 1025, 5000])('sorts %i elements, stably, in steps', (count) => {
    const items = Array.from({ length: count }, (_, i) => ({ key: (i * 7919) % 101, i }));
    const byKey = (a: { key: number }, b: { key: number }): number => a.key - b.key;
    expect(atOnce(sortInSteps(items, byKey))).toEqual([...items].sort(byKey));
    let steps = 0;
    for (const each = sortInSteps(items, byKey); each.next().done !== true;) steps++;
    expect(steps).toBeGreaterThanOrEqual(Math.ceil(count / 1024));
  });
});
