import { loadConfig } from '../../../src/config/index.js';
import { type ArchiveState, Archives } from '../../../src/gateway/targets/archives.js';
import { GatewayError, PM_ERR, PmError, systemClock } from '../../../src/pmapi/index.js';
import { NumberColumn } from '../../../src/features/series/evaluation/number-column.js';
import { Series } from '../../../src/features/series/series.js';
import type { WantedNumbers } from '../../../src/features/series/evaluation/read-numbers.js';
import type { QueryResult, SeriesView } from '../../../src/features/series/series-view.js';
import { type SampleStores, metricFilter, metricRule } from '../../../src/sources/index.js';
import { FakeClock } from '../../support/fake-clock.js';
import { SERIES_FIXTURES } from '../../support/series-cases.js';

const LIMITS = { series: 10_000, values: 100_000, bytes: 1e8, lookUps: 5e6 };
const SECONDS = 'e9897e33772e2d3beff4eb168f7d3c74541e57db';

const archives = new Archives(systemClock, { ...loadConfig({}).archives, roots: [SERIES_FIXTURES] });
const series = new Series({ stores: [archives], clock: systemClock, limits: LIMITS });
afterAll(() => archives.close());

const idsOf = async (view: SeriesView, expr: string): Promise<readonly string[]> => {
  const result = await view.query(expr);
  return result.kind === 'ids' ? result.ids : result.series.map(({ id }) => id);
};

describe('what a client may not see', () => {
  it('does not exist: metrics that a filter hides', async () => {
    const filter = metricFilter([metricRule(['sample', '!sample.seconds', '!sample.colour'])]);
    const view = await series.view(() => ({ filter }));
    expect(await idsOf(view, 'sample.seconds')).toEqual([]);
    expect(await idsOf(view, '{metric.name == "sample.seconds"}')).toEqual([]);
    expect(await idsOf(view, '{model == "RGB"}')).toHaveLength(1);
    expect(await idsOf(view, 'sample.drift')).toHaveLength(1);
    expect(await view.metricNames('sample.s*')).toEqual([]);
    expect(await view.metricNames('kernel*')).toEqual([]);
    expect(await view.values([SECONDS], {})).toEqual([]);
    expect(await view.describe(SECONDS)).toBeUndefined();
    expect(await view.nameOf(SECONDS)).toBeUndefined();
    expect(await view.labelsOf(SECONDS)).toBeUndefined();
    expect(await view.instanceNames('1 minute')).toEqual([]);
    expect(await view.labelValues('pid')).toEqual([]);
  });

  it('does not exist: archives', async () => {
    const view = await series.view((spec) =>
      spec.kind === 'archive' && spec.archive.startsWith('multi') ? { filter: undefined } : undefined,
    );
    expect(view.archiveNames).toEqual(expect.arrayContaining(['multi/20150508.11.44']));
    expect(view.archiveNames).toHaveLength(4);
    expect(await idsOf(view, 'sample.*')).toEqual([]);
    expect(await view.sourceNames('*')).not.toContain('bozo.localdomain');
    expect(await view.labelValues('hostname')).toEqual(['"brolley-t530"']);
  });

  it('is not in an expression that somebody else asked for', async () => {
    const all = await series.view(EVERYTHING);
    const [id] = await idsOf(all, 'max(sample.seconds)');
    const none = await series.view(() => undefined);
    expect(await all.values([id!], {})).toHaveLength(1);
    expect(await none.values([id!], {})).toEqual([]);
    expect(await none.instancesOf(id!)).toEqual([]);
    expect(await none.describe(id!)).toBeUndefined();
  });
});

const EVERYTHING = () => ({ filter: undefined });

type Opening = SampleStores<ArchiveState>['openStore'];

/** Everything there is, of archives that may be opened another way, and with other limits. */
function viewWith(limits: Partial<typeof LIMITS>, open?: Opening): Promise<SeriesView> {
  const stores = [{ ...counted().archives, ...(open && { openStore: open }) }];
  return new Series({ stores, clock: systemClock, limits: { ...LIMITS, ...limits } }).view(EVERYTHING);
}

/** Opens archives whose records none may read. */
const unread: Opening = async (store, signal) =>
  Object.assign(await archives.openStore(store, signal), {
    batches: () => {
      throw new Error('read');
    },
  });

function counted() {
  const asked = { find: 0, read: 0 };
  const opened: string[] = [];
  const own: SampleStores<ArchiveState> = {
    find: (signal) => {
      asked.find++;
      return archives.find(signal);
    },
    readMetadata: (archive, use, signal) => {
      asked.read++;
      return archives.readMetadata(archive, use, signal);
    },
    openStore: (store, signal) => {
      opened.push(store.name);
      return archives.openStore(store, signal);
    },
  };
  return { archives: own, asked, opened };
}

describe('the catalogue', () => {
  it('reads the metadata of each archive once, and looks at the roots once per second', async () => {
    const { archives: own, asked } = counted();
    const clock = new FakeClock();
    const fresh = new Series({ stores: [own], clock, limits: LIMITS });
    await Promise.all([fresh.view(EVERYTHING), fresh.view(EVERYTHING)]);
    expect(asked).toEqual({ find: 1, read: 8 });
    await fresh.view(EVERYTHING);
    clock.advance(1000);
    await fresh.view(EVERYTHING);
    expect(asked).toEqual({ find: 2, read: 8 });
  });

  it('learns when archives end, and opens those no more that end before what is wanted', async () => {
    const { archives: own, opened } = counted();
    const clock = new FakeClock();
    let grown = '';
    const find: typeof own.find = async (signal) =>
      (await own.find(signal)).map((archive) => ({ ...archive, extent: `${archive.extent}${grown}` }));
    const fresh = new Series({ stores: [{ ...own, find }], clock, limits: LIMITS });
    const ask = async (window: string): Promise<{ values: QueryResult; opened: readonly string[] }> => {
      opened.length = 0;
      const values = await (await fresh.view(EVERYTHING)).query(`kernel.all.load[${window}]`);
      return { values, opened: opened.map((name) => name.replace('multi/20150508.', '')) };
    };
    const since = await ask('start:1431100200');
    expect(since.opened).toEqual(['11.44', '11.46', '11.50', '11.57']);
    expect(await ask('start:1431100200')).toEqual({ values: since.values, opened: ['11.50', '11.57'] });
    expect((await ask('samples:2')).opened).toEqual(['11.57']);
    const newest = await ask('samples:3');
    expect(newest.opened).toEqual(['11.57', '11.50']);
    grown = ' and more';
    clock.advance(1000);
    expect(await ask('samples:3')).toEqual({ values: newest.values, opened: ['11.57', '11.50', '11.46', '11.44'] });
  });

  it('stops when its client leaves', async () => {
    const { archives: own, asked } = counted();
    const fresh = new Series({ stores: [own], clock: systemClock, limits: LIMITS });
    await expect(fresh.view(() => undefined, AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
    expect(asked).toEqual({ find: 0, read: 0 });
  });
});

const EVER = { from: { sec: 0, nsec: 0 }, to: { sec: 2 ** 40, nsec: 0 }, isOneEnough: false };

function loadOf(view: SeriesView): readonly WantedNumbers[] {
  return view.archives.flatMap((archive) => {
    const metric = archive.named('kernel.all.load');
    return metric ? [{ archive, metric, columns: new Map([[1, new NumberColumn()]]) }] : [];
  });
}

describe('an archive that goes after it was catalogued', () => {
  const UNKNOWN = new GatewayError('UNKNOWN_ARCHIVE', 'no such archive');
  const viewWithout = (name: string, error: Error): Promise<SeriesView> =>
    viewWith({}, (store, signal) => (store.name === name ? Promise.reject(error) : archives.openStore(store, signal)));
  const count = async (view: SeriesView): Promise<number> => {
    const result = await view.query('kernel.all.load[samples:0]');
    return result.kind === 'values' ? result.series.flatMap(({ values }) => values.samples).length : 0;
  };

  it.each([UNKNOWN, new PmError(PM_ERR.LOGFILE)])('is left out, and the others answer: %s', async (error) => {
    const all = await count(await series.view(EVERYTHING));
    const view = await viewWithout('multi/20150508.11.46', error);
    const left = await count(view);
    expect([left > 0, left < all]).toEqual([true, true]);
    expect(view.skipped).toEqual([{ name: 'multi/20150508.11.46', error }]);
    await view.readNumbers(loadOf(view), EVER, LIMITS.values);
    expect(view.skipped).toHaveLength(2);
  });

  it('is no excuse for other errors', async () => {
    const busy = new GatewayError('OVERLOADED', 'too many archives');
    await expect(count(await viewWithout('multi/20150508.11.46', busy))).rejects.toThrow('too many archives');
  });
});

describe('reading', () => {
  it('stops when its client leaves', async () => {
    const leaving = new AbortController();
    const view = await series.view(EVERYTHING, leaving.signal);
    leaving.abort(new Error('gone'));
    await expect(view.query('sample.seconds[samples:0]')).rejects.toThrow('gone');
    await expect(view.values([SECONDS], { samples: '0' })).rejects.toThrow('gone');
    await expect(view.values([SECONDS], {})).rejects.toThrow('gone');
    await expect(view.readNumbers(loadOf(view), EVER, LIMITS.values)).rejects.toThrow('gone');
  });

  it('ends where it is too much, whatever was estimated', async () => {
    const view = await viewWith({}, async (store, signal) =>
      Object.assign(await archives.openStore(store, signal), { estimate: undefined }),
    );
    await expect(view.readNumbers(loadOf(view), EVER, 3)).rejects.toThrow('too many samples');
    await expect(view.readNumbers(loadOf(view), EVER, 1000)).resolves.toBeUndefined();
  });

  it('refuses what is too much before any of it is read', async () => {
    const view = await viewWith({}, unread);
    await expect(view.readNumbers(loadOf(view), EVER, 0)).rejects.toThrow('too many samples');
    await expect(view.readNumbers(loadOf(view), { ...EVER, isOneEnough: true }, 1)).rejects.toThrow('read');
  });

  it('answers a repeated identifier again, and reads it once', async () => {
    const { archives: own, opened } = counted();
    const fresh = new Series({ stores: [own], clock: systemClock, limits: LIMITS });
    const view = await fresh.view(EVERYTHING);
    const ids = (await view.values([SECONDS, SECONDS, SECONDS], {})).map(({ id }) => id);
    expect(ids).toEqual([SECONDS, SECONDS, SECONDS]);
    expect(opened).toHaveLength(new Set(opened).size);
  });

  it('counts a repeated identifier as often as it is asked for, before any of it is read', async () => {
    const view = await viewWith({}, unread);
    const many = Array<string>(LIMITS.values / 2).fill(SECONDS);
    await expect(view.values(many, { samples: '0' })).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
    await expect(view.values([SECONDS], { samples: '0' })).rejects.toThrow('read');
  });

  it('computes equal parts once, and refuses too many steps over too many values', async () => {
    const view = await series.view(EVERYTHING);
    const sum = (count: number): string => Array<string>(count).fill('sample.seconds[samples:0]').join('+');
    await expect(view.query(sum(30))).resolves.toMatchObject({ kind: 'values' });
    const small = await viewWith({ values: 8 });
    await expect(small.query(sum(2))).resolves.toMatchObject({ kind: 'values' });
    await expect(small.query(sum(99))).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
  });

  it('is refused where its values take more memory than one request may have, and given back', async () => {
    const bytes = 600;
    const few = new Series({ stores: [archives], clock: systemClock, limits: { ...LIMITS, bytes } });
    const view = await few.view(EVERYTHING);
    await expect(view.query('sample.seconds[samples:0]')).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
    view.release();
    const other = await few.view(EVERYTHING);
    await expect(other.query('sample.seconds[samples:1]')).resolves.toMatchObject({ kind: 'values' });
    const third = await few.view(EVERYTHING);
    await expect(third.query('sample.drift[samples:1]')).resolves.toMatchObject({ kind: 'values' });
    const fourth = await few.view(EVERYTHING);
    await expect(fourth.query('sample.drift[samples:1]')).rejects.toMatchObject({ code: 'OVERLOADED' });
  });
});

describe('looking up', () => {
  it('ends where it is too much for all archives together, before it begins', async () => {
    const few = new Series({ stores: [archives], clock: systemClock, limits: { ...LIMITS, lookUps: 200 } });
    const view = async (): Promise<SeriesView> => few.view(EVERYTHING);
    const count = (await view()).archives.length;
    const ids = Array.from({ length: Math.floor(200 / count) + 1 }, (_, i) => String(i).padStart(40, '0'));
    await expect((await view()).values(ids.slice(1), {})).resolves.toEqual([]);
    await expect((await view()).values(ids, {})).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
    await expect((await view()).query('sample.seconds')).resolves.toMatchObject({ kind: 'ids' });
    await expect((await view()).query('{a=="b" || a=="c"}')).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
    await expect((await view()).query('sample.*')).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
  });

  it('stops when its client leaves', async () => {
    const leaving = new AbortController();
    const view = await series.view(EVERYTHING, leaving.signal);
    leaving.abort(new Error('gone'));
    await expect(view.values([SECONDS], {})).rejects.toThrow('gone');
    await expect(view.query('sample.*')).rejects.toThrow('gone');
    await expect(view.metricNames('sample.*')).rejects.toThrow('gone');
    await expect(view.each([SECONDS]).next()).rejects.toThrow('gone');
  });
});
