import { EMPTY, entryAfter } from '../../src/fleet/engine.js';
import type { LogEntry } from '../../src/fleet/engine.js';
import { LogCopy } from '../../src/fleet/log-copy.js';
import type { Replica } from '../../src/fleet/log-copy.js';

class Texts implements Replica {
  texts: string[] = [];
  apply(text: string): void {
    this.texts.push(text);
  }
  state(): string {
    return this.texts.join(',');
  }
  reset(state: string | undefined): void {
    this.texts = state === undefined ? [] : state.split(',');
  }
}

/** Entries that follow one another. */
function chain(...texts: readonly string[]): LogEntry[] {
  const entries: LogEntry[] = [];
  for (const text of texts) entries.push(entryAfter(entries.at(-1) ?? EMPTY, text));
  return entries;
}

let replica: Texts;
let copy: LogCopy;
beforeEach(() => {
  replica = new Texts();
  copy = new LogCopy(replica);
});

/** Applies all of them. */
function apply(entries: readonly LogEntry[]): void {
  for (const entry of entries) copy.add(entry);
  copy.confirm(entries.at(-1)!);
}

describe('LogCopy', () => {
  const [a, b, c] = chain('a', 'b', 'c') as [LogEntry, LogEntry, LogEntry];

  it('applies an entry once it is replicated, and not before', () => {
    expect(copy.add(a)).toBe(true);
    expect(replica.texts).toEqual([]);
    copy.confirm(a);
    expect(replica.texts).toEqual(['a']);
    expect(copy.head).toMatchObject({ version: 1, hash: a.hash });
  });

  it('knows of replication before it reads the entry', () => {
    copy.confirm(b);
    copy.add(a);
    copy.add(b);
    copy.add(c);
    expect(replica.texts).toEqual(['a', 'b']);
  });

  it('takes a later entry as the sign that the earlier ones are replicated', () => {
    copy.add(a);
    copy.add(b);
    expect(replica.texts).toEqual(['a']);
  });

  it('confirms nothing by an entry of another log', () => {
    const [other] = chain('other');
    copy.add(a);
    copy.confirm(other!);
    expect(replica.texts).toEqual([]);
  });

  it('takes an entry twice, but not one that does not follow', () => {
    apply([a]);
    expect(copy.add(a)).toBe(true);
    expect(copy.add(c)).toBe(false);
    expect(copy.add({ ...b, text: 'forged' })).toBe(false);
    expect(copy.add(chain('other')[0]!)).toBe(false);
    expect(copy.tail.version).toBe(1);
  });

  it('compares itself with the log of the engine', () => {
    const logged = (...entries: LogEntry[]): Parameters<LogCopy['compare']>[0] => ({ snapshot: undefined, entries });
    expect(copy.compare(logged(a))).toEqual({ kind: 'continues', entries: [a] });
    apply([a, b]);
    expect(copy.compare(logged(a, b, c))).toEqual({ kind: 'continues', entries: [c] });
    expect(copy.compare({ snapshot: { ...b, text: 'a,b' }, entries: [c] })).toEqual({
      kind: 'continues',
      entries: [c],
    });
    expect(copy.compare(logged(a))).toEqual({ kind: 'lost', entries: [b] });
    expect(copy.compare(logged())).toEqual({ kind: 'empty' });
    expect(copy.compare(logged(...chain('a', 'other')))).toEqual({ kind: 'other', isConflict: true });
    expect(copy.compare(logged(...chain('other')))).toEqual({ kind: 'other', isConflict: true });
    const later = { ...chain('a', 'b', 'c', 'd')[3]!, text: 'a,b,c,d' };
    expect(copy.compare({ snapshot: later, entries: [] })).toEqual({ kind: 'other', isConflict: false });
  });

  it('starts over from a snapshot', () => {
    apply(chain('x', 'y'));
    expect(copy.reset({ snapshot: { ...b, text: 'a,b' }, entries: [a, b, c] })).toBe(true);
    copy.confirm(c);
    expect(replica.texts).toEqual(['a', 'b', 'c']);
    expect(copy.has(c)).toBe(true);
    expect(copy.snapshot()).toEqual({ version: 3, hash: c.hash, text: 'a,b,c' });
    // What a snapshot replaced cannot be compared.
    expect(copy.compare({ snapshot: undefined, entries: [a] })).toEqual({ kind: 'other', isConflict: true });
  });

  it('starts over from what is whole of a damaged log', () => {
    expect(copy.reset({ snapshot: undefined, entries: [a, b, { ...c, text: 'forged' }] })).toBe(false);
    copy.confirm(b);
    expect(replica.texts).toEqual(['a', 'b']);
  });

  it('forgets what it read and did not apply', () => {
    apply([a]);
    copy.add(b);
    copy.forgetPending();
    expect(copy.tail).toBe(copy.head);
    expect(copy.add(chain('a', 'other')[1]!)).toBe(true);
  });

  it('counts the entries since the last snapshot', () => {
    apply([a, b]);
    expect(copy.sinceSnapshot).toEqual({ entries: 2, characters: 2 });
    copy.noteSnapshot();
    apply([a, b, c]);
    expect(copy.sinceSnapshot).toEqual({ entries: 1, characters: 1 });
  });
});
