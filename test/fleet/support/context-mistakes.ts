import type { Engine, FoundContext, Tenure } from '../../../src/fleet/engine.js';
import type { Mistake } from './simulated-fleet.js';

/** Ways to get the protocol of contexts wrong, each of which breaks a promise in some run. */
export const CONTEXT_MISTAKES: Readonly<Record<string, Mistake>> = {
  'takes contexts over from homes that have a lease': { engine: takeAnyway, faults: ['slow replicas'] },
  'writes the record of a context that has another home': { engine: putAnyway, faults: ['cut'], from: 770 },
  'believes that it is the home as it was before it was alone': { engine: stayHome, faults: ['stop', 'cut'] },
  'never looks up a home again': { engine: lookOnce, faults: ['kill'] },
  'does not wait for a replica': { isHasty: true, faults: ['restart all'] },
};

/** Others seem to have no lease, and the engine does not compare. */
function takeAnyway(engine: Engine): Engine {
  return {
    ...engine,
    renew: async (lease, known) => ({
      ...(await engine.renew(lease, known)),
      members: new Map([[lease.name, lease.value]]),
    }),
    adoptContext: async (adoption) => {
      await engine.release(adoption.expected.home);
      return engine.adoptContext(adoption);
    },
  };
}

function putAnyway(engine: Engine): Engine {
  return {
    ...engine,
    putContext: async (id, context, options) => {
      const { found } = await engine.getContext(id);
      const tenure: Tenure = found.kind === 'open' ? found : context;
      const { home, takeovers } = tenure;
      return engine.putContext(id, { ...context, home, takeovers }, options);
    },
  };
}

/** What it wrote itself is what it reads. */
function stayHome(engine: Engine): Engine {
  const mine = new Map<number, Tenure>();
  const remember = (id: number, { home, takeovers }: Tenure): void => void mine.set(id, { home, takeovers });
  return {
    ...engine,
    putContext: async (id, context, options) => {
      const outcome = await engine.putContext(id, context, options);
      if (outcome === 'stored') remember(id, context);
      return outcome;
    },
    getContext: async (id) => {
      const answer = await engine.getContext(id);
      const { found } = answer;
      return { ...answer, found: found.kind === 'open' ? { ...found, ...mine.get(id) } : found };
    },
  };
}

function lookOnce(engine: Engine): Engine {
  const seen = new Map<number, FoundContext>();
  return {
    ...engine,
    getContext: async (id) => {
      const answer = await engine.getContext(id);
      const known = seen.get(id);
      if (known) return { ...answer, found: known };
      if (answer.found.kind === 'open') seen.set(id, answer.found);
      return answer;
    },
  };
}
