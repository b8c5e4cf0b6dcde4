/**
 * What the tests consist of, counted in the files: `npm run -s counts`. test/TESTED.md says what each row is about, with the counts of a
 * release; --check fails when a row of that page is missing here.
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
/** The number that a pattern finds in a file. */
const stated = (file, pattern) => Number(pattern.exec(text(file))[1].replaceAll(/[,_]/g, ''));

const CASE = /^\s*(?:\(.*\?\s*)?(?:it|test)(?:\.each|\.skip\.each)?\b.*[([]/gm;
const fuzz = (name) => stated(`test/bench/${name}-fuzz.bench.ts`, /PMGATE_FUZZ_RUNS'?\]? \?\? ([\d_]+)/);
const totals = /^\| \*\*all\*\* (.*)$/m.exec(text('test/conformance/README.md'))[1].split('|');
const conformance = (column) => totals.at(column).trim();

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
  const missing = [...text('test/TESTED.md').matchAll(/^\| (.*?) \| [\d,]+ \|$/gm)].filter(
    ([, name]) => !rows.some(([known]) => known === name),
  );
  if (missing.length > 0) throw new Error(`test/TESTED.md counts what is not counted: ${missing.join(', ')}`);
} else console.log(`| what | how many |\n|---|---:|\n${shown.join('\n')}`);
