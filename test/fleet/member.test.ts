import { Member, type Replica } from '../../src/fleet/index.js';
import { NO_DOCUMENT, type SharedDocument, idOf, leadsTo, nextVersion } from '../../src/fleet/document.js';
import { type Engine, EngineError, type Renewal } from '../../src/fleet/engine.js';
import { ManualTimers } from '../support/manual-timers.js';
import { until } from '../support/until.js';

const NODE = 'node';

/** A member whose engine is as a test wants it. */
function setUp(document?: SharedDocument) {
  const timers = new ManualTimers();
  const stored: SharedDocument[] = [];
  const warnings: string[] = [];
  const state = { document: NO_DOCUMENT as SharedDocument | 'damaged', isFull: false, isGone: false, asked: 0 };
  const engine: Partial<Engine> = {
    documentKey: 'the-key',
    subscribe: () => undefined,
    publish: () => undefined,
    renew: (lease, knownId) => {
      state.asked++;
      if (state.isGone) return Promise.reject(new EngineError('gone', false));
      const isKnown = state.document !== 'damaged' && idOf(state.document) === knownId;
      const renewal: Renewal = {
        epoch: NODE,
        ageMs: 1e6,
        document: isKnown ? undefined : state.document,
        members: new Map([[lease.name, lease.value]]),
        isFull: state.isFull,
      };
      return Promise.resolve(renewal);
    },
    putDocument: (next) => {
      stored.push(next);
      state.document = next;
      return Promise.resolve('stored');
    },
  };
  const taken: string[] = [];
  const replica: Replica = {
    take: (text) => {
      if (text === 'unreadable') throw new Error('expected format 1');
      taken.push(text);
    },
    keep: () => Promise.resolve(),
  };
  const warn = (message: string): unknown => warnings.push(message);
  const member = new Member({ id: 'one', engine: engine as Engine, replica, timers, document, digest: () => '', warn });
  member.start();
  return { member, timers, state, stored, taken, warnings };
}

const put = (member: Member, text: string | undefined = 'next'): Promise<string> =>
  member.update(() => Promise.resolve(() => ({ text, result: 'made' })));

describe('versions', () => {
  const one = nextVersion(NO_DOCUMENT, 'a', NODE);
  const two = nextVersion(one, 'b', NODE);

  it('lead to later ones of the same nodes, and to no others', () => {
    const other = nextVersion(one, 'b', 'other');
    const three = nextVersion(two, 'c', 'third');
    expect([leadsTo(NO_DOCUMENT, two), leadsTo(one, two), leadsTo(one, other), leadsTo(two, three)]).not.toContain(
      false,
    );
    expect([leadsTo(two, one), leadsTo(two, other), leadsTo(other, three), leadsTo(one, NO_DOCUMENT)]).not.toContain(
      true,
    );
    expect(new Set([NO_DOCUMENT, one, two, other].map(idOf)).size).toBe(4);
  });
});

describe('a member', () => {
  it('refuses all changes when their own time is over, however many wait', async () => {
    const { member, timers, state } = setUp();
    await until(() => !member.isAlone);
    state.isGone = true;
    const codes: unknown[] = [];
    for (let i = 0; i < 8; i++) put(member).catch((error: unknown) => codes.push((error as { code: string }).code));
    await until(() => {
      if (timers.nowMs() < 5000) timers.advance(100);
      return codes.length === 8;
    });
    expect(codes).toEqual(Array(8).fill('UNAVAILABLE'));
    expect(timers.nowMs()).toBeLessThanOrEqual(5000);
  });

  it('stores its copy again if the engine lost it', async () => {
    const copy = nextVersion(NO_DOCUMENT, 'a', 'earlier node');
    const { member, stored, taken, warnings } = setUp(copy);
    await until(() => !member.isAlone);
    expect([stored, taken, member.version]).toEqual([[copy], [], 1]);
    expect(warnings).toEqual(['the engine lost the definitions of the fleet: storing them again']);
  });

  it('takes what the engine has in place of a copy that did not lead to it', async () => {
    const copy = nextVersion(nextVersion(NO_DOCUMENT, 'a', 'earlier'), 'b', 'earlier');
    const { member, state, stored, taken, timers, warnings } = setUp(copy);
    state.document = nextVersion(NO_DOCUMENT, 'c', NODE);
    await until(() => !member.isAlone);
    timers.advance(700);
    await until(() => member.version === 1);
    expect([stored, taken]).toEqual([expect.any(Array), ['c']]);
    expect(warnings.at(-1)).toBe('the definitions of the fleet replace others that are in force here');
  });

  it.each<[string, SharedDocument | 'damaged', RegExp]>([
    [
      'a later format',
      nextVersion(NO_DOCUMENT, 'unreadable', NODE),
      /the-key \(version 2: expected format 1\).*delete that key/,
    ],
    ['garbage', 'damaged', /the-key \(damaged\).*delete that key/],
  ])('names what it cannot read, keeps what it has, and refuses changes: %s', async (_, document, problem) => {
    const { member, state, timers, taken, warnings } = setUp();
    await until(() => !member.isAlone);
    await put(member, 'good');
    state.document = typeof document === 'string' ? document : { ...document, version: 2 };
    timers.advance(700);
    await until(() => member.problems.length > 0);
    expect(member.problems).toEqual([expect.stringMatching(problem)]);
    expect([member.version, member.isAlone, taken, warnings.length]).toEqual([1, false, ['good'], 1]);
    const refused = put(member).catch((error: unknown) => (error as Error).message);
    await until(() => {
      if (timers.nowMs() < 9000) timers.advance(100);
      return timers.nowMs() >= 9000;
    });
    expect(await refused).toMatch(problem);
    // Somebody deleted it.
    state.document = NO_DOCUMENT;
    timers.advance(700);
    await until(() => member.problems.length === 0 || (timers.advance(100), false));
    expect(state.document).toMatchObject({ version: 1, text: 'good' });
  });

  it('says when the memory of the engine is full, and stays a member', async () => {
    const { member, state, timers } = setUp();
    await until(() => !member.isAlone);
    state.isFull = true;
    timers.advance(700);
    await until(() => member.problems.length > 0);
    expect([member.problems[0], member.isAlone]).toEqual([expect.stringContaining('memory'), false]);
  });
});
