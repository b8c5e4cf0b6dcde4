import type { Context } from '../../src/context/index.js';
import { LiveMemory } from '../../src/context/range/index.js';
import type { ExplainedNode } from '../../src/derived/index.js';
import { DIMENSIONLESS, INDOM_NULL, makeIndom, makePmid, MetricType, Semantics } from '../../src/pmapi/index.js';
import type { Instance } from '../../src/pmapi/index.js';
import { FakeClock } from '../support/fake-clock.js';
import { ManualTimers } from '../support/manual-timers.js';
import { type MemoryMetric, MemorySource, type MemoryValues } from '../support/memory-source.js';
import { until } from '../support/until.js';
import { contextsOf } from '../support/contexts-of.js';

const INDOM = makeIndom(60, 7);
const MANY: readonly Instance[] = Array.from({ length: 10_000 }, (_, id) => ({ id, name: `process-${id}` }));

interface Parts {
  readonly type?: MetricType;
  readonly semantics?: Semantics;
  readonly indom?: number;
}

function metric(item: number, name: string, values: MemoryMetric['values'], parts: Parts = {}): MemoryMetric {
  const { type = MetricType.U32, semantics = Semantics.INSTANT, indom = INDOM_NULL } = parts;
  const descriptor = { pmid: makePmid(60, 1, item), type, semantics, indom, units: DIMENSIONLESS };
  return { name, descriptor, values };
}

const many = (value: number): MemoryValues => new Map(MANY.map(({ id }) => [id, value]));
const counter = { semantics: Semantics.COUNTER };

function setUp({
  instances = MANY.slice(0, 3),
  remembers = true,
}: { instances?: readonly Instance[]; remembers?: boolean } = {}): {
  context: Promise<Context>;
  clock: FakeClock;
  timers: ManualTimers;
  source: MemorySource;
} {
  const clock = new FakeClock();
  const start = clock.now().sec;
  const timers = new ManualTimers();
  const source = new MemorySource(
    {
      metrics: [
        metric(1, 'test.grows', ({ sec }) => 100 + 10 * (sec - start), counter),
        metric(2, 'test.steady', 4),
        metric(3, 'test.each', new Map(instances.map(({ id }) => [id, id * 10])), { indom: INDOM }),
        metric(4, 'test.every', many(1), { indom: INDOM }),
        metric(5, 'test.text', 'x'.repeat(3200), { type: MetricType.STRING }),
        metric(6, 'test.event', new Uint8Array([0, 0, 0, 0]), { type: MetricType.EVENT }),
        metric(7, 'test.broken', { error: -12389 }),
      ],
      indoms: [{ indom: INDOM, instances }],
    },
    clock,
  );
  const manager = contextsOf(source, {
    clock,
    timers,
    ...(remembers && { memory: new LiveMemory(clock, { bytes: 1_000_000, maxAgeMs: 600_000 }) }),
  });
  return { context: manager.create({ kind: 'host', hostspec: 'localhost' }), clock, timers, source };
}

/** What each part gave: its numbers, or why it has none. */
function partsOf(root: ExplainedNode): Record<string, unknown> {
  const { node, values, lost, children } = root;
  const own = values && (values.status > 0 ? [...values.column.numbers.slice(0, values.status)] : lost[0]?.reason);
  return Object.assign({ [node.text]: own }, ...children.map(partsOf)) as Record<string, unknown>;
}

async function sampled(context: Context, text: string): Promise<Record<string, unknown>> {
  return partsOf((await context.checkExpression(text)).sample!.root);
}

describe('the values of the parts', () => {
  it.each([
    ['no.such', undefined],
    ['1 +', undefined],
  ])('are absent where nothing binds: %s', async (text) => {
    const { sample } = await (await setUp().context).checkExpression(text);
    expect(sample?.root.values).toBeUndefined();
  });

  it.each([
    ['defined(no.such) ? no.such : test.steady', { 'defined(no.such)': [0], 'no.such': undefined, 'test.steady': [4] }],
    [
      'test.steady > 5 ? test.steady : novalue()',
      { 'test.steady > 5': [0], 'novalue()': 'novalue() never has a value' },
    ],
    ['matchinst(/2$/, test.each)', { 'matchinst(/2$/, test.each)': [20] }],
    ['test.each[process-1]', { 'test.each[process-1]': [10] }],
    ['test.each[no such]', { 'test.each[no such]': 'instance no such is not in test.each', 'test.each': [0, 10, 20] }],
    ['rescale(mkconst(3, units="sec"), "millisec")', { 'mkconst(3, units=sec)': [3] }],
    ['test.broken + 1', { 'test.broken + 1': 'test.broken: Try again. Information not currently available', 1: [1] }],
  ])('say what was given, or why nothing: %s', async (text, expected) => {
    const context = await setUp().context;
    expect(await sampled(context, text)).toMatchObject(expected);
  });
});

describe('delta() and rate()', () => {
  it('wait for a second sample where nothing is remembered', async () => {
    const { context, clock, timers } = setUp();
    const checking = sampled(await context, 'delta(test.grows) / 2');
    await until(() => timers.pending === 1);
    clock.advance(1000);
    timers.advance(250);
    expect(await checking).toEqual({
      'delta(test.grows) / 2': [5],
      'delta(test.grows)': [10],
      'test.grows': [110],
      2: [2],
    });
  });

  it('compare with what is remembered, and wait for nothing', async () => {
    const { context, clock, timers } = setUp();
    const own = await context;
    const plan = await own.plans.get({ names: ['test.grows'] });
    await own.fetching.fetch(plan, () => undefined);
    clock.advance(5000);
    // What is not compared need not be remembered.
    expect(await sampled(own, 'rate(test.grows) / test.steady')).toMatchObject({
      'rate(test.grows)': [10],
      'test.grows': [150],
    });
    expect(timers.pending).toBe(0);
  });

  it('remember what was sampled for the next check', async () => {
    const { context, clock, timers } = setUp();
    const own = await context;
    await sampled(own, 'test.grows + 0');
    clock.advance(2000);
    expect(await sampled(own, 'delta(test.grows)')).toMatchObject({ 'delta(test.grows)': [20] });
    expect(timers.pending).toBe(0);
  });

  it('end when the client leaves, without a timer left', async () => {
    const { context, timers, source } = setUp({ remembers: false });
    const gone = new AbortController();
    const checking = (await context).checkExpression('rate(test.grows)', { signal: gone.signal });
    await until(() => timers.pending === 1);
    const reason = new Error('the client disconnected');
    gone.abort(reason);
    await expect(checking).rejects.toBe(reason);
    expect(timers.pending).toBe(0);
    expect(source.kind).toBe('local');
  });
});

describe('limits', () => {
  it('count the values of all parts, before they are computed', async () => {
    const context = await setUp({ instances: MANY }).context;
    const text = 'test.every + test.every * 2';
    // Two names, a product and a sum over 10,000 instances, and a constant.
    await expect(context.checkExpression(text, { values: 40_000 })).rejects.toMatchObject({
      code: 'LIMIT_EXCEEDED',
      message: 'the 5 parts of the expression have 40001 values; one response may have 40000 (limits.values)',
    });
    const { sample } = await context.checkExpression(text, { values: 40_001 });
    expect(sample!.root.values!.status).toBe(10_000);
    expect(sample!.nameOf(INDOM, 9999)).toBe('process-9999');
  });

  it('count long texts more than once, and constants over a domain for each instance', async () => {
    const context = await setUp({ instances: MANY }).context;
    await expect(context.checkExpression('test.text', { values: 100 })).rejects.toThrow('have 101 values');
    await expect(context.checkExpression('test.text', { values: 101 })).resolves.toBeDefined();
    const constant = context.checkExpression('mkconst(1, meta=test.each) + 1', { values: 1000 });
    await expect(constant).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
  });
});

describe('at a moment', () => {
  it('the parts are what is remembered of it', async () => {
    const { context, clock } = setUp();
    const own = await context;
    const plan = await own.plans.get({ names: ['test.grows'] });
    const start = clock.now();
    for (let i = 0; i < 4; i++) {
      await own.fetching.fetch(plan, () => undefined);
      clock.advance(10_000);
    }
    const at = { sec: start.sec + 25, nsec: 0 };
    const { sample } = await own.checkExpression('delta(test.grows)', { at });
    expect(sample!.timestamp).toEqual(at);
    expect(partsOf(sample!.root)).toEqual({ 'delta(test.grows)': [100], 'test.grows': [350] });
  });

  it('is refused where nothing is remembered', async () => {
    const context = await setUp({ remembers: false }).context;
    const at = { sec: 1, nsec: 0 };
    await expect(context.checkExpression('test.grows', { at })).rejects.toMatchObject({ code: 'WRONG_CONTEXT' });
  });
});
