import { startBackgroundSampler } from '../../src/context/background-sampler.js';
import { LiveMemory } from '../../src/context/range/index.js';
import { DefinitionStore } from '../../src/derived/index.js';
import { GatewayError, makePmid, makeUnits, MetricType, Semantics } from '../../src/pmapi/index.js';
import { descriptor, memoryGateway, TEST_CONTENT } from '../support/memory-gateway.js';
import { HandTime, settle } from '../support/stream-fixture.js';

/** A counter that grows by one a second, and by more when it jumps. */
const TICKS = {
  jump: 0,
  descriptor: descriptor(makePmid(29, 9, 9), {
    type: MetricType.DOUBLE,
    semantics: Semantics.COUNTER,
    units: makeUnits({ dimCount: 1 }),
  }),
};

interface Options {
  readonly metrics?: readonly string[];
  readonly hosts?: readonly string[];
  readonly isStrained?: () => boolean;
  readonly isElsewhere?: (hostspec: string) => boolean;
  readonly failures?: Readonly<Record<string, Error>>;
}

function setUp({
  metrics = ['kernel.all', 'mem.util.free'],
  hosts = ['localhost'],
  isStrained,
  isElsewhere = () => false,
  failures = {},
}: Options = {}) {
  const time = new HandTime(300);
  const definitions = new DefinitionStore();
  definitions.register('my.ticks', 'rate(test.ticks)');
  const ticks = { name: 'test.ticks', descriptor: TICKS.descriptor, values: () => time.nowMs() / 1000 + TICKS.jump };
  const content = { metrics: [...TEST_CONTENT.metrics, ticks] };
  const gateway = memoryGateway({ clock: time, content, memory: new LiveMemory(time), definitions, failures });
  const warnings: object[] = [];
  const sampler = startBackgroundSampler({
    contexts: gateway.contexts,
    hosts,
    metrics,
    clock: time,
    timers: time,
    isElsewhere,
    isStrained: isStrained ?? (() => false),
    warn: (message, fields) => void warnings.push({ message, ...fields }),
  });
  return { time, gateway, sampler, warnings };
}

async function remembered({ contexts }: ReturnType<typeof memoryGateway>): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { spec, history } of contexts.remembered) {
    const { names } = await contexts.shared(spec);
    for (const pmid of history.pmids) {
      const [name] = await names.namesOf(pmid);
      counts[`${spec.kind === 'host' ? spec.hostspec : '?'} ${name!}`] = history.moments(pmid).length;
    }
  }
  return counts;
}

describe('startBackgroundSampler', () => {
  it('has metrics and subtrees remembered, a sample at the start and one a second', async () => {
    const { time, gateway, sampler } = setUp();
    await settle();
    await time.pass(4000);
    expect(await remembered(gateway)).toEqual({
      'localhost kernel.all.load': 5,
      'localhost kernel.all.sysfork': 5,
      'localhost mem.util.free': 5,
    });
    sampler.close();
    await time.pass(2000);
    expect(await remembered(gateway)).toMatchObject({ 'localhost mem.util.free': 5 });
    expect(time.pending).toBe(0);
  });

  it('fetches the operands of derived metrics, and leaves the start of their rates to clients', async () => {
    const { time, gateway, sampler } = setUp({ metrics: ['my.ticks', 'no.such'] });
    await settle();
    await time.pass(2000);
    expect(await remembered(gateway)).toEqual({ 'localhost test.ticks': 3 });
    const context = await gateway.contexts.shared({ kind: 'host', hostspec: 'localhost' });
    const plan = await context.plans.get({ names: ['my.ticks'] });
    const rate = (): Promise<number> => context.fetching.fetch(plan, ({ sets }) => sets[0]!.column.numbers[0]!);
    // The first one starts at the last sample.
    expect(await rate()).toBeCloseTo(1, 5);
    await time.pass(2000);
    TICKS.jump = 100;
    await time.pass(8000);
    expect(await rate()).toBeCloseTo(11, 5);
    sampler.close();
  });

  it('opens nothing when there is nothing to remember', async () => {
    const { time, gateway } = setUp({ metrics: [] });
    await time.pass(3000);
    expect([gateway.opened, time.pending]).toEqual([[], 0]);
  });

  it('pauses under overload', async () => {
    let isStrained = true;
    const { time, gateway, sampler } = setUp({ isStrained: () => isStrained });
    await time.pass(3000);
    expect(gateway.opened).toEqual([]);
    isStrained = false;
    await time.pass(1000);
    expect(await remembered(gateway)).toMatchObject({ 'localhost mem.util.free': 1 });
    sampler.close();
  });

  it('samples no host that another gateway of the fleet samples', async () => {
    let elsewhere = 'web1';
    const { time, gateway, sampler } = setUp({
      hosts: ['web1', 'localhost'],
      isElsewhere: (hostspec) => hostspec === elsewhere,
    });
    await time.pass(1000);
    expect(gateway.opened).toEqual([{ kind: 'host', hostspec: 'localhost' }]);
    elsewhere = 'localhost';
    await time.pass(1000);
    expect(gateway.opened).toContainEqual({ kind: 'host', hostspec: 'web1' });
    sampler.close();
  });

  it('reports a host that does not answer once, leaves it alone for half a minute, and samples the others', async () => {
    const failures: Record<string, Error> = { down: new GatewayError('SOURCE_UNREACHABLE', 'no answer') };
    const { time, gateway, sampler, warnings } = setUp({
      hosts: ['down', 'localhost'],
      metrics: ['mem.util.free'],
      failures,
    });
    await settle();
    await time.pass(31_000, 500);
    expect(warnings).toEqual([expect.objectContaining({ hostspec: 'down', reason: 'no answer' })]);
    expect(await remembered(gateway)).toEqual({ 'localhost mem.util.free': 32 });
    delete failures.down;
    await time.pass(29_000, 500);
    expect(await remembered(gateway)).not.toHaveProperty(['down mem.util.free']);
    await time.pass(3_000, 500);
    expect(await remembered(gateway)).toHaveProperty(['down mem.util.free']);
    expect(warnings).toHaveLength(1);
    sampler.close();
  });
});
