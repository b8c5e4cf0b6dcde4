import { makeIndom, makeLabel } from '../../../src/pmapi/index.js';
import { SearchIndexes } from '../../../src/features/search/search-indexes.js';
import type { SearchLimits } from '../../../src/features/search/searchable.js';
import { FakeClock } from '../../support/fake-clock.js';
import { ENDLESS_TURN, FakeView } from './support/fake-view.js';

const PROCS = makeIndom(3, 9);
const clock = new FakeClock();
const makeIndexes = (limits: Partial<SearchLimits> = {}): SearchIndexes =>
  new SearchIndexes({ clock, turns: ENDLESS_TURN, limits });

describe('SearchIndexes', () => {
  it('makes an index once, for all who ask', async () => {
    const indexes = makeIndexes();
    const view = new FakeView([{ name: 'a.b' }]);
    const twin = new FakeView([{ name: 'a.b' }]);
    twin.viewKey = view.viewKey;
    const [first, second] = await Promise.all([indexes.of(view), indexes.of(twin)]);
    expect(second).toBe(first);
    expect(await indexes.of(twin)).toBe(first);
    expect(view.builds + twin.builds).toBe(1);
    expect(indexes.peek(view)).toBe(first);
  });

  it('serves an old index once more when the source has changed, but makes none all the time', async () => {
    const indexes = makeIndexes({ minAgeMs: 1000 });
    const view = new FakeView([{ name: 'a.b' }]);
    const index = await indexes.of(view);
    view.generation = 2;
    expect(await indexes.of(view)).toBe(index);
    expect(view.builds).toBe(1);
    clock.advance(1000);
    expect(await indexes.of(view)).toBe(index);
    await new Promise((resolve) => setImmediate(resolve));
    expect(await indexes.of(view)).not.toBe(index);
    expect(view.builds).toBe(2);
  });

  it('makes it anew when its instances are old, and waits for it when they are very old', async () => {
    const indexes = makeIndexes({ maxAgeMs: 60_000, staleMs: 600_000 });
    const view = new FakeView([{ name: 'a.b', indom: PROCS }]);
    const instances = async (): Promise<number> => (await indexes.of(view)).about('3.9').length - 2;
    view.instanceNames.set(PROCS, ['1 init']);
    expect(await instances()).toBe(1);
    view.instanceNames.set(PROCS, ['1 init', '2 sh']);
    clock.advance(59_999);
    expect(await instances()).toBe(1);
    clock.advance(1);
    expect(await instances()).toBe(1);
    await new Promise((resolve) => setImmediate(resolve));
    expect(await instances()).toBe(2);
    view.instanceNames.set(PROCS, []);
    clock.advance(600_000);
    expect(await instances()).toBe(0);
  });

  it('serves an old index when another cannot be made, and fails when it is very old', async () => {
    const indexes = makeIndexes({ minAgeMs: 0, maxAgeMs: 1000, staleMs: 2000 });
    const view = new FakeView([{ name: 'a.b' }]);
    const index = await indexes.of(view);
    view.traverse = () => Promise.reject(new Error('connection lost'));
    clock.advance(1999);
    expect(await indexes.of(view)).toBe(index);
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(1);
    await expect(indexes.of(view)).rejects.toThrow('connection lost');
    expect(view.held).toBe(0);
  });

  it('answers the first search of a host by names, while it asks for texts', async () => {
    const indexes = makeIndexes();
    const view = new FakeView([
      { name: 'a.b', oneline: 'a thing', indom: PROCS, labels: [makeLabel('agent', 'linux')] },
    ]);
    view.kind = 'host';
    view.instanceNames.set(PROCS, ['1 init']);
    let open = (): void => undefined;
    view.textGate = new Promise((resolve) => (open = resolve));
    const names = await indexes.of(view);
    expect(names.hasTexts).toBe(false);
    expect(names.about('3.9').map(({ name, oneline }) => [name, oneline])).toEqual([
      ['3.9', ''],
      ['a.b', ''],
      ['1 init', ''],
    ]);
    expect(await indexes.of(view)).toBe(names);
    expect(view.builds).toBe(2);
    open();
    await new Promise((resolve) => setImmediate(resolve));
    const texts = await indexes.of(view);
    expect(texts.hasTexts).toBe(true);
    expect(texts.about('3.9')[1]).toMatchObject({ oneline: 'a thing', labels: { agent: 'linux' } });
    expect(view.builds).toBe(2);
    expect(view.held).toBe(0);
  });

  it('asks again for texts that could not be had, and answers by names meanwhile', async () => {
    const indexes = makeIndexes();
    const view = new FakeView([{ name: 'a.b', oneline: 'a thing' }]);
    view.kind = 'host';
    const gate = Promise.reject(new Error('connection lost'));
    gate.catch(() => undefined);
    view.textGate = gate;
    expect((await indexes.of(view)).hasTexts).toBe(false);
    await new Promise((resolve) => setImmediate(resolve));
    view.textGate = Promise.resolve();
    expect((await indexes.of(view)).hasTexts).toBe(false);
    await new Promise((resolve) => setImmediate(resolve));
    expect((await indexes.of(view)).hasTexts).toBe(true);
    expect(view.held).toBe(0);
  });

  it('keeps a view from going away while it is read, also when it fails', async () => {
    const indexes = makeIndexes();
    const view = new FakeView([{ name: 'a.b' }]);
    let fail: (reason: Error) => void = () => undefined;
    view.gate = new Promise((_resolve, reject) => (fail = reject));
    const asking = indexes.of(view);
    expect(view.held).toBe(1);
    fail(new Error('connection lost'));
    await expect(asking).rejects.toThrow('connection lost');
    expect(view.held).toBe(0);
    view.gate = Promise.resolve();
    expect((await indexes.of(view)).size.documents).toBe(1);
  });

  it('does not build more at once than it may', async () => {
    const indexes = makeIndexes({ builds: 1 });
    const slow = new FakeView([{ name: 'a.b' }]);
    const next = new FakeView([{ name: 'a.b' }]);
    let open = (): void => undefined;
    slow.gate = new Promise((resolve) => (open = resolve));
    const both = Promise.all([indexes.of(slow), indexes.of(next)]);
    await new Promise((resolve) => setImmediate(resolve));
    expect([slow.builds, next.builds]).toEqual([1, 0]);
    open();
    await both;
    expect(next.builds).toBe(1);
  });

  it('builds one and lets one wait, however often definitions change meanwhile', async () => {
    const indexes = makeIndexes({ builds: 1 });
    const view = new FakeView([{ name: 'a.b' }]);
    let open = (): void => undefined;
    view.gate = new Promise((resolve) => (open = resolve));
    const searches = [indexes.of(view)];
    await new Promise((resolve) => setImmediate(resolve));
    for (let i = 0; i < 50; i++) {
      view.viewVersion++;
      searches.push(indexes.of(view));
    }
    open();
    const found = await Promise.all(searches);
    expect(view.builds).toBe(2);
    expect(new Set(found).size).toBe(2);
    expect(await indexes.of(view)).toBe(found.at(-1));
    expect(view.held).toBe(0);
  });

  it('takes turns while it builds', async () => {
    let turns = 0;
    const next = (): undefined => {
      turns++;
      return undefined;
    };
    const indexes = new SearchIndexes({ clock, turns: { next } });
    await indexes.of(new FakeView(Array.from({ length: 100 }, (_, i) => ({ name: `a.x${i}` }))));
    expect(turns).toBe(100);
  });

  it('bounds instances of a domain, entities, words and texts', async () => {
    const view = new FakeView([{ name: 'a.b', indom: PROCS, help: 'x'.repeat(50) + ' end' }, { name: 'a.c' }]);
    view.instanceNames.set(PROCS, ['1 a', '2 b', '3 c']);
    const size = async (limits: Partial<SearchLimits>): Promise<number> =>
      (await makeIndexes(limits).of(view)).size.documents;
    expect(await size({})).toBe(6);
    expect(await size({ instancesPerIndom: 1 })).toBe(4);
    expect(await size({ documentsPerIndex: 2 })).toBe(2);
    expect(await size({ recordsPerIndex: 1 })).toBe(1);
    expect(await size({ charactersPerIndex: 56 })).toBe(1);
    expect(await size({ charactersPerIndex: 58 })).toBe(2);
    const cut = await makeIndexes({ textLength: 10 }).of(view);
    expect(cut.about('3.9')[1]?.helptext).toBe('x'.repeat(10));
  });

  it('leaves out what has a name that nobody could ask for, and counts characters that hold no word', async () => {
    const view = new FakeView([
      { name: 'a'.repeat(11) },
      { name: 'a.b', indom: PROCS, labels: [makeLabel('l', '.'.repeat(11))] },
      { name: 'a.c', labels: [makeLabel('l', '.'.repeat(12))] },
    ]);
    view.instanceNames.set(PROCS, ['12345678901', '1234567890']);
    const index = await makeIndexes({ textLength: 10 }).of(view);
    expect(index.about('3.9').map(({ name }) => name)).toEqual(['3.9', 'a.b', '1234567890']);
    expect(index.about('3.9')[1]?.labels).toEqual({ l: '.'.repeat(10) });
    // The labels of a.b and a.c are the same, as far as they are kept.
    expect(index.size.characters).toBe(2 * 3 + 11 + 3 + 'set of dis'.length + 10);
  });

  it('forgets the index that was used longest ago when there are too many words', async () => {
    const indexes = makeIndexes({ records: 10 });
    const views = [1, 2, 3].map(() => new FakeView([{ name: 'a.b' }]));
    for (const view of views) await indexes.of(view);
    expect(views.map((view) => indexes.peek(view) !== undefined)).toEqual([false, true, true]);
  });

  it('forgets indexes that are too old to serve when it makes another one', async () => {
    const indexes = makeIndexes({ staleMs: 2000 });
    const [old, recent, next] = [1, 2, 3].map(() => new FakeView([{ name: 'a.b' }])) as [FakeView, FakeView, FakeView];
    await indexes.of(old);
    clock.advance(1);
    await indexes.of(recent);
    clock.advance(1999);
    expect(indexes.peek(old)).toBeDefined();
    await indexes.of(next);
    expect([old, recent, next].map((view) => indexes.peek(view) !== undefined)).toEqual([false, true, true]);
  });
});
