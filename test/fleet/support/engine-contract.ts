import { EMPTY, EngineError, entryAfter } from '../../../src/fleet/engine.js';
import type { Engine, FoundContext, JournalEntry, LogEntry, Tenure } from '../../../src/fleet/engine.js';

/** An engine to be tested, with nothing in it. */
export interface TestedEngine {
  /** A connection to it, once it can be used. */
  readonly connect: () => Promise<Engine>;
  /** Waits for something that the engine does. */
  readonly until: <T>(work: Promise<T>) => Promise<T>;
  /** The replicas stop or go on following. */
  readonly setReplication: (isOn: boolean) => Promise<void>;
}

/** Entries that follow one another. */
function chain(...texts: readonly string[]): LogEntry[] {
  const entries: LogEntry[] = [];
  for (const text of texts) entries.push(entryAfter(entries.at(-1) ?? EMPTY, text));
  return entries;
}

/** What every engine does; `start` makes an empty one. */
export function describeEngine(name: string, start: () => Promise<TestedEngine>): void {
  describe(`the engine ${name}`, () => {
    const [a, b, c] = chain('a', 'b\n"ü"', 'c') as [LogEntry, LogEntry, LogEntry];
    let tested: TestedEngine;
    let engine: Engine;
    let epoch: string;
    beforeEach(async () => {
      tested = await start();
      engine = await tested.connect();
      ({ epoch } = await until(engine.load()));
    });
    afterEach(() => engine.close());
    const until = <T>(work: Promise<T>): Promise<T> => tested.until(work);
    const append = (entry: LogEntry, head: LogEntry | typeof EMPTY): Promise<string> =>
      until(engine.append(entry, head, epoch));

    it('begins with an empty log', async () => {
      expect(await until(engine.load())).toEqual({ epoch, snapshot: undefined, entries: [] });
      expect(epoch).not.toBe('');
    });

    it('appends where the head is, and nowhere else', async () => {
      expect(await append(a, EMPTY)).toBe('appended');
      expect(await append(entryAfter(EMPTY, 'other'), EMPTY)).toBe('overtaken');
      expect(await append(b, { ...a, hash: 'another' })).toBe('overtaken');
      expect(await append(c, b)).toBe('overtaken');
      expect(await append(b, a)).toBe('appended');
      expect((await until(engine.load())).entries).toEqual([a, b]);
    });

    it('appends nothing for a writer that knows another node', async () => {
      expect(await until(engine.append(a, EMPTY, 'another'))).toBe('overtaken');
      expect((await until(engine.load())).entries).toEqual([]);
    });

    it('returns the entries after a version, and waits for one', async () => {
      await append(a, EMPTY);
      await append(b, a);
      expect(await until(engine.read(0))).toEqual([a, b]);
      expect(await until(engine.read(1))).toEqual([b]);
      const other = await tested.connect();
      const reading = other.read(2);
      await append(c, b);
      expect(await until(reading)).toEqual([c]);
      other.close();
    });

    it('waits for an entry, but not forever', async () => {
      expect(await until(engine.read(0))).toEqual([]);
    });

    it('renews leases, and returns those of all members and the head', async () => {
      await append(a, EMPTY);
      const other = await tested.connect();
      await until(other.renew({ name: 'two', value: 'second', ttlMs: 60_000 }));
      const renewal = await until(engine.renew({ name: 'one', value: 'first', ttlMs: 60_000 }));
      expect(renewal.epoch).toBe(epoch);
      expect(renewal.head).toMatchObject({ version: 1, hash: a.hash });
      expect(Object.fromEntries(renewal.members)).toEqual({ one: 'first', two: 'second' });
      await until(other.release('two'));
      other.close();
      const { members } = await until(engine.renew({ name: 'one', value: 'changed', ttlMs: 60_000 }));
      expect(Object.fromEntries(members)).toEqual({ one: 'changed' });
    });

    it('forgets leases that are over', async () => {
      await until(engine.renew({ name: 'short', value: '', ttlMs: 1 }));
      const names = async (): Promise<string[]> => {
        const { members } = await until(engine.renew({ name: 'one', value: '', ttlMs: 60_000 }));
        return [...members.keys()];
      };
      let left = await names();
      while (left.length > 1) left = await names();
      expect(left).toEqual(['one']);
    });

    it('promises nothing that no replica has', async () => {
      await tested.setReplication(false);
      const failure = async (work: Promise<unknown>): Promise<unknown> =>
        until(work.then(() => 'nothing', (error: unknown) => error)); // prettier-ignore
      const renewing = await failure(engine.renew({ name: 'one', value: '', ttlMs: 60_000 }));
      const appending = await failure(engine.append(a, EMPTY, epoch));
      for (const error of [renewing, appending])
        expect(error).toMatchObject({ name: 'EngineError', mayHaveEffect: true });
      expect(appending).toBeInstanceOf(EngineError);
      await tested.setReplication(true);
    });

    it('keeps a snapshot in place of entries, and appends behind it', async () => {
      await append(a, EMPTY);
      await append(b, a);
      await until(engine.putSnapshot({ ...b, text: 'a, b' }));
      await append(c, b);
      const { snapshot, entries } = await until(engine.load());
      expect(snapshot).toEqual({ ...b, text: 'a, b' });
      expect(entries.at(-1)).toEqual(c);
    });

    it('takes a snapshot of its own log only, and no older one', async () => {
      await append(a, EMPTY);
      await append(b, a);
      await until(engine.putSnapshot({ ...chain('other')[0]!, text: 'other' }));
      await until(engine.putSnapshot({ ...c, text: 'a, b, c' }));
      expect((await until(engine.load())).snapshot).toBeUndefined();
      await until(engine.putSnapshot({ ...b, text: 'a, b' }));
      await until(engine.putSnapshot({ ...a, text: 'a' }));
      expect((await until(engine.load())).snapshot?.version).toBe(2);
    });

    it('takes any snapshot when it is empty: it lost the log', async () => {
      await until(engine.putSnapshot({ ...b, text: 'a, b' }));
      expect(await until(engine.renew({ name: 'one', value: '', ttlMs: 60_000 }))).toMatchObject({
        head: { version: 2 },
      });
      expect(await append(c, b)).toBe('appended');
      expect(await until(engine.load())).toMatchObject({ snapshot: { text: 'a, b' }, entries: [c] });
    });

    describe('with contexts', () => {
      const first = { home: 'one', takeovers: 0, revision: 1, text: '{"é":1}' };
      const life = { ttlMs: 60_000, isNew: true };
      const found = async (id = 7): Promise<unknown> => (await until(engine.getContext(id))).found;
      const adopt = (expected: Tenure, home: string, node = epoch): Promise<FoundContext> =>
        until(engine.adoptContext({ id: 7, expected, home, epoch: node }));
      beforeEach(() => until(engine.putContext(7, first, life)));

      it('keeps a record, and says which node said so', async () => {
        expect(await until(engine.getContext(7))).toEqual({ epoch, found: { kind: 'open', ...first } });
        expect(await found(8)).toEqual({ kind: 'none' });
      });

      it('keeps the latest record of the home', async () => {
        const later = { ...first, revision: 3, text: 'later' };
        expect(await until(engine.putContext(7, later, { ...life, isNew: false }))).toBe('stored');
        expect(await until(engine.putContext(7, { ...first, revision: 2 }, { ...life, isNew: false }))).toBe('stored');
        expect(await found()).toEqual({ kind: 'open', ...later });
        expect(await until(engine.putContext(7, { ...later, home: 'two' }, life))).toBe('lost');
        expect(await until(engine.putContext(7, { ...later, takeovers: 1 }, life))).toBe('lost');
        expect(await found()).toEqual({ kind: 'open', ...later });
      });

      it('stores no changed record where there is none', async () => {
        expect(await until(engine.putContext(8, first, { ...life, isNew: false }))).toBe('missing');
        expect(await found(8)).toEqual({ kind: 'none' });
      });

      it('gives it another home once the lease of its home is over', async () => {
        await until(engine.renew({ name: 'one', value: '', ttlMs: 60_000 }));
        expect(await adopt(first, 'two')).toEqual({ kind: 'open', ...first });
        await until(engine.release('one'));
        expect(await adopt(first, 'two', 'another node')).toEqual({ kind: 'open', ...first });
        expect(await adopt({ ...first, takeovers: 1 }, 'two')).toEqual({ kind: 'open', ...first });
        const adopted = { kind: 'open', ...first, home: 'two', takeovers: 1 };
        expect(await adopt(first, 'two')).toEqual(adopted);
        expect(await adopt(first, 'three')).toEqual(adopted);
        expect(await until(engine.putContext(7, { ...first, revision: 2 }, life))).toBe('lost');
      });

      it('gives it to its home again, which does not know that it has it', async () => {
        await until(engine.renew({ name: 'one', value: '', ttlMs: 60_000 }));
        expect(await adopt(first, 'one')).toEqual({ kind: 'open', ...first, takeovers: 1 });
      });

      it('tells for a while how it ended', async () => {
        expect(await until(engine.endContext(7, { home: 'two', takeovers: 0 }, 'expired'))).toBe('lost');
        expect(await until(engine.endContext(7, first, 'destroyed'))).toBe('ended');
        expect(await until(engine.endContext(7, first, 'expired'))).toBe('ended');
        expect(await found()).toEqual({ kind: 'ended', how: 'destroyed' });
        expect(await until(engine.putContext(7, { ...first, revision: 2 }, life))).toBe('lost');
        expect(await adopt(first, 'two')).toEqual({ kind: 'ended', how: 'destroyed' });
      });

      it('forgets a record at the end of its life, and touching prolongs that', async () => {
        await until(engine.putContext(8, first, { ...life, ttlMs: 1 }));
        await until(engine.touchContexts(new Map([[7, 30_000], [9, 30_000]]))); // prettier-ignore
        while (((await found(8)) as FoundContext).kind !== 'none');
        expect(await found()).toMatchObject({ kind: 'open' });
        expect(await found(9)).toEqual({ kind: 'none' });
        await until(engine.touchContexts(new Map([[7, 1]])));
        while (((await found()) as FoundContext).kind !== 'none');
      });

      it('promises nothing that no replica has', async () => {
        await tested.setReplication(false);
        const adoption = { id: 7, expected: first, home: 'two', epoch };
        for (const work of [
          () => engine.putContext(8, first, life),
          () => engine.adoptContext(adoption),
          () => engine.endContext(8, first, 'destroyed'),
        ]) {
          const error: unknown = await until(work().then(() => 'nothing', (reason: unknown) => reason)); // prettier-ignore
          expect(error).toMatchObject({ name: 'EngineError', mayHaveEffect: true });
        }
        await tested.setReplication(true);
      });
    });

    describe('with journals', () => {
      const entry = (sec: number, isFull = true): JournalEntry => ({
        id: { sec, nsec: 999_999_999 },
        text: `"é" ${sec}`,
        isFull,
      });
      let after: JournalEntry['id'] | undefined;
      beforeEach(() => (after = undefined));
      const append = async (writer: string, added: JournalEntry, lifeMs = 10_000): Promise<string> => {
        const outcome = await until(engine.appendJournal('group', { writer, entry: added, lifeMs, after }));
        if (outcome === 'appended') after = added.id;
        return outcome;
      };
      const claim = (writer: string): Promise<readonly JournalEntry[]> =>
        until(engine.claimJournal('group', writer, 10_000));

      it('keeps what a group sent for the next one, for a while', async () => {
        expect(await claim('one')).toEqual([]);
        for (const sec of [100, 109, 110]) expect(await append('one', entry(sec, sec < 110))).toBe('appended');
        expect(await claim('two')).toEqual([entry(100), entry(109), entry(110, false)]);
        expect(await append('two', entry(111))).toBe('appended');
        expect(await claim('three')).toEqual([entry(109), entry(110, false), entry(111)]);
        expect(await until(engine.claimJournal('other', 'one', 10_000))).toEqual([]);
      });

      it('refuses a group that another one has followed', async () => {
        await claim('one');
        await append('one', entry(100));
        await claim('two');
        expect(await append('one', entry(101))).toBe('refused');
        expect(await append('two', entry(102))).toBe('appended');
        expect(await claim('two')).toEqual([entry(100), entry(102)]);
      });

      it('may be read without a claim', async () => {
        await claim('one');
        await append('one', entry(100));
        expect(await until(engine.claimJournal('group', undefined, 10_000))).toEqual([entry(100)]);
        expect(await append('one', entry(101))).toBe('appended');
      });

      it('refuses ids that do not grow', async () => {
        await claim('one');
        await append('one', entry(100));
        expect(await append('one', entry(100))).toBe('refused');
        expect(await append('one', entry(99))).toBe('refused');
        expect(await claim('one')).toEqual([entry(100)]);
      });

      it('begins again behind a hole', async () => {
        await claim('one');
        await append('one', entry(100));
        after = undefined;
        expect(await append('one', entry(102))).toBe('appended');
        expect(await claim('two')).toEqual([entry(102)]);
        after = { sec: 103, nsec: 0 };
        expect(await append('two', entry(104))).toBe('appended');
        expect(await claim('two')).toEqual([entry(104)]);
      });

      it('is written by a group that did not claim it if no other did', async () => {
        expect(await append('one', entry(100))).toBe('appended');
        expect(await append('two', entry(101))).toBe('refused');
      });

      it('forgets a journal that is not written any more', async () => {
        await append('one', entry(100), 1);
        while ((await claim('two')).length > 0);
      });
    });

    it('has one secret: that of the first member', async () => {
      const other = await tested.connect();
      expect(await until(engine.secret('first'))).toBe('first');
      expect(await until(other.secret('second'))).toBe('first');
      other.close();
    });

    it('passes messages on to all who are connected', async () => {
      const other = await tested.connect();
      const received = Promise.all(
        [engine, other].map((one) => new Promise<string>((resolve) => one.subscribe(resolve))), // prettier-ignore
      );
      const state = { isDone: false };
      void received.then(() => (state.isDone = true));
      // A connection may not listen yet: messages may get lost.
      while (!state.isDone) {
        engine.publish('hello');
        await until(engine.load());
      }
      expect(await received).toEqual(['hello', 'hello']);
      other.close();
    });
  });
}
