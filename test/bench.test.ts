import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { BUDGETS, budgetsTable, isMet } from './bench/budgets.js';
import { runIsolated } from './bench/support/isolated.js';
import type { Entry } from './bench/support/report.js';
import { stageTables } from './bench/support/stages.js';
import { type Run, missedOf, summaryText, unlistedOf } from './bench/support/summary.js';
import { temporaryDirectory } from './support/temporary-directory.js';

const MACHINE = {
  date: '2026-11-20T20:00:00.000Z',
  cores: 2,
  cpu: 'some CPU',
  memoryGib: 24,
  kernel: '6.1',
  node: 'v20.19.0',
  pcp: 'not installed',
  loadGenerator: 'wrk',
  load: [0.5, 0.4, 0.3],
};

function runOf(entries: readonly Entry[], exitCode = 0): Run {
  return { machine: MACHINE, isQuick: false, outcomes: [{ bench: 'http', exitCode, seconds: 1, entries }] };
}

const ratio = (value: number): Entry => ({
  bench: 'http',
  heading: 'fetch',
  name: 'pmgate / bare node:http',
  value,
  unit: 'ratio',
  budget: BUDGETS.httpFetch.limit,
});

describe('budgets of the benchmarks', () => {
  it('are those of the table in test/bench/README.md', () => {
    expect(readFileSync('test/bench/README.md', 'utf8')).toContain(`\n\n${budgetsTable()}\n\n`);
  });

  it.each([
    [2, { atMost: 2 }, true],
    [2.1, { atMost: 2 }, false],
    [1, { atLeast: 1 }, true],
    [0.9, { atLeast: 1 }, false],
    [Number.NaN, { atMost: 2 }, false],
  ])('are met or not: %d with %j', (value, limit, met) => expect(isMet(value, limit)).toBe(met));
});

describe('summaryText', () => {
  it('says what is met and what is missed, and compares with others', () => {
    const text = summaryText(runOf([ratio(0.61), ratio(0.42)]));
    expect(text).toContain('1 of 2 budgets met, 1 missed.');
    expect(text).toMatch(
      /\| http\s+\| fetch: pmgate \/ bare node:http\s+\| 0\.420\s+\| at least 0\.6 \| \*\*missed\*\* \|/,
    );
    expect(text).toMatch(/\| bare node:http \| http/);
    expect(text).toContain('2 cores of some CPU');
  });

  it('takes a figure that is no number for a missed one, also from a file', () => {
    const [entry] = JSON.parse(JSON.stringify([ratio(Number.NaN)])) as [Entry];
    expect(missedOf(runOf([entry]))).toHaveLength(1);
    expect(summaryText(runOf([entry]))).toContain('NaN');
  });

  it('finds a budget that no table has', () => {
    expect(unlistedOf(runOf([{ ...(ratio(1) as object), budget: { atLeast: 0.7 } } as Entry]))).toHaveLength(1);
    expect(unlistedOf(runOf([ratio(1)]))).toEqual([]);
  });
});

describe('stageTables', () => {
  const frame = (id: number, functionName: string, url: string, ...children: number[]) => ({
    ...{ id, children },
    callFrame: { functionName, url },
  });

  it('sums up what each module took itself, and keeps the loading of modules apart', () => {
    const nodes = [
      frame(1, '(root)', '', 2, 4, 6),
      frame(2, 'run', 'node:internal/modules/esm/module_job', 3),
      frame(3, '', 'file:///a/dist/http/app.js'),
      frame(4, 'fetch', 'file:///a/dist/http/app.js', 5),
      frame(5, 'get', 'file:///a/node_modules/lru-cache/index.js'),
      frame(6, '(idle)', ''),
    ];
    const profile = { nodes, samples: [2, 3, 4, 5, 6, 4], timeDeltas: [1000, 1000, 3000, 2000, 90_000, 3000] };
    const text = stageTables([profile]);
    expect(text).toMatch(/\| src\/http +\| 6 +\| 60.0 % \|[^]*\| src\/http\/app +\| 6 +\| 60.0 % \| fetch 6/);
    expect(text).toMatch(/\| loading modules +\| 2 +\| 20.0 % \|[^]*\| lru-cache +\| 2 /);
    expect(text).not.toContain('idle');
  });
});

describe('runIsolated', () => {
  const directory = temporaryDirectory().path;
  const child = path.join(directory, 'child');

  /** A program that starts a server and says which, then does `end`. */
  const program = (end: string): readonly string[] => [
    '--input-type=module',
    '--eval',
    `import { spawn } from 'node:child_process';
     import { writeFileSync } from 'node:fs';
     const server = spawn('sleep', ['1000'], { stdio: 'ignore' });
     writeFileSync(${JSON.stringify(child)}, String(server.pid));
     ${end}`,
  ];
  /** What the kernel says of the server's process: zombies are dead. */
  const serverLives = (): boolean => {
    try {
      return !/\) [ZX] /.test(readFileSync(`/proc/${readFileSync(child, 'latin1')}/stat`, 'latin1'));
    } catch {
      return false;
    }
  };

  it.each([
    ['breaks', 'process.exit(3);', 60_000, 3],
    ['hangs', '', 5000, 124],
  ])('ends what a program leaves behind that %s', async (_what, end, limitMs, code) => {
    expect(await runIsolated(program(end), { limitMs })).toBe(code);
    expect(readFileSync(child, 'latin1')).toMatch(/^\d+$/);
    while (serverLives()) await new Promise((resolve) => setImmediate(resolve));
    rmSync(child);
  });
});
