import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { unpackTar } from 'modern-tar';
import { serveArchives } from '../../src/cli/in-process-gateway.js';
import { createPmgateClient } from '../../src/client/index.js';
import { makePmid, MetricType, systemClock } from '../../src/pmapi/index.js';
import { ArchiveStore } from '../../src/sources/archive/node/index.js';
import type { ArchiveSource } from '../../src/sources/archive/index.js';
import { ArchiveWriter } from '../../src/sources/archive/writing/index.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { at } from '../sources/archive/support.js';
import { descriptor, sample, valueSet } from '../sources/archive/writing/support.js';
import { copyArchive } from './support/copy-archive.js';
import { pmrep, pmval } from './support/pmrep.js';
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

/**
 * Archives that are exported over their whole windows: those that made PCP's tools crash or show nothing, and some of each kind.
 * PMGATE_INTEROP_EXPORTS=all takes all of the testsuite; a list takes those.
 */
const EXPORTED =
  process.env.PMGATE_INTEROP_EXPORTS ?? 'pcp-zeroconf,omnibus_v3,dyninsts,eventrec,sample-labels,gap2,proc,bug1057';
const METRICS_OF_A_DOMAIN = 12;

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

  it.each(names)('%s: an export has the same values and metadata, and pmlogcheck finds nothing', async (name) => {
    const original = path.join(TESTSUITE_ARCHIVES, name);
    const base = path.join(directory.path, `exported-${name}`);
    const before = await probeArchive(original, MAX_RECORDS, MAX_METRICS);
    await exportArchive({ archive: original, names: namesIn(before.lines), samples: MAX_RECORDS }, base);
    const after = await probeArchive(base, MAX_RECORDS, MAX_METRICS);
    expect(comparable(after.lines)).toEqual(comparable(before.lines));
    // An export has the instances that have values in it.
    for (const [indom, instances] of instancesEver(after.lines)) {
      expect(instancesEver(before.lines).get(indom)).toEqual(expect.arrayContaining(instances));
    }
    const known = new Set(complaints(original).split('\n'));
    expect(
      complaints(base)
        .split('\n')
        .filter((line) => !known.has(line)),
    ).toEqual([]);
  });

  it.each(EXPORTED === 'all' ? allArchives() : EXPORTED.split(','))(
    "%s: PCP's tools read an export of the whole window, and know the name of each instance",
    async (name) => {
      const original = path.join(TESTSUITE_ARCHIVES, name);
      const opened = await store.open([original]).catch(() => undefined);
      if (!opened) return;
      const names = await someOfEachDomain(opened);
      await opened.close();
      const base = path.join(directory.path, `whole-${name}`);
      await exportArchive({ archive: original, names }, base);
      const [before, after] = [original, base].map((archive) => toolsOf(archive, names));
      expect(after!.filter((line) => !before!.includes(line))).toEqual([]);
    },
  );

  it('volumes, compressed or not, a mark and a derived metric are read by pmdumplog, pmval, pmrep and pmlogextract', async () => {
    const base = path.join(directory.path, 'made');
    const writer = ArchiveWriter.create(base, { pid: 1, hostName: 'made', timezone: 'UTC', zoneinfo: '' });
    const count = descriptor(makePmid(60, 0, 1), MetricType.U64);
    const derived = descriptor(makePmid(511, 2048, 3), MetricType.DOUBLE);
    writer.describe(count, ['made.count']);
    writer.describe(derived, ['made.derived']);
    for (let i = 0; i < 9; i++) {
      if (i === 3 || i === 6) await writer.rotate();
      await writer.append(sample(i, [valueSet(count, [[-1, i * 1e12]]), valueSet(derived, [[-1, i / 4]])]));
    }
    await writer.mark(at(8.001));
    await writer.close();
    execFileSync('gzip', [`${base}.0`]);
    const extracted = path.join(directory.path, 'extracted');
    execFileSync('pmlogextract', [base, extracted]);
    for (const archive of [base, extracted]) {
      expect(complaints(archive)).toBe('');
      execFileSync('pmdumplog', ['-a', archive]);
      const values = pmval(['-a', archive, '-t', '1'], 'made.derived').map(({ value }) => value);
      expect(values).toEqual(Array.from({ length: 9 }, (_, i) => i / 4));
      const { columns } = pmrep(['-a', archive, '-t', '1', '-r'], ['made.count', 'made.derived']);
      expect([...columns.get('made.count')!]).toEqual(Array.from({ length: 9 }, (_, i) => i * 1e12));
      expect([...columns.get('made.derived')!]).toEqual(Array.from({ length: 9 }, (_, i) => i / 4));
    }
  });
});

function allArchives(): string[] {
  const metas = readdirSync(TESTSUITE_ARCHIVES).map((file) => /^(.+)\.meta(?:\.\w+)?$/.exec(file)?.[1]);
  return metas.filter((name) => name !== undefined);
}

async function someOfEachDomain(source: ArchiveSource): Promise<string[]> {
  const all = await source.traverse('');
  const descriptors = await source.describe(await source.lookupNames(all));
  const counts = new Map<number, number>();
  return all.filter((_, i) => {
    const found = descriptors[i]!;
    const indom = typeof found === 'number' ? found : found.indom;
    const count = (counts.get(indom) ?? 0) + 1;
    counts.set(indom, count);
    return count <= METRICS_OF_A_DOMAIN;
  });
}

/** What PCP's tools say is wrong with an archive: signals that ended them, and instances without names. */
function toolsOf(archive: string, names: readonly string[]): string[] {
  const commands = [
    ['pmdumplog', '-a', archive],
    ['pminfo', '-f', '-a', archive],
    ...[0, 1, 2, 3].map((i) => ['pmval', '-s', '5', '-a', archive, names[Math.floor((i * (names.length - 1)) / 3)]!]),
  ];
  return commands.flatMap(([tool = '', ...args]) => {
    // Some print more than a string holds.
    const unnamed = '"$@" 2>&1 | grep -a "Unknown or illegal instance identifier" | sort -u; exit ${PIPESTATUS[0]}';
    const { status, stdout } = spawnSync('bash', ['-c', unnamed, 'bash', tool, ...args], { encoding: 'latin1' });
    const ended = status! > 128 ? [`${tool} ${args.at(-1)!.replace(archive, '')}: signal ${status! - 128}`] : [];
    return [...ended, ...stdout.split('\n').filter((line) => line !== '')];
  });
}

/** Export metrics of an archive by the API, and put the files down under another base name. */
async function exportArchive(
  { archive, names, samples }: { archive: string; names: readonly string[]; samples?: number },
  base: string,
): Promise<void> {
  const local = await serveArchives(archive);
  const client = createPmgateClient('http://local', { fetch: local.fetch });
  const pieces: Uint8Array[] = [];
  const range = { names, archive: local.archive, ...(samples !== undefined && { samples }) };
  for await (const piece of client.archive(range)) pieces.push(piece);
  await local.close();
  for (const { header, data } of await unpackTar(Buffer.concat(pieces))) {
    writeFileSync(base + path.extname(header.name), data!);
  }
}

function namesIn(lines: readonly string[]): string[] {
  const hex = lines.filter((line) => line.startsWith('desc ')).map((line) => line.split(' ')[1]!);
  return hex.map((name) => Buffer.from(name, 'hex').toString());
}

/** What an export has to repeat, with the metrics of a record in one order. */
function comparable(lines: readonly string[]): string[] {
  const [compared, records] = [/^(?:desc|labels (?!instances)|text)/, /^record /];
  return lines
    .filter((line) => compared.test(line) || records.test(line))
    .map((line) => (records.test(line) ? line.split(' ').sort().join(' ') : line));
}

function instancesEver(lines: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const ever = lines.filter((line) => line.startsWith('ever ')).map((line) => line.split(' ').slice(1));
  return new Map(ever.map(([indom = '', ...instances]) => [indom, instances]));
}

/** What pmlogcheck(1) says of an archive, without the name of its file. */
function complaints(base: string): string {
  const { stdout, stderr } = spawnSync('pmlogcheck', ['-w', base], { encoding: 'utf8' });
  return (stdout + stderr).replaceAll(base, 'ARCHIVE');
}
