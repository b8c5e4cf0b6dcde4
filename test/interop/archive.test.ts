import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { systemClock } from '../../src/pmapi/index.js';
import { ArchiveStore } from '../../src/sources/archive/node/index.js';
import { ArchiveAnswers } from '../support/archive-answers.js';
import { type AreaName, area } from './support/conformance.js';
import {
  hasTestsuite,
  probeArchive,
  TESTSUITE_ARCHIVES,
  TESTSUITE_BAD_ARCHIVES,
  type ProbedArchive,
} from './support/archive-probe.js';

const MAX_RECORDS = 400;
const MAX_METRICS = 24;
/** How many archives libpcp reads beside the one that is compared: some keep it in a loop for seconds. */
const AHEAD = 2;

/** Where libpcp 6.0.3 and pmgate differ on purpose: in which archives, in which answers, in how many of them at most, and why. */
interface KnownDifference {
  readonly archive: RegExp;
  readonly line: RegExp;
  readonly most: number;
  readonly why: string;
}

const KNOWN_DIFFERENCES: readonly KnownDifference[] = [
  {
    archive: /^(wrap|kenj-pc-2)$/,
    line: /^interp/,
    most: 73,
    why: 'a signed 32-bit counter that wraps, and differences beyond 2^63: 6.0.3 overflows; beyond 2^53 it rounds to doubles, pmgate is exact',
  },
  {
    archive: /^(binning|pcp-mpstat3)$/,
    line: /^interp end -12373$/,
    most: 5,
    why: 'a volume shorter than its index says: 6.0.3 fails to interpolate once it has met the end',
  },
  {
    archive: /^(19970807|multi)/,
    line: /^interp/,
    most: 9,
    why: 'discrete values behind a mark: 6.0.3 depends on the direction in which it came',
  },
  {
    archive: /^(gap2|interpmark)$/,
    line: /^interp/,
    most: 2,
    why: 'the first fetch behind pmSetMode: 6.0.3 sometimes holds the fetch before against it',
  },
  {
    archive: /^procpid-encode2$/,
    line: /^(ever|indom)/,
    most: 7,
    why: 'an instance name that is not UTF-8: 6.0.3 hands out its bytes, pmgate U+FFFD for what is none, for JSON is UTF-8',
  },
  {
    archive: /^value-test$/,
    line: /^interp/,
    most: 1,
    why: 'a discrete text asked for at the very moment of its last record: 6.0.3 gives the text of the record before, pmgate that of the last',
  },
  {
    archive: /^(new_tcp|procpid-encode2)$/,
    line: /^interp/,
    most: 2,
    why: 'an archive of less than a millisecond: 6.0.3 says PM_ERR_EOL at the first interpolation, pmgate gives the one sample there is',
  },
  {
    archive: /badarchives/,
    line: /^interp|^mode/,
    most: 190,
    why: 'damage: 6.0.3 fails some interpolations where there are values before it, depends on what it read before, and carries values over a record that it leaves out; for pmgate damage is a mark',
  },
  {
    archive: /badarchives.(archive-2014|logsummary)/,
    line: /^record/,
    most: 9,
    why: 'values that contradict their descriptor: 6.0.3 shows their bytes, pmgate PM_ERR_LOGREC',
  },
  {
    archive: /badarchives.badlog-[34]/,
    line: /^record/,
    most: 14,
    why: 'a record stamped before the start that the label tells, or years before its neighbours: 6.0.3 leaves it out; pmgate gives the one where it stands, and calls the other damage once',
  },
  {
    archive: /badarchives.badmeta-4/,
    line: /^open/,
    most: 1,
    why: 'an instance domain that lists the instance -1: 6.0.3 refuses to open the archive (PM_ERR_LOGREC), pmgate opens it and takes the number for what it is, since all lengths fit',
  },
  {
    archive: /badarchives.badti-[24]/,
    line: /^(record|interp|end)/,
    most: 3,
    why: 'a temporal index that points to the wrong places: 6.0.3 follows it past records or to PM_ERR_LOGREC, pmgate looks at the volumes and reads all of them',
  },
  {
    archive: /badarchives.badmeta-2/,
    line: /^(desc|record|interp|end)/,
    most: 1,
    why: 'a descriptor of type 16, which there is not: 6.0.3 hands it out and then fails with PM_ERR_LOGREC, pmgate refuses that metric and reads the others',
  },
  {
    archive: /badarchives.archive-20150417/,
    line: /^end/,
    most: 1,
    why: 'a tail of zeros: 6.0.3 cannot tell where the archive ends (PM_ERR_LOGREC), pmgate says the last whole record',
  },
];

const SWAPPED = '64-bit values in blocks of type 0: 6.0.3 does not bring their bytes into order';

interface Tally {
  equal: number;
  readonly different: Map<string, number>;
}

function areaOf(line: string): AreaName {
  if (line.startsWith('record')) return 'archives: records';
  return /^(?:interp|mode)/.test(line) ? 'archives: interpolation' : 'archives: metadata';
}

describe('archives read by libpcp and by pmgate', () => {
  if (!hasTestsuite()) {
    process.stderr.write('archive interop: SKIPPED, pcp-testsuite is not installed\n');
    it.skip('needs pcp-testsuite', () => undefined);
    return;
  }
  const names = archiveNames();
  const score = { archives: 0, whole: 0, lines: 0, equal: 0, known: 0 };
  const failures: string[] = [];
  const tallies = new Map(
    (['archives: metadata', 'archives: records', 'archives: interpolation'] as const).map((name): [AreaName, Tally] => [
      name,
      { equal: 0, different: new Map() },
    ]),
  );

  it('finds at least 40 archives', () => {
    expect(names.length).toBeGreaterThan(40);
  });

  it('answers alike', async () => {
    const only = process.env.PMGATE_INTEROP_ARCHIVE;
    const asked = names.filter((candidate) => only === undefined || candidate === only);
    // libpcp reads the next ones meanwhile.
    const ahead: Promise<ProbedArchive>[] = [];
    for (const [i, name] of asked.entries()) {
      while (ahead.length <= AHEAD && i + ahead.length < asked.length) {
        const file = path.resolve(TESTSUITE_ARCHIVES, asked[i + ahead.length]!);
        ahead.push(probeArchive(file, MAX_RECORDS, MAX_METRICS));
      }
      await compare(name, await ahead.shift()!);
    }
    process.stderr.write(
      `archive interop: ${score.equal} of ${score.lines} answers equal (${score.known} known differences); ` +
        `${score.whole} of ${score.archives} archives equal throughout\n`,
    );
    for (const [name, { equal, different }] of tallies) {
      area(name).equal(equal);
      for (const [why, count] of different) area(name).different(why, count);
    }
    expect(failures).toEqual([]);
  }, 1_800_000);

  async function compare(name: string, probed: ProbedArchive): Promise<void> {
    const file = path.resolve(TESTSUITE_ARCHIVES, name);
    if (probed.ended !== 'whole') {
      process.stderr.write(`archive interop: libpcp ${probed.ended} on ${name} after ${probed.lines.length} answers\n`);
    }
    const store = new ArchiveStore({ clock: systemClock });
    const answers = new ArchiveAnswers(() => store.open([file]));
    const swapped = new SwappedMetrics();
    let isWhole = true;
    try {
      for (const line of probed.lines) {
        const ours = await answers.like(line);
        score.lines++;
        const tally = tallies.get(areaOf(line))!;
        if (ours === line || isClose(line, ours)) {
          score.equal++;
          tally.equal++;
          continue;
        }
        const known = KNOWN_DIFFERENCES.find((each) => each.archive.test(name) && each.line.test(line));
        const why = swapped.explain(line, ours) ? SWAPPED : known?.why;
        const excused = why === undefined ? 0 : (tally.different.get(why) ?? 0) + 1;
        if (why !== undefined && (why === SWAPPED || excused <= known!.most)) {
          score.known++;
          tally.different.set(why, excused);
          continue;
        }
        isWhole = false;
        area(areaOf(line)).wrong(`${name}: ${firstDifference(line, ours)}`);
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
  const folders = ['multi', 'multi-xz', 'multi-xz-1k'].filter((name) =>
    existsSync(path.join(TESTSUITE_ARCHIVES, name)),
  );
  const bad = existsSync(TESTSUITE_BAD_ARCHIVES) ? basesIn(TESTSUITE_BAD_ARCHIVES) : [];
  return [
    ...basesIn(TESTSUITE_ARCHIVES),
    ...folders,
    ...bad.map((base) => path.relative(TESTSUITE_ARCHIVES, path.join(TESTSUITE_BAD_ARCHIVES, base))),
  ];
}

function basesIn(directory: string): readonly string[] {
  const bases = readdirSync(directory)
    .map((entry) => /^(.*)\.meta(\.xz|\.bz2|\.gz)?$/.exec(entry)?.[1])
    .filter((base) => base !== undefined);
  return [...new Set(bases)].sort();
}

/**
 * 64-bit values in blocks of type 0, as the writers of 960624.08.17_v2, babylon.pmview_v2 and bozo.client_v2 left them: libpcp
 * 6.0.3 does not bring their bytes into order, and interpolates what comes of it. Nothing else of a line may differ.
 */
class SwappedMetrics {
  readonly #pmids = new Set<string>();

  explain(theirs: string, ours: string): boolean {
    const [a, b] = [theirs.split(' '), ours.split(' ')];
    if (!/^(record|interp)$/.test(a[0]!) || a.length !== b.length) return false;
    return a.every((word, i) => {
      const other = b[i]!;
      if (word === other) return true;
      const pmid = word.slice(0, word.indexOf(':'));
      if (a[0] === 'record' && isSwapped(word, other)) this.#pmids.add(pmid);
      const places = (set: string): string => set.replace(/=[^,]*/g, '');
      return this.#pmids.has(pmid) && places(word) === places(other);
    });
  }
}

/** Whether two value sets differ in nothing but the order of the bytes of their values. */
function isSwapped(theirs: string, ours: string): boolean {
  const swap = (digits: string): string => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64BE(BigInt.asUintN(64, BigInt(digits)));
    return bytes.readBigUInt64LE().toString();
  };
  const values = /(?<==)\d+(?=,|$)/g;
  return theirs.replace(values, swap) === ours;
}

/** Whether two lines differ in nothing but the last digits of numbers of floating point (shown as the hex of 8 bytes). */
function isClose(theirs: string, ours: string): boolean {
  const double = /=([0-9a-f]{16})(?=[, ]|$)/g;
  if (!theirs.startsWith('interp') || theirs.replace(double, '') !== ours.replace(double, '')) return false;
  const numbers = (line: string): number[] =>
    [...line.matchAll(double)].map(([, hex]) => Buffer.from(hex!, 'hex').readDoubleBE());
  const expected = numbers(theirs);
  return numbers(ours).every((value, i) => Math.abs(value - expected[i]!) <= 1e-11 * Math.abs(expected[i]!));
}

function firstDifference(theirs: string, ours: string): string {
  const [a, b] = [theirs.split(' '), ours.split(' ')];
  const at = a.findIndex((word, i) => word !== b[i]);
  const where = at < 0 ? a.length : at;
  return `${a.slice(0, 2).join(' ')} … libpcp ${String(a[where]).slice(0, 160)} pmgate ${String(b[where]).slice(0, 160)}`;
}
