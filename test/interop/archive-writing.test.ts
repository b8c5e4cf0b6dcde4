import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { systemClock } from '../../src/pmapi/index.js';
import { ArchiveStore } from '../../src/sources/archive/index.js';
import { ArchiveWriter } from '../../src/sources/archive/writing/index.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { copyArchive } from './support/copy-archive.js';
import { hasTestsuite, probeArchive, TESTSUITE_ARCHIVES } from './support/archive-probe.js';

/** Archives of the testsuite that between them have all value types, events, labels, help texts, marks and changing instances. */
const ARCHIVES = process.env.PMGATE_INTEROP_ARCHIVE?.split(',') ?? [
  'omnibus_v3',
  'omnibus-nomark_v3',
  'all-ubuntu',
  'sample-labels',
  'sample_expr',
  'value-test',
  'eventrec',
  'bug1057',
  'gap2',
  'interpmark',
  'uwrap',
  'mirage',
  'ok-foo_v3',
  'dyninsts',
  'rep',
  'kenj-pc-1',
  'dupname-a',
  'pcp-mpstat',
  'help',
  'proc',
  'moomba.pmkstat',
  'reduce-1',
  'wrap',
];
const MAX_RECORDS = 300;
const MAX_METRICS = 24;

/** Answers of libpcp that follow from the values and the metadata, not from where records lie or when the label says it began. */
const COMPARED = /^(?:desc|ever|labels|text|record )/;

describe('archives written by pmgate and read by libpcp', () => {
  if (!hasTestsuite()) {
    process.stderr.write('archive writing interop: SKIPPED, pcp-testsuite is not installed\n');
    it.skip('needs pcp-testsuite', () => undefined);
    return;
  }
  const directory = temporaryDirectory();
  const store = new ArchiveStore({ clock: systemClock });
  afterAll(() => store.close());

  const names = ARCHIVES.filter((name) => existsSync(path.join(TESTSUITE_ARCHIVES, `${name}.meta`)));

  it('finds 20 archives', () => {
    process.stderr.write(`${names.length}: ${ARCHIVES.filter((n) => !names.includes(n)).join(' ')}\n`);
    expect(names.length).toBeGreaterThanOrEqual(20);
  });

  it.each(names)('%s: a copy has the same values and metadata, and pmlogcheck finds nothing', async (name) => {
    const original = path.join(TESTSUITE_ARCHIVES, name);
    const source = await store.open([original]);
    const { pid, hostName, timezone, zoneinfo } = source.label();
    const writer = ArchiveWriter.create(path.join(directory.path, name), { pid, hostName, timezone, zoneinfo });
    expect(await copyArchive(source, writer, MAX_RECORDS)).toBeGreaterThan(0);
    await writer.close();
    await source.close();

    const [before, after] = [
      await probeArchive(original, MAX_RECORDS, MAX_METRICS),
      await probeArchive(writer.base, MAX_RECORDS, MAX_METRICS),
    ];
    expect(after.lines.filter((line) => COMPARED.test(line))).toEqual(
      before.lines.filter((line) => COMPARED.test(line)),
    );
    const found = complaints(writer.base);
    if (found !== '' && found !== complaints(original)) expect(found).toBe('');
  });
});

/** What pmlogcheck(1) says of an archive, without the name of its file. */
function complaints(base: string): string {
  const { stdout, stderr } = spawnSync('pmlogcheck', ['-w', base], { encoding: 'utf8' });
  return (stdout + stderr).replaceAll(base, 'ARCHIVE');
}
