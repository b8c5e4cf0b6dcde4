import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { systemClock } from '../../src/pmapi/index.js';
import { ArchiveStore } from '../../src/sources/archive/index.js';
import { ArchiveAnswers } from '../support/archive-answers.js';
import { hasTestsuite, probeArchive, TESTSUITE_ARCHIVES } from './support/archive-probe.js';

const MAX_RECORDS = 400;
const MAX_METRICS = 24;

/**
 * Where libpcp 6.0.3 and pmgate differ on purpose: archive, and what of it.
 *
 * - 6.0.3 crashes or loops on some archives: what it said before is compared.
 * - Instantaneous and discrete numbers: 6.0.3 always takes the earlier neighbour, so it is compared by that rule.
 */
const KNOWN_DIFFERENCES: readonly { readonly archive: RegExp; readonly line: RegExp; readonly why: string }[] = [];

describe('archives read by libpcp and by pmgate', () => {
  if (!hasTestsuite()) {
    process.stderr.write('archive interop: SKIPPED, pcp-testsuite is not installed\n');
    it.skip('needs pcp-testsuite', () => undefined);
    return;
  }
  const names = archiveNames();
  const score = { archives: 0, whole: 0, lines: 0, equal: 0, known: 0 };
  const failures: string[] = [];

  it('finds at least 40 archives', () => {
    expect(names.length).toBeGreaterThan(40);
  });

  it('answers alike', async () => {
    const only = process.env.PMGATE_INTEROP_ARCHIVE;
    for (const name of names.filter((candidate) => only === undefined || candidate === only)) {
      await compare(name);
    }
    process.stderr.write(
      `archive interop: ${score.equal} of ${score.lines} answers equal (${score.known} known differences); ` +
        `${score.whole} of ${score.archives} archives equal throughout\n`,
    );
    expect(failures).toEqual([]);
  }, 900_000);

  async function compare(name: string): Promise<void> {
    const file = path.join(TESTSUITE_ARCHIVES, name);
    const probed = await probeArchive(file, MAX_RECORDS, MAX_METRICS);
    if (probed.ended !== 'whole') {
      process.stderr.write(`archive interop: libpcp ${probed.ended} on ${name} after ${probed.lines.length} answers\n`);
    }
    const store = new ArchiveStore({ clock: systemClock });
    const answers = new ArchiveAnswers();
    let isWhole = true;
    try {
      for (const line of probed.lines) {
        const ours = await answers.like(line, file, store);
        score.lines++;
        if (ours === line) {
          score.equal++;
          continue;
        }
        if (KNOWN_DIFFERENCES.some((known) => known.archive.test(name) && known.line.test(line))) {
          score.known++;
          continue;
        }
        isWhole = false;
        if (failures.length < 3000) failures.push(`${name}: ${firstDifference(line, ours)}`);
      }
    } finally {
      await answers.close();
      await store.close();
    }
    score.archives++;
    if (isWhole) score.whole++;
  }
});

function archiveNames(): readonly string[] {
  const bases = readdirSync(TESTSUITE_ARCHIVES)
    .map((entry) => /^(.*)\.meta(\.xz|\.bz2|\.gz)?$/.exec(entry)?.[1])
    .filter((base) => base !== undefined);
  const folders = ['multi', 'multi-xz', 'multi-xz-1k'].filter((name) =>
    existsSync(path.join(TESTSUITE_ARCHIVES, name)),
  );
  return [...new Set([...bases, ...folders])].sort();
}

function firstDifference(theirs: string, ours: string): string {
  const [a, b] = [theirs.split(' '), ours.split(' ')];
  const at = a.findIndex((word, i) => word !== b[i]);
  const where = at < 0 ? a.length : at;
  return `${a.slice(0, 2).join(' ')} … libpcp ${String(a[where]).slice(0, 160)} pmgate ${String(b[where]).slice(0, 160)}`;
}
