import { WorkerContexts } from '../../src/gateway/worker-contexts.js';
import type { KeptContext } from '../../src/gateway/worker-channel.js';
import { ManualTimers } from '../support/manual-timers.js';

const PLACE = { index: 1, count: 3, directory: '/d', secret: 's' };
const TTL_MS = 20_000;

let timers: ManualTimers;
/** What the parent got. */
let sent: KeptContext[];
/** The contexts that are open. */
let open: Map<number, string>;
beforeEach(() => {
  [timers, sent, open] = [new ManualTimers(), [], new Map()];
});

function start(...kept: readonly KeptContext[]): WorkerContexts {
  const send = (message: { kind: string; context?: KeptContext }): Promise<void> => {
    sent.push(message.context!);
    return Promise.resolve();
  };
  const contexts = new WorkerContexts({ place: PLACE, kept, send, timers });
  contexts.start({
    record: (id) => (open.has(id) ? { text: open.get(id)!, ttlMs: TTL_MS } : undefined),
    unusedMs: (id) => (open.has(id) ? 0 : Infinity),
  });
  return contexts;
}

/** Does something with a context: what was done, in order. */
async function use(contexts: WorkerContexts, id: number, restore?: (text: string) => void): Promise<readonly string[]> {
  const done: string[] = [];
  await contexts.at(id, {
    here: () => done,
    restore: async (text) => {
      await Promise.resolve();
      done.push(`restore ${text}`);
      restore?.(text);
    },
    hand: () => Promise.reject(new Error('handed')),
    shared: () => Promise.reject(new Error('shared')),
    gone: (how) => {
      done.push(`gone ${how ?? ''}`);
      return done;
    },
  });
  return done;
}

describe('WorkerContexts', () => {
  it('gives the parent a record when a context is opened and when it changes, and its end', async () => {
    const contexts = start();
    open.set(4, 'new');
    await contexts.create(4);
    open.set(4, 'changed');
    await contexts.save(4);
    await contexts.end(4, 'destroyed');
    expect(sent).toEqual([
      { id: 4, text: 'new', ttlMs: TTL_MS },
      { id: 4, text: 'changed', ttlMs: TTL_MS },
      { id: 4, ending: 'destroyed' },
    ]);
  });

  it('opens a context of the process before it once, for whichever request comes first', async () => {
    const contexts = start({ id: 4, text: 'kept', ttlMs: TTL_MS });
    expect(await Promise.all([use(contexts, 4), use(contexts, 4)])).toEqual([['restore kept'], []]);
    expect(await use(contexts, 4)).toEqual([]);
  });

  it('lets the next request try what one could not open', async () => {
    const contexts = start({ id: 4, text: 'kept', ttlMs: TTL_MS });
    const refused = use(contexts, 4, () => {
      throw new Error('wrong password');
    });
    const next = use(contexts, 4);
    await expect(refused).rejects.toThrow('wrong password');
    expect(await next).toEqual(['restore kept']);
  });

  it('says how a context ended before it started, also of one that nobody used since', async () => {
    const contexts = start({ id: 4, text: 'kept', ttlMs: TTL_MS }, { id: 7, ending: 'destroyed' });
    expect(await use(contexts, 7)).toEqual(['gone destroyed']);
    timers.advance(TTL_MS);
    expect(await use(contexts, 4)).toEqual(['gone expired']);
    expect(sent).toEqual([{ id: 4, ending: 'expired' }]);
  });

  it('lets a context that was opened again live', async () => {
    const contexts = start({ id: 4, text: 'kept', ttlMs: TTL_MS });
    await use(contexts, 4);
    timers.advance(TTL_MS);
    expect([sent, await use(contexts, 4)]).toEqual([[], []]);
  });

  it('numbers a shared context as the process before it did, and forgets those that are closed', async () => {
    const [first, second] = [start().shared, start().shared];
    const id = first.idOf('a key');
    expect([id % 3, second.idOf('a key')]).toEqual([1, id]);
    expect(first.idOf('another')).not.toBe(id);
    open.set(id, 'shared');
    await first.note(id);
    open.delete(id);
    open.set(1, 'another');
    await first.note(1);
    expect(sent).toEqual([
      { id, text: 'shared', ttlMs: TTL_MS },
      { id, ending: 'expired' },
      { id: 1, text: 'another', ttlMs: TTL_MS },
    ]);
  });
});
