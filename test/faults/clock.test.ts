import { recordsOf } from '../../src/sources/index.js';
import { ContextManager, parseSelection } from '../../src/context/index.js';
import { LiveMemory } from '../../src/context/range/index.js';
import { Ticker } from '../../src/context/stream/ticker.js';
import { ClientLimits } from '../../src/http/index.js';
import { ManualTimers } from '../support/manual-timers.js';
import { descriptor } from '../support/memory-gateway.js';
import { type Clock, Semantics, type Timestamp, makeUnits } from '../../src/pmapi/index.js';
import { Api } from '../support/api.js';
import { MemorySource } from '../support/memory-source.js';

const HOUR_MS = 3_600_000;

/** A machine whose wall clock can be set, while its monotonic one goes on. */
class SteppedClock implements Clock {
  readonly timers = new ManualTimers();
  #wallMs = Date.UTC(2026, 0, 1);

  now(): Timestamp {
    const ms = this.#wallMs + this.timers.nowMs();
    return { sec: Math.floor(ms / 1000), nsec: Math.round((ms % 1000) * 1e6) };
  }

  monotonicMs(): number {
    return this.timers.nowMs();
  }

  step(ms: number): void {
    this.#wallMs += ms;
  }
}

function setUp() {
  const clock = new SteppedClock();
  const content = {
    metrics: [
      {
        name: 'test.counter',
        descriptor: descriptor(1, { semantics: Semantics.COUNTER, units: makeUnits({ dimCount: 1 }) }),
        // Ten in each second that really passes.
        values: () => Math.round(clock.monotonicMs() / 100),
      },
    ],
    indoms: [],
  };
  const contexts = new ContextManager({
    sources: { open: () => Promise.resolve(new MemorySource(content, clock)) },
    clock,
    limits: { contexts: 100, pollTimeoutMs: 5000, maxPollTimeoutMs: 86_400_000 },
    memory: new LiveMemory(clock),
  });
  return { clock, contexts };
}

describe.each([
  ['forward', HOUR_MS],
  ['back', -HOUR_MS],
])('a wall clock that is set %s by an hour', (_, stepMs) => {
  it('lets no context expire that is used, and every one that is not', async () => {
    const { clock, contexts } = setUp();
    const { id } = await contexts.create({ kind: 'host', hostspec: 'a' });
    clock.timers.advance(4000);
    clock.step(stepMs);
    expect(contexts.sweep()).toBe(0);
    contexts.use(id);
    clock.timers.advance(5001);
    clock.step(-stepMs);
    expect(contexts.sweep()).toBe(1);
  });

  it('has streams tick on at their pace', () => {
    const clock = new SteppedClock();
    const ticks: number[] = [];
    const ticker = new Ticker(clock, clock.timers);
    const stop = ticker.every(1000, () => ticks.push(clock.monotonicMs()));
    clock.timers.advance(3000);
    clock.step(stepMs + 300);
    clock.timers.advance(5000);
    stop();
    const pauses = ticks.slice(1).map((at, i) => at - ticks[i]!);
    expect(pauses.length).toBeGreaterThanOrEqual(6);
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(500);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(1500);
  });

  it('gives no rate that is negative, and the right one again with the sample after it', async () => {
    const { clock, contexts } = setUp();
    const api = await Api.start({ contexts, opened: [], sources: [] });
    try {
      const context = await api.context('?polltimeout=600');
      const rate = async (): Promise<number | undefined> => {
        const { json } = await api.get(`/pmapi/${context}/fetch?names=test.counter&rate=true`);
        return json.values[0]?.instances[0]?.value as number | undefined;
      };
      await rate();
      clock.timers.advance(1000);
      expect(await rate()).toBeCloseTo(10);
      clock.timers.advance(1000);
      clock.step(stepMs);
      const over = await rate();
      expect(over === undefined || over >= 0).toBe(true);
      clock.timers.advance(1000);
      const first = await rate();
      clock.timers.advance(1000);
      expect([first, await rate()]).toContain(10);
    } finally {
      await api.stop();
    }
  });

  it('has derived metrics go on, and rates right again with the second sample after it', async () => {
    const { clock, contexts } = setUp();
    const context = await contexts.create({ kind: 'host', hostspec: 'a' }, { pollTimeoutMs: 600_000 });
    await context.addDerived('my.double', 'test.counter * 2');
    await context.addDerived('my.rate', 'rate(test.counter)');
    const plan = await context.plans.get({ names: ['my.double', 'my.rate'] });
    const fetch = (): Promise<(number | undefined)[]> =>
      context.fetching.fetch(plan, ({ sets }) =>
        sets.map(({ status, column }) => (status > 0 ? column.numbers[0] : undefined)),
      );
    const seen: (number | undefined)[][] = [];
    for (let i = 0; i < 5; i++) {
      if (i === 2) clock.step(stepMs);
      seen.push(await fetch());
      clock.timers.advance(1000);
    }
    expect(seen.map(([double]) => double)).toEqual([0, 20, 40, 60, 80]);
    const [before, over, ...after] = seen.slice(1).map(([, rate]) => rate);
    expect([before, ...after]).toEqual([10, 10, 10]);
    expect(over === undefined || over >= 0).toBe(true);
  });

  it('has what is seen from then on remembered, and rates of requests without a context right', async () => {
    const { clock, contexts } = setUp();
    const context = await contexts.shared({ kind: 'host', hostspec: 'a' });
    const plan = await context.plans.get({ names: ['test.counter'] });
    const selection = parseSelection({ rate: true })!;
    const view = context.fetching.keptView(plan, selection);
    const rates: (number | undefined)[] = [];
    for (let i = 0; i < 6; i++) {
      if (i === 3) clock.step(stepMs);
      rates.push(await context.fetching.fetch(plan, ({ sets: [set] }) => (set!.status > 0 ? set!.column.numbers[0] : undefined), view)); // prettier-ignore
      clock.timers.advance(1000);
    }
    expect(rates.slice(-2)).toEqual([10, 10]);
    const { samples } = await context.fetching.range(plan, {});
    const values: number[] = [];
    for await (const { result } of recordsOf(samples.batches())) values.push(result.sets[0]!.column.numbers[0]!);
    expect(values.slice(-3)).toEqual([30, 40, 50]);
  });

  it('neither blocks a client nor lets it send more', () => {
    const clock = new SteppedClock();
    const limits = new ClientLimits(
      { requestsPerSec: 1, requests: 0, contexts: 0, streams: 0, connections: 0, exempt: [] },
      clock,
    );
    const client = { remoteAddress: '192.0.2.1' };
    limits.request(client);
    clock.step(stepMs);
    expect(() => limits.request(client)).toThrow();
    clock.timers.advance(1000);
    limits.request(client);
  });
});
