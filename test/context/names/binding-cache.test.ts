import { BudgetedMap, MemoryBudget } from '../../../src/context/memory-budget.js';
import { BindingCache, type Binding } from '../../../src/context/names/binding-cache.js';
import { MetadataCache } from '../../../src/context/names/metadata-cache.js';
import { DefinitionStore, DerivedScope } from '../../../src/derived/index.js';
import { systemClock } from '../../../src/pmapi/index.js';
import { TEST_CONTENT } from '../../support/memory-gateway.js';
import { MemorySource } from '../../support/memory-source.js';

const COUNT = 100;
const LEAVES_AFTER = 10;
const LEFT = new Error('the client disconnected');

/** Definitions, a cache that binds them, and how many it has bound. */
function setUp(expression: (i: number) => string) {
  const store = new DefinitionStore();
  const definitions = Array.from({ length: COUNT }, (_, i) => store.register(`many.x${i}`, expression(i)));
  const programs = new BudgetedMap<string, Binding>(new MemoryBudget(2 ** 30));
  const cache = new BindingCache(new MetadataCache(), programs);
  const source = new MemorySource(TEST_CONTENT, systemClock);
  const client = new AbortController();
  let bound = 0;
  const keep = programs.set.bind(programs);
  programs.set = (...binding) => {
    keep(...binding);
    if (++bound === LEAVES_AFTER) client.abort(LEFT);
  };
  const scope = new DerivedScope(store);
  const bindAll = (signal?: AbortSignal): Promise<readonly object[]> =>
    cache.bindAll(source, definitions, scope, signal);
  return { bindAll, client, bound: () => bound };
}

describe('binding', () => {
  it.each([
    ['definitions', (i: number) => `mem.util.free + ${i}`],
    ['those that meta= names', (i: number) => `mkconst(${i}, meta=many.x${(i + 1) % COUNT})`],
  ])('stops when the client leaves: %s', async (_, expression) => {
    const { bindAll, client, bound } = setUp(expression);
    await expect(bindAll(client.signal)).rejects.toBe(LEFT);
    expect(bound()).toBe(LEAVES_AFTER);
  });

  it('goes on for the others, who bind what the one that left did not', async () => {
    const { bindAll, client, bound } = setUp((i) => `mem.util.free + ${i}`);
    const [left, other] = await Promise.allSettled([bindAll(client.signal), bindAll()]);
    expect(left).toMatchObject({ status: 'rejected', reason: LEFT });
    expect(other).toMatchObject({ status: 'fulfilled' });
    expect(bound()).toBe(COUNT);
  });
});
