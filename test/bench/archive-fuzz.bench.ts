/**
 * Damaged archives: 10,000 of them, of versions 2 and 3, built and recorded, plain and compressed, with bytes flipped, numbers
 * replaced, ends cut off and bytes put in. Each is opened and everything is asked of it, in a process that is watched: an error
 * that is no PmError, a case that takes too long, or memory without bounds ends the run.
 * PMGATE_FUZZ_RUNS changes how many there are, PMGATE_FUZZ_SEED repeats a run, PMGATE_FUZZ_CASE does a single case of it.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { addSeconds, FetchResult, GatewayError, INDOM_NULL, PmError, systemClock } from '../../src/pmapi/index.js';
import { ArchiveStore } from '../../src/sources/archive/node/index.js';
import type { ArchiveSource } from '../../src/sources/archive/index.js';
import { InstanceProfile, recordsOf } from '../../src/sources/index.js';
import { ArchiveBuilder } from '../support/archive-builder.js';
import { Random } from '../support/random.js';
import { heading, report } from './support/report.js';
import { workDirectory } from './support/work-directory.js';
import { rows } from '../support/rows.js';

const RUNS = Number(process.env['PMGATE_FUZZ_RUNS'] ?? 10_000);
const SEED = Number(process.env['PMGATE_FUZZ_SEED'] ?? Date.now() % 1_000_000);
const ONLY = process.env['PMGATE_FUZZ_CASE'];
const FIXTURES = path.resolve('test/fixtures/archives');
const SILENCE_MS = 20_000;
const MAX_STEPS = 300;
const MIB = 1024 * 1024;
const EVERYTHING = new InstanceProfile();

/** The files of an archive by what is behind the base name. */
type Files = ReadonlyMap<string, Buffer>;

/** What the watched process says of a case, and at the end. */
interface Message {
  readonly started?: number;
  readonly totals?: Totals;
}

interface Totals {
  opened: number;
  records: number;
  longestMs: number;
  longestCase: number;
  rssBytes: number;
  /** In use when garbage was collected, at most. */
  usedBytes: number;
}

async function watch(): Promise<void> {
  heading(`${RUNS} damaged archives (seed ${SEED})`);
  const child = spawn(process.execPath, [...process.execArgv, fileURLToPath(import.meta.url)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, PMGATE_FUZZ_SEED: String(SEED) },
  });
  let current = -1;
  let totals: Totals | undefined;
  const kill = (): void => {
    process.stdout.write(`case ${current} hangs\n`);
    child.kill('SIGKILL');
  };
  let timer = setTimeout(kill, SILENCE_MS);
  child.on('message', (message: Message) => {
    clearTimeout(timer);
    timer = setTimeout(kill, SILENCE_MS);
    current = message.started ?? current;
    totals = message.totals ?? totals;
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  clearTimeout(timer);
  if (code !== 0 || !totals) {
    process.stdout.write(`case ${current} of seed ${SEED} ended the run\n`);
    process.exitCode = 1;
    return;
  }
  report('of them open', totals.opened, 'archives');
  report('records read', totals.records, 'records');
  report('longest time of one archive', totals.longestMs, 'ms', { atMost: 2000 });
  report('memory in use between archives', totals.usedBytes / 1e6, 'Mbyte', { atMost: 100 });
  report('resident memory with garbage, highest', totals.rssBytes / 1e6, 'Mbyte');
  process.stdout.write(`  longest: case ${totals.longestCase}\n`);
}

async function runCases(): Promise<void> {
  const directory = workDirectory();
  const totals: Totals = { opened: 0, records: 0, longestMs: 0, longestCase: -1, rssBytes: 0, usedBytes: 0 };
  const originals = [...builtArchives(), ...recordedArchives()];
  const seeds = originals.flatMap((files) => [files, ...compressed(files, directory)]);
  for (let run = Number(ONLY ?? 0); run < (ONLY === undefined ? RUNS : Number(ONLY) + 1); run++) {
    process.send!({ started: run } satisfies Message);
    const random = new Random(SEED * 100_003 + run);
    const folder = path.join(directory, String(run));
    mkdirSync(folder);
    for (const [suffix, bytes] of damage(random.pick(seeds), random)) {
      writeFileSync(path.join(folder, `a.${suffix}`), bytes);
    }
    const startMs = performance.now();
    await exercise(folder, totals);
    const elapsedMs = performance.now() - startMs;
    if (elapsedMs > totals.longestMs) [totals.longestMs, totals.longestCase] = [elapsedMs, run];
    totals.rssBytes = Math.max(totals.rssBytes, process.memoryUsage.rss());
    if (run % 100 === 99) totals.usedBytes = Math.max(totals.usedBytes, usedBytes());
    rmSync(folder, { recursive: true });
  }
  process.send!({ totals } satisfies Message);
  process.disconnect();
}

function usedBytes(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

async function exercise(folder: string, totals: Totals): Promise<void> {
  const store = new ArchiveStore({
    clock: systemClock,
    tempDirectory: folder,
    limits: {
      inflatedFileBytes: 16 * MIB,
      inflatedTotalBytes: 32 * MIB,
      metadataBytes: 16 * MIB,
      recordBytes: 4 * MIB,
    },
  });
  try {
    const source = await store.open([path.join(folder, 'a')]);
    totals.opened++;
    const { start, end } = await source.info();
    const names = await source.traverse('');
    const pmids = (await source.lookupNames(names.slice(0, 50))).filter((pmid) => pmid >= 0);
    const middle = addSeconds(start!, (end!.sec - start!.sec) / 2);
    for (const descriptor of await source.describe(pmids)) {
      if (typeof descriptor === 'number') continue;
      const { pmid, indom } = descriptor;
      await tolerant(() => source.helpText({ kind: 'metric', pmid }, 'help'));
      await tolerant(() => source.labels({ kind: 'item', pmid }, middle));
      if (indom === INDOM_NULL) continue;
      await tolerant(() => source.instances(indom, middle));
      await tolerant(() => source.instancesEver(indom));
      await tolerant(() => source.labels({ kind: 'instances', indom }, middle));
    }
    await tolerant(() => source.labels({ kind: 'context' }, middle));
    const into = new FetchResult();
    await steps(totals, () => source.nextRecord(into));
    source.setMode({ mode: 'backward', time: end! });
    const prepared = source.prepare(pmids);
    await steps(totals, () => source.fetch(prepared, EVERYTHING, into));
    source.setMode({ mode: 'interp', time: start!, intervalSec: 0.7 });
    await steps(totals, () => source.fetch(prepared, EVERYTHING, into), 20);
    source.setMode({ mode: 'interp', time: end!, intervalSec: -1.3 });
    await steps(totals, () => source.fetch(prepared, EVERYTHING, into), 20);
    await tolerant(() => readAll(source, pmids, totals));
    for (const pmid of pmids.slice(0, 3)) await tolerant(() => readBlocks(source, pmid));
    await source.close();
  } catch (error) {
    if (!isExpected(error)) throw error;
  } finally {
    await store.close();
  }
}

async function readAll(source: ArchiveSource, pmids: readonly number[], totals: Totals): Promise<void> {
  const { start, end } = await source.info();
  let left = MAX_STEPS;
  for await (const { timestamp } of recordsOf(source.batches(source.prepare(pmids), EVERYTHING, start!, end!))) {
    if (Number.isNaN(timestamp.sec)) throw new Error('a record of no time');
    totals.records++;
    if (--left === 0) return;
  }
}

async function readBlocks(source: ArchiveSource, pmid: number): Promise<void> {
  const { start, end } = await source.info();
  let left = MAX_STEPS;
  for await (const { length, columns } of source.batches(source.prepare([pmid]), EVERYTHING, start!, end!)) {
    left -= length;
    for (const { block } of columns) {
      const last = block && (length - 1) * block.stride + Math.max(...block.places);
      if (block && last! >= block.numbers.length) throw new Error('a block of more records than it has numbers');
    }
    if (left <= 0) return;
  }
}

async function steps(totals: Totals, step: () => Promise<unknown>, limit = MAX_STEPS): Promise<void> {
  await tolerant(async () => {
    for (let i = 0; i < limit; i++, totals.records++) await step();
  });
}

async function tolerant(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isExpected(error)) throw error;
  }
}

function isExpected(error: unknown): boolean {
  return error instanceof PmError || error instanceof GatewayError;
}

/** Archives with values of every type, instances that come and go, marks, labels, texts and two volumes. */
function builtArchives(): readonly Files[] {
  const INDOM = 0x0f000001;
  return ([2, 3] as const).map((version) => {
    const builder = new ArchiveBuilder({ version, start: [1000, 0] });
    for (let type = 0; type <= 6; type++) {
      const semantics = type % 3 === 0 ? 1 : 3;
      builder.metric({ pmid: 0x0f000400 + type, names: [`a.t${type}`, `b.t${type}`], type, semantics, indom: INDOM });
    }
    builder.metric({ pmid: 0x0f000410, names: ['a.single'], type: 1, semantics: 1 });
    const instances = Array.from({ length: 5 }, (_, i) => [i, `i${i}`] as const);
    builder.indom([1000, 0], INDOM, instances);
    builder.labels([1000, 0], 1, 0xffffffff, [[-1, { hostname: 'h' }]]);
    builder.labels([1000, 0], 32, INDOM, rows([0, { a: 1 }], [1, { a: 2 }]));
    builder.text(6, 0x0f000400, 'help').text(9, INDOM, 'one line');
    for (let i = 0; i < 30; i++) {
      if (i === 15) builder.newVolume().mark([1000 + i - 1, 5e8]);
      if (i === 20 && version === 3) builder.indom([1020, 0], INDOM, [[4, null]], true);
      if (i % 10 === 0) builder.indexEntry([1000 + i, 0]);
      const sets = Array.from({ length: 7 }, (_, type) => ({
        pmid: 0x0f000400 + type,
        values: instances
          .slice(0, (i + type) % 6)
          .map(([id]) => [id, type === 6 ? `text ${i}` : 100 * i + id] as const),
      }));
      builder.record([1000 + i, 0], [...sets, { pmid: 0x0f000410, values: i % 7 === 0 ? -11 : [[-1, i]] }]);
    }
    return builder.files();
  });
}

function recordedArchives(): readonly Files[] {
  const bases = [...new Set(readdirSync(FIXTURES).map((name) => name.replace(/\..*$/, '')))];
  return bases.map((base) => {
    const own = readdirSync(FIXTURES).filter((name) => name.startsWith(`${base}.`) && !name.endsWith('.probe'));
    return new Map(own.map((name) => [name.slice(base.length + 1), readFileSync(path.join(FIXTURES, name))]));
  });
}

/** The same archive in every form that there is a program for. */
function compressed(files: Files, directory: string): readonly Files[] {
  const programs: readonly (readonly [string, (bytes: Buffer) => Buffer | undefined])[] = [
    ['gz', (bytes) => gzipSync(bytes)],
    ['xz', (bytes) => piped(['xz', '--stdout'], bytes, directory)],
    ['bz2', (bytes) => piped(['bzip2', '--stdout'], bytes, directory)],
    ['zst', (bytes) => piped(['zstd', '--stdout'], bytes, directory)],
  ];
  return programs.flatMap(([suffix, compress]) => {
    const packed = new Map<string, Buffer>();
    for (const [name, bytes] of files) {
      if (/\.(xz|gz)$/.test(name)) return [];
      const made = compress(bytes);
      if (!made) return [];
      packed.set(`${name}.${suffix}`, made);
    }
    return [packed];
  });
}

function piped([program, ...args]: readonly string[], input: Buffer, cwd: string): Buffer | undefined {
  const { status, stdout } = spawnSync(program!, args, { input, cwd });
  return status === 0 ? stdout : undefined;
}

function pick(random: Random, below: number): number {
  return Math.floor(random.between(0, below));
}

/** Mostly one; at most `most`. */
function few(random: Random, most: number): number {
  return random.isTrue(0.7) ? 1 : 1 + pick(random, most);
}

const NUMBERS = [0, 1, 4, 16, 0x7f, 0xff, 0xffff, 0xffffff, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff];

function damage(files: Files, random: Random): Files {
  const damaged = new Map(files);
  const names = [...files.keys()];
  const volumes = names.filter((name) => /^\d/.test(name));
  for (let i = 0, n = few(random, 2); i < n; i++) {
    // Mostly the volumes: an archive whose metadata is damaged hardly ever opens.
    const among = random.isTrue(0.6) ? volumes : names;
    const name = random.pick(among);
    let bytes: Buffer = Buffer.from(damaged.get(name)!);
    for (let k = 0, times = few(random, 4); k < times; k++) bytes = damageOnce(bytes, random);
    damaged.set(name, bytes);
  }
  return damaged;
}

function damageOnce(bytes: Buffer, random: Random): Buffer {
  const at = pick(random, bytes.length + 1);
  switch (pick(random, 7)) {
    case 0:
      if (at < bytes.length) bytes[at]! ^= 1 << pick(random, 8);
      return bytes;
    case 1:
      if (at < bytes.length) bytes[at] = pick(random, 256);
      return bytes;
    case 2:
    case 3: {
      const word = at & ~3;
      if (word + 4 <= bytes.length) bytes.writeUInt32BE(random.pick(NUMBERS), word);
      return bytes;
    }
    case 4:
      return bytes.subarray(0, at);
    case 5: {
      const junk = Buffer.from(Array.from({ length: 1 + pick(random, 40) }, () => pick(random, 256)));
      return Buffer.concat([bytes.subarray(0, at), junk, bytes.subarray(at)]);
    }
    default: {
      // A piece of the file once more, somewhere else.
      const from = pick(random, bytes.length + 1);
      const piece = bytes.subarray(from, from + pick(random, 400));
      return Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at)]);
    }
  }
}

if (process.send) await runCases();
else await watch();
