import { DefinitionStore } from '../../../src/derived/index.js';
import { PM_ERR } from '../../../src/pmapi/index.js';
import { metricFilter, metricRule } from '../../../src/sources/index.js';
import { FakeClock } from '../../support/fake-clock.js';
import { memoryGateway } from '../../support/memory-gateway.js';

const SPEC = { kind: 'host', hostspec: 'h' } as const;

test('a plan is kept as long as it says the same', async () => {
  const { contexts, sources } = memoryGateway({ clock: new FakeClock() });
  const context = await contexts.create(SPEC);
  const plan = await context.plans.get({ names: ['kernel.all.load'] });
  expect(await context.plans.get({ names: ['kernel.all.load'] })).toBe(plan);
  sources[0]!.generation++;
  expect(await context.plans.get({ names: ['kernel.all.load'] })).not.toBe(plan);
});

test('a plan with missing metrics is believed for a while', async () => {
  const clock = new FakeClock();
  const { contexts } = memoryGateway({ clock });
  const context = await contexts.create(SPEC);
  const names = ['kernel.all.load', 'no.such'];
  const plan = await context.plans.get({ names });
  clock.advance(4999);
  expect(await context.plans.get({ names })).toBe(plan);
  clock.advance(2);
  expect(await context.plans.get({ names })).not.toBe(plan);
});

test('a plan of nothing but missing metrics is not believed: no fetch would tell that they came back', async () => {
  const { contexts, sources } = memoryGateway({ clock: new FakeClock() });
  const context = await contexts.create(SPEC);
  const LOAD = { names: ['kernel.all.load'] };
  const source = sources[0]!;
  const lookupNames = source.lookupNames.bind(source);
  source.lookupNames = (names) => Promise.resolve(names.map(() => PM_ERR.NAME));
  expect((await context.plans.get(LOAD)).missing).toHaveLength(1);
  source.lookupNames = lookupNames;
  expect((await context.plans.get(LOAD)).entries).toHaveLength(1);
});

test('a node is read once, however often it is listed, and for no longer than its client stays', async () => {
  const { contexts, sources } = memoryGateway({ clock: new FakeClock() });
  const context = await contexts.create(SPEC);
  const source = sources[0]!;
  const traverse = source.traverse.bind(source);
  let asked = 0;
  source.traverse = (prefix) => {
    asked++;
    return traverse(prefix);
  };
  const most = 100_000;
  const plan = await context.plans.get({ prefixes: [...Array<string>(1000).fill('kernel'), 'no', 'no'], most });
  expect([asked, plan.entries.length > 0, plan.missing.length]).toEqual([2, true, 1]);

  const leaving = new AbortController();
  setImmediate(() => leaving.abort(new Error('gone')));
  const prefixes = Array.from({ length: 10_000 }, (_, i) => `no.${i}`);
  await expect(context.plans.get({ prefixes, most }, () => leaving.signal)).rejects.toThrow('gone');
  expect(asked).toBeLessThan(prefixes.length);
});

test('plans are kept as long as they fit into the memory that contexts may take', async () => {
  const memoryLimits = {
    kept: 30_000_000,
    programs: 1,
    metadata: 1e6,
    definitions: 0,
    profiles: 0,
  };
  const { contexts } = memoryGateway({ clock: new FakeClock(), memoryLimits });
  const context = await contexts.create(SPEC);
  const many = (first: number): { names: string[] } => ({
    names: ['kernel.all.load', ...Array.from({ length: 40_000 }, (_, i) => `no.such${first + i}`)],
  });
  const plans = [await context.plans.get(many(0)), await context.plans.get(many(1)), await context.plans.get(many(2))];
  expect((await context.plans.get(many(2))) === plans[2]).toBe(true);
  expect((await context.plans.get(many(1))) === plans[1]).toBe(true);
  expect((await context.plans.get(many(0))) === plans[0]).toBe(false);
  expect(contexts.keptBytes.kept).toBeLessThanOrEqual(30_000_000);
});

describe('contexts on one source', () => {
  const LOAD = { names: ['kernel.all.load'] };
  const OWN = { names: ['my.own'] };

  it('share their plans, whatever their profiles', async () => {
    const { contexts } = memoryGateway();
    const [one, other, elsewhere] = [
      await contexts.create(SPEC),
      await contexts.create(SPEC),
      await contexts.create({ ...SPEC, hostspec: 'i' }),
    ];
    one.deleteProfile();
    expect(await other.plans.get(LOAD)).toBe(await one.plans.get(LOAD));
    expect(await elsewhere.plans.get(LOAD)).not.toBe(await one.plans.get(LOAD));
  });

  it('share none with one that has derived metrics of its own', async () => {
    const { contexts } = memoryGateway();
    const [one, other] = [await contexts.create(SPEC), await contexts.create(SPEC)];
    const before = await one.plans.get(OWN);
    expect(before.missing).toHaveLength(1);
    await one.addDerived('my.own', '1');
    const own = await one.plans.get(OWN);
    expect(own.entries).toHaveLength(1);
    expect(await one.plans.get(OWN)).toBe(own);
    expect((await other.plans.get(OWN)).missing).toEqual(before.missing);
  });

  it('share no plan that was being made while one of them got a derived metric', async () => {
    const { contexts, sources } = memoryGateway();
    const [one, other] = [await contexts.create(SPEC), await contexts.create(SPEC)];
    const source = sources[0]!;
    const lookupNames = source.lookupNames.bind(source);
    source.lookupNames = async (names) => {
      source.lookupNames = lookupNames;
      const found = await lookupNames(names);
      await one.addDerived('my.own', '1');
      return found;
    };
    expect((await one.plans.get(OWN)).entries).toHaveLength(1);
    expect((await other.plans.get(OWN)).entries).toHaveLength(0);
  });

  it('share none with one that does not see all metrics', async () => {
    const { contexts } = memoryGateway();
    const whole = await contexts.create(SPEC);
    const part = await contexts.create({ ...SPEC, filter: metricFilter([metricRule(['mem'])])! });
    expect((await whole.plans.get(LOAD)).entries).toHaveLength(1);
    expect((await part.plans.get(LOAD)).entries).toHaveLength(0);
  });

  it('make them anew when a global derived metric comes', async () => {
    const definitions = new DefinitionStore();
    const { contexts } = memoryGateway({ definitions });
    const [one, other] = [await contexts.create(SPEC), await contexts.create(SPEC)];
    expect((await one.plans.get(OWN)).entries).toHaveLength(0);
    definitions.register('my.own', '1', 'api');
    expect((await other.plans.get(OWN)).entries).toHaveLength(1);
  });
});
