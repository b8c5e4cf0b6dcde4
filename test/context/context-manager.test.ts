import { type SourceFactory, type SourceKind, type SourceSpec, recordsOf } from '../../src/sources/index.js';
import { type Context, type ContextLimits, ContextManager } from '../../src/context/index.js';
import { LiveMemory } from '../../src/context/range/index.js';
import { PmError, PM_ERR } from '../../src/pmapi/index.js';
import { FakeClock } from '../support/fake-clock.js';
import { MemorySource } from '../support/memory-source.js';
import { COLOURS, sampleContent } from '../support/sample-metrics.js';

const LOCAL: SourceSpec = { kind: 'host', hostspec: 'localhost' };

function setUp(limits: Partial<ContextLimits> = {}) {
  const clock = new FakeClock();
  const opened: MemorySource[] = [];
  const sources: SourceFactory = {
    open(spec) {
      if (spec.kind === 'host' && spec.hostspec === 'broken') return Promise.reject(new PmError(PM_ERR.IPC));
      const source = new MemorySource(sampleContent, clock);
      opened.push(source);
      return Promise.resolve(source);
    },
  };
  const manager = new ContextManager({
    sources,
    clock,
    limits: { contexts: 100, pollTimeoutMs: 5000, maxPollTimeoutMs: 60_000, ...limits },
  });
  return { manager, clock, opened };
}

describe('ContextManager', () => {
  describe('create', () => {
    it('gives ids that are safe integers, positive and different', async () => {
      const { manager } = setUp();
      const ids = new Set<number>();
      for (let i = 0; i < 50; i++) ids.add((await manager.create(LOCAL)).id);
      expect(ids.size).toBe(50);
      for (const id of ids) expect(Number.isSafeInteger(id) && id > 0).toBe(true);
    });

    it('counts contexts that are still being opened against the limit', async () => {
      const { manager } = setUp({ contexts: 2 });
      const results = await Promise.allSettled([manager.create(LOCAL), manager.create(LOCAL), manager.create(LOCAL)]);
      expect(results.map((r) => r.status).sort()).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    });

    it('passes on what the source factory throws, and leaves nothing behind', async () => {
      const { manager } = setUp({ contexts: 1 });
      await expect(manager.create({ kind: 'host', hostspec: 'broken' })).rejects.toThrow(PmError);
      expect(manager.size).toBe(0);
      await expect(manager.create(LOCAL)).resolves.toBeDefined();
    });
  });

  describe('expiry', () => {
    it('says expired after the time-out, before and after the sweep, and unknown for an id that never was', async () => {
      const { manager, clock, opened } = setUp();
      const { id } = await manager.create(LOCAL, { pollTimeoutMs: 1000 });
      const other = await manager.create(LOCAL, { pollTimeoutMs: 1000 });
      clock.advance(1001);
      expect(() => manager.use(id)).toThrow(`expired context identifier: ${id}`);
      expect(manager.sweep()).toBe(1);
      expect(() => manager.use(other.id)).toThrow(`expired context identifier: ${other.id}`);
      expect(() => manager.use(4711)).toThrow('unknown context identifier: 4711');
      await new Promise((resolve) => setImmediate(resolve));
      expect(opened.every((source) => source.isClosed)).toBe(true);
    });
  });

  describe('shared', () => {
    it('makes a new one after it expired or was swept', async () => {
      const { manager, clock } = setUp();
      const first = await manager.shared(LOCAL);
      clock.advance(6000);
      const second = await manager.shared(LOCAL);
      expect(second).not.toBe(first);
      clock.advance(6000);
      manager.sweep();
      expect(await manager.shared(LOCAL)).not.toBe(second);
    });

    it('forgets a failure, so that the next request tries again', async () => {
      const { manager } = setUp();
      const spec: SourceSpec = { kind: 'host', hostspec: 'broken' };
      await expect(manager.shared(spec)).rejects.toThrow(PmError);
      await expect(manager.shared(spec)).rejects.toThrow(PmError);
    });
  });

  describe('a source that a shared context has to follow', () => {
    /** Everything leads to `place.now`, which the test changes. */
    function setUpMoving() {
      const clock = new FakeClock();
      const place = { now: 'a' };
      const opened: { readonly place: string; readonly source: MemorySource }[] = [];
      const sources: SourceFactory = {
        open: () => {
          const source = Object.assign(new MemorySource(sampleContent, clock), { origin: { place: place.now } });
          opened.push({ place: place.now, source });
          return Promise.resolve(source);
        },
        hasMoved: () => opened.at(-1)?.place !== place.now,
      };
      const limits = { contexts: 100, pollTimeoutMs: 5000, maxPollTimeoutMs: 60_000 };
      return { clock, place, opened, manager: new ContextManager({ sources, clock, limits }) };
    }

    const isReconnected = async (context: Context): Promise<boolean> =>
      context.fetching.fetch(
        await context.plans.get({ names: ['sample.colour'] }),
        (_, { reconnected }) => reconnected,
      );

    it('is opened anew at the next request, and the first fetch says so once', async () => {
      const { manager, place, opened } = setUpMoving();
      const before = await manager.shared(LOCAL);
      expect(await manager.shared(LOCAL)).toBe(before);
      expect(await isReconnected(before)).toBe(false);
      place.now = 'b';
      const [after, too] = await Promise.all([manager.shared(LOCAL), manager.shared(LOCAL)]);
      expect(after).not.toBe(before);
      expect(too).toBe(after);
      expect(opened.map((one) => one.place)).toEqual(['a', 'b']);
      expect([await isReconnected(after), await isReconnected(after)]).toEqual([true, false]);
      expect(() => manager.use(before.id)).toThrow('expired context identifier');
    });

    it('is not looked at again where it cannot move', async () => {
      const looked: SourceSpec[] = [];
      const sources: SourceFactory = {
        open: () => Promise.resolve(new MemorySource(sampleContent, new FakeClock())),
        canMove: (spec) => spec.kind === 'archive',
        hasMoved: (spec) => looked.push(spec) > 100,
      };
      const limits = { contexts: 100, pollTimeoutMs: 5000, maxPollTimeoutMs: 60_000 };
      const manager = new ContextManager({ sources, clock: new FakeClock(), limits });
      const archive = { kind: 'archive', archive: 'a' } as const;
      for (const spec of [LOCAL, LOCAL, archive, archive]) await manager.shared(spec);
      manager.sweep();
      expect(looked).toEqual([archive, archive]);
    });

    it('is closed once the requests that had it before are done', async () => {
      const { manager, place, opened, clock } = setUpMoving();
      const before = await manager.shared(LOCAL);
      place.now = 'b';
      await manager.shared(LOCAL);
      manager.sweep();
      expect(await isReconnected(before)).toBe(false);
      clock.advance(5001);
      const release = before.hold();
      manager.sweep();
      await new Promise((resolve) => setImmediate(resolve));
      expect(opened[0]!.source.isClosed).toBe(false);
      release();
      clock.advance(5001);
      manager.sweep();
      await new Promise((resolve) => setImmediate(resolve));
      expect(opened[0]!.source.isClosed).toBe(true);
    });

    it('is closed with the manager, at the latest', async () => {
      const { manager, place, opened } = setUpMoving();
      await manager.shared(LOCAL);
      place.now = 'b';
      await manager.shared(LOCAL);
      await manager.close();
      expect(opened.map(({ source }) => source.isClosed)).toEqual([true, true]);
    });

    it('is let go by the sweep, too, and its listeners hear that it moved', async () => {
      const { manager, place } = setUpMoving();
      const before = await manager.shared(LOCAL);
      const heard: string[] = [];
      before.onClose((reason) => heard.push(reason));
      const release = before.hold();
      manager.sweep();
      expect(manager.size).toBe(1);
      place.now = 'b';
      manager.sweep();
      expect([manager.size, heard]).toEqual([0, ['moved']]);
      expect(await isReconnected(await manager.shared(LOCAL))).toBe(true);
      release();
    });

    it('leaves private contexts where they are', async () => {
      const { manager, place } = setUpMoving();
      const own = await manager.create(LOCAL);
      place.now = 'b';
      manager.sweep();
      expect(manager.use(own.id)).toBe(own);
      expect(await isReconnected(own)).toBe(false);
    });
  });

  describe('a host that the configuration takes away', () => {
    /** A manager with sources for hosts, of which `withdrawn` are taken away; `opening` is waited for. */
    function setUpHosts() {
      const clock = new FakeClock();
      const withdrawn = new Set<string>();
      const hosts = { withdrawn, opening: Promise.resolve(), opened: [] as MemorySource[] };
      const hostOf = (spec: SourceSpec): string => (spec.kind === 'host' ? spec.hostspec : '');
      const sources: SourceFactory = {
        async open(spec) {
          if (withdrawn.has(hostOf(spec))) throw new PmError(PM_ERR.IPC);
          await hosts.opening;
          const source = new MemorySource(sampleContent, clock);
          hosts.opened.push(source);
          return source;
        },
        isWithdrawn: (spec) => withdrawn.has(hostOf(spec)),
      };
      const limits = { contexts: 100, pollTimeoutMs: 5000, maxPollTimeoutMs: 60_000 };
      return { clock, hosts, manager: new ContextManager({ sources, clock, limits }) };
    }

    const A: SourceSpec = { kind: 'host', hostspec: 'a' };
    const B: SourceSpec = { kind: 'host', hostspec: 'b' };

    it('takes its contexts with it, whoever made them, and no others', async () => {
      const { manager, hosts, clock } = setUpHosts();
      const [own, shared, other] = [await manager.create(A), await manager.shared(A), await manager.create(B)];
      const heard: string[] = [];
      own.onClose((reason) => heard.push(`own ${reason}`));
      shared.onClose((reason) => heard.push(`shared ${reason}`));
      expect(manager.withdraw()).toBe(0);
      hosts.withdrawn.add('a');
      expect(manager.withdraw()).toBe(2);
      expect(heard.sort()).toEqual(['own destroyed', 'shared moved']);
      expect(() => manager.use(own.id)).toThrow(
        `withdrawn context identifier: ${own.id}: its host is no longer configured`,
      );
      expect(manager.use(other.id)).toBe(other);
      await expect(manager.shared(A)).rejects.toThrow(PmError);
      expect([manager.size, manager.statistics]).toEqual([1, { made: 3, expired: 1, destroyed: 1 }]);
      clock.advance(5001);
      manager.sweep();
      await new Promise((resolve) => setImmediate(resolve));
      expect(hosts.opened.map(({ isClosed }) => isClosed)).toEqual([true, true, true]);
    });

    it('opens no context that was waiting for it', async () => {
      const { manager, hosts } = setUpHosts();
      let answer = (): void => undefined;
      hosts.opening = new Promise((resolve) => (answer = resolve));
      const opening = manager.create(A);
      hosts.withdrawn.add('a');
      manager.withdraw();
      answer();
      await expect(opening).rejects.toThrow(PmError);
      expect([manager.size, hosts.opened.map(({ isClosed }) => isClosed)]).toEqual([0, [true]]);
    });
  });

  describe('metadata', () => {
    it('is shared by contexts on one origin, and by no others, whatever the hostspec', async () => {
      const clock = new FakeClock();
      const [one, other] = [{}, {}];
      const asked: object[] = [];
      const sources: SourceFactory = {
        open(spec) {
          const origin = spec.kind === 'host' && spec.hostspec === 'a' ? one : other;
          const source = Object.assign(new MemorySource(sampleContent, clock), { origin });
          const describe = source.describe.bind(source);
          source.describe = (pmids) => {
            asked.push(origin);
            return describe(pmids);
          };
          return Promise.resolve(source);
        },
      };
      const limits = { contexts: 100, pollTimeoutMs: 5000, maxPollTimeoutMs: 60_000 };
      const manager = new ContextManager({ sources, clock, limits });
      for (const hostspec of ['a', 'b', 'a', 'c']) {
        const context = await manager.create({ kind: 'host', hostspec });
        await context.plans.get({ names: ['sample.colour'] });
      }
      expect(asked).toEqual([one, other]);
    });
  });

  describe('what was seen of a live source', () => {
    /** Every context has a source of an origin of its own, as one has whose connections were made anew. */
    function setUpRemembering() {
      const clock = new FakeClock();
      const reached: { kind: SourceKind } = { kind: 'host' };
      const sources: SourceFactory = {
        open: () =>
          Promise.resolve(
            Object.assign(new MemorySource(sampleContent, clock), { origin: {}, reconnects: 0, kind: reached.kind }),
          ),
      };
      const limits = { contexts: 100, pollTimeoutMs: 5000, maxPollTimeoutMs: 60_000 };
      const manager = new ContextManager({ sources, clock, limits, memory: new LiveMemory(clock) });
      const fetch = async (): Promise<readonly boolean[]> => {
        const context = await manager.shared(LOCAL);
        const plan = await context.plans.get({ names: ['sample.colour'] });
        await context.fetching.fetch(plan, () => undefined);
        const marks: boolean[] = [];
        for await (const { isMark } of recordsOf((await context.fetching.range(plan, {})).samples.batches()))
          marks.push(isMark);
        clock.advance(60_000);
        manager.sweep();
        return marks;
      };
      return { reached, manager, fetch };
    }

    it('is there for who comes back when its connections are gone, with a mark behind it', async () => {
      const { manager, fetch } = setUpRemembering();
      expect(await fetch()).toEqual([false]);
      expect(manager.size).toBe(0);
      expect(await fetch()).toEqual([false, true, false]);
      expect(await fetch()).toEqual([false, true, false, true, false]);
    });

    it('is not the past of something else that answers there', async () => {
      const { reached, fetch } = setUpRemembering();
      await fetch();
      reached.kind = 'local';
      expect(await fetch()).toEqual([false]);
    });
  });

  describe('duplicate', () => {
    it('copies the profile, and the copies go their own ways', async () => {
      const { manager } = setUp();
      const original = await manager.create(LOCAL, { pollTimeoutMs: 7000 });
      original.addProfile(COLOURS, [1]);
      const copy = await manager.duplicate(original.id);
      expect(copy.pollTimeoutMs).toBe(7000);
      original.addProfile(COLOURS, [2]);
      const instancesSeen = async (c: typeof copy) =>
        c.fetching.fetch(await c.plans.get({ names: ['sample.colour'] }), ({ sets }) => [
          ...sets[0]!.instances.subarray(0, sets[0]!.status),
        ]);
      expect(await instancesSeen(original)).toEqual([1, 2]);
      expect(await instancesSeen(copy)).toEqual([1]);
    });
  });

  describe('close', () => {
    it('closes every source and refuses new contexts', async () => {
      const { manager, opened } = setUp();
      await manager.create(LOCAL);
      await manager.shared(LOCAL);
      await manager.close();
      expect(opened.every((source) => source.isClosed)).toBe(true);
      await expect(manager.create(LOCAL)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    });

    it('refuses contexts that are being opened, and closes their sources', async () => {
      const { manager, opened } = setUp();
      const opening = [manager.create(LOCAL), manager.shared(LOCAL)];
      const refused = Promise.all(opening.map((one) => expect(one).rejects.toMatchObject({ code: 'UNAVAILABLE' })));
      await manager.close();
      await refused;
      expect([manager.size, opened.map(({ isClosed }) => isClosed)]).toEqual([0, [true, true]]);
    });
  });
});
