import { ContextHomes } from '../../src/fleet/index.js';
import { ManualTimers } from '../support/manual-timers.js';
import { until } from '../support/until.js';

type Options = ConstructorParameters<typeof ContextHomes>[0];

it('goes on with its upkeep where a context was reported as ended while the upkeep reports others', async () => {
  const timers = new ManualTimers();
  const asked: { readonly id: number; readonly answer: () => void }[] = [];
  let touches = 0;
  const engine: Partial<Options['engine']> = {
    putContext: () => Promise.resolve('stored' as const),
    endContext: (id) => new Promise((resolve) => asked.push({ id, answer: resolve as () => void })),
    touchContexts: () => {
      touches++;
      return Promise.resolve();
    },
  };
  const member: Partial<Options['member']> = { id: 'one', isAlone: false, leaseNumber: 1 };
  const holder = { record: () => ({ text: '{}', ttlMs: 1000 }), unusedMs: () => 0, drop: () => undefined };
  const homes = new ContextHomes({ engine, member, timers, holder } as unknown as Options);
  await until(() => timers.pending === 1);
  await homes.create(1);
  await homes.create(2);
  const ends = [homes.end(1, 'destroyed'), homes.end(2, 'destroyed')];
  timers.advance(1000);
  // Both were reported; the upkeep, which found neither answered, reports the first again.
  await until(() => asked.length === 3);
  const before = touches;
  for (const { answer } of asked) answer();
  await Promise.all(ends);
  await until(() => touches > before);
  homes.close();
});
