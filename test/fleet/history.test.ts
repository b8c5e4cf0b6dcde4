import { type Change, type History, type Read, type Shown, type Update, problemsOf } from './support/history.js';

const A: Change = { id: 'A', name: 'a', value: '1' };
const B: Change = { id: 'B', name: 'b', value: '1' };
const OTHER_A: Change = { id: 'other-A', name: 'a', value: '2' };
const NO_A: Change = { id: 'no-A', name: 'a' };

const text = (change: Change): string => JSON.stringify(change);
const done = (change: Change, beginMs: number, endMs: number): Update => ({
  change,
  beginMs,
  endMs,
  outcome: 'acknowledged',
});

function history(log: readonly Change[], parts: Partial<History> = {}): History {
  return { updates: [], reads: [], logs: new Map([['one', log.map(text)]]), ...parts };
}

function read(atMs: number, member: string, changes: readonly Change[], version = 0): Read {
  return { beginMs: atMs, atMs, member, entries: changes.map(text), version };
}

describe('problemsOf()', () => {
  it('finds nothing wrong with a history that keeps the promises', () => {
    const updates: Update[] = [
      done(A, 0, 10),
      done(B, 20, 30),
      { change: OTHER_A, beginMs: 40, endMs: 50, outcome: 'duplicate' },
      { change: { ...B, id: 'B again' }, beginMs: 40, endMs: 50, outcome: 'unchanged' },
      { change: NO_A, beginMs: 60, endMs: Infinity, outcome: 'unknown' },
    ];
    const reads = [
      read(5, 'one', []),
      read(5, 'two', [A]),
      // Another member acknowledged the second one a moment ago.
      read(35, 'two', [A]),
      read(35, 'one', [A, B]),
    ];
    const show = (atMs: number, ...values: [string, string][]): Shown => ({
      beginMs: atMs,
      endMs: atMs + 1,
      member: 'one',
      values: new Map(values),
    });
    const shown = [show(5), show(5, ['a', '1']), show(35, ['a', '1'], ['b', '1'])];
    expect(problemsOf(history([A, B], { updates, reads, shown }))).toEqual([]);
    expect(problemsOf(history([A, B, NO_A], { updates, reads }))).toEqual([]);
  });

  const own: Update = { ...done(A, 0, 1), member: 'one' };
  const failed: Update = { ...done(A, 0, 1), outcome: 'failed' };
  const refusal: Update = { change: OTHER_A, beginMs: 4, endMs: 5, outcome: 'duplicate' };
  const ended = new Map([['one', [text(A)]], ['two', []]]); // prettier-ignore
  const shows = (beginMs: number, ...values: [string, string][]): Partial<History> => ({
    shown: [{ beginMs, endMs: beginMs + 1, member: 'one', values: new Map(values) }],
  });
  const behind = 'shows version 0, and 1 was acknowledged';

  it.each<[string, readonly Change[], Partial<History>, string]>([
    ['an acknowledged change that is lost', [], { updates: [done(A, 0, 1)] }, 'A was acknowledged and is lost'],
    ['a change that failed and was made', [A], { updates: [failed] }, 'A failed and is in the log'],
    ['changes in another order than in time', [B, A], { updates: [done(A, 0, 1), done(B, 2, 3)] }, 'comes after it'],
    ['a name that is defined twice', [A, OTHER_A], {}, 'other-A defines a, which exists there'],
    ['a name that is removed and does not exist', [NO_A], {}, 'no-A removes a, which does not exist there'],
    ['an entry that is there twice', [A, NO_A, A], {}, 'an entry is in the log twice'],
    ['members that end differently', [A], { logs: ended }, 'two ends with another log than one'],
    ['a read that misses an old change', [A], { updates: [done(A, 0, 1)], reads: [read(5000, 'one', [])] }, behind],
    ['a read that misses one of its own', [A], { updates: [own], reads: [read(2, 'one', [])] }, behind],
    ['a read that did not wait', [A], { updates: [done(A, 0, 1)], reads: [read(2, 'one', [], 1)] }, behind],
    ['a member that goes back', [A], { reads: [read(2, 'one', [A]), read(3, 'one', [])] }, behind],
    ['a read of what is taken back', [A], { reads: [read(2, 'one', [B])] }, 'shows version 1, which is taken back'],
    ['a refusal without a reason', [A, NO_A], { updates: [done(A, 0, 1), done(NO_A, 2, 3), refusal] }, 'at no time'],
    ['a state that is out of date', [A], { updates: [done(A, 0, 1)], ...shows(5002) }, 'shows {} from 5002.0'],
    [
      'a state that never was',
      [A, B],
      { updates: [done(A, 0, 9), done(B, 0, 9)], ...shows(1, ['b', '1']) },
      'never so',
    ],
    ['nobody left', [], { logs: new Map() }, 'no member is left'],
  ])('finds %s', (_, log, parts, problem) => {
    expect(problemsOf(history(log, parts))).toContainEqual(expect.stringContaining(problem));
  });
});
