import { CONTEXT_MISTAKES } from './support/context-mistakes.js';
import { simulateContexts } from './support/context-simulation.js';
import { RUNS_OF_MISTAKES, seedRanges, withoutStackTraces } from './support/seeds.js';

withoutStackTraces();

describe('the contexts of a simulated fleet', () => {
  it.each(seedRanges('1-300'))('have one home each, whatever fails: seeds %i to %i', async (first, last) => {
    const failures: string[] = [];
    const sum = { answered: 0, handed: 0, adopted: 0 };
    for (let seed = first; seed <= last; seed++) {
      const outcome = await simulateContexts(seed);
      sum.answered += outcome.answered;
      sum.handed += outcome.handed;
      sum.adopted += outcome.adopted;
      if (outcome.problems.length === 0) continue;
      failures.push(`seed ${seed} (repeat it with FLEET_SEEDS=${seed}): ${outcome.faults.join('; ')}`);
      failures.push(...outcome.problems.slice(0, 5));
    }
    expect(failures).toEqual([]);
    // A fleet that does nothing keeps its promises, too.
    expect(sum.answered).toBeGreaterThan(20 * (last - first));
    expect(sum.handed).toBeGreaterThan(10 * (last - first));
    expect(sum.adopted).toBeGreaterThanOrEqual((last - first) / 10);
  });

  it('do the same for the same seed', async () => {
    expect(await simulateContexts(7)).toEqual(await simulateContexts(7));
  });
});

describe('the contexts of a simulated fleet with a mistake', () => {
  it.each(Object.entries(CONTEXT_MISTAKES))('are noticed when it %s', async (_, mistake) => {
    const { from = 1, faults = [] } = mistake;
    for (let seed = from; seed < from + RUNS_OF_MISTAKES; seed++) {
      const { problems } = await simulateContexts(seed, mistake);
      if (problems.length === 0) continue;
      // It is the mistake, not the faults.
      expect((await simulateContexts(seed, { faults })).problems).toEqual([]);
      return;
    }
    throw new Error(`no run of ${RUNS_OF_MISTAKES} shows it`);
  });
});
