import { EventLoopTurns } from '../../../src/context/range/index.js';

const turnOfLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('EventLoopTurns', () => {
  it('costs nothing while there is time left in the turn', async () => {
    let nowMs = 0;
    const turns = new EventLoopTurns(() => nowMs);
    await turns.next();
    nowMs = 3.9;
    expect(turns.next()).toBeUndefined();
    nowMs = 4;
    expect(turns.next()).toBeInstanceOf(Promise);
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
