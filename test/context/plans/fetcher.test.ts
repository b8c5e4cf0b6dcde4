import type { Context } from '../../../src/context/index.js';
import type { FetchResult } from '../../../src/pmapi/index.js';
import type { MetricSource } from '../../../src/sources/index.js';
import { FakeClock } from '../../support/fake-clock.js';
import { MemorySource } from '../../support/memory-source.js';
import { sampleContent } from '../../support/sample-metrics.js';
import { contextsOf } from '../../support/contexts-of.js';

async function contextOn(source: MetricSource): Promise<Context> {
  const manager = contextsOf(source, { clock: new FakeClock() });
  return manager.create({ kind: 'host', hostspec: 'localhost' });
}

test('a result is used again, but not while somebody may still fill it', async () => {
  const source = new MemorySource(sampleContent, new FakeClock());
  const context = await contextOn(source);
  const plan = await context.plans.get({ names: ['sample.long.one'] });
  const filled: FetchResult[] = [];
  const fetch = source.fetch.bind(source);
  let failure: Error | undefined;
  source.fetch = (prepared, profile, into) => {
    filled.push(into);
    return failure ? Promise.reject(failure) : fetch(prepared, profile, into);
  };
  await context.fetching.fetch(plan, () => undefined);
  await context.fetching.fetch(plan, () => undefined);
  failure = new Error('too late');
  await expect(context.fetching.fetch(plan, () => undefined)).rejects.toThrow('too late');
  failure = undefined;
  await context.fetching.fetch(plan, () => undefined);
  const [first, second, late, last] = filled;
  expect(second).toBe(first);
  expect(late).toBe(first);
  expect(last).not.toBe(late);
});
