import { EventLoopTurns } from '../../../src/context/range/index.js';

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
});
