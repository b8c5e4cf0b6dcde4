import { jest } from '@jest/globals';
import { parseSelection } from '../../src/context/index.js';
import type { Context, ContextMemoryLimits, SelectionParameters } from '../../src/context/index.js';
import { DefinitionStore } from '../../src/derived/index.js';
import { eventLoopTurns } from '../../src/kit/index.js';
import { type FetchResult, MetricType, Semantics, makePmid } from '../../src/pmapi/index.js';
import { FakeClock } from '../support/fake-clock.js';
import { type MemoryGateway, TEST_CONTENT, descriptor, memoryGateway } from '../support/memory-gateway.js';
import { MemorySource } from '../support/memory-source.js';

const SPEC = { kind: 'host', hostspec: 'h' } as const;
const MIB = 1024 * 1024;
const LIMITS: ContextMemoryLimits = {
  kept: 2 * MIB,
  programs: MIB,
  metadata: 2 * MIB,
  definitions: MIB,
  profiles: MIB,
};

interface Fixture extends MemoryGateway {
  readonly clock: FakeClock;
  readonly definitions: DefinitionStore;
}

function setUp(memoryLimits = LIMITS): Fixture {
  const clock = new FakeClock();
  const definitions = new DefinitionStore();
  const content = {
    ...TEST_CONTENT,
    metrics: [
      ...TEST_CONTENT.metrics,
      {
        name: 'disk.reads',
        descriptor: descriptor(makePmid(60, 0, 1), { type: MetricType.U64, semantics: Semantics.COUNTER }),
        values: ({ sec }: { sec: number }) => 10 * (sec % 1000),
      },
    ],
  };
  return { ...memoryGateway({ clock, definitions, memoryLimits, content }), clock, definitions };
}

async function fetchOf(
  context: Context,
  names: readonly string[],
  parameters: SelectionParameters,
): Promise<readonly (readonly number[])[]> {
  const plan = await context.plans.get({ names });
  const view = context.fetching.keptView(plan, parseSelection(parameters)!);
  const read = ({ sets }: FetchResult): readonly (readonly number[])[] =>
    sets.map(({ status, column }) => [...column.numbers.slice(0, Math.max(status, 0))]);
  return context.fetching.fetch(plan, read, view);
}

describe('what contexts keep for their clients', () => {
  it('fits into one budget, however many contexts and selections there are', async () => {
    const { contexts } = setUp();
    const names = Array<string>(2_000).fill('disk.reads');
    for (let i = 0; i < 12; i++) {
      const context = await contexts.create(SPEC);
      // With a metric of its own it shares no plans.
      await context.addDerived('my.own', 'delta(kernel.all.load)');
      for (let top = 1; top <= 8; top++) await fetchOf(context, [...names, 'my.own'], { top, rate: true });
      expect(contexts.keptBytes.kept).toBeLessThanOrEqual(LIMITS.kept);
    }
    expect(contexts.keptBytes.kept).toBeGreaterThan(LIMITS.kept / 2);
    expect(contexts.keptBytes.programs).toBeLessThanOrEqual(LIMITS.programs);
    expect(contexts.size).toBe(12);
  });

  it('is given back when the contexts go, destroyed or expired', async () => {
    const { contexts, clock } = setUp();
    for (let i = 0; i < 4; i++) {
      const context = await contexts.create(SPEC);
      await context.addDerived('my.own', 'delta(kernel.all.load)');
      await fetchOf(context, ['my.own', 'disk.reads'], { rate: true });
      await fetchOf(await contexts.shared(SPEC), ['disk.reads'], { rate: true });
      expect(contexts.keptBytes.definitions).toBeGreaterThan(1_000);
      if (i % 2 === 0) await contexts.destroy(context.id);
      clock.advance(60_000);
      contexts.sweep();
    }
    expect(contexts.keptBytes).toMatchObject({ kept: 0, definitions: 0 });
  });

  it('counts what derived metrics remember between fetches', async () => {
    const { contexts } = setUp();
    const context = await contexts.create(SPEC);
    const sum = Array<string>(100).fill('delta(kernel.all.load)').join('+');
    await context.addDerived('my.few', 'delta(kernel.all.load)');
    await context.addDerived('my.many', sum);
    const kept = async (name: string): Promise<number> => {
      const plan = await context.plans.get({ names: [name] });
      const before = contexts.keptBytes.kept;
      await context.fetching.fetch(plan, () => undefined);
      return contexts.keptBytes.kept - before;
    };
    const few = await kept('my.few');
    expect(await kept('my.many')).toBeGreaterThan(few + 99 * 300);
  });

  it('counts the size of patterns and not that of their text', async () => {
    const { contexts } = setUp({ ...LIMITS, kept: 100 * MIB });
    const context = await contexts.create(SPEC);
    const kept = async (iname: string): Promise<number> => {
      const before = contexts.keptBytes.kept;
      await fetchOf(context, ['kernel.all.load'], { iname: [iname], match: 'regex' });
      return contexts.keptBytes.kept - before;
    };
    await kept('a');
    expect(await kept('a{1000}')).toBeGreaterThan((await kept('b')) + 300_000);
    const before = contexts.keptBytes.kept;
    await fetchOf(context, ['kernel.all.load'], { labels: 'agent=~"a{500}"' });
    expect(contexts.keptBytes.kept - before).toBeGreaterThan(150_000);
  });
});

describe('metadata of sources', () => {
  it('fits into one budget, however many hosts there are, and is given back when their contexts go', async () => {
    const { contexts } = setUp({ ...LIMITS, metadata: 100_000 });
    for (let i = 0; i < 100; i++) {
      const context = await contexts.create({ kind: 'host', hostspec: `host${i}` });
      const [pmid] = await context.names.lookupNames(['disk.reads']);
      await context.names.metadata(pmid!);
      expect(contexts.keptBytes.metadata).toBeLessThanOrEqual(100_000);
    }
    expect(contexts.keptBytes.metadata).toBeGreaterThan(90_000);
    for (const { id } of contexts.list()) await contexts.destroy(id);
    expect(contexts.keptBytes.metadata).toBe(0);
  });
});

describe('instance profiles of contexts', () => {
  const many = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

  it('fit into a quota for one context, and for all', async () => {
    const { contexts } = setUp();
    const own = await contexts.create(SPEC);
    expect(() => own.addProfile(1, many(10_000))).toThrow(
      /^the rules of the context's instance profile take 0 bytes, and this one \d+ more: limits\.memoryBytes/,
    );
    for (let i = 0; i < 4; i++) (await contexts.create(SPEC)).addProfile(1, many(6_000));
    expect(() => own.deleteProfile(1, many(3_000))).toThrow(/^instance profiles of all contexts take/);
    expect(contexts.keptBytes.profiles).toBeLessThanOrEqual(MIB);
    expect(own.copyProfile().isAll).toBe(true);
  });

  it('are counted when they are copied, and no more when the context has gone', async () => {
    const { contexts } = setUp();
    const { id } = await contexts.create(SPEC);
    contexts.use(id).addProfile(1, many(6_000));
    const one = contexts.keptBytes.profiles;
    for (let i = 0; i < 3; i++) await contexts.duplicate(id);
    expect(contexts.keptBytes.profiles).toBe(4 * one);
    await expect(contexts.duplicate(id)).rejects.toMatchObject({ code: 'MEMORY_FULL' });
    for (const context of contexts.list()) await contexts.destroy(context.id);
    expect(contexts.keptBytes.profiles).toBe(0);
  });

  it('give back what is forgotten', async () => {
    const { contexts } = setUp();
    const context = await contexts.create(SPEC);
    for (let i = 0; i < 10; i++) {
      context.addProfile(i, many(5_000));
      context.addProfile();
      expect(contexts.keptBytes.profiles).toBe(0);
    }
  });
});

describe('a metric that stands twice', () => {
  it('is asked for once, and answered as often as it was named', async () => {
    const { contexts, sources, clock } = setUp();
    const context = await contexts.create(SPEC);
    const prepare = jest.spyOn(MemorySource.prototype, 'prepare');
    const names = ['disk.reads', 'mem.util.free', 'disk.reads', 'disk.reads'];
    const plan = await context.plans.get({ names });
    expect(prepare.mock.calls[0]![0]).toHaveLength(2);
    prepare.mockRestore();
    expect(plan.entries.map(({ name }) => name)).toEqual(names);
    const before = await context.fetching.fetch(plan, ({ sets }) => sets.map(({ pmid }) => pmid));
    expect(before).toEqual(plan.entries.map(({ pmid }) => pmid));
    expect(sources).toHaveLength(1);

    await fetchOf(context, names, { rate: true });
    clock.advance(2_000);
    const rates = await fetchOf(context, names, { rate: true });
    expect([rates[0], rates[2], rates[3]]).toEqual([[10], [10], [10]]);
    expect(rates[1]).toEqual([23_987_772]);
    expect(await fetchOf(context, ['kernel.all.load', 'kernel.all.load'], { top: 1, instance: [5, 15] })).toEqual([
      [Math.fround(0.21)],
      [Math.fround(0.21)],
    ]);
  });

  it('counts once in what is kept, but for its place in the answer', async () => {
    const { contexts } = setUp();
    const context = await contexts.create(SPEC);
    const kept = async (some: readonly string[]): Promise<number> => {
      const before = contexts.keptBytes.kept;
      await fetchOf(context, some, { rate: true });
      return contexts.keptBytes.kept - before;
    };
    await kept(['test.nan']);
    const [few, many] = [
      await kept(Array<string>(4).fill('disk.reads')),
      await kept(Array<string>(104).fill('disk.reads')),
    ];
    // A metric by itself takes several value sets for its rates, of some 600 bytes each.
    expect((many - few) / 100).toBeLessThan(700);
  });
});

describe('programs of derived metrics', () => {
  it('are made in turns of the event loop, which other work gets in between', async () => {
    const { contexts, definitions } = setUp({ ...LIMITS, programs: 64 * MIB });
    for (let i = 0; i < 200; i++) definitions.register(`my.d${i}`, `delta(disk.reads) + ${i}`);
    const context = await contexts.create(SPEC);
    const turns = jest.spyOn(eventLoopTurns, 'next');
    await context.names.children('my');
    // Names are gathered and programs are made, and before each but the first somebody asks whether the turn is over.
    expect(turns.mock.calls.length).toBeGreaterThanOrEqual(2 * 199);
    turns.mockRestore();
  });

  it('are made once for all hosts that describe their metrics alike, and outlive the contexts', async () => {
    const { contexts, definitions, clock } = setUp();
    definitions.register('my.reads', 'disk.reads * 2');
    const programOf = async (hostspec: string): Promise<object> => {
      const context = await contexts.create({ kind: 'host', hostspec });
      const { entries } = await context.plans.get({ names: ['my.reads'] });
      return entries[0]!.computed!.program;
    };
    const program = await programOf('h');
    expect(await programOf('another')).toBe(program);
    clock.advance(60_000);
    contexts.sweep();
    expect(contexts.size).toBe(0);
    expect(await programOf('h')).toBe(program);
  });

  it('are kept where meta= leads through other derived metrics', async () => {
    const { contexts, definitions } = setUp();
    definitions.register('my.d0', 'disk.reads * 2');
    for (let i = 1; i < 8; i++) definitions.register(`my.d${i}`, `mkconst(${i}, meta=my.d${i - 1})`);
    const context = await contexts.create(SPEC);
    const programs = async (): Promise<readonly unknown[]> => {
      const names = Array.from({ length: 8 }, (_, i) => `my.d${i}`);
      const pmids = await context.names.lookupNames(names);
      const plan = await context.plans.get({ pmids });
      return plan.computation!.metrics.map(({ program }) => program);
    };
    const first = await programs();
    // Another context, whose own definition makes it share no plans.
    const other = await contexts.create(SPEC);
    await other.addDerived('my.own', '1');
    const pmids = await other.names.lookupNames(Array.from({ length: 8 }, (_, i) => `my.d${i}`));
    const { computation } = await other.plans.get({ pmids });
    const second = computation!.metrics.map(({ program }) => program);
    expect(second.every((program, i) => program === first[i])).toBe(true);
  });

  it('are dropped when there is no room, and made again', async () => {
    const { contexts, definitions } = setUp({ ...LIMITS, programs: 20_000 });
    for (let i = 0; i < 50; i++) definitions.register(`my.d${i}`, `delta(disk.reads) + ${i}`);
    const context = await contexts.create(SPEC);
    expect((await context.names.children('my')).leaf).toHaveLength(50);
    expect(contexts.keptBytes.programs).toBeLessThanOrEqual(20_000);
    expect((await context.names.children('my')).leaf).toHaveLength(50);
    const plan = await context.plans.get({ names: ['my.d0'] });
    expect(plan).toMatchObject({ missing: [], entries: [{ name: 'my.d0' }] });
  });
});

describe('definitions of a context whose client leaves', () => {
  it.each([
    ['parsed', 3],
    ['bound', 45],
  ])('are given up while they are %s, and none is kept', async (_, leavesAt) => {
    const { contexts } = setUp();
    const context = await contexts.create(SPEC);
    const client = new AbortController();
    const reason = new Error('the client left');
    const turns = jest.spyOn(eventLoopTurns, 'next').mockImplementation(() => {
      if (turns.mock.calls.length === leavesAt) client.abort(reason);
      return undefined;
    });
    const text = Array.from({ length: 20 }, (__, i) => `my.d${i} = delta(disk.reads) + ${i}`).join('\n');
    await expect(context.addDerivedFile(text, client.signal)).rejects.toBe(reason);
    expect(turns).toHaveBeenCalledTimes(leavesAt);
    turns.mockRestore();
    expect(context.derived.own()).toEqual([]);
    expect(contexts.keptBytes.definitions).toBe(0);
  });
});
