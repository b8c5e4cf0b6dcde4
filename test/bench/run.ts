/**
 * Run benchmarks, each in a process group and with a directory for temporary files of its own, and put all figures into one table
 * at the end. What one of them leaves behind is gone before the next begins; one that breaks or hangs does not keep the others back.
 *
 *   npm run bench -- [NAME...] [--quick] [--strict] [--profile] [--json FILE]
 *
 * NAME picks the benchmark of that name, or else those whose names hold it. With --profile, each tells what of the code took its CPU time. The exit code is 1 when a benchmark breaks, and with --strict also when a budget is
 * missed or stands in no table.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { runIsolated } from './support/isolated.js';
import { describeMachine, machineText } from './support/machine.js';
import type { Entry } from './support/report.js';
import { stagesOf } from './support/stages.js';
import { type Outcome, type Run, missedOf, summaryText, unlistedOf } from './support/summary.js';

/** What makes the benchmarks short that read these: amounts of work instead of seconds. */
const QUICK = {
  BENCH_QUICK: '1',
  BENCH_SECONDS: '1',
  BENCH_ROUNDS: '1',
  BENCH_CLIENTS: '100',
  BENCH_ARCHIVE_MB: '4',
  PMGATE_FUZZ_RUNS: '200',
};

/** Longer than any of them takes on a busy machine: what takes this long hangs. */
const LIMIT_MIN = 15;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    strict: { type: 'boolean', default: false },
    profile: { type: 'boolean', default: false },
    json: { type: 'string' },
  },
});

const here = new URL('.', import.meta.url);
const all = readdirSync(here)
  .filter((file) => file.endsWith('.bench.ts'))
  .map((file) => file.replace(/\.bench\.ts$/, ''))
  .sort();
const isWanted = (bench: string) => (name: string) => (all.includes(name) ? bench === name : bench.includes(name));
const benches = all.filter((bench) => positionals.length === 0 || positionals.some(isWanted(bench)));
if (benches.length === 0) {
  process.stderr.write(`no benchmark has ${positionals.join(' or ')} in its name\n`);
  process.exit(2);
}

const machine = describeMachine();
process.stdout.write(`${machineText(machine)}\n`);
const directory = mkdtempSync(path.join(tmpdir(), 'pmgate-bench-'));
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
const outcomes: Outcome[] = [];
for (const bench of benches) outcomes.push(await runBench(bench));

const run: Run = { machine, isQuick: values.quick, outcomes };
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(run, undefined, 2)}\n`);
process.stdout.write(`\n${summaryText(run)}`);
const isBroken = outcomes.some(({ exitCode }) => exitCode !== 0);
const isMissed = missedOf(run).length > 0 || unlistedOf(run).length > 0;
process.exitCode = isBroken || (values.strict && isMissed) ? 1 : 0;

async function runBench(bench: string): Promise<Outcome> {
  process.stdout.write(`\n## ${bench}\n`);
  const figures = path.join(directory, `${bench}.jsonl`);
  const temporary = path.join(directory, bench);
  mkdirSync(temporary);
  const startMs = performance.now();
  const profiles = path.join(directory, `${bench}.profiles`);
  const flags = values.profile ? ['--cpu-prof', `--cpu-prof-dir=${profiles}`] : [];
  const exitCode = await runIsolated([...flags, '--expose-gc', '--import', 'tsx', `test/bench/${bench}.bench.ts`], {
    env: {
      ...{ ...process.env, ...(values.quick ? QUICK : {}) },
      ...{ BENCH_FIGURES: figures, TMPDIR: temporary, ...(values.profile && { BENCH_PROFILES: profiles }) },
    },
    limitMs: LIMIT_MIN * 60_000,
  });
  if (existsSync(profiles)) for (const text of stagesOf(profiles)) process.stdout.write(`\n${text}\n`);
  rmSync(temporary, { recursive: true, force: true });
  const seconds = Math.round((performance.now() - startMs) / 100) / 10;
  const lines = existsSync(figures) ? readFileSync(figures, 'utf8').trimEnd().split('\n') : [];
  process.stdout.write(`\n${bench}: ${seconds} s${exitCode === 0 ? '' : `, exit code ${exitCode}`}\n`);
  return { bench, exitCode, seconds, entries: lines.map((line) => JSON.parse(line) as Entry) };
}
