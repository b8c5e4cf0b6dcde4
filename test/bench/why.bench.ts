/**
 * What `why` costs where it is not asked for. Two bundles of the same work are measured in turns in one process: the code as it is, and the code without
 * the calls that take down what values went through. CPU time of the process.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import type { Plugin } from 'esbuild';
import { BUDGETS } from './budgets.js';
import { heading, IS_QUICK, median, report, spreadOf } from './support/report.js';
import type { Work } from './support/why-work.js';

const ROUNDS = IS_QUICK ? 3 : 61;
const WARM_UP = IS_QUICK ? 1 : 10;
/** How often each kind of work is done in a round. */
const TIMES = { fetch: 200, tracedFetch: 50, range: 4 };

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

const directory = mkdtempSync(path.join(os.tmpdir(), 'why-bench-'));
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));

async function workOf(name: string, hasCalls: boolean): Promise<Work> {
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
  const { makeWork } = (await import(outfile)) as { makeWork: () => Promise<Work> };
  return makeWork();
}

/** CPU time of doing something so often, in microseconds for each time. */
async function cpuUs(work: () => Promise<void>, times: number): Promise<number> {
  const before = process.cpuUsage();
  for (let i = 0; i < times; i++) await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / times;
}

const asItIs = await workOf('as-it-is', true);
const bare = await workOf('bare', false);

for (const [kind, what, budget] of [
  ['fetch', 'a fetch of 20 derived metrics over 64 instances', BUDGETS.whyFetch],
  ['range', 'a range of 500 samples of 21 metrics as rates', BUDGETS.whyRange],
] as const) {
  heading(what);
  const found: { readonly us: number; readonly ratio: number }[] = [];
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    // Which goes first alternates: garbage of one is collected in the turn of the other.
    const isFirst = round % 2 === 0;
    const first = await cpuUs(isFirst ? asItIs[kind] : bare[kind], TIMES[kind]);
    const second = await cpuUs(isFirst ? bare[kind] : asItIs[kind], TIMES[kind]);
    const [us, bareUs] = isFirst ? [first, second] : [second, first];
    if (round >= 0) found.push({ us, ratio: us / bareUs });
  }
  const ratios = found.map(({ ratio }) => ratio);
  report({ name: 'without why', value: median(found.map(({ us }) => us)), unit: 'microsec' });
  report({
    name: 'the same, against code that cannot explain',
    value: median(ratios),
    unit: 'ratio',
    spread: spreadOf(ratios),
    budget: budget.limit,
  });
}
heading('a fetch of 20 derived metrics over 64 instances, explained');
const traced: number[] = [];
for (let round = 0; round < ROUNDS; round++) {
  const plain = await cpuUs(asItIs.fetch, TIMES.tracedFetch);
  traced.push((await cpuUs(asItIs.tracedFetch, TIMES.tracedFetch)) / plain);
}
report({ name: 'with what why takes down, against without', value: median(traced), unit: 'ratio' });
await asItIs.close();
await bare.close();
