import { FakeClock } from '../support/fake-clock.js';
import { memoryGateway } from '../support/memory-gateway.js';

const SPEC = { kind: 'host', hostspec: 'h' } as const;

test('a plan is kept as long as it says the same', async () => {
  const { contexts, sources } = memoryGateway({ clock: new FakeClock() });
  const context = await contexts.create(SPEC);
  const plan = await context.plan({ names: ['kernel.all.load'] });
  expect(await context.plan({ names: ['kernel.all.load'] })).toBe(plan);
  sources[0]!.generation++;
  expect(await context.plan({ names: ['kernel.all.load'] })).not.toBe(plan);
});

test('a plan with missing metrics is believed for a while', async () => {
  const clock = new FakeClock();
  const { contexts } = memoryGateway({ clock });
  const context = await contexts.create(SPEC);
  const plan = await context.plan({ names: ['no.such'] });
  clock.advance(4999);
  expect(await context.plan({ names: ['no.such'] })).toBe(plan);
  clock.advance(2);
  expect(await context.plan({ names: ['no.such'] })).not.toBe(plan);
});

test('plans of very many metrics are not kept beside one another', async () => {
  const { contexts } = memoryGateway({ clock: new FakeClock() });
  const context = await contexts.create(SPEC);
  const many = (first: number): { names: string[] } => ({
    names: Array.from({ length: 8000 }, (_, i) => `no.such${first + i}`),
  });
  const plans = [await context.plan(many(0)), await context.plan(many(1)), await context.plan(many(2))];
  expect(await context.plan(many(2))).toBe(plans[2]);
  expect(await context.plan(many(1))).toBe(plans[1]);
  expect(await context.plan(many(0))).not.toBe(plans[0]);
});
