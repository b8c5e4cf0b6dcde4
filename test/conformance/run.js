/**
 * `npm run conformance`: runs the comparisons with real PCP (test/interop) and puts what they count together as a table in
 * Markdown: areas × (cases, equal, deliberately different, wrong), for pmgate and for pmproxy where it is installed, against
 * libpcp's own answers. Below it each reason for a difference, once, with a count, then what is wrong. Ends with 1 when anything
 * of pmgate is wrong, or when a suite failed.
 *
 * Arguments go to jest: `npm run conformance -- range` runs one suite. `--table FILE` prints the table of an earlier run.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const SUBJECTS = ['pmgate', 'pmproxy'];
/** Details of what is wrong that are shown of each subject. */
const SHOWN = 40;

const [option, file] = process.argv.slice(2);
if (option === '--table') {
  process.exitCode = print(readOutcomes(file));
} else {
  const directory = mkdtempSync(path.join(os.tmpdir(), 'pmgate-conformance-'));
  const outcomes = path.join(directory, 'outcomes.jsonl');
  const status = runSuites(outcomes, process.argv.slice(2));
  process.exitCode = Math.max(print(readOutcomes(outcomes)), status === 0 ? 0 : 1);
  if (status !== 0) console.log('\nA suite failed: see above.');
  rmSync(directory, { recursive: true });
}

/** Run the suites; what they print goes to stderr, the table alone to stdout. */
function runSuites(outcomes, args) {
  const jest = ['--experimental-vm-modules', '--no-warnings', 'node_modules/jest/bin/jest.js'];
  const config = ['--config', 'config/tooling/jest.interop.config.js', '--runInBand'];
  const { status } = spawnSync(process.execPath, [...jest, ...config, ...args], {
    env: { ...process.env, PMGATE_CONFORMANCE: outcomes },
    stdio: ['ignore', process.stderr, process.stderr],
  });
  return status ?? 1;
}

function readOutcomes(name) {
  if (!existsSync(name)) return [];
  const lines = readFileSync(name, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
}

/** Print the table; the exit code. */
function print(outcomes) {
  const areas = areaNames();
  const subjects = SUBJECTS.filter((subject) => outcomes.some((each) => each.subject === subject));
  if (subjects.length === 0) {
    console.log('Nothing was compared: PCP is not installed, or this user is not root.');
    return 1;
  }
  console.log(`${describeRun()}\n`);
  console.log(`| area | ${subjects.map((s) => `${s}: cases | equal | different | wrong`).join(' | ')} |`);
  console.log(`|---|${subjects.map(() => '---:|---:|---:|---:').join('|')}|`);
  for (const area of areas.filter((name) => outcomes.some((each) => each.area === name))) {
    row(
      area,
      subjects,
      outcomes.filter((each) => each.area === area),
    );
  }
  row('**all**', subjects, outcomes);
  for (const subject of subjects)
    listReasons(
      subject,
      outcomes.filter((each) => each.subject === subject),
    );
  return sum(
    outcomes.filter((each) => each.subject === 'pmgate'),
    'wrong',
  ) > 0
    ? 1
    : 0;
}

function row(title, subjects, outcomes) {
  const cells = subjects.flatMap((subject) => {
    const own = outcomes.filter((each) => each.subject === subject);
    if (own.length === 0) return ['', '', '', ''];
    const counts = ['equal', 'different', 'wrong'].map((outcome) => sum(own, outcome));
    return [counts[0] + counts[1] + counts[2], ...counts].map((count) => count.toLocaleString('en'));
  });
  console.log(`| ${title} | ${cells.join(' | ')} |`);
}

function sum(outcomes, outcome) {
  return outcomes.filter((each) => each.outcome === outcome).reduce((total, { count }) => total + count, 0);
}

function listReasons(subject, outcomes) {
  const reasons = grouped(outcomes, 'different');
  if (reasons.length > 0) console.log(`\nWhere ${subject} differs on purpose:\n`);
  for (const { area, why, count } of reasons) console.log(`- ${area}, ${count.toLocaleString('en')}: ${why}`);
  const faults = grouped(outcomes, 'wrong');
  if (faults.length > 0) console.log(`\nWhat is wrong with ${subject}:\n`);
  for (const { area, why, count } of faults.slice(0, SHOWN)) {
    console.log(`- ${area}, ${count.toLocaleString('en')}: ${why.replace(/\s+/g, ' ').slice(0, 300)}`);
  }
  if (faults.length > SHOWN) console.log(`- and ${faults.length - SHOWN} more`);
}

/** The reasons of an outcome, each once with how many cases it has, by area. */
function grouped(outcomes, outcome) {
  const counts = new Map();
  for (const each of outcomes.filter((candidate) => candidate.outcome === outcome)) {
    const key = JSON.stringify([each.area, each.why ?? 'no details']);
    counts.set(key, (counts.get(key) ?? 0) + each.count);
  }
  const order = areaNames();
  return [...counts]
    .map(([key, count]) => ({ area: JSON.parse(key)[0], why: JSON.parse(key)[1], count }))
    .sort((a, b) => order.indexOf(a.area) - order.indexOf(b.area) || b.count - a.count);
}

/** The rows, in the order in which the suites' own list has them. */
function areaNames() {
  const source = readFileSync('test/interop/support/conformance.ts', 'utf8');
  const list = /AREAS = \[([^]*?)\] as const/.exec(source)[1];
  return [...list.matchAll(/^ {2}(['"])(.*)\1,$/gm)].map(([, , name]) => name);
}

function describeRun() {
  // The tools tell their version on stderr.
  const { stderr } = spawnSync('pminfo', ['--version'], { encoding: 'utf8' });
  const pcp = /[\d.]+\d/.exec(stderr ?? '')?.[0] ?? '(not installed)';
  const { version: ours } = JSON.parse(readFileSync('package.json', 'utf8'));
  const date = new Date().toISOString().slice(0, 10);
  return `${date}, pmgate ${ours} beside PCP ${pcp}, Node.js ${process.version}, ${os.type()} ${os.release()}; \`npm run conformance\`.`;
}
