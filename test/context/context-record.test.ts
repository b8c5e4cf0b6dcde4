import { type Context, type ContextDirectory, ContextManager, readRecord } from '../../src/context/index.js';
import { writeRecord } from '../../src/context/context-record.js';
import type { SourceFactory, SourceSpec } from '../../src/sources/index.js';
import { FakeClock } from '../support/fake-clock.js';
import { MemorySource } from '../support/memory-source.js';
import { sampleContent } from '../support/sample-metrics.js';

const HOST: SourceSpec = { kind: 'host', hostspec: 'web1', username: 'alice', password: 'secret' };

/** A directory that notes what it is told. */
class Directory implements ContextDirectory {
  readonly told: string[] = [];
  readonly refusals: Error[] = [];
  create(id: number): Promise<void> {
    return this.#note(`create ${id}`);
  }
  save(id: number): Promise<void> {
    return this.#note(`save ${id}`);
  }
  end(id: number, how: string): Promise<void> {
    return this.#note(`end ${id} ${how}`);
  }
  #note(text: string): Promise<void> {
    this.told.push(text);
    const refusal = this.refusals.shift();
    return refusal ? Promise.reject(refusal) : Promise.resolve();
  }
}

function setUp() {
  const clock = new FakeClock();
  const directory = new Directory();
  const sources: SourceFactory = { open: () => Promise.resolve(new MemorySource(sampleContent, clock)) };
  const limits = { contexts: 100, pollTimeoutMs: 5000, maxPollTimeoutMs: 60_000 };
  const manager = new ContextManager({ sources, clock, limits, directory });
  return { manager, clock, directory };
}

/** A context with everything that a client can change. */
async function changed(manager: ContextManager): Promise<Context> {
  const context = await manager.create(HOST, { owner: 'alice', pollTimeoutMs: 7000 });
  context.deleteProfile();
  context.addProfile(7, [1, 2]);
  context.addProfile(8);
  context.deleteProfile(8, [3]);
  await context.addDerived('my.first', '1');
  await context.addDerived('my.second', '2');
  return context;
}

describe('a record of a context', () => {
  it('makes it again with the same profile, definitions and PMIDs', async () => {
    const { manager } = setUp();
    const context = await changed(manager);
    const text = writeRecord(context);
    const other = setUp();
    const recorded = readRecord(text);
    const again = await other.manager.restore(context.id, HOST, recorded);
    expect(writeRecord(again)).toBe(text);
    expect(again).toMatchObject({ id: context.id, owner: 'alice', pollTimeoutMs: 7000 });
    expect(again.derived.own()).toEqual(context.derived.own());
    const [profile, before] = [again.copyProfile(), context.copyProfile()];
    for (const indom of [7, 8, 9]) {
      for (const instance of [1, 3, 5]) {
        expect(profile.includes(indom, instance)).toBe(before.includes(indom, instance));
      }
    }
    // What it was made from is noted already.
    expect(other.directory.told).toEqual([]);
    expect(other.manager.save(again)).toBeUndefined();
  });

  it('keeps what a later release has written', async () => {
    const { manager } = setUp();
    const context = await changed(manager);
    const later = JSON.stringify({ ...(JSON.parse(manager.record(context.id)!.text) as object), later: { a: [1] } });
    const other = setUp();
    const again = await other.manager.restore(context.id, HOST, readRecord(later));
    again.deleteProfile();
    const written = JSON.parse(other.manager.record(again.id)!.text) as Record<string, unknown>;
    expect(written).toMatchObject({ later: { a: [1] }, isAll: false, v: 1 });
  });

  it('holds no password', async () => {
    const { manager } = setUp();
    for (const spec of [
      HOST,
      { kind: 'host', hostspec: 'web1?username=bob&password=secret' },
      { kind: 'host', hostspec: 'web1?pass=secret&container=db' },
    ] as const) {
      const text = writeRecord(await manager.create(spec));
      expect(text).not.toContain('secret');
      expect(readRecord(text).isComplete).toBe(spec === HOST);
    }
  });

  it('says that other gateways cannot open it where they would open something else', async () => {
    const { manager } = setUp();
    const context = await manager.create(HOST);
    expect(readRecord(writeRecord(context, { isOnlyHere: true })).isComplete).toBe(false);
    manager.sources = { open: () => Promise.reject(new Error('none')), isOnlyHere: (spec) => spec === context.spec };
    expect(readRecord(manager.record(context.id)!.text).isComplete).toBe(false);
  });

  it.each(['', '{}', '[]', 'null', '{"v":2,"kind":"host","name":"a","pollTimeoutMs":1}'])('refuses %p', (text) => {
    expect(() => readRecord(text)).toThrow(expect.objectContaining({ code: 'UNAVAILABLE' }) as Error);
  });
});

describe('a context manager with a directory', () => {
  it('notes its private contexts, what changes of them, and their ends', async () => {
    const { manager, clock, directory } = setUp();
    const { id } = await manager.create(HOST);
    const context = manager.use(id);
    expect(manager.save(context)).toBeUndefined();
    context.deleteProfile();
    await manager.save(context);
    expect(manager.save(context)).toBeUndefined();
    await manager.destroy(id);
    const expiring = await manager.create(HOST);
    clock.advance(6000);
    manager.sweep();
    const shared = await manager.shared(HOST);
    expect(manager.save(shared)).toBeUndefined();
    expect(directory.told).toEqual([
      `create ${id}`,
      `save ${id}`,
      `end ${id} destroyed`,
      `create ${expiring.id}`,
      `end ${expiring.id} expired`,
    ]);
  });

  it('closes a context that it could not note', async () => {
    const { manager, directory } = setUp();
    directory.refusals.push(new Error('not now'));
    await expect(manager.create(HOST)).rejects.toThrow('not now');
    expect(manager.size).toBe(0);
    expect(directory.told).toHaveLength(1);
  });

  it('lets others have a context, and takes no more changes of it', async () => {
    const { manager, directory } = setUp();
    const context = await manager.create(HOST);
    manager.drop(context.id);
    expect(manager.openAs(context.id)).toBeUndefined();
    expect(directory.told).toHaveLength(1);
    expect(manager.save(context)).toBeUndefined();
    context.deleteProfile();
    expect(() => manager.save(context)).toThrow(expect.objectContaining({ code: 'UNAVAILABLE' }) as Error);
  });

  it('says how long a context was not used, and how long its record is to be kept', async () => {
    const { manager, clock } = setUp();
    const { id } = await manager.create(HOST, { pollTimeoutMs: 20_000 });
    clock.advance(3000);
    expect(manager.unusedMs(id)).toBe(3000);
    const release = manager.use(id).hold();
    clock.advance(3000);
    expect(manager.unusedMs(id)).toBe(0);
    release();
    expect(manager.record(id)?.ttlMs).toBeGreaterThan(40_000);
    expect(manager.record(id + 1)).toBeUndefined();
    expect(manager.unusedMs(id + 1)).toBe(Infinity);
  });

  it('ends no context when the gateway ends: others take them', async () => {
    const { manager, directory } = setUp();
    await manager.create(HOST);
    await manager.close();
    expect(directory.told).toHaveLength(1);
  });
});
