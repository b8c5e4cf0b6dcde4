/**
 * What the tests consist of, counted in the files: `npm run -s counts`. test/TESTED.md says what each row is about, with the counts of a
 * day; --check fails when a row of that page is missing here, or its count is no longer near.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '../..');
const files = execFileSync('git', ['ls-files', 'test', 'src', '.ci'], { cwd: ROOT, encoding: 'utf8' })
  .trim()
  .split('\n');
const text = (file) => readFileSync(path.join(ROOT, file), 'utf8');
const below = (pattern) => files.filter((file) => pattern.test(file));
/** How often a pattern occurs in files. */
const count = (pattern, where) => below(where).reduce((sum, file) => sum + [...text(file).matchAll(pattern)].length, 0);
const lines = (where) => count(/\n/g, where);
const numberOf = (digits) => Number(digits.replaceAll(/[,_]/g, ''));
/** The number that a pattern finds in a file. */
const stated = (file, pattern) => numberOf(pattern.exec(text(file))[1]);
/** How far a count may be from what the page says, of itself. */
const NEAR = 0.1;

const CASE = /^\s*(?:\(.*\?\s*)?(?:it|test)(?:\.each|\.skip\.each)?\b.*[([]/gm;
const fuzz = (name) => stated(`test/bench/${name}-fuzz.bench.ts`, /PMGATE_FUZZ_RUNS'?\]? \?\? ([\d_]+)/);
const totals = /^\| \*\*all\*\* (.*)$/m.exec(text('test/conformance/README.md'))[1].split('|');
const conformance = (column) => numberOf(totals.at(column));

const rows = [
  ['lines of the product (without generated files)', lines(/^src\/.*(?<!generated)\.(ts|tsx|ne)$/)],
  ['lines of tests', lines(/^test\/.*\.(ts|js)$/)],
  ['files of tests', below(/^test\/.*\.test\.ts$/).length],
  ['statements of test cases (one may stand for many)', count(CASE, /^test\/.*\.test\.ts$/)],
  ['properties, each tried on generated inputs', count(/fc\.(?:async)?Property\(/gi, /^test\//)],
  ['files of cases in the language of derived metrics', below(/^test\/derived\/cases\/.*\.test$/).length],
  ['results compared with libpcp and pmproxy, last time', conformance(1)],
  ['of these wrong', conformance(4)],
  ['suites that run beside real PCP, Prometheus and Grafana', below(/^test\/interop\/[^/]*\.test\.ts$/).length],
  ['damaged archives in one run', fuzz('archive')],
  ['damaged MMV files in one run', fuzz('mmv')],
  ['hostile expressions in one run', fuzz('derived')],
  ['rows of the table of faults', count(/^\| (?!What breaks|---)/gm, /^test\/faults\/README\.md$/)],
  ['kinds of attacks', below(/^test\/security\/attacks\/(?!index)/).length],
  ['places where tests kill a process', count(/SIGKILL/g, /^test\/.*\.ts$/)],
  ['simulated fleets in one run of CI', stated('.ci/run', /FLEET_SEEDS=1-(\d+)/)],
  ['budgets of speed and size', count(/\bat(?:Most|Least)\('/g, /^test\/bench\/budgets\.ts$/)],
];

const shown = rows.map(([name, value]) => `| ${name} | ${value.toLocaleString('en')} |`);
if (process.argv.includes('--check')) {
  const now = new Map(rows);
  const untrue = [...text('test/TESTED.md').matchAll(/^\| (.*?) \| ([\d,]+) \|$/gm)].filter(
    ([, name, digits]) => !(Math.abs(numberOf(digits) - now.get(name)) <= NEAR * now.get(name)),
  );
  if (untrue.length > 0)
    throw new Error(`test/TESTED.md has counts that are not true: ${untrue.map(([row]) => row).join(' ')}`);
} else console.log(`| what | how many |\n|---|---:|\n${shown.join('\n')}`);
