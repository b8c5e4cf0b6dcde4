import { DerivedMetrics } from '../../../src/context/names/derived-metrics.js';
import { ContextMemory, makeSharedSource } from '../../../src/context/shared-source.js';
import { DefinitionStore } from '../../../src/derived/index.js';
import { FakeClock } from '../../support/fake-clock.js';
import { MemorySource } from '../../support/memory-source.js';

describe('DerivedMetrics', () => {
  it('remembers nothing of metrics that were unregistered', async () => {
    const clock = new FakeClock();
    const store = new DefinitionStore();
    const source = new MemorySource({ metrics: [] }, clock);
    const derived = new DerivedMetrics(source, makeSharedSource('a source', store, new ContextMemory()));
    const evaluate = async (name: string): Promise<void> => {
      const definition = store.get(name)!;
      const [binding] = await derived.bindAll([definition]);
      if (!binding?.program) throw new Error(`${name} does not bind`);
      const noOperand = (): never => {
        throw new Error('it has no operands');
      };
      const sample = { timestamp: clock.now(), operand: noOperand, profileVersion: 0 };
      derived.evaluate(derived.compute(definition, binding), sample);
    };
    store.register('my.stays', '1', 'api');
    await evaluate('my.stays');
    for (let i = 0; i < 100; i++) {
      store.register(`my.goes${i}`, '2', 'api');
      await evaluate(`my.goes${i}`);
      store.unregister(`my.goes${i}`);
    }
    expect(derived.remembered).toBe(2);
  });
});
