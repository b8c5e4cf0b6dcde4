import { describeEngine } from './support/engine-contract.js';
import { SimulatedEngine } from './support/simulated-engine.js';
import { Random } from '../support/random.js';
import { SimulatedProcess, VirtualTime } from './support/virtual-time.js';

describeEngine('of the simulation', async () => {
  const time = new VirtualTime();
  const simulated = new SimulatedEngine(time, new Random(1));
  simulated.lossRate = 0;
  return {
    connect: async () => simulated.connect(new SimulatedProcess(time, 1)),
    until: async (work) => {
      const state = { isDone: false };
      const done = (): void => void (state.isDone = true);
      work.then(done, done);
      while (!state.isDone) await time.runUntil(time.nowMs + 1);
      return work;
    },
    setReplication: async (isOn) => {
      simulated.lagMs = isOn ? 1 : 1e9;
    },
  };
});
