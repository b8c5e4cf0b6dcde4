/**
 * Damaged archives: 10,000 of them, of versions 2 and 3, built and recorded, plain and compressed, with bytes flipped, numbers
 * replaced, ends cut off and bytes put in. Each is opened and everything is asked of it, in a process that is watched: an error
 * that is no PmError, a case that takes too long, or memory without bounds ends the run.
 * PMGATE_FUZZ_RUNS changes how many there are, PMGATE_FUZZ_SEED repeats a run, PMGATE_FUZZ_CASE does a single case of it.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../../src/pmapi/index.js';
import { ArchiveStore } from '../../src/sources/archive/node/index.js';
import { archivesToDamage } from '../support/archives-to-damage.js';
import { askEverything, damage, DAMAGED_LIMITS, type Told } from '../support/damaged-archives.js';
import { Random } from '../support/random.js';
import { heading, report } from './support/report.js';
import { workDirectory } from './support/work-directory.js';

const RUNS = Number(process.env['PMGATE_FUZZ_RUNS'] ?? 10_000);
const SEED = Number(process.env['PMGATE_FUZZ_SEED'] ?? Date.now() % 1_000_000);
const ONLY = process.env['PMGATE_FUZZ_CASE'];
const SILENCE_MS = 20_000;

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
  const seeds = archivesToDamage();
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

/** Opens an archive of a folder, and asks everything of it. */
async function exercise(folder: string, totals: Totals): Promise<void> {
  const store = new ArchiveStore({ clock: systemClock, tempDirectory: folder, limits: DAMAGED_LIMITS });
  const tell = (kind: Told): void => {
    if (kind === 'opened') totals.opened++;
    else if (kind === 'record') totals.records++;
  };
  try {
    await askEverything(() => store.open([path.join(folder, 'a')]), tell);
  } finally {
    await store.close();
  }
}

if (process.send) await runCases();
else await watch();
