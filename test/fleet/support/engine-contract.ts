import { NO_DOCUMENT, type SharedDocument, idOf, nextVersion } from '../../../src/fleet/document.js';
import { type Engine, EngineError, type FoundContext, type Renewal, type Tenure } from '../../../src/fleet/engine.js';

/** An engine to be tested, with nothing in it. */
export interface TestedEngine {
  /** A connection to it, once it can be used. */
  readonly connect: () => Promise<Engine>;
  readonly until: <T>(work: Promise<T>) => Promise<T>;
  /** The replicas stop or go on following. */
  readonly setReplication: (isOn: boolean) => Promise<void>;
}

/** What every engine does; `start` makes an empty one. */
export function describeEngine(name: string, start: () => Promise<TestedEngine>): void {
  describe(`the engine ${name}`, () => {
    let tested: TestedEngine;
    let engine: Engine;
    let epoch: string;
    beforeEach(async () => {
      tested = await start();
      engine = await tested.connect();
      ({ epoch } = await renew('test'));
      await until(engine.release('test'));
    });
    afterEach(() => engine.close());
    const until = <T>(work: Promise<T>): Promise<T> => tested.until(work);
    const renew = (name = 'one', value = '', ttlMs = 60_000, knownId = ''): Promise<Renewal> =>
      until(engine.renew({ name, value, ttlMs }, knownId));
    const put = (document: SharedDocument, expected = NO_DOCUMENT, node = epoch): Promise<string> =>
      until(engine.putDocument(document, idOf(expected), node));

    it('begins without a document', async () => {
      expect(await renew()).toMatchObject({ epoch, document: undefined, isFull: false });
      expect((await renew('one', '', 60_000, 'another')).document).toEqual(NO_DOCUMENT);
      expect(epoch).not.toBe('');
    });

    it('replaces the document that there must be, and no other one', async () => {
      const one = nextVersion(NO_DOCUMENT, '"ü"\n1', epoch);
      const two = nextVersion(one, '2', epoch);
      expect(await put(two, one)).toBe('overtaken');
      expect(await put(one, NO_DOCUMENT, 'another node')).toBe('overtaken');
      expect(await put(one)).toBe('stored');
      expect(await put(nextVersion(NO_DOCUMENT, 'other', epoch))).toBe('overtaken');
      expect((await renew()).document).toEqual(one);
      expect(await put(two, one)).toBe('stored');
      expect((await renew('one', '', 60_000, idOf(one))).document).toEqual(two);
      expect((await renew('one', '', 60_000, idOf(two))).document).toBeUndefined();
    });

    it('says for how long a node has answered', async () => {
      const { ageMs } = await renew();
      expect(ageMs).toBeGreaterThanOrEqual(0);
      while ((await renew()).ageMs <= ageMs);
    });

    it('renews leases, and returns those of all members', async () => {
      const other = await tested.connect();
      await until(other.renew({ name: 'two', value: 'second', ttlMs: 60_000 }, ''));
      const renewal = await renew('one', 'first');
      expect(renewal.epoch).toBe(epoch);
      expect(Object.fromEntries(renewal.members)).toEqual({ one: 'first', two: 'second' });
      await until(other.release('two'));
      other.close();
      const { members } = await renew('one', 'changed');
      expect(Object.fromEntries(members)).toEqual({ one: 'changed' });
    });

    it('forgets leases that are over', async () => {
      await renew('short', '', 1);
      const names = async (): Promise<string[]> => [...(await renew()).members.keys()];
      let left = await names();
      while (left.length > 1) left = await names();
      expect(left).toEqual(['one']);
    });

    it('promises nothing that no replica has', async () => {
      await tested.setReplication(false);
      const failure = async (work: Promise<unknown>): Promise<unknown> =>
        until(work.then(() => 'nothing', (error: unknown) => error)); // prettier-ignore
      const renewing = await failure(engine.renew({ name: 'one', value: '', ttlMs: 60_000 }, ''));
      const storing = await failure(engine.putDocument(nextVersion(NO_DOCUMENT, '', epoch), '', epoch));
      for (const error of [renewing, storing])
        expect(error).toMatchObject({ name: 'EngineError', mayHaveEffect: true });
      expect(storing).toBeInstanceOf(EngineError);
      await tested.setReplication(true);
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
        await renew('one');
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
        await renew('one');
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

    it('runs many scripts at once, each with its own outcome', async () => {
      const ids = Array.from({ length: 50 }, (_, i) => i + 100);
      const record = { home: 'one', takeovers: 0, revision: 1, text: '' };
      const stored = await until(
        Promise.all(ids.map((id) => engine.putContext(id, record, { ttlMs: 60_000, isNew: id % 2 === 0 }))),
      );
      expect(stored).toEqual(ids.map((id) => (id % 2 === 0 ? 'stored' : 'missing')));
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
        await renew();
      }
      expect(await received).toEqual(['hello', 'hello']);
      other.close();
    });
  });
}
