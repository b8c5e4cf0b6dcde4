import { EngineError } from '../../src/fleet/engine.js';
import type { JournalAppend, JournalEntry } from '../../src/fleet/engine.js';
import type { StreamJournal } from '../../src/fleet/index.js';
import { StreamJournals } from '../../src/fleet/index.js';
import { ManualTimers } from '../support/manual-timers.js';
import { settle } from '../support/stream-fixture.js';

/** Journals over an engine that does as it is told. */
function setUp(bytes = 10_000) {
  const timers = new ManualTimers();
  const appended: JournalAppend[] = [];
  const claimed: (string | undefined)[] = [];
  const state = {
    outcome: 'appended' as 'appended' | 'refused' | 'down' | 'silent',
    owner: undefined as string | undefined,
  };
  const answer = <T>(given: T): Promise<T> => {
    if (state.outcome === 'silent') return new Promise(() => undefined);
    return state.outcome === 'down' ? Promise.reject(new EngineError('down', true)) : Promise.resolve(given);
  };
  const engine = {
    claimJournal: (_: string, writer: string | undefined) => {
      claimed.push(writer);
      return answer([entry(1)]);
    },
    appendJournal: (_: string, append: JournalAppend) => {
      appended.push(append);
      return answer(state.outcome === 'refused' ? ('refused' as const) : ('appended' as const));
    },
  };
  const status = { state: 'member' as const, members: 2, version: 0, differs: [] };
  const member = { id: 'one', isAlone: false, status };
  const journals = new StreamJournals({ engine, member, timers, bytes });
  const ids = (): number[] => appended.map((append) => append.entry.id.sec);
  const open = (key: string, onDeposed: () => void = ignore): StreamJournal =>
    journals.open({ key, owner: () => state.owner, onDeposed });
  return { timers, appended, claimed, ids, state, member, journals, open };
}

const entry = (sec: number, length = 10): JournalEntry => ({
  id: { sec, nsec: 0 },
  text: 'x'.repeat(length),
  isFull: true,
});
const ignore = (): void => undefined;

describe('the journal of a group', () => {
  it('has what was sent before, and keeps what is sent, as its only writer', async () => {
    const { open, appended } = setUp();
    const [one, two] = [open('group'), open('group')];
    expect(await one.before).toEqual([entry(1)]);
    one.append(entry(2));
    two.append(entry(3));
    expect(appended.map(({ entry: { id }, after }) => [id.sec, after?.sec])).toEqual([[2, undefined], [3, undefined]]); // prettier-ignore
    expect(new Set(appended.map(({ writer }) => writer)).size).toBe(2);
  });

  it('is over when another group goes on with it', async () => {
    const { open, ids, state } = setUp();
    let deposed = 0;
    const journal = open('group', () => deposed++);
    state.outcome = 'refused';
    journal.append(entry(2));
    journal.append(entry(3));
    await settle();
    journal.append(entry(4));
    expect([deposed, ids()]).toEqual([1, [2, 3]]);
  });

  it('of a group that has ended deposes none', async () => {
    const { open, state } = setUp();
    const journal = open('group', () => {
      throw new Error('deposed');
    });
    state.outcome = 'refused';
    journal.append(entry(2));
    journal.close();
    await settle();
  });

  it('begins again behind what the engine may not have', async () => {
    const { timers, open, appended, state } = setUp();
    const journal = open('group');
    state.outcome = 'down';
    journal.append(entry(2));
    await settle();
    state.outcome = 'appended';
    journal.append(entry(3));
    timers.advance(1000);
    journal.append(entry(13));
    journal.append(entry(14));
    expect(appended.map(({ entry: { id }, after }) => [id.sec, after?.sec])).toEqual([[2, undefined], [13, undefined], [14, 13]]); // prettier-ignore
  });

  it('is not written while the member is alone', () => {
    const { open, ids, member } = setUp();
    const journal = open('group');
    member.isAlone = true;
    journal.append(entry(2));
    member.isAlone = false;
    journal.append(entry(3));
    expect(ids()).toEqual([3]);
  });

  it('takes no more than the share of the member', () => {
    const { timers, journals, open, ids } = setUp(2 * 1000);
    const [one, two] = [open('one'), open('two')];
    one.append(entry(2, 400));
    two.append(entry(3, 400));
    expect(journals.bytes).toBeLessThanOrEqual(1000);
    two.append(entry(4, 10));
    expect(ids()).toEqual([2]);
    timers.advance(10_000);
    expect(journals.bytes).toBe(0);
    two.append(entry(14, 400));
    expect(ids()).toEqual([2, 14]);
  });

  it('is not written while the engine answers nothing', () => {
    const { open, ids, state } = setUp(Number.MAX_SAFE_INTEGER);
    const journal = open('one');
    state.outcome = 'silent';
    for (let sec = 1; sec < 100; sec++) journal.append(entry(sec, 1024 * 1024));
    expect(ids().length).toBeLessThan(10);
  });

  it('is read, but not written, for a member that cannot be reached', async () => {
    const { open, claimed, appended, ids, state } = setUp();
    state.owner = 'two';
    const journal = open('group');
    expect(await journal.before).toEqual([entry(1)]);
    journal.append(entry(2));
    expect([claimed, ids()]).toEqual([[undefined], []]);
    // Now it belongs to this one.
    state.owner = undefined;
    journal.append(entry(3));
    expect([claimed[1], ids(), appended[0]!.after]).toEqual([appended[0]!.writer, [3], undefined]);
  });

  it('stands in for a while, until its clients try again', () => {
    const { open, state, timers } = setUp();
    state.owner = 'two';
    let deposed = 0;
    const journal = open('group', () => deposed++);
    timers.advance(2999);
    journal.append(entry(2));
    expect(deposed).toBe(0);
    timers.advance(1);
    journal.append(entry(3));
    expect(deposed).toBe(1);
  });

  it.each([undefined, 'two'])('is over when its source belongs to another member than before: %s', (before) => {
    const { open, ids, state } = setUp();
    let deposed = 0;
    state.owner = before;
    const journal = open('group', () => deposed++);
    journal.append(entry(2));
    state.owner = 'three';
    journal.append(entry(3));
    journal.append(entry(4));
    expect([deposed, ids()]).toEqual([1, before === undefined ? [2] : []]);
  });

  it('is empty without the engine', async () => {
    const { open, state, member } = setUp();
    state.outcome = 'down';
    expect(await open('group').before).toEqual([]);
    state.outcome = 'silent';
    member.isAlone = true;
    expect(await open('group').before).toEqual([]);
  });
});
