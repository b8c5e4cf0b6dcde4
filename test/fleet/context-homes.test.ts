import { EngineError } from '../../src/fleet/engine.js';
import { ContextHomes } from '../../src/fleet/index.js';
import { ManualTimers } from '../support/manual-timers.js';
import { until } from '../support/until.js';

type Options = ConstructorParameters<typeof ContextHomes>[0];

const made: ContextHomes[] = [];
const holder = { record: () => ({ text: '{}', ttlMs: 1000 }), unusedMs: () => 0, drop: () => undefined };
afterEach(() => made.splice(0).forEach((homes) => homes.close()));

function homesOf(options: object): ContextHomes {
  const homes = new ContextHomes({ ...options, holder } as unknown as Options);
  made.push(homes);
  return homes;
}

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
  const homes = homesOf({ engine, member, timers });
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
});

describe('while the engine fails over', () => {
  const failing = (): Promise<never> => Promise.reject(new EngineError('no connection', false));
  const member = { id: 'one', isAlone: false, leaseNumber: 1, epoch: 'node', settledEpoch: 'node', settledForMs: 1e6 };

  /** A member whose engine fails so many times, and then says where a context is. */
  function setUp(
    failures: number,
    home: string,
  ): { homes: ContextHomes; timers: ManualTimers; own: typeof member; engine: Partial<Options['engine']> } {
    const timers = new ManualTimers();
    const own = { ...member };
    let asked = 0;
    const found = { kind: 'open' as const, home, takeovers: 0, revision: 0, text: '{}' };
    const engine: Partial<Options['engine']> = {
      putContext: () => Promise.resolve('stored' as const),
      touchContexts: () => Promise.resolve(),
      getContext: () => (asked++ < failures ? failing() : Promise.resolve({ epoch: 'node', found })),
    };
    const peers = { peer: (id: string) => (id === 'two' ? { id, link: { path: '/two' } } : undefined) };
    const homes = homesOf({ engine, member: Object.assign(own, peers), timers });
    return { homes, timers, own, engine };
  }

  /** Lets time pass until something is known. */
  async function passing<T>(timers: ManualTimers, asked: Promise<T>): Promise<T> {
    let isOver = false;
    const ending = asked.finally(() => (isOver = true));
    ending.catch(() => undefined);
    await until(() => {
      timers.advance(100);
      return isOver;
    });
    return ending;
  }

  it('a home waits for so long only until the server that answers is the one that the member knows', async () => {
    const { homes, timers, own } = setUp(0, 'one');
    await homes.create(1);
    // The upkeep looks whether it is the home, too.
    await new Promise((resolve) => setImmediate(resolve));
    Object.assign(own, { leaseNumber: 2, epoch: 'another node', settledEpoch: 'another node' });
    await expect(passing(timers, Promise.resolve(homes.isHome(1)))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  it('a home asks again whether it is the home, before it answers', async () => {
    const { homes, timers, own } = setUp(3, 'one');
    await homes.create(1);
    own.leaseNumber = 2;
    expect(await passing(timers, Promise.resolve(homes.isHome(1)))).toBe(true);
  });

  it('gives up after some seconds', async () => {
    const { homes, timers, own } = setUp(Infinity, 'one');
    await homes.create(1);
    own.leaseNumber = 2;
    await expect(passing(timers, Promise.resolve(homes.isHome(1)))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  const work = {
    here: () => ({ at: 'here' }),
    restore: () => Promise.resolve(),
    hand: ({ id }: { readonly id: string }) => Promise.resolve({ at: id }),
    gone: () => ({ at: 'gone' }),
    shared: () => ({ at: 'anywhere' }),
  };

  it('another member looks up the home again', async () => {
    const { homes, timers } = setUp(3, 'two');
    expect(await passing(timers, homes.at(1, work))).toEqual({ at: 'two' });
  });

  it('a member that is alone does not wait', async () => {
    const { homes, own } = setUp(Infinity, 'two');
    own.isAlone = true;
    // No time passes.
    await expect(homes.at(1, work)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  /** A context whose home was asked once, and then answers no member any more: it is alone. The engine fails from then on. */
  async function refused(): Promise<ReturnType<typeof setUp> & { calls: string[]; answer: Promise<{ at: string }> }> {
    const set = setUp(0, 'two');
    const { homes, own, engine } = set;
    await homes.at(1, work);
    engine.getContext = failing;
    const calls: string[] = [];
    const hand = ({ id }: { readonly id: string }): Promise<{ at: string } | undefined> => {
      calls.push(own.isAlone ? 'from one that is alone' : 'from a member');
      return Promise.resolve(own.isAlone ? { at: id } : undefined);
    };
    const answer = homes.at(1, { ...work, hand });
    await until(() => calls.length === 1);
    return { ...set, calls, answer };
  }

  it('a member goes back to the home that it knew once it is alone', async () => {
    const { homes, timers, own, calls, answer } = await refused();
    own.isAlone = true;
    expect(await passing(timers, answer)).toEqual({ at: 'two' });
    expect(calls).toEqual(['from a member', 'from one that is alone']);
    // No time passes.
    expect(await homes.at(1, work)).toEqual({ at: 'two' });
  });

  it('the lease of that home may have ended', async () => {
    const { timers, own, answer } = await refused();
    Object.assign(own, { isAlone: true, peer: () => undefined });
    expect(await passing(timers, answer)).toEqual({ at: 'two' });
  });

  it('a member asks the engine again after the home has refused a call', async () => {
    const { timers, engine, calls, answer } = await refused();
    const found = { kind: 'open' as const, home: 'one', takeovers: 1, revision: 0, text: '{}' };
    engine.getContext = () => Promise.resolve({ epoch: 'node', found });
    engine.adoptContext = () => Promise.resolve({ ...found, takeovers: 2 });
    expect(await passing(timers, answer)).toEqual({ at: 'here' });
    expect(calls).toEqual(['from a member']);
  });

  it('a member that is alone tries the home that it knew once', async () => {
    const { homes, own, answer } = await refused();
    answer.catch(() => undefined);
    own.isAlone = true;
    const calls: string[] = [];
    const hand = ({ id }: { readonly id: string }): Promise<undefined> => {
      calls.push(id);
      return Promise.resolve(undefined);
    };
    await expect(homes.at(1, { ...work, hand })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(calls).toEqual(['two']);
  });
});
