import { simulateStreams, STREAM_MISTAKES } from './support/stream-simulation.js';
import { sampleProblems } from './support/sample-history.js';
import type { ReceivedEvent, TakenSample } from './support/sample-history.js';

/** As in simulation.long.test.ts. */
const [FIRST = 1, LAST = FIRST] = (process.env.FLEET_SEEDS ?? '1-150').split('-').map(Number);
const AT_ONCE = 25;
const RANGES = Array.from({ length: Math.ceil((LAST - FIRST + 1) / AT_ONCE) }, (_, i) => {
  const from = FIRST + i * AT_ONCE;
  return [from, Math.min(from + AT_ONCE - 1, LAST)] as const;
});
/** In how many runs a mistake must show. */
const RUNS_OF_MISTAKES = 300;

const { stackTraceLimit } = Error;
beforeAll(() => (Error.stackTraceLimit = 0));
afterAll(() => (Error.stackTraceLimit = stackTraceLimit));

describe('the history of streams', () => {
  const taken: TakenSample[] = [1, 2, 3, 4].map((sec) => ({ source: 'web1', group: 0, id: sec * 1e9, number: sec }));
  taken.push({ source: 'web1', group: 1, id: 5e9, number: 5 }, { source: 'web1', group: 1, id: 7e9, number: 7 });
  const sample = (number: number): ReceivedEvent => ({ kind: 'sample', id: number * 1e9, number });
  const problems = (...events: readonly ReceivedEvent[]): readonly string[] =>
    sampleProblems([{ name: 'client', events }], taken, { intervalMs: 1000, lastMs: 1e9 });

  it('is good when ids grow and every hole is told', () => {
    expect(problems(sample(1), sample(2), sample(3), sample(4), sample(5), sample(7))).toEqual([]);
    expect(problems(sample(2), { kind: 'gap', from: 2e9, to: 5e9 }, sample(5))).toEqual([]);
    expect(problems()).toEqual([]);
  });

  it.each([
    ['a sample comes twice', [sample(1), sample(2), sample(2)], 'sample 2 comes twice'],
    ['ids do not grow', [sample(2), sample(1)], 'comes after'],
    ['a sample of a group is missing', [sample(1), sample(3)], 'a hole between'],
    ['there is a hole between two groups', [sample(3), sample(5)], 'a hole between'],
    ['a gap ends too early', [sample(1), { kind: 'gap', from: 1e9, to: 2e9 }, sample(3)], 'a hole between'],
    ['a gap is told before', [{ kind: 'gap', from: 1e9, to: 3e9 }, sample(1), sample(3)], 'a hole between'],
  ] as const)('is not good when %s', (_, events, problem) => {
    expect(problems(...events)).toEqual([expect.stringContaining(problem)]);
  });

  it('is not good when a source has two samplers in the end', () => {
    const more = [...taken, { source: 'web1', group: 0, id: 8e9, number: 8 }];
    expect(sampleProblems([], more, { intervalMs: 1000, lastMs: 4000 })).toEqual(['web1: has two samplers in the end']);
    expect(sampleProblems([], more, { intervalMs: 1000, lastMs: 5000 })).toEqual([]);
    expect(sampleProblems([], taken, { intervalMs: 1000, lastMs: 1000 })).toEqual([]);
  });
});

describe('the streams of a simulated fleet', () => {
  it.each(RANGES)('go on at other members, whatever fails: seeds %i to %i', async (first, last) => {
    const failures: string[] = [];
    const sum = { received: 0, inherited: 0, gaps: 0 };
    for (let seed = first; seed <= last; seed++) {
      const { problems, faults, ...outcome } = await simulateStreams(seed);
      for (const key of ['received', 'inherited', 'gaps'] as const) sum[key] += outcome[key];
      if (problems.length === 0) continue;
      failures.push(`seed ${seed} (repeat it with FLEET_SEEDS=${seed}): ${faults.join('; ')}`, ...problems.slice(0, 5));
    }
    expect(failures).toEqual([]);
    // A fleet that sends nothing keeps its promises, too.
    expect(sum.received).toBeGreaterThan(100 * (last - first));
    expect(sum.inherited).toBeGreaterThanOrEqual((last - first) / 3);
    expect(sum.gaps).toBeGreaterThanOrEqual((last - first) / 10);
  });

  it('do the same for the same seed', async () => {
    expect(await simulateStreams(7)).toEqual(await simulateStreams(7));
  });

  it.each(Object.entries(STREAM_MISTAKES))('are noticed when a member %s', async (_, mistake) => {
    const { from = 1, faults = [] } = mistake;
    for (let seed = from; seed < from + RUNS_OF_MISTAKES; seed++) {
      const { problems } = await simulateStreams(seed, mistake);
      if (problems.length === 0) continue;
      // It is the mistake, not the faults.
      if (faults.length > 0) expect((await simulateStreams(seed, { faults })).problems).toEqual([]);
      else expect((await simulateStreams(seed)).problems).toEqual([]);
      return;
    }
    throw new Error(`no run of ${RUNS_OF_MISTAKES} shows it`);
  });
});
