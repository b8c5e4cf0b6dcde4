import { EngineError } from '../../src/fleet/engine.js';
import { SharedContexts } from '../../src/fleet/index.js';
import { ManualTimers } from '../support/manual-timers.js';
import { settle } from '../support/stream-fixture.js';

type Options = ConstructorParameters<typeof SharedContexts>[0];

/** An engine with one secret, and a member that may lose its lease. */
function setUp() {
  const timers = new ManualTimers();
  const told: string[] = [];
  const state = { secret: undefined as string | undefined, isDown: false, unusedMs: 0 };
  const member = { isAlone: false, leaseNumber: 1 };
  const note = async (text: string): Promise<void> => {
    if (state.isDown) throw new EngineError('down', false);
    told.push(text);
    return Promise.resolve();
  };
  const engine = {
    secret: async (proposal: string) => {
      await note('secret');
      return (state.secret ??= proposal);
    },
    putContext: async (id: number, { home, text }: { home: string; text: string }, { ttlMs }: { ttlMs: number }) =>
      note(`put ${id} ${home}${text} ${ttlMs}`),
    touchContexts: async (lives: ReadonlyMap<number, number>) => {
      if (lives.size > 0) await note(`touch ${JSON.stringify([...lives])}`);
    },
  };
  const holder = {
    record: () => ({ text: '{}', ttlMs: 10_000 }),
    unusedMs: () => state.unusedMs,
    drop: () => undefined,
  };
  const make = (): SharedContexts => new SharedContexts({ engine, member, timers } as unknown as Options);
  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 700) {
      timers.advance(700);
      await settle();
    }
  };
  return { make, member, holder, told, state, pass };
}

describe('shared contexts', () => {
  it('have the same number at all members, another one for another key', async () => {
    const { make } = setUp();
    const [one, two] = [make(), make()];
    expect(one.idOf('web1')).toBeUndefined();
    await one.agree();
    await two.agree();
    expect(one.idOf('web1')).toBe(two.idOf('web1'));
    expect(one.idOf('web1')).not.toBe(one.idOf('web2'));
    expect(Number.isSafeInteger(one.idOf('web1'))).toBe(true);
    // Who does not know the secret cannot tell numbers from keys.
    const other = setUp().make();
    await other.agree();
    expect(other.idOf('web1')).not.toBe(one.idOf('web1'));
  });

  it('are noted without a home, and for as long as they are used', async () => {
    const { make, holder, told, state, pass } = setUp();
    const shared = make();
    await shared.agree();
    shared.start(holder);
    await shared.note(7);
    expect(told).toEqual(['secret', 'put 7 {} 10000']);
    await pass(6000);
    expect(told.splice(0)).toContain('touch [[7,10000]]');
    state.unusedMs = 60_000;
    await pass(9000);
    state.unusedMs = Infinity;
    await pass(9000);
    expect(told).toEqual([]);
    shared.close();
  });

  it('are noted again after a time without contact, when the engine may have lost them', async () => {
    const { make, member, holder, told, state, pass } = setUp();
    const shared = make();
    await shared.agree();
    shared.start(holder);
    state.isDown = true;
    await shared.note(7);
    expect(told.splice(0)).toEqual(['secret']);
    state.isDown = false;
    await pass(700);
    expect(told.splice(0)).toEqual(['put 7 {} 10000']);
    const id = shared.idOf('web1');
    state.secret = undefined;
    member.isAlone = true;
    await pass(700);
    member.isAlone = false;
    member.leaseNumber = 2;
    await pass(700);
    expect(told).toEqual(['secret', 'put 7 {} 10000']);
    expect(shared.idOf('web1')).toBe(id);
    shared.close();
  });
});
