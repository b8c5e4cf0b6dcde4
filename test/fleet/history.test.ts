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

/** A history of one member that ends with these changes. */
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

  it.each<[string, History, string]>([
    [
      'an acknowledged change that is lost',
      history([], { updates: [done(A, 0, 1)] }),
      'A was acknowledged and is lost',
    ],
    [
      'a change that failed and was made',
      history([A], { updates: [{ ...done(A, 0, 1), outcome: 'failed' }] }),
      'A failed and is in the log',
    ],
    [
      'changes in another order than in time',
      history([B, A], { updates: [done(A, 0, 1), done(B, 2, 3)] }),
      'A was acknowledged before B began, and comes after it',
    ],
    ['a name that is defined twice', history([A, OTHER_A]), 'other-A defines a, which exists there'],
    ['a name that is removed and does not exist', history([NO_A]), 'no-A removes a, which does not exist there'],
    ['an entry that is there twice', history([A, NO_A, A]), 'an entry is in the log twice'],
    [
      'members that end differently',
      history([A], { logs: new Map([['one', [text(A)]], ['two', []]]) }), // prettier-ignore
      'two ends with another log than one',
    ],
    [
      'a read that misses what was acknowledged long ago',
      history([A], { updates: [done(A, 0, 1)], reads: [read(5000, 'one', [])] }),
      'one at 5000.0 ms shows version 0, and 1 was acknowledged',
    ],
    [
      'a read that misses what the same member acknowledged',
      history([A], { updates: [{ ...done(A, 0, 1), member: 'one' }], reads: [read(2, 'one', [])] }),
      'one at 2.0 ms shows version 0, and 1 was acknowledged',
    ],
    [
      'a read that did not wait for its version',
      history([A], { updates: [done(A, 0, 1)], reads: [read(2, 'one', [], 1)] }),
      'one at 2.0 ms shows version 0, and 1 was acknowledged',
    ],
    [
      'a member that goes back',
      history([A], { reads: [read(2, 'one', [A]), read(3, 'one', [])] }),
      'one at 3.0 ms shows version 0, and 1 was acknowledged',
    ],
    [
      'a read of what is taken back',
      history([A], { reads: [read(2, 'one', [B])] }),
      'one at 2.0 ms shows version 1, which is taken back',
    ],
    [
      'a refusal without a reason',
      history([A, NO_A], {
        updates: [done(A, 0, 1), done(NO_A, 2, 3), { change: OTHER_A, beginMs: 4, endMs: 5, outcome: 'duplicate' }],
      }),
      'other-A was duplicate, which it was at no time',
    ],
    [
      'a state that is out of date',
      history([A], {
        updates: [done(A, 0, 1)],
        shown: [{ beginMs: 5002, endMs: 5003, member: 'one', values: new Map() }],
      }),
      'one shows {} from 5002.0 to 5003.0 ms, which is out of date or was never so',
    ],
    [
      'a state that never was',
      history([A, B], {
        updates: [done(A, 0, 9), done(B, 0, 9)],
        shown: [{ beginMs: 1, endMs: 3, member: 'one', values: new Map([['b', '1']]) }],
      }),
      'one shows {"b":"1"} from 1.0 to 3.0 ms, which is out of date or was never so',
    ],
    ['nobody left', history([], { logs: new Map() }), 'no member is left'],
  ])('finds %s', (_, wrong, problem) => {
    expect(problemsOf(wrong)).toContain(problem);
  });
});
