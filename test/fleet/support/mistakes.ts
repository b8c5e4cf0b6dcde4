import { idOf } from '../../../src/fleet/document.js';
import type { Engine } from '../../../src/fleet/engine.js';
import type { Mistake } from './simulated-fleet.js';

/** Ways to get the protocol wrong, each of which breaks a promise in some run. */
export const MISTAKES: Readonly<Record<string, Mistake>> = {
  'stores a version without comparing the one before': { engine: putAnyway },
  'does not wait for a replica': { isHasty: true, faults: ['restart all'] },
  'renews the lease without looking at the document': { engine: lookAway, faults: ['cut', 'stop'] },
  'trusts its lease for as long as the engine keeps it': { settings: { marginMs: -2000 }, faults: ['cut'] },
  'changes something at once after a failover': { settings: { settleMs: 0 }, faults: ['lose everything'] },
  'changes something before it noticed a failover': { engine: putInAnyEpoch, faults: ['lose everything'] },
};

async function current(engine: Engine): Promise<{ readonly id: string; readonly epoch: string }> {
  const { document, epoch } = await engine.renew({ name: 'spy', value: '', ttlMs: 1 }, 'unknown');
  return { id: document && document !== 'damaged' ? idOf(document) : '', epoch };
}

function putAnyway(engine: Engine): Engine {
  return {
    ...engine,
    putDocument: async (document, _, epoch) => engine.putDocument(document, (await current(engine)).id, epoch),
  };
}

function putInAnyEpoch(engine: Engine): Engine {
  return {
    ...engine,
    putDocument: async (document) => {
      const { id, epoch } = await current(engine);
      return engine.putDocument(document, id, epoch);
    },
  };
}

/** Every second renewal says that nothing has changed. */
function lookAway(engine: Engine): Engine {
  return {
    ...engine,
    renew: async (lease, known) => ({
      ...(await engine.renew(lease, known)),
      ...(known !== '' && { document: undefined }),
    }),
  };
}
