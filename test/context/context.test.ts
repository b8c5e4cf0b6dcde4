import type { Context } from '../../src/context/index.js';
import { FetchResult, PM_ERR } from '../../src/pmapi/index.js';
import type { PreparedFetch } from '../../src/sources/index.js';
import { FakeClock } from '../support/fake-clock.js';
import { MemorySource } from '../support/memory-source.js';
import { sampleContent } from '../support/sample-metrics.js';
import { rows } from '../support/rows.js';
import { contextsOf } from '../support/contexts-of.js';

/** Counts what reaches the source, and can hold fetches back until told. */
class WatchedSource extends MemorySource {
  readonly calls: string[] = [];
  gate: Promise<void> = Promise.resolve();
  underWay = 0;
  mostUnderWay = 0;
  override kind = 'local' as const;

  override lookupNames(names: readonly string[]) {
    this.calls.push(`lookupNames ${names.join(',')}`);
    return super.lookupNames(names);
  }

  override describe(pmids: readonly number[]) {
    this.calls.push(`describe ${pmids.length}`);
    return super.describe(pmids);
  }

  override async fetch(prepared: PreparedFetch, ...rest: [never, FetchResult]) {
    this.underWay++;
    this.mostUnderWay = Math.max(this.mostUnderWay, this.underWay);
    await this.gate;
    await super.fetch(prepared, ...rest);
    this.underWay--;
  }
}

async function setUp({ isArchive = false } = {}) {
  const clock = new FakeClock();
  const source = new WatchedSource(sampleContent, clock);
  if (isArchive) Object.defineProperty(source, 'archive', { value: source });
  const manager = contextsOf(source, { clock });
  const context = await manager.create({ kind: 'host', hostspec: 'localhost' });
  return { clock, source, manager, context };
}

const valueOf = async (context: Context, name: string) =>
  context.fetching.fetch(await context.plans.get({ names: [name] }), ({ sets }) => ({
    status: sets[0]!.status,
    first: sets[0]!.column.numbers[0],
  }));

describe('Context', () => {
  describe('plan', () => {
    it('answers a request by PMID with the first name, and an alias only when asked for by name', async () => {
      const { context } = await setUp();
      const [pmid] = await context.names.lookupNames(['sample.alias.second']);
      expect((await context.plans.get({ pmids: [pmid!] })).entries.map((e) => e.name)).toEqual(['sample.alias.first']);
      expect((await context.plans.get({ names: ['sample.alias.second'] })).entries.map((e) => e.name)).toEqual([
        'sample.alias.second',
      ]);
      expect((await context.plans.get({ pmids: [1] })).missing).toMatchObject([
        { requested: '0.0.1', pmErr: PM_ERR.PMID },
      ]);
    });
  });

  describe('fetch', () => {
    it('keeps overlapping fetches of a live source apart', async () => {
      const { context, source } = await setUp();
      let open = (): void => undefined;
      source.gate = new Promise((resolve) => (open = resolve));
      const both = Promise.all([valueOf(context, 'sample.long.one'), valueOf(context, 'sample.ulong.max')]);
      await new Promise((resolve) => setImmediate(resolve));
      expect(source.underWay).toBe(2);
      expect(context.fetchesUnderWay).toBe(2);
      open();
      expect(await both).toEqual(rows({ status: 1, first: -1 }, { status: 1, first: 4294967295 }));
      expect(context.fetchesUnderWay).toBe(0);
    });

    it('makes fetches of an archive serial, and goes on after one that failed', async () => {
      const { context, source } = await setUp({ isArchive: true });
      source.gate = Promise.reject(new Error('damaged'));
      source.gate.catch(() => undefined);
      const failed = valueOf(context, 'sample.long.one');
      await expect(failed).rejects.toThrow('damaged');
      source.underWay = 0;
      source.mostUnderWay = 0;
      source.gate = Promise.resolve();
      const all = await Promise.all([1, 2, 3].map(() => valueOf(context, 'sample.long.one')));
      expect(all).toHaveLength(3);
      expect(source.mostUnderWay).toBe(1);
    });

    it('does not let a context expire while a fetch is under way', async () => {
      const { context, source, manager, clock } = await setUp();
      let open = (): void => undefined;
      source.gate = new Promise((resolve) => (open = resolve));
      const slow = valueOf(context, 'sample.long.one');
      await new Promise((resolve) => setImmediate(resolve));
      clock.advance(60_000);
      expect(manager.sweep()).toBe(0);
      open();
      await slow;
      expect(manager.sweep()).toBe(1);
    });
  });
});
