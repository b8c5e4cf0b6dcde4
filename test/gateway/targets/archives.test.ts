import { jest } from '@jest/globals';
import { appendFileSync, linkSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, utimesSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { type ArchiveSpec, Archives } from '../../../src/gateway/targets/archives.js';
import { loadConfig } from '../../../src/config/index.js';
import { eventLoopTurns } from '../../../src/kit/index.js';
import type { ArchiveFilter } from '../../../src/http/index.js';
import { ArchiveCatalogue } from '../../../src/sources/archive/node/index.js';
import { systemClock } from '../../../src/pmapi/index.js';
import { ArchiveBuilder } from '../../support/archive-builder.js';
import { FakeClock } from '../../support/fake-clock.js';

const PMID = 1;
/** The filter of a client that may see everything. */
const ALL = { isSeen: () => true };

function write(directory: string, name: string, startSec = 1000): string {
  return new ArchiveBuilder({ version: 3, start: [startSec, 0] })
    .metric({ pmid: PMID, names: ['t.one'], type: 0, semantics: 3 })
    .record([startSec, 0], [{ pmid: PMID, values: [[-1, 1]] }])
    .write(directory, name);
}

describe('Archives', () => {
  const root = mkdtempSync(path.join(os.tmpdir(), 'archives-test-'));
  let archives: Archives;
  beforeAll(() => {
    for (const name of ['a', 'b', 'c']) {
      const directory = path.join(root, name);
      mkdirSync(directory);
      write(directory, 'archive');
    }
    archives = new Archives(systemClock, { ...loadConfig({}).archives, roots: [root] });
  });
  afterAll(async () => {
    await archives.close();
    rmSync(root, { recursive: true, force: true });
  });

  it('lets a client go that leaves, and finishes the search for the others', async () => {
    const gone = new AbortController();
    const [left, stayed] = [archives.list(ALL, gone.signal), archives.list(ALL, new AbortController().signal)];
    gone.abort(new Error('the client left'));
    await expect(left).rejects.toThrow('the client left');
    expect((await stayed).archives.map(({ name }) => name).sort()).toEqual(['a/archive', 'b/archive', 'c/archive']);
    await expect(archives.list(ALL, gone.signal)).rejects.toThrow('the client left');
  });

  it('stops the search when the last client has left, and begins anew for the next', async () => {
    const first = new AbortController();
    const second = new AbortController();
    const both = [archives.list(ALL, first.signal), archives.list(ALL, second.signal)];
    const ends = Promise.allSettled(both);
    first.abort();
    second.abort();
    const next = archives.list(ALL);
    expect((await ends).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect((await next).archives).toHaveLength(3);
  });
});

describe('a listing of archives', () => {
  const clock = new FakeClock();
  let root: string;
  let archives: Archives;
  let summarized: string[];
  const summarize = Object.getOwnPropertyDescriptor(ArchiveCatalogue.prototype, 'summarize')!;

  beforeEach(() => {
    root = mkdtempSync(path.join(os.tmpdir(), 'archives-test-'));
    archives = new Archives(clock, { ...loadConfig({}).archives, roots: [root] });
    summarized = [];
    const original = summarize.value as ArchiveCatalogue['summarize'];
    ArchiveCatalogue.prototype.summarize = function (archive, signal) {
      summarized.push(archive.name);
      return original.call(this, archive, signal);
    };
  });
  afterEach(async () => {
    Object.defineProperty(ArchiveCatalogue.prototype, 'summarize', summarize);
    await archives.close();
    rmSync(root, { recursive: true, force: true });
  });

  /** Archives of one record each, 100 s apart, that were written to at that moment. */
  function writeMany(count: number): void {
    for (let i = 0; i < count; i++) {
      write(root, `a${i}`, 1000 + 100 * i);
      utimesSync(path.join(root, `a${i}.0`), 1000 + 100 * i, 1000 + 100 * i);
    }
  }
  const names = async (filter: Partial<ArchiveFilter>): Promise<string[]> =>
    (await archives.list({ ...ALL, ...filter })).archives.map(({ name }) => name).sort();

  it('reads no more than labels of archives that do not match', async () => {
    writeMany(6);
    expect(await names({ hostName: 'elsewhere' })).toEqual([]);
    expect(await names({ isSeen: (name) => name === 'a2' })).toEqual(['a2']);
    expect(await names({ start: 1150, finish: 1300 })).toEqual(['a2', 'a3']);
    expect(summarized).toEqual(['a2', 'a2', 'a3']);
  });

  it('looks for those that end last among those that were written to last', async () => {
    writeMany(20);
    expect(await names({ limit: 2 })).toEqual(['a18', 'a19']);
    expect(summarized.length).toBeLessThan(10);
    // One that was touched may end early nevertheless.
    utimesSync(path.join(root, 'a3.0'), 9000, 9000);
    expect(await names({ limit: 1 })).toEqual(['a19']);
  });

  it('uses the labels of the previous listing for a second if there are a thousand archives', async () => {
    write(root, 'a');
    for (let i = 0; i < 1000; i++) {
      for (const suffix of ['meta', '0', 'index'])
        linkSync(path.join(root, `a.${suffix}`), path.join(root, `b${i}.${suffix}`));
    }
    expect((await archives.list(ALL)).archives).toHaveLength(1001);
    write(root, 'c');
    const turns = jest.spyOn(eventLoopTurns, 'next');
    expect((await archives.list(ALL)).archives).toHaveLength(1001);
    // Nothing is waited for when all is known: the list goes on in turns all the same.
    expect(turns.mock.calls.length).toBeGreaterThanOrEqual(990);
    turns.mockRestore();
    clock.advance(1000);
    expect((await archives.list(ALL)).archives).toHaveLength(1002);
  });
});

describe('what a client asked for', () => {
  const clock = new FakeClock();
  let root: string;
  let archives: Archives;
  beforeEach(() => {
    root = mkdtempSync(path.join(os.tmpdir(), 'archives-test-'));
    archives = new Archives(clock, { ...loadConfig({}).archives, roots: [root] });
    mkdirSync(path.join(root, 'host'));
    write(path.join(root, 'host'), 'day1', 1000);
  });
  afterEach(async () => {
    await archives.close();
    rmSync(root, { recursive: true, force: true });
  });

  async function changed(spec: ArchiveSpec): Promise<boolean> {
    clock.advance(5000);
    while (!archives.hasChanged(spec)) await setImmediate();
    return true;
  }

  /** Whether it is another thing when as much was read of the disk as a look takes, and more. */
  async function seemsChanged(spec: ArchiveSpec): Promise<boolean> {
    clock.advance(5000);
    for (let i = 0; i < 30; i++) {
      if (archives.hasChanged(spec)) return true;
      await readdir(root);
    }
    return false;
  }

  it.each([
    ['an archive more in a directory', 'host', () => write(path.join(root, 'host'), 'day2', 2000)],
    [
      'an archive that was replaced',
      'host/day1',
      () => {
        const other = path.join(root, 'other');
        mkdirSync(other);
        write(other, 'day1', 1000);
        for (const file of readdirSync(other)) renameSync(path.join(other, file), path.join(root, 'host', file));
      },
    ],
    ['another archive written over it', 'host/day1', () => write(path.join(root, 'host'), 'day1', 5000)],
    ['an archive that is gone', 'host/day1', () => rmSync(path.join(root, 'host'), { recursive: true })],
  ])('is another thing with %s, and not before', async (_, archive, change) => {
    const spec = { archive };
    await (await archives.open(spec)).close();
    expect(await seemsChanged(spec)).toBe(false);
    change();
    expect(archives.hasChanged(spec)).toBe(false);
    expect(await changed(spec)).toBe(true);
    expect(archives.hasChanged({ archive })).toBe(false);
  });

  it('stays what it is while its archive grows', async () => {
    const spec = { archive: 'host/day1' };
    const source = await archives.open(spec);
    appendFileSync(path.join(root, 'host', 'day1.0'), Buffer.alloc(8));
    expect(await seemsChanged(spec)).toBe(false);
    await source.close();
  });
});
