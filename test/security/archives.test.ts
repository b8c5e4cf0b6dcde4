import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { ArchiveBuilder } from '../support/archive-builder.js';
import { buildArchive } from '../support/archive-gateway.js';
import { type Victim, startVictim } from './support/victim.js';

interface Listed {
  readonly archives: readonly { readonly name: string; readonly error?: { readonly code: string } }[];
}

let victim: Victim;
const fetch = (archive: string, more = ''): string =>
  `/pmapi/fetch?names=test.counter&archive=${encodeURIComponent(archive)}${more}`;

beforeEach(async () => {
  victim = await startVictim({ PMGATE_ARCHIVES_INFLATED_BYTES: '8000000' });
});
afterEach(() => victim.stop());

async function listed(): Promise<ReadonlyMap<string, string>> {
  const { body } = await victim.target.get('/archives');
  return new Map((JSON.parse(body) as Listed).archives.map(({ name, error }) => [name, error?.code ?? 'fine']));
}

test('links of files, folders and roots lead nowhere', async () => {
  const { root } = victim;
  for (const piece of ['meta', 'index', '0']) symlinkSync(`../outside.${piece}`, path.join(root, `file.${piece}`));
  buildArchive().write(root, 'mixed');
  renameSync(path.join(root, 'mixed.0'), path.join(path.dirname(root), 'mixed.0'));
  symlinkSync('../mixed.0', path.join(root, 'mixed.0'));
  symlinkSync('..', path.join(root, 'up'));
  symlinkSync('/', path.join(root, 'slash'));
  symlinkSync('loop', path.join(root, 'loop'));
  const names = [
    'file',
    'file.meta',
    'mixed',
    'up',
    'up/outside',
    'slash/etc/passwd',
    'loop',
    'loop/a',
    'built,up/outside',
  ];
  const statuses = await Promise.all(names.map(async (name) => (await victim.target.get(fetch(name))).status));
  expect(statuses).toEqual(names.map(() => 404));
  expect([...(await listed()).keys()]).toEqual(['built']);
});

test('FIFOs, devices and folders in place of files keep nobody waiting', async () => {
  // More than there are threads for files.
  for (let i = 0; i < 8; i++) {
    execFileSync(
      'mkfifo',
      ['meta', '0', 'index'].map((piece) => path.join(victim.root, `pipe${i}.${piece}`)),
    );
    execFileSync(
      'mkfifo',
      ['meta.xz', '0.xz'].map((piece) => path.join(victim.root, `packed${i}.${piece}`)),
    );
  }
  mkdirSync(path.join(victim.root, 'folder.meta'));
  mkdirSync(path.join(victim.root, 'folder.0'));
  const names = ['pipe0', 'pipe1', 'pipe2', 'pipe3', 'pipe4', 'packed0', 'packed1', 'packed2', 'packed3', 'folder'];
  const replies = await Promise.all(names.map((name) => victim.target.get(fetch(name))));
  expect(replies.filter(({ status }) => status < 400)).toEqual([]);
  expect((await listed()).get('built')).toBe('fine');
  expect((await victim.target.get('/docs/swagger-ui.css')).status).toBe(200);
});

test('names of files are text, in JSON and in headers', async () => {
  const name = 'evil\r\nX-Evil: 1\u001b[31m"><script>\u202e';
  buildArchive().write(victim.root, name);
  expect([...(await listed()).keys()].sort()).toEqual(['built', name]);
  const reply = await victim.target.get(fetch(name, '&start=1000000&finish=1000002&format=csv'));
  expect(reply.status).toBe(200);
  expect(reply.headers['x-evil']).toBeUndefined();
  expect(reply.headers['content-disposition']).toMatch(/^inline; filename="[\w.-]+\.csv"$/);
});

test('names of metrics are text, in headers, JSON, CSV and expositions', async () => {
  const evil = 'evil"\r\nX-Evil: 1\u0001';
  const pmid = 100 * 2 ** 22 + 9;
  new ArchiveBuilder({ version: 3, start: [1_000_000, 0], hostName: 'evil"\r\nX-Evil: 1' })
    .metric({ pmid, names: [evil], type: 0, semantics: 3 })
    .indexEntry([1_000_000, 0])
    .record([1_000_000, 0], [{ pmid, values: [[-1, 1]] }])
    .record([1_000_001, 0], [{ pmid, values: [[-1, 2]] }])
    .indexEntry([1_000_001, 0])
    .write(victim.root, 'hostile');
  const source = 'archive=hostile';
  const replies = await Promise.all(
    [
      `/pmapi/fetch?pmids=100.0.9&start=1000000&finish=1000001&format=csv&${source}`,
      `/pmapi/fetch?pmids=100.0.9&start=1000000&finish=1000001&${source}`,
      `/pmapi/metrics?${source}`,
      `/pmapi/_metrics?${source}`,
      `/pmapi/metric?${source}`,
      `/pmapi/context?${source}`,
      '/archives',
    ].map((url) => victim.target.get(url)),
  );
  for (const { status, headers, body } of replies) {
    expect(status).not.toBe(500);
    expect(headers['x-evil']).toBeUndefined();
    expect(headers['content-disposition'] ?? 'inline; filename="a.csv"').toMatch(/^inline; filename="[\w.-]+\.csv"$/);
    if (headers['content-type'] === 'application/json') JSON.parse(body);
  }
  const { body: open } = await victim.target.get(`/metrics?${source}`, { Accept: 'application/openmetrics-text' });
  expect(open).not.toMatch(/^X-Evil/m);
  expect(await victim.target.isWell()).toBe(true);
  expect(victim.lines.filter(({ level }) => Number(level) >= 50)).toEqual([]);
  // Lines of an exposition that the archive wrote by itself.
  expect(replies[2]!.body + replies[3]!.body).not.toMatch(/^X-Evil/m);
});

test('a small file that becomes a large one is given up, and nothing of it stays', async () => {
  const zeros = Buffer.alloc(64_000_000);
  for (const piece of ['meta', '0']) writeFileSync(path.join(victim.root, `bomb.${piece}.gz`), gzipSync(zeros));
  // Compressed once more: inflated once, it is no archive.
  for (const piece of ['meta', '0'])
    writeFileSync(path.join(victim.root, `nested.${piece}.gz`), gzipSync(gzipSync(zeros)));
  const [bomb, nested] = await Promise.all(['bomb', 'nested'].map((name) => victim.target.get(fetch(name))));
  expect(bomb!.status).toBeGreaterThanOrEqual(400);
  expect(bomb!.body).toContain('inflates to more than');
  expect(nested!.status).toBeGreaterThanOrEqual(400);
  expect((await victim.target.get(fetch('built'))).status).toBe(200);
  expect(await victim.target.isWell()).toBe(true);
});

test('a folder of many files is listed for what it is, while others are served', async () => {
  for (let i = 0; i < 2000; i++) writeFileSync(path.join(victim.root, `broken${i}.meta`), 'no archive');
  const listing = listed();
  expect(await victim.target.isWell()).toBe(true);
  expect((await listing).get('built')).toBe('fine');
  expect(readdirSync(victim.root).length).toBeGreaterThan(2000);
});
