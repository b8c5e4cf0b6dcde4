import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Archives } from '../src/archives.js';
import { loadConfig } from '../src/config/index.js';
import { systemClock } from '../src/pmapi/index.js';
import { ArchiveBuilder } from './support/archive-builder.js';

const PMID = 1;

describe('Archives', () => {
  const root = mkdtempSync(path.join(os.tmpdir(), 'archives-test-'));
  let archives: Archives;
  beforeAll(() => {
    for (const name of ['a', 'b', 'c']) {
      const directory = path.join(root, name);
      mkdirSync(directory);
      new ArchiveBuilder({ version: 3, start: [1000, 0] })
        .metric({ pmid: PMID, names: ['t.one'], type: 0, semantics: 3 })
        .record([1000, 0], [{ pmid: PMID, values: [[-1, 1]] }])
        .write(directory, 'archive');
    }
    archives = new Archives(systemClock, { ...loadConfig({}).archives, roots: [root] });
  });
  afterAll(async () => {
    await archives.close();
    rmSync(root, { recursive: true, force: true });
  });

  it('lets a client go that leaves, and finishes the search for the others', async () => {
    const gone = new AbortController();
    const [left, stayed] = [archives.list(gone.signal), archives.list(new AbortController().signal)];
    gone.abort(new Error('the client left'));
    await expect(left).rejects.toThrow('the client left');
    expect((await stayed).archives.map(({ name }) => name)).toEqual(['a/archive', 'b/archive', 'c/archive']);
    await expect(archives.list(gone.signal)).rejects.toThrow('the client left');
  });

  it('stops the search when the last client has left, and begins anew for the next', async () => {
    const first = new AbortController();
    const second = new AbortController();
    const both = [archives.list(first.signal), archives.list(second.signal)];
    const ends = Promise.allSettled(both);
    first.abort();
    second.abort();
    const next = archives.list();
    expect((await ends).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect((await next).archives).toHaveLength(3);
  });
});
