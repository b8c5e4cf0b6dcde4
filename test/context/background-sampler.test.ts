import { BackgroundSampler } from '../../src/context/background-sampler.js';
import { LiveMemory } from '../../src/context/range/index.js';
import { DefinitionStore } from '../../src/derived/index.js';
import { GatewayError } from '../../src/pmapi/index.js';
import { memoryGateway } from '../support/memory-gateway.js';
import { HandTime, settle } from '../support/stream-fixture.js';

interface Options {
  readonly metrics?: readonly string[];
  readonly hosts?: readonly string[];
  readonly isStrained?: () => boolean;
  readonly failures?: Readonly<Record<string, Error>>;
}

function setUp({
  metrics = ['kernel.all', 'mem.util.free'],
  hosts = ['localhost'],
  isStrained,
  failures = {},
}: Options = {}) {
  const time = new HandTime(300);
  const definitions = new DefinitionStore();
  definitions.register('my.forks', 'rate(kernel.all.sysfork)');
  const gateway = memoryGateway({ clock: time, memory: new LiveMemory(time), definitions, failures });
  const warnings: object[] = [];
  const sampler = new BackgroundSampler({
    contexts: gateway.contexts,
    hosts,
    metrics,
    clock: time,
    timers: time,
    isStrained: isStrained ?? (() => false),
    warn: (message, fields) => void warnings.push({ message, ...fields }),
  });
  return { time, gateway, sampler, warnings };
}

/** How many samples are remembered of each metric of each host. */
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

describe('BackgroundSampler', () => {
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
    const { time, gateway, sampler } = setUp({ metrics: ['my.forks', 'no.such'] });
    await settle();
    await time.pass(3000);
    expect(await remembered(gateway)).toEqual({ 'localhost kernel.all.sysfork': 4 });
    const context = await gateway.contexts.shared({ kind: 'host', hostspec: 'localhost' });
    const plan = await context.plans.get({ names: ['my.forks'] });
    const status = await context.fetching.fetch(plan, ({ sets }) => sets[0]!.status);
    // A rate begins with the first fetch of a client.
    expect(status).toBeLessThan(1);
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
