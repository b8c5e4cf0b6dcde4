import { EMPTY, entryAfter } from '../../../src/fleet/engine.js';
import type { Engine } from '../../../src/fleet/engine.js';
import { formatMessage } from '../../../src/fleet/messages.js';
import type { Mistake } from './simulated-fleet.js';

/** Ways to get the protocol wrong, each of which breaks a promise in some run. */
export const MISTAKES: Readonly<Record<string, Mistake>> = {
  'acknowledges before the other members have applied the entry': {
    engine: (engine) => ({
      ...engine,
      renew: async (lease) => ({ ...(await engine.renew(lease)), members: new Map([[lease.name, lease.value]]) }),
    }),
  },
  'counts as a member before it has applied the log': {
    engine: (engine) => ({ ...engine, renew: async (lease) => ({ ...(await engine.renew(lease)), head: EMPTY }) }),
    faults: ['kill', 'stop', 'cut'],
  },
  'appends without comparing the head': { engine: appendAnyway },
  'applies what may not be replicated': { engine: confirmAtOnce, faults: ['restart all'] },
  'does not wait for a replica': { isHasty: true, faults: ['restart all'] },
  'trusts its lease for as long as the engine keeps it': { settings: { marginMs: 0 }, faults: ['cut'], from: 20 },
  'appends at once after a failover': { settings: { settleMs: 0 }, faults: ['lose everything'], from: 20 },
  'appends before it noticed a failover': { engine: appendInAnyEpoch, faults: ['lose everything'], from: 30 },
};

function appendAnyway(engine: Engine): Engine {
  return {
    ...engine,
    append: async (entry, head, epoch) => {
      const { snapshot, entries } = await engine.load();
      const { version, hash } = entries.at(-1) ?? snapshot ?? head;
      return engine.append(entryAfter({ version, hash }, entry.text), { version, hash }, epoch);
    },
  };
}

function appendInAnyEpoch(engine: Engine): Engine {
  return {
    ...engine,
    append: async (entry, head) => engine.append(entry, head, (await engine.load()).epoch),
  };
}

function confirmAtOnce(engine: Engine): Engine {
  let receive: (message: string) => void = () => undefined;
  return {
    ...engine,
    subscribe: (listener) => {
      receive = listener;
      engine.subscribe(listener);
    },
    read: async (after) => {
      const entries = await engine.read(after);
      const last = entries.at(-1);
      // Once the caller has them.
      if (last) {
        const { version, hash } = last;
        void Promise.resolve()
          .then(() => undefined)
          .then(() => undefined)
          .then(() => receive(formatMessage({ kind: 'replicated', head: { version, hash } })));
      }
      return entries;
    },
  };
}
