/** The engine in a worker of each browser that is installed: from the same tables as in Node, and with the same answers. */
import { mkdirSync, openAsBlob, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { systemClock } from '../../src/pmapi/index.js';
import { UNPACK_LIMITS, type ArchiveSource } from '../../src/sources/archive/index.js';
import { ArchiveStore } from '../../src/sources/archive/node/index.js';
import type { GivenFile } from '../../src/viewer/index.js';
import { archivesToDamage } from '../support/archives-to-damage.js';
import { DAMAGED_LIMITS, type Files } from '../support/damaged-archives.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { BROWSERS, BrowserPage, bundledFor } from './browser-page.js';
import { GIVEN_CASES } from './given-cases.js';
import * as program from './page-program.js';

const DAMAGED = Number(process.env.PMGATE_FUZZ_RUNS ?? 25);
const AT_A_TIME = 500;
const ARCHIVES = path.resolve('test/fixtures/archives');
const SERIES = path.resolve('test/fixtures/series');
const CASES = path.resolve('test/derived/cases');
const CASE_FILES = readdirSync(CASES).filter((file) => file.endsWith('.test'));
const { path: directory } = temporaryDirectory();

/** The files of the archives with some base name. */
async function filesOf(folder: string, base: string): Promise<readonly GivenFile[]> {
  const names = readdirSync(folder).filter((name) => name.startsWith(`${base}.`) && !name.endsWith('.probe'));
  return Promise.all(names.map(async (name) => ({ path: name, blob: await openAsBlob(path.join(folder, name)) })));
}

/** Opens damaged archives as a gateway does, one after the other. */
class DamagedStore {
  #store: ArchiveStore | undefined;

  async open(files: Files): Promise<ArchiveSource> {
    await this.#store?.close();
    rmSync(directory, { recursive: true, force: true });
    mkdirSync(directory);
    for (const [suffix, bytes] of files) writeFileSync(path.join(directory, `a.${suffix}`), bytes);
    this.#store = new ArchiveStore({ clock: systemClock, tempDirectory: directory, limits: DAMAGED_LIMITS });
    return this.#store.open([path.join(directory, 'a')]);
  }

  async close(): Promise<void> {
    await this.#store?.close();
  }
}

describe.each(BROWSERS)('the engine in $name', (browser) => {
  if (browser.file === undefined) {
    process.stderr.write(`the engine in ${browser.name}: SKIPPED, it is not installed\n`);
    it.skip('is not installed', () => undefined);
    return;
  }
  let page: BrowserPage;
  const searchPath = process.env.PATH;
  beforeAll(async () => {
    page = await BrowserPage.open(browser, await bundledFor('test/viewer/page-program.ts'));
  });
  afterAll(() => page.close());
  afterEach(() => {
    process.env.PATH = searchPath;
  });

  it.each(['live-v2', 'live-v3', 'later-v3', 'packed-v3'])(
    'gives the answers about %s that libpcp gave',
    async (base) => {
      const lines = readFileSync(path.join(ARCHIVES, `${base}.probe`), 'latin1')
        .trimEnd()
        .split('\n');
      expect(await page.call('probeAnswers', await filesOf(ARCHIVES, base), lines)).toEqual(lines);
      expect(lines.length).toBeGreaterThan(100);
    },
  );

  it.each([
    ...['live-v2', 'live-v3', 'packed-v3'].map((base) => [base, ARCHIVES]),
    ...['ok-foo_v3', 'pmproxy', 'sample-proc_v3'].map((base) => [base, SERIES]),
  ] as const)('reads, interpolates and derives of %s what Node does', async (base, folder) => {
    const files = await filesOf(folder, base);
    const expected = await program.answersAboutAll(files);
    expect(await page.call('answersAboutAll', files)).toEqual(expected);
    expect(expected.length).toBeGreaterThan(20);
  });

  it.each(CASE_FILES)('gives the answers of %s, bit by bit those of Node', async (file) => {
    const script = readFileSync(path.join(CASES, file), 'utf8');
    const expected = program.caseAnswers(file, script);
    // Whether they are right is tested in Node.
    expect(await page.call('caseAnswers', file, script)).toEqual(expected);
    expect(expected.length).toBeGreaterThan(0);
  });

  it.each(GIVEN_CASES)('$what, as in Node', async ({ files, limits }) => {
    const given = await files();
    if (!given.every((file) => file !== undefined)) return;
    const expected = await program.givenFiles(given, limits);
    expect(await page.call('givenFiles', given, limits ?? UNPACK_LIMITS)).toEqual(expected);
  });

  it(`says of ${DAMAGED} damaged archives what a gateway says, and lives on`, async () => {
    // Programs for compressed files are the gateway's alone.
    const archives = archivesToDamage();
    const blobs = archives.map((files) =>
      Object.fromEntries([...files].map(([name, bytes]) => [name, new Blob([bytes])])),
    );
    process.env.PATH = '/nowhere';
    const store = new DamagedStore();
    let opened = 0;
    for (let from = 0; from < DAMAGED; from += AT_A_TIME) {
      const numbers = [from, Math.min(from + AT_A_TIME, DAMAGED)] as const;
      const expected = await program.damagedAnswers(blobs, numbers, (files) => store.open(files));
      const answers = await page.call<readonly string[]>('damagedAnswers', blobs, numbers);
      opened += expected.filter((text) => text.includes('"opened"')).length;
      const wrong = expected.findIndex((text, i) => text !== answers[i]);
      if (wrong >= 0) {
        const lines = [answers, expected].map((all) => ({ number: from + wrong, lines: all[wrong]!.split('\n') }));
        expect(lines[0]).toEqual(lines[1]);
      }
    }
    await store.close();
    expect(opened).toBeGreaterThan(DAMAGED / 5);
    expect(await page.call('caseAnswers', 'a', 'case a\n  expr 1\n    canonical 1\n')).toHaveLength(1);
  }, 3_600_000);
});
