/**
 * Run benchmarks, each in a process of its own, and put all figures into one table at the end.
 *
 *   npm run bench -- [NAME...] [--quick] [--strict] [--json FILE]
 *
 * NAME picks the files whose names hold it. The exit code is 1 when a benchmark breaks, and with --strict also when a budget is
 * missed or stands in no table.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { describeMachine, machineText } from './support/machine.js';
import type { Entry } from './support/report.js';
import { missedOf, summaryText, unlistedOf } from './support/summary.js';
import type { Outcome, Run } from './support/summary.js';

/** What makes the benchmarks short that read these: amounts of work instead of seconds. */
const QUICK = {
  BENCH_QUICK: '1',
  BENCH_SECONDS: '1',
  BENCH_ROUNDS: '1',
  BENCH_CLIENTS: '100',
  BENCH_ARCHIVE_MB: '4',
  PMGATE_FUZZ_RUNS: '200',
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    strict: { type: 'boolean', default: false },
    json: { type: 'string' },
  },
});

const here = new URL('.', import.meta.url);
const benches = readdirSync(here)
  .filter((file) => file.endsWith('.bench.ts'))
  .map((file) => file.replace(/\.bench\.ts$/, ''))
  .filter((bench) => positionals.length === 0 || positionals.some((name) => bench.includes(name)))
  .sort();
if (benches.length === 0) {
  process.stderr.write(`no benchmark has ${positionals.join(' or ')} in its name\n`);
  process.exit(2);
}

const machine = describeMachine();
process.stdout.write(`${machineText(machine)}\n`);
const directory = mkdtempSync(path.join(tmpdir(), 'pmgate-bench-'));
const outcomes = benches.map(runBench);
rmSync(directory, { recursive: true, force: true });

const run: Run = { machine, isQuick: values.quick, outcomes };
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(run, undefined, 2)}\n`);
process.stdout.write(`\n${summaryText(run)}`);
const isBroken = outcomes.some(({ exitCode }) => exitCode !== 0);
const isMissed = missedOf(run).length > 0 || unlistedOf(run).length > 0;
process.exitCode = isBroken || (values.strict && isMissed) ? 1 : 0;

function runBench(bench: string): Outcome {
  process.stdout.write(`\n## ${bench}\n`);
  const figures = path.join(directory, `${bench}.jsonl`);
  const startMs = performance.now();
  const { status } = spawnSync(process.execPath, ['--expose-gc', '--import', 'tsx', `test/bench/${bench}.bench.ts`], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...(values.quick ? QUICK : {}), BENCH_FIGURES: figures },
  });
  const seconds = Math.round((performance.now() - startMs) / 100) / 10;
  const lines = existsSync(figures) ? readFileSync(figures, 'utf8').trimEnd().split('\n') : [];
  return { bench, exitCode: status ?? 1, seconds, entries: lines.map((line) => JSON.parse(line) as Entry) };
}
