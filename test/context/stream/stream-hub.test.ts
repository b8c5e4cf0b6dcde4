import { LiveMemory } from '../../../src/context/range/index.js';
import type { Context } from '../../../src/context/index.js';
import { parseEventId, StreamHub } from '../../../src/context/stream/index.js';
import type { LiveStreamRequest, StreamLimits, StreamLoad } from '../../../src/context/stream/index.js';
import { DefinitionStore } from '../../../src/derived/index.js';
import { GatewayError, makePmid, makeUnits, PM_ERR, PmError, Semantics } from '../../../src/pmapi/index.js';
import type { FetchResult, Units } from '../../../src/pmapi/index.js';
import { type MemoryGateway, descriptor, memoryGateway } from '../../support/memory-gateway.js';
import { type MemoryContent, MemorySource } from '../../support/memory-source.js';
import { countingContent, HandTime, settle, streamRequest, TestSink } from '../../support/stream-fixture.js';
import { STREAM_LIMITS } from '../../support/patience.js';
import { rows } from '../../support/rows.js';

interface FixtureOptions {
  /** What ranges and clients that come back may find in memory. */
  readonly memoryBytes?: number;
  /** Where between two seconds the test begins. */
  readonly offsetMs?: number;
  readonly load?: StreamLoad;
  /** What open streams may take. */
  readonly streamBytes?: number;
  readonly content?: MemoryContent;
  readonly definitions?: DefinitionStore;
}

interface Fixture {
  readonly time: HandTime;
  readonly hub: StreamHub;
  readonly gateway: MemoryGateway;
  readonly context: Context;
  readonly fetches: () => number;
  readonly listen: (
    options?: Parameters<typeof streamRequest>[2] & { names?: readonly string[]; context?: Context },
  ) => Promise<{ sink: TestSink; leave: () => void; drained: () => void }>;
}

async function fixture(
  limits: Partial<StreamLimits> = {},
  { memoryBytes = 1_000_000, offsetMs = 200, load, streamBytes, ...given }: FixtureOptions = {},
): Promise<Fixture> {
  const time = new HandTime(offsetMs);
  const { content, fetches } = countingContent();
  const memory = new LiveMemory(time, { bytes: memoryBytes, maxAgeMs: 1_800_000 });
  const gateway = memoryGateway({ clock: time, content, memory, ...given });
  const hub = new StreamHub({
    clock: time,
    timers: time,
    limits: { ...STREAM_LIMITS, ...limits },
    ...(load ? { load } : {}),
    ...(streamBytes === undefined ? {} : { memoryBytes: streamBytes }),
  });
  const context = await gateway.contexts.create({ kind: 'host', hostspec: 'localhost' });
  const listen: Fixture['listen'] = async ({ names = ['test.count'], context: other, ...options } = {}) => {
    const sink = new TestSink();
    const request: LiveStreamRequest = await streamRequest(other ?? context, names, options);
    const subscription = hub.subscribe(request, sink);
    await settle();
    return { sink, leave: () => subscription.unsubscribe(), drained: () => subscription.drained() };
  };
  return { time, hub, gateway, context, fetches, listen };
}

/** The moments of samples, to the millisecond, in seconds. */
const rounded = (sink: TestSink): number[] => sink.seconds.map((sec) => Math.round(sec * 1000) / 1000);

describe('a stream', () => {
  it('reports a gap when the process stood still, to those who listen and to those who come back', async () => {
    const { time, listen } = await fixture({}, { memoryBytes: 0 });
    const { sink } = await listen();
    await time.pass(2000);
    await time.stall(6000);
    const { sink: back } = await listen({ lastEventId: parseEventId(sink.ids[2]!) });
    await time.pass(1000);
    expect(rounded(sink)).toEqual([0.2, 1, 2, 8.2, 9]);
    const gap = { gap: [sink.ids[2], sink.ids[3]] };
    expect(sink.events.map(({ id, gap }) => id ?? gap).slice(3)).toEqual([sink.ids[2], gap.gap, ...sink.ids.slice(3)]);
    expect(back.events.slice(1)).toEqual(sink.events.slice(4));
    expect(back.events[1]).toEqual(gap);
    // Whoever comes new has missed nothing.
    expect((await listen()).sink.events.slice(1)).toEqual(sink.events.slice(-1));
  });

  it('costs one fetch per interval, however many listen', async () => {
    const { time, hub, fetches, listen } = await fixture();
    const sinks = await Promise.all(Array.from({ length: 1000 }, async () => (await listen()).sink));
    expect([hub.subscribers, hub.groups]).toEqual([1000, 1]);
    const before = fetches();
    await time.pass(10_000, 500);
    expect(fetches() - before).toBe(10);
    for (const sink of sinks) expect(sink.ids).toEqual(sinks[0]!.ids);
    expect(sinks[0]!.ids).toHaveLength(11);
  });

  it('samples contexts on one host at the same tick, each in a turn of the event loop of its own', async () => {
    const { time, gateway, listen } = await fixture();
    const asked: number[] = [];
    let turn = 0;
    const turns: number[] = [];
    const count = (): void => {
      turn++;
      counting = setImmediate(count);
    };
    let counting = setImmediate(count);
    for (let i = 0; i < 20; i++) {
      const context = await gateway.contexts.create({ kind: 'host', hostspec: 'localhost' });
      const source = gateway.sources.at(-1)!;
      const fetch = source.fetch.bind(source);
      source.fetch = (...args) => {
        asked.push(time.nowMs());
        turns.push(turn);
        return fetch(...args);
      };
      await listen({ context });
      await time.pass(17, 17);
    }
    await time.pass(1000, 10);
    asked.length = 0;
    turns.length = 0;
    await time.pass(3000, 50);
    clearImmediate(counting);
    expect(asked).toHaveLength(60);
    expect(new Set(asked.map((ms) => Math.round(ms / 500))).size).toBe(3);
    expect(new Set(turns).size).toBe(60);
  });

  it('keeps apart what differs in metrics, interval, selection or context', async () => {
    const { hub, gateway, listen } = await fixture();
    await listen();
    await listen({ names: ['test.still'] });
    await listen({ intervalMs: 2000 });
    await listen({ select: { top: 1 } });
    await listen({ changed: true });
    await listen({ context: await gateway.contexts.create({ kind: 'host', hostspec: 'localhost' }) });
    expect(hub.groups).toBe(6);
    await listen({ select: { top: 1 } });
    expect([hub.groups, hub.subscribers]).toEqual([6, 7]);
  });

  it('leaves ticks out while a fetch takes its time, and does not make up for them', async () => {
    const { time, gateway, fetches, listen } = await fixture();
    const { sink } = await listen();
    const source = gateway.sources[0]!;
    const fetch = source.fetch.bind(source);
    source.fetch = async (prepared, profile, into: FetchResult) => {
      await new Promise<void>((resolve) => time.after(2300, resolve));
      await fetch(prepared, profile, into);
    };
    await time.pass(9000);
    expect(rounded(sink)).toEqual([0.2, 3.3, 6.3]);
    expect(fetches()).toBe(3);
  });

  it('tells failures and goes on', async () => {
    const { time, gateway, listen } = await fixture();
    const { sink } = await listen();
    const source = gateway.sources[0]!;
    const fetch = source.fetch.bind(source);
    source.fetch = () => Promise.reject(new PmError(PM_ERR.TIMEOUT));
    await time.pass(2000);
    source.fetch = fetch;
    Object.assign(source, { reconnects: 1 });
    await time.pass(2000);
    expect(
      sink.events.map(({ id, failure, reconnected }) => [id === undefined ? failure : 'sample', reconnected]),
    ).toEqual([
      [undefined, undefined],
      ['sample', undefined],
      [new PmError(PM_ERR.TIMEOUT).message, undefined],
      [new PmError(PM_ERR.TIMEOUT).message, undefined],
      ['sample', true],
      ['sample', undefined],
    ]);
  });

  it('of changes begins with the last sample in full, also after a failure', async () => {
    const { time, gateway, listen } = await fixture();
    const options = { names: ['test.count', 'test.still'], changed: true };
    await listen(options);
    const source = gateway.sources[0]!;
    const fetch = source.fetch.bind(source);
    source.fetch = () => Promise.reject(new PmError(PM_ERR.TIMEOUT));
    await time.pass(1000);
    source.fetch = fetch;
    const { sink } = await listen(options);
    await time.pass(1000);
    expect(sink.events.slice(1).map(({ full, values }) => [full, values])).toEqual([
      [true, { 'test.count': [[-1, 1]], 'test.still': [[-1, 7]] }],
      [undefined, { 'test.count': [[-1, 2]] }],
    ]);
  });

  it('of changes begins with no sample of other metrics', async () => {
    const { time, gateway, listen } = await fixture();
    const options = { names: ['test.count', 'test.still'], changed: true };
    await listen(options);
    const source = gateway.sources[0]!;
    const fetch = source.fetch.bind(source);
    source.replace({ metrics: countingContent().content.metrics.slice(1) });
    source.fetch = () => Promise.reject(new PmError(PM_ERR.TIMEOUT));
    await time.pass(1000);
    source.fetch = fetch;
    const { sink } = await listen(options);
    await time.pass(1000);
    expect(sink.events.map(({ metrics, full, values }) => [metrics, full, values])).toEqual([
      [['test.still'], undefined, undefined],
      [undefined, true, { 'test.still': [[-1, 7]] }],
    ]);
  });

  it('tells metrics that come and go', async () => {
    const { time, gateway, listen } = await fixture();
    const { sink } = await listen({ names: ['test.count', 'test.late'] });
    const { content } = countingContent();
    const [count, still] = content.metrics;
    gateway.sources[0]!.replace({ metrics: [count!, { ...still!, name: 'test.late' }] });
    await time.pass(1000);
    gateway.sources[0]!.replace({ metrics: [count!, { ...still!, name: 'test.late' }] });
    await time.pass(1000);
    expect(sink.events.flatMap(({ metrics }) => (metrics ? [metrics] : []))).toEqual([
      ['test.count'],
      ['test.count', 'test.late'],
    ]);
    expect(Object.keys(sink.events.at(-1)!.values!)).toEqual(['test.count', 'test.late']);
  });

  it('tells that a metric that came cannot be converted, and has no values under other names meanwhile', async () => {
    const { time, gateway, listen } = await fixture();
    const [count, still] = countingContent().content.metrics;
    const inUnits = (metric: typeof count, name: string, units: Units): NonNullable<typeof count> => ({
      ...metric!,
      name,
      descriptor: { ...metric!.descriptor, units },
    });
    const size = inUnits(count, 'test.size', makeUnits({ dimSpace: 1 }));
    const late = inUnits(still, 'test.late', makeUnits({ dimTime: 1 }));
    gateway.sources[0]!.replace({ metrics: [size] });
    const options = { names: ['test.late', 'test.size'], select: { units: 'byte' } };
    const { sink } = await listen(options);
    const last = sink.ids.at(-1)!;
    gateway.sources[0]!.replace({ metrics: [size, late] });
    await time.pass(2000);
    const back = await listen({ ...options, lastEventId: parseEventId(last)! });
    await time.pass(1000);
    const refused = expect.stringContaining('test.late cannot be converted') as string;
    const failures = Array.from({ length: 3 }, () => ({ failure: refused }));
    expect(sink.events.slice(2)).toEqual(failures);
    expect(back.sink.events.slice(1)).toEqual(failures);
    gateway.sources[0]!.replace({ metrics: [size] });
    await time.pass(1000);
    expect(sink.events.at(-1)!.values).toEqual({ 'test.size': [[-1, expect.any(Number)]] });
  });

  it('has ids that ascend when the clock is set back', async () => {
    const { time, listen } = await fixture();
    const { sink } = await listen();
    await time.pass(2000);
    time.setWall(-3_600_000);
    await time.pass(3000);
    const ids = sink.ids.map((id) => parseEventId(id)!);
    expect(ids.length).toBeGreaterThanOrEqual(5);
    for (const [i, { sec, nsec }] of ids.slice(1).entries()) {
      expect([i, sec > ids[i]!.sec || (sec === ids[i]!.sec && nsec > ids[i]!.nsec)]).toEqual([i, true]);
    }
  });

  it('gives all values first, and then those that changed', async () => {
    const { time, listen } = await fixture();
    const names = ['test.count', 'test.still'];
    const first = await listen({ names, changed: true });
    await time.pass(1000);
    const second = await listen({ names, changed: true });
    await time.pass(1000);
    const values = ({ sink }: typeof first): unknown =>
      sink.events.slice(1).map(({ full, values: found }) => [full, Object.keys(found!).join()]);
    expect(values(first)).toEqual([
      [true, 'test.count,test.still'],
      [undefined, 'test.count'],
      [undefined, 'test.count'],
    ]);
    expect(values(second)).toEqual(rows([true, 'test.count,test.still'], [undefined, 'test.count']));
  });
});

describe('a subscriber', () => {
  it('that leaves gets nothing more, and the last of them ends the sampling after a while', async () => {
    const { time, hub, fetches, listen, context } = await fixture({ lingerMs: 5000 });
    const [first, second] = [await listen(), await listen()];
    first.leave();
    first.leave();
    await time.pass(1000);
    expect([first.sink.ids.length, second.sink.ids.length]).toEqual([1, 2]);
    second.leave();
    await time.pass(4900);
    expect([hub.subscribers, hub.groups, context.fetchesUnderWay]).toEqual([0, 1, 1]);
    await time.pass(200);
    const count = fetches();
    expect([hub.groups, context.fetchesUnderWay, hub.rememberedBytes]).toEqual([0, 0, 0]);
    await time.pass(20_000);
    expect([fetches(), time.pending]).toEqual([count, 0]);
  });

  it('that takes a break gets what it did not take', async () => {
    const { time, listen } = await fixture();
    const [fast, slow] = [await listen(), await listen()];
    slow.sink.isSlow = true;
    await time.pass(10_000);
    expect(slow.sink.ids).toHaveLength(2);
    slow.sink.take();
    slow.drained();
    expect(slow.sink.ids).toEqual(fast.sink.ids);
  });

  it('asks for an interval that is possible', async () => {
    const { hub } = await fixture({ minIntervalMs: 250 });
    expect(() => hub.checkInterval(249)).toThrow('expected 250msec to 24hours');
    expect(() => hub.checkInterval(86_400_001)).toThrow('24hours');
    hub.checkInterval(250);
  });
});

describe('a stream ends', () => {
  it('when its context was destroyed before it began', async () => {
    const { time, hub, gateway, context } = await fixture();
    const request = await streamRequest(context, ['test.count']);
    await gateway.contexts.destroy(context.id);
    const sink = new TestSink();
    hub.subscribe(request, sink);
    await time.pass(1000);
    expect([sink.events.at(-1), sink.state]).toEqual([{ end: 'destroyed' }, 'ended']);
    expect([hub.subscribers, hub.groups, context.fetchesUnderWay]).toEqual([0, 0, 0]);
  });

  it('when the gateway shuts down, and none begins any more', async () => {
    const { time, hub, listen } = await fixture();
    const { sink } = await listen();
    const other = await listen({ names: ['test.still'] });
    other.leave();
    hub.close();
    expect([sink.events.at(-1), sink.state]).toEqual([{ end: 'shutdown' }, 'ended']);
    expect([hub.groups, time.pending]).toEqual([0, 0]);
    await expect(listen()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });
});

describe('a stream whose context another one takes the place of', () => {
  const kindsOf = (sink: TestSink): string[] =>
    sink.events.map((event) => (event.id === undefined ? Object.keys(event)[0]! : event.full ? 'full' : 'sample'));

  async function moving(options: Partial<LiveStreamRequest> = {}) {
    const made = await fixture();
    const successor = await made.gateway.contexts.create({ kind: 'host', hostspec: 'localhost' });
    let asked = 0;
    const again = async (): Promise<LiveStreamRequest> => {
      asked++;
      return streamRequest(successor, ['test.count'], { again, ...options });
    };
    const listen = () => made.listen({ again, ...options });
    return { ...made, listen, successor, asked: () => asked };
  }

  it('has all values again when it is one of changes', async () => {
    const { time, context, listen } = await moving({ changed: true });
    const { sink } = await listen();
    await time.pass(1000);
    context.announceEnd('moved');
    await time.pass(1000);
    expect(kindsOf(sink)).toEqual(['metrics', 'full', 'sample', 'metrics', 'full', 'sample']);
  });

  it('ends when there is none to go on with, and says why', async () => {
    const again = (): Promise<never> => Promise.reject(new PmError(PM_ERR.TIMEOUT));
    const { hub, context, listen } = await moving({ again });
    const { sink } = await listen();
    context.announceEnd('moved');
    await settle();
    expect(sink.events.at(-1)).toEqual({ failure: new PmError(PM_ERR.TIMEOUT).message });
    expect([sink.state, hub.groups, hub.subscribers]).toEqual(['ended', 0, 0]);
  });

  it('ends for who is behind: its client comes back, and is told what it missed', async () => {
    const { time, context, listen } = await moving();
    const [fast, slow] = [await listen(), await listen()];
    slow.sink.isSlow = true;
    await time.pass(3000);
    context.announceEnd('moved');
    await settle();
    expect([fast.sink.state, slow.sink.state]).toEqual(['open', 'ended']);
  });

  it('goes on for nobody who left, and not once the gateway shuts down', async () => {
    const { hub, context, listen } = await moving();
    const [left, stays] = [await listen(), await listen()];
    context.announceEnd('moved');
    left.leave();
    hub.close();
    await settle();
    expect([kindsOf(left.sink), left.sink.state]).toEqual([['metrics', 'sample'], 'open']);
    expect([kindsOf(stays.sink), stays.sink.state]).toEqual([['metrics', 'sample', 'end'], 'ended']);
    expect([hub.groups, hub.subscribers]).toEqual([0, 0]);
  });
});

describe('a client that comes back', () => {
  const lastOf = (sink: TestSink): ReturnType<typeof parseEventId> => parseEventId(sink.ids.at(-1)!);

  it('goes on where it was, from the memory of its group', async () => {
    const { time, listen } = await fixture();
    const witness = await listen();
    const { sink, leave } = await listen();
    await time.pass(2000);
    leave();
    await time.pass(5000);
    const back = await listen({ lastEventId: lastOf(sink) });
    await time.pass(2000);
    expect([...sink.ids, ...back.sink.ids]).toEqual(witness.sink.ids);
  });

  it('goes on when it was the only one', async () => {
    const { time, hub, listen } = await fixture();
    const { sink, leave } = await listen({ changed: true });
    await time.pass(2000);
    leave();
    await time.pass(5000);
    const back = await listen({ lastEventId: lastOf(sink), changed: true });
    await time.pass(1000);
    expect(hub.groups).toBe(1);
    expect([...rounded(sink), ...rounded(back.sink)]).toEqual([0.2, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect(back.sink.events.some(({ full }) => full)).toBe(false);
  });

  it('gets from the ring what the group has forgotten', async () => {
    const { time, listen } = await fixture({ historyBytes: 600 });
    const witness = await listen();
    const { sink, leave } = await listen();
    await time.pass(2000);
    leave();
    await time.pass(20_000);
    const back = await listen({ lastEventId: lastOf(sink) });
    await time.pass(2000);
    expect([...sink.ids, ...back.sink.ids]).toEqual(witness.sink.ids);
    expect(back.sink.events.filter(({ gap }) => gap)).toEqual([]);
  });

  it.each([false, true])('gets the first sample once that was under way as it came (changes: %s)', async (changed) => {
    const { time, hub, gateway, listen } = await fixture({ lingerMs: 0 });
    const { sink, leave } = await listen({ changed });
    leave();
    await time.pass(5000);
    expect(hub.groups).toBe(0);
    const source = gateway.sources[0]!;
    const [fetch, info] = [source.fetch.bind(source), source.info.bind(source)];
    const answered = (ms: number): Promise<void> => new Promise((resolve) => time.after(ms, resolve));
    source.fetch = async (...args) => {
      await fetch(...args);
      await answered(10);
    };
    source.info = async () => {
      await answered(20);
      return info();
    };
    const options = { changed, lastEventId: lastOf(sink) };
    const back = [await listen(options)];
    await time.pass(5, 1);
    back.push(await listen(options));
    await time.pass(2100, 5);
    for (const one of back) expect(rounded(one.sink)).toEqual([5.2, 6, 7]);
  });

  it('gets all values once when changes cannot be gone on with', async () => {
    const { time, listen } = await fixture({ historyBytes: 600 });
    const options = { names: ['test.count', 'test.still'], changed: true };
    const witness = await listen(options);
    const { sink, leave } = await listen(options);
    await time.pass(2000);
    leave();
    await time.pass(20_000);
    const back = await listen({ ...options, lastEventId: lastOf(sink) });
    await time.pass(2000);
    expect([...sink.ids, ...back.sink.ids]).toEqual(witness.sink.ids);
    const samples = back.sink.events.filter(({ id }) => id !== undefined);
    expect(samples.slice(0, -2).every(({ full }) => full)).toBe(true);
    expect(samples.slice(-2).map(({ full, values }) => [full, Object.keys(values!)])).toEqual([
      [undefined, ['test.count']],
      [undefined, ['test.count']],
    ]);
  });

  it('is told what nobody remembers', async () => {
    const { time, hub, listen } = await fixture({ lingerMs: 3000 });
    const { sink, leave } = await listen();
    await time.pass(2000);
    leave();
    await time.pass(60_000, 200);
    expect(hub.groups).toBe(0);
    const back = await listen({ lastEventId: lastOf(sink) });
    await time.pass(1000);
    const kinds = back.sink.events.map(
      ({ id, gap }) => gap?.map((at) => Math.round(Number(at)) % 100) ?? (id && 'sample'),
    );
    const [from, to] = [5, 62].map((sec) => (Date.UTC(2026, 0, 1) / 1000 + sec) % 100);
    expect(kinds).toEqual([undefined, 'sample', 'sample', 'sample', [from, to], 'sample', 'sample']);
    expect(rounded(back.sink)).toEqual([3, 4, 5, 62.2, 63]);
  });

  it('does not get what others fetched between the ticks, or of other metrics', async () => {
    const { time, hub, context, listen } = await fixture({ lingerMs: 0 });
    const names = ['test.count', 'test.still'];
    const { sink, leave } = await listen({ names });
    await time.pass(2000);
    leave();
    await time.pass(100);
    expect(hub.groups).toBe(0);
    const [both, one] = [await context.plans.get({ names }), await context.plans.get({ names: ['test.still'] })];
    for (let i = 0; i < 4; i++) {
      await context.fetching.fetch(one, () => undefined);
      await time.pass(10, 10);
      await context.fetching.fetch(both, () => undefined);
      await time.pass(490, 10);
      await context.fetching.fetch(both, () => undefined);
      await time.pass(500, 10);
    }
    const back = await listen({ names, lastEventId: lastOf(sink) });
    expect(rounded(back.sink)).toEqual([3.31, 4.31, 5.31, 6.3]);
  });
});

describe('StreamHub', () => {
  it('lets go of streams that linger when there are too many', async () => {
    const { time, hub, listen } = await fixture({ maxSubscribers: 3 });
    for (let i = 0; i < 10; i++) {
      const { leave } = await listen({ intervalMs: 1000 + i });
      await time.pass(100);
      leave();
    }
    expect(hub.groups).toBe(3);
  });

  it('samples for clients that have left ten times as long as they stayed, lingerMs at most', async () => {
    const { time, hub, listen } = await fixture({ lingerMs: 3000 });
    for (let i = 0; i < 100; i++) (await listen({ intervalMs: 1000 + i })).leave();
    await time.pass(1);
    expect(hub.groups).toBe(0);
    const short = await listen();
    await time.pass(100);
    short.leave();
    await time.pass(950);
    expect(hub.groups).toBe(1);
    await time.pass(50);
    expect(hub.groups).toBe(0);
    const long = await listen();
    await time.pass(10_000);
    long.leave();
    await time.pass(2950);
    expect(hub.groups).toBe(1);
    await time.pass(50);
    expect(hub.groups).toBe(0);
  });

  it('samples for nobody while the gateway is overloaded', async () => {
    const load = { isStrained: false, admitSampling: () => undefined };
    const { time, hub, listen } = await fixture({}, { load });
    const { leave } = await listen();
    const staying = await listen({ intervalMs: 2000 });
    await time.pass(10_000);
    leave();
    await time.pass(5000);
    expect(hub.groups).toBe(2);
    load.isStrained = true;
    await time.pass(1000);
    expect(hub.groups).toBe(1);
    const before = staying.sink.ids.length;
    await time.pass(4000);
    expect(staying.sink.ids).toHaveLength(before + 2);
  });

  it('asks for room before it samples what nobody streams yet', async () => {
    const error = new GatewayError('OVERLOADED', 'no room');
    let isFull = false;
    const admitSampling = (): void => {
      if (isFull) throw error;
    };
    const { hub, listen } = await fixture({}, { load: { isStrained: false, admitSampling } });
    await listen();
    isFull = true;
    await listen();
    await expect(listen({ intervalMs: 2000 })).rejects.toBe(error);
    expect([hub.subscribers, hub.groups]).toEqual([2, 1]);
  });

  it('closes what its source gave up', async () => {
    const { time, gateway, listen } = await fixture();
    const { sink } = await listen();
    gateway.sources[0]!.destroy(new PmError(PM_ERR.IPC));
    await time.pass(1000);
    expect(gateway.sources[0]).toBeInstanceOf(MemorySource);
    expect(sink.events.at(-1)).toEqual({ failure: new PmError(PM_ERR.IPC).message });
  });
});

describe('what open streams take', () => {
  const MANY = Array<string>(500).fill('test.count');

  it('is bounded for all of them together: one more is refused until others have gone', async () => {
    const { hub, time, listen } = await fixture({ lingerMs: 1000 }, { streamBytes: 300_000 });
    const first = await listen({ names: MANY });
    expect(hub.heldBytes).toBeGreaterThan(100_000);
    await listen({ names: [...MANY, 'test.count'] });
    await expect(listen({ names: [...MANY, 'test.text'] })).rejects.toMatchObject({
      code: 'MEMORY_FULL',
      httpStatus: 507,
    });
    expect([hub.groups, hub.subscribers]).toEqual([2, 2]);
    // The same once more takes nothing.
    await listen({ names: MANY }).then(({ leave }) => leave());
    first.leave();
    await time.pass(2000, 500);
    expect((await listen({ names: [...MANY, 'test.text'] })).sink.state).toBe('open');
  });

  it('is given back when they end', async () => {
    const { hub, listen } = await fixture();
    for (const changed of [false, true]) await listen({ names: MANY, changed });
    hub.close();
    expect(hub.heldBytes).toBe(0);
  });

  it('may not grow beyond the bound: such a stream ends with an error', async () => {
    const { hub, time, listen } = await fixture({}, { streamBytes: 16_000 });
    const { sink } = await listen({ names: ['test.count'], changed: true });
    await time.pass(3000);
    expect(sink.state).toBe('open');
    const grown = await listen({ names: Array<string>(6).fill('test.count'), changed: true });
    await time.pass(3000);
    expect([grown.sink.state, sink.state]).toEqual(['ended', 'open']);
    expect(hub.heldBytes).toBeLessThanOrEqual(16_000);
  });
});

describe('the first rates of a stream', () => {
  const rate = { rate: true } as const;
  const content = (): MemoryContent => ({
    metrics: ['a', 'b'].map((name, i) => ({
      name: `test.${name}`,
      descriptor: descriptor(makePmid(29, 0, i), { semantics: Semantics.COUNTER, units: makeUnits({ dimCount: 1 }) }),
      values: () => ((reads += 1), 100 * reads),
    })),
  });
  let reads = 0;
  beforeEach(() => void (reads = 0));

  it('start at what is remembered from other fetches', async () => {
    const { time, context, listen } = await fixture({}, { content: content() });
    await listen({ names: ['test.a', 'test.b'] });
    await time.pass(2000);
    const { sink } = await listen({ names: ['test.b'], select: rate });
    await time.pass(1000);
    const values = sink.events.flatMap((event) => (event.values ? [event.values['test.b']] : []));
    expect(values).toHaveLength(2);
    for (const value of values) expect(value).toEqual([[-1, expect.any(Number)]]);
    expect(context.isShared).toBe(false);
  });

  it('have no start before the source was lost', async () => {
    const { time, gateway, listen } = await fixture({}, { content: content() });
    await listen({ names: ['test.b'] });
    await time.pass(2000);
    Object.assign(gateway.sources[0]!, { reconnects: 1 });
    const { sink } = await listen({ names: ['test.b'], select: rate });
    expect(sink.events.at(-1)!.values).toEqual({ 'test.b': [] });
  });

  it('start at a sample before the one that the client has, where that has other metrics', async () => {
    const { time, listen } = await fixture({}, { content: content() });
    const whole = await listen({ names: ['test.a', 'test.b'] });
    await time.pass(2000);
    const part = await listen({ names: ['test.a'] });
    await time.pass(300);
    whole.leave();
    part.leave();
    const { sink } = await listen({
      names: ['test.b'],
      select: rate,
      lastEventId: parseEventId(part.sink.ids.at(-1)!),
    });
    await time.pass(1000);
    const values = sink.events.flatMap((event) => (event.values ? [event.values['test.b']] : []));
    expect(values.length).toBeGreaterThan(0);
    for (const value of values) expect(value).toEqual([[-1, expect.any(Number)]]);
  });

  it('of derived metrics start there, too, in shared contexts', async () => {
    const definitions = new DefinitionStore();
    definitions.register('my.rate', 'rate(test.b)');
    const { time, gateway, listen } = await fixture({}, { content: content(), definitions });
    const context = await gateway.contexts.shared({ kind: 'host', hostspec: 'localhost' });
    await listen({ names: ['test.b'], context });
    await time.pass(2000);
    const { sink } = await listen({ names: ['my.rate'], context });
    expect(sink.events.at(-1)!.values).toEqual({ 'my.rate': [[-1, expect.any(Number)]] });
    const own = await gateway.contexts.create({ kind: 'host', hostspec: 'localhost' });
    const other = await listen({ names: ['my.rate'], context: own });
    expect(other.sink.events.at(-1)!.values).toEqual({ 'my.rate': [] });
  });
});
