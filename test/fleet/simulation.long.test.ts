import { simulate } from './support/simulation.js';
import { MISTAKES } from './support/mistakes.js';
import { RUNS_OF_MISTAKES, seedRanges, withoutStackTraces } from './support/seeds.js';

withoutStackTraces();

describe('a simulated fleet', () => {
  it.each(seedRanges('1-1000'))('keeps its promises whatever fails: seeds %i to %i', async (first, last) => {
    const failures: string[] = [];
    let acknowledged = 0;
    let reads = 0;
    for (let seed = first; seed <= last; seed++) {
      const outcome = await simulate(seed);
      acknowledged += outcome.acknowledged;
      reads += outcome.reads;
      if (outcome.problems.length === 0) continue;
      failures.push(`seed ${seed} (repeat it with FLEET_SEEDS=${seed}): ${outcome.faults.join('; ')}`);
      failures.push(...outcome.problems.slice(0, 5));
    }
    expect(failures).toEqual([]);
    // A fleet that does nothing keeps its promises, too.
    expect(acknowledged).toBeGreaterThan(2 * (last - first));
    expect(reads).toBeGreaterThan(20 * (last - first));
  });

  it('does the same for the same seed', async () => {
    expect(await simulate(7)).toEqual(await simulate(7));
    expect(await simulate(7)).not.toEqual(await simulate(8));
  });
});

describe('a simulated fleet with a mistake', () => {
  it.each(Object.entries(MISTAKES))('is noticed when it %s', async (_, mistake) => {
    const { from = 1 } = mistake;
    for (let seed = from; seed < from + RUNS_OF_MISTAKES; seed++) {
      const { problems } = await simulate(seed, mistake);
      if (problems.length === 0) continue;
      // It is the mistake, not the faults.
      const { engine, settings, isHasty, ...correct } = mistake;
      expect([engine, settings, isHasty].filter(Boolean)).toHaveLength(1);
      expect((await simulate(seed, correct)).problems).toEqual([]);
      return;
    }
    throw new Error(`no run of ${RUNS_OF_MISTAKES} shows it`);
  });
});
