/**
 * Makes trouble for real, and asks a gateway what is wrong and who did it: while it goes on, and again from the recording alone.
 *
 *   npm run troubles -- [--times N] [--seconds S] [--json FILE] [--keep DIR] [KIND...]
 *
 * A run takes S seconds (40): quiet, trouble, quiet. `quiet` is a kind, too: nothing is made, and nothing may be found. See README.md.
 */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { markdownTable } from '../bench/budgets.js';
import { describeMachine, machineText } from '../bench/support/machine.js';
import { startGateway } from './gateway.js';
import { judge, rowOf, summaryOf } from './verdict.js';
import type { Answer, Run, Truth } from './verdict.js';
import { TROUBLES } from './troubles.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    times: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '40' },
    json: { type: 'string' },
    keep: { type: 'string' },
  },
});
const [TIMES, SECONDS] = [Number(values.times), Number(values.seconds)];
const QUIET = 'quiet';
const KINDS = [...TROUBLES.map(({ kind }) => kind), QUIET];
const wrong = positionals.find((kind) => !KINDS.includes(kind));
if (wrong !== undefined || !(TIMES >= 1) || !(SECONDS >= 20)) {
  process.stderr.write(`--times wants 1 or more, --seconds 20 or more, and kinds are: ${KINDS.join(', ')}\n`);
  process.exit(2);
}
/** The trouble begins and ends at these shares of a run; in the second half of it, the gateway is asked. */
const [BEGIN, ASK, END] = [0.4, 0.7, 0.9];
const SAMPLES_PER_RUN = 20;

const work = mkdtempSync(path.join(tmpdir(), 'pmgate-troubles-'));
process.on('exit', () => rmSync(work, { recursive: true, force: true }));
process.once('SIGINT', () => process.exit(130));

const runs: Run[] = [];
process.stdout.write(`${machineText(describeMachine())}\n\n`);
for (const kind of positionals.length > 0 ? positionals : KINDS) {
  for (let time = 1; time <= TIMES; time++) {
    const run = await runOnce(kind, path.join(work, `${kind}-${time}`), time);
    runs.push(run);
    process.stdout.write(`${rowOf(run).join(' · ')}\n`);
  }
}
process.stdout.write(
  `\n${markdownTable([['kind', 'during: resource', 'who', 'recorded: resource', 'who', 'said', 'others said'], ...runs.map(rowOf)])}\n`,
);
const summary = summaryOf(runs);
process.stdout.write(`\n${summary.text}\n`);
if (values.json !== undefined)
  writeFileSync(values.json, `${JSON.stringify({ machine: describeMachine(), runs }, null, 1)}\n`);
process.exitCode = summary.isGood ? 0 : 1;

async function runOnce(kind: string, directory: string, time: number): Promise<Run> {
  mkdirSync(directory, { recursive: true });
  const trouble = TROUBLES.find((one) => one.kind === kind);
  const reason = trouble?.cannot?.(directory);
  if (reason !== undefined) return { kind, skipped: reason };
  trouble?.prepare?.(directory);
  const state = path.join(directory, 'state');
  const core = readFileSync('config/record/core-metrics.txt', 'utf8').split('\n');
  const interval = Math.max(1, Math.round(SECONDS / SAMPLES_PER_RUN));
  const recording = {
    enabled: true,
    whoSec: interval,
    groups: { [interval]: core.filter((line) => /^\w/.test(line)) },
  };
  const gateway = await startGateway(directory, { record: recording, state: { directory: state } });
  const truth = { kind, resources: trouble?.resources ?? [], begin: 0, end: 0 };
  let during: Answer | undefined;
  let culprit: Omit<Truth, 'kind' | 'resources' | 'begin' | 'end'> = {};
  try {
    await pause(SECONDS * BEGIN * 1000);
    truth.begin = Date.now() / 1000;
    const made = await trouble?.begin(directory);
    if (made) culprit = { name: made.name, pid: made.pid, ...(made.group === undefined ? {} : { group: made.group }) };
    try {
      await pause(SECONDS * (ASK - BEGIN) * 1000);
      during = await gateway.get<Answer>('/diagnosis?hostspec=embedded');
      await pause(Math.max(0, truth.begin + SECONDS * (END - BEGIN) - Date.now() / 1000) * 1000);
    } finally {
      truth.end = Date.now() / 1000;
      await made?.end();
    }
    await pause(SECONDS * (1 - END) * 1000);
  } finally {
    await gateway.stop();
  }
  const known: Truth = { ...truth, ...culprit };
  const recorded = path.join(state, 'archives/recorded');
  if (values.keep !== undefined) keep(recorded, path.join(values.keep, `${kind}-${time}`), known);
  const reader = await startGateway(directory, { record: { enabled: false }, archives: { roots: [recorded] } });
  const [archive] = readdirSync(recorded).filter((name) => name.endsWith('.meta'));
  const later = await reader
    .get<Answer>(`/diagnosis?archive=${archive!.slice(0, -'.meta'.length)}&start=${truth.begin}&finish=${truth.end}`)
    .finally(() => reader.stop());
  rmSync(directory, { recursive: true, force: true });
  return { kind, truth: known, during: judge(during, known), recorded: judge(later, known) };
}

function keep(recorded: string, directory: string, truth: Truth): void {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  cpSync(recorded, directory, { recursive: true });
  writeFileSync(path.join(directory, 'truth.json'), `${JSON.stringify(truth, null, 1)}\n`);
}
