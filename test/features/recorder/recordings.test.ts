import { mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { makeTimestamp } from '../../../src/pmapi/index.js';
import { Recordings } from '../../../src/features/recorder/recordings.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const { path: TOP } = temporaryDirectory();
const DAY = makeTimestamp(Date.UTC(2026, 10, 23) / 1000, 0);
const [OLD, NEW] = ['20261122-000010', '20261123-000010'];
const files = (base: string, suffixes: readonly string[]): string[] => suffixes.map((suffix) => `${base}.${suffix}`);

function recordings(names: readonly string[], keepBytes = 1e9) {
  const directory = mkdtempSync(path.join(TOP, 'r'));
  for (const name of names) writeFileSync(path.join(directory, name), 'x'.repeat(100));
  const kept = new Recordings(directory, { keepDays: 7, keepBytes });
  return { kept, directory, names: () => readdirSync(directory).sort() };
}

describe('recordings', () => {
  it('leave an archive alone that begins while they are tidied', async () => {
    const begun = files(NEW, ['0', 'index.new', 'meta.new']);
    const { kept, directory, names } = recordings([...files(OLD, ['0', 'index', 'meta', 'meta.new']), ...begun]);
    const current: { base?: string } = {};
    const tidying = kept.tidy(
      () => Promise.resolve(current.base === undefined ? undefined : { base: current.base, volume: 0 }),
      DAY,
    );
    // Its files were listed, and nothing was looked at yet.
    current.base = path.join(directory, NEW);
    await tidying;
    expect(names()).toEqual([...files(OLD, ['0.gz', 'index', 'meta.gz']), ...begun].sort());
  });

  it('keep it whatever there is too much of', async () => {
    const begun = files(OLD, ['0', 'index', 'meta']);
    const { kept, directory, names } = recordings([...begun, ...files(NEW, ['0.gz', 'index', 'meta'])], 1);
    await kept.tidy(() => Promise.resolve({ base: path.join(directory, OLD), volume: 0 }), DAY);
    expect(names()).toEqual(begun);
  });

  it('remove what is too old even if nothing can be compressed, as on a full disk', async () => {
    const { kept, directory, names } = recordings(files('20261101-000010', ['0', 'meta']));
    mkdirSync(path.join(directory, `${OLD}.0`));
    await expect(kept.tidy(() => Promise.resolve(undefined), DAY)).rejects.toThrow('EISDIR');
    expect(names()).toEqual([`${OLD}.0`]);
  });

  it('do not count a file that is renamed meanwhile', async () => {
    const { kept, directory } = recordings(files(NEW, ['0', 'index', 'meta']));
    // Listed, and not there.
    symlinkSync('nowhere', path.join(directory, `${NEW}.index.new`));
    await kept.tidy(() => Promise.resolve({ base: path.join(directory, NEW), volume: 0 }), DAY);
    expect(kept.keptBytes).toBe(300);
  });
});
