/**
 * What `why` costs where it is not asked for. Two bundles of the same work are measured in turns, in processes of their own: the code as it is, and
 * the code without the calls that take down what values went through. CPU time of the process.
 */
import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Plugin, build } from 'esbuild';
import { BUDGETS } from './budgets.js';
import { heading, IS_QUICK, median, report, spreadOf } from './support/report.js';
import { workDirectory } from './support/work-directory.js';

const PROCESSES = IS_QUICK ? 1 : 9;
const ROUNDS = IS_QUICK ? 3 : 40;
/** How often each kind of work is done in a round. */
const TIMES = { fetch: 200, tracedFetch: 50, range: 10 };
/** Of all rounds, the one that this share of them was faster than. */
const FAST = 0.2;

/** Every call of a trace, by file: text that the bundle without them lacks. */
const CALLS: Readonly<Record<string, readonly string[]>> = {
  'src/context/range/metric-pipeline.ts': [
    ' && !this.trace',
    'this.trace?.begin();',
    ', this.trace?.evaluate()',
    'this.trace?.note(values, this.#rate);',
  ],
  'src/context/range/range-reader.ts': ['options.trace?.watch(this.#pipelines);'],
  'src/derived/evaluation/evaluate.ts': [
    'trace?.begin(inputs.timestamp, history);',
    'trace?.keep(cell, checked);',
    'trace?.keep(cell, out);',
  ],
  'src/context/plans/fetcher.ts': [
    'trace?.begin(plan, fetched);',
    'if (trace) view.watch(trace);',
    'if (trace) view.watch(undefined);',
    ', trace?.metrics[m]?.evaluate()',
  ],
};

/** Gives each file its own URL, which it finds data files by, and takes the calls out if asked. */
const sources = (hasCalls: boolean): Plugin => ({
  name: 'sources',
  setup(bundler) {
    bundler.onLoad({ filter: /\/src\/.*\.ts$/ }, async ({ path: file }) => {
      const text = await readFile(file, 'utf8');
      let contents = text.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(file).href));
      for (const call of hasCalls ? [] : (CALLS[path.relative(process.cwd(), file)] ?? [])) {
        if (!contents.includes(call)) throw new Error(`${file} no longer has ${call}`);
        contents = contents.replaceAll(call, '');
      }
      return { contents, loader: 'ts' };
    });
  },
});

const directory = workDirectory();

async function bundleOf(name: string, hasCalls: boolean): Promise<string> {
  const outfile = path.join(directory, `${name}.mjs`);
  await build({
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    entryPoints: ['test/bench/support/why-work.ts'],
    outfile,
    plugins: [sources(hasCalls)],
    logLevel: 'warning',
  });
  return outfile;
}

/** What one process measures: microseconds of CPU time for each kind of work, of a fast round. */
type Costs = Readonly<Record<keyof typeof TIMES, number>>;

/** The program of such a process: its arguments are the bundle, TIMES, how many rounds, and which of them counts as fast. */
const PROGRAM = `
  const [bundle, times, rounds, fast] = process.argv.slice(1);
  const { makeWork } = await import(bundle);
  const work = await makeWork();
  const costs = {};
  for (const [kind, count] of Object.entries(JSON.parse(times))) {
    const found = [];
    for (let round = 0; round < Number(rounds); round++) {
      const before = process.cpuUsage();
      for (let i = 0; i < count; i++) await work[kind]();
      const { user, system } = process.cpuUsage(before);
      found.push((user + system) / count);
    }
    costs[kind] = found.sort((a, b) => a - b)[Math.floor(found.length * Number(fast))];
  }
  await work.close();
  console.log(JSON.stringify(costs));
`;

function measure(bundle: string): Costs {
  const parameters = [bundle, JSON.stringify(TIMES), String(ROUNDS), String(FAST)];
  const flags = ['--input-type=module', '--eval', PROGRAM, '--'];
  return JSON.parse(execFileSync(process.execPath, [...flags, ...parameters], { encoding: 'utf8' })) as Costs;
}

const [asItIs, bare] = [await bundleOf('as-it-is', true), await bundleOf('bare', false)];
// By how V8 happens to compile, one process is faster than another by more than what is measured: so many of each, in turns, of which
// the fastest count.
const found: { readonly costs: Costs; readonly bareCosts: Costs }[] = [];
for (let i = 0; i < PROCESSES; i++) {
  const isFirst = i % 2 === 0;
  const first = measure(isFirst ? asItIs : bare);
  const second = measure(isFirst ? bare : asItIs);
  found.push(isFirst ? { costs: first, bareCosts: second } : { costs: second, bareCosts: first });
}
for (const [kind, what, budget] of [
  ['fetch', 'a fetch of 20 derived metrics over 64 instances', BUDGETS.whyFetch],
  ['range', 'a range of 500 samples of 21 metrics as rates', BUDGETS.whyRange],
] as const) {
  heading(what);
  const us = Math.min(...found.map(({ costs }) => costs[kind]));
  const bareUs = Math.min(...found.map(({ bareCosts }) => bareCosts[kind]));
  report('without why', us, 'microsec');
  report(
    'the same, against code that cannot explain',
    us / bareUs,
    'ratio',
    budget.limit,
    spreadOf(found.map(({ costs, bareCosts }) => costs[kind] / bareCosts[kind])),
  );
}
heading('a fetch of 20 derived metrics over 64 instances, explained');
const traced = found.map(({ costs }) => costs.tracedFetch / costs.fetch);
report('with what why takes down, against without', median(traced), 'ratio');
