/**
 * Ranges over 1 to all of the metrics of a recording, beside pmrep: values at an interval, every recorded sample, and means of
 * buckets, for which pmrep has to read every recorded sample, too. The recording is generated (40 MB of 1,000 metrics, or
 * BENCH_ARCHIVE_MB), or that whose base path BENCH_ARCHIVE names. Times are CPU time of the process, user and system: of pmrep
 * with its start and its printing as CSV, of the built gateway from the request to the last byte of JSON, after it has run for a
 * while. Cold means that the gateway has never heard of the archive, warm that it was asked for the same before; both sides read
 * from the system's page cache.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, linkSync, readdirSync, copyFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { BUDGETS } from './budgets.js';
import { writeMixedArchive } from './support/mixed-archive.js';
import { cpuUs } from './support/proc.js';
import { readWhole } from './support/read-whole.js';
import { heading, IS_QUICK, median, report, skip } from './support/report.js';
import { startServer } from './support/server-process.js';
import { workDirectory } from './support/work-directory.js';

const MEGABYTES = Number(process.env['BENCH_ARCHIVE_MB'] ?? 40);
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 3);
const COUNTS = [1, 10, 100, 311, Infinity];
const PMREP = ['/usr/bin/python3', '/usr/bin/pmrep'];
/** Long enough that pmrep has some 25 rows, or as many samples as were recorded. */
const WINDOW_SEC = 480;
const KINDS = [
  ['at an interval', 'interval=20', ['-t', '20']],
  ['recorded samples', '', ['-u']],
  ['means of 24 buckets', 'points=24', ['-u']],
] as const;

const directory = workDirectory();

const own = process.env['BENCH_ARCHIVE'];
const base = own ?? writeMixedArchive(directory, 'mixed', MEGABYTES).base;
let copies = 0;

/** The archive by a name that the gateway has never heard: for it, it is another one, of which it knows nothing. */
function unheardName(): string {
  const name = `copy${copies++}`;
  for (const file of readdirSync(path.dirname(base))) {
    const suffix = file.slice(path.basename(base).length);
    if (!file.startsWith(`${path.basename(base)}.`)) continue;
    const [from, to] = [path.join(path.dirname(base), file), path.join(directory, name + suffix)];
    try {
      linkSync(from, to);
    } catch {
      copyFileSync(from, to);
    }
  }
  return name;
}

/** The parameters go in the body: names of many metrics are too long for a URL. */
const ask = (target: string, form: string): Promise<Buffer> => readWhole(gateway.port, target, { agent, form });

interface Times {
  readonly cpuMs: number;
  readonly wallMs: number;
}

async function timeGateway(parameters: string): Promise<Times> {
  const [cpu, wall] = [cpuUs(gateway.child.pid!), performance.now()];
  await ask('/pmapi/fetch', parameters);
  return { cpuMs: (cpuUs(gateway.child.pid!) - cpu) / 1000, wallMs: performance.now() - wall };
}

/** pmrep over the same window; undefined where it cannot. */
function timePmrep(options: readonly string[], names: readonly string[], start: number): Times | undefined {
  const isoOf = (sec: number): string => `@${new Date(sec * 1000).toISOString().slice(0, 19).replace('T', ' ')}`;
  const window = ['-Z', 'UTC', '-S', isoOf(start), '-T', isoOf(start + WINDOW_SEC)];
  const command = [...PMREP, '-5', '-I', '-o', 'csv', '-a', base, ...window, ...options, ...names];
  const wall = performance.now();
  // The shell's `times` says what its children took; the answer itself goes nowhere.
  const script = '"$@" >/dev/null 2>&1 || exit 1; times';
  const { stdout, status } = spawnSync('/bin/sh', ['-c', script, 'sh', ...command], {
    encoding: 'utf8',
    env: { ...process.env, PCP_DERIVED_CONFIG: '', TZ: 'UTC', LC_ALL: 'C' },
  });
  if (status !== 0) return undefined;
  const wallMs = performance.now() - wall;
  const times = [
    ...stdout
      .trimEnd()
      .split('\n')[1]!
      .matchAll(/(\d+)m([\d.]+)s/g),
  ];
  return { cpuMs: times.reduce((sum, [, min, sec]) => sum + 60_000 * Number(min) + 1000 * Number(sec), 0), wallMs };
}

const agent = new http.Agent();
const gateway = await startServer(['dist/pmgate.js', '--port', '0'], { PMGATE_ARCHIVES_ROOTS: directory });
try {
  const hasPmrep = existsSync(PMREP[1]!) && existsSync(PMREP[0]!);
  if (!hasPmrep) skip('pmrep is not installed: no ratios');
  const first = unheardName();
  const listed = JSON.parse((await ask('/pmapi/metric', `archive=${first}`)).toString()) as {
    metrics: readonly { readonly name: string }[];
  };
  const all = listed.metrics.map(({ name }) => name);
  const { start, end } = JSON.parse((await ask('/pmapi/context', `archive=${first}`)).toString()) as Record<
    string,
    number
  >;
  const from = Math.floor(start! + Math.max(0, end! - start! - WINDOW_SEC) / 3);
  const parametersOf = (archive: string, names: readonly string[], range: string): string =>
    `archive=${archive}&format=columns&start=${from}&finish=${from + WINDOW_SEC}&names=${names.join()}${range === '' ? '' : `&${range}`}`;
  // Let the engine compile what it will: a gateway has been running for a while when it is asked.
  for (let i = 0; i < (IS_QUICK ? 1 : 4); i++) {
    for (const [, range] of KINDS) await ask('/pmapi/fetch', parametersOf(unheardName(), all.slice(0, 300), range));
  }
  for (const [kind, range, options] of KINDS) {
    for (const count of COUNTS) {
      // Spread over the recording's subtrees, as what is asked for together is not all of one kind.
      const wanted = Math.min(count, all.length);
      const names = Array.from({ length: wanted }, (_, i) => all[Math.floor((i * all.length) / wanted)]!);
      heading(`${names.length} metrics, ${kind}, over ${WINDOW_SEC / 60} minutes`);
      const cold: Times[] = [];
      const warm: Times[] = [];
      const pmrep: Times[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const parameters = parametersOf(unheardName(), names, range);
        cold.push(await timeGateway(parameters));
        warm.push(await timeGateway(parameters));
        const tool = hasPmrep ? timePmrep(options, names, from) : undefined;
        if (tool) pmrep.push(tool);
      }
      const cpu = (times: readonly Times[]): number => median(times.map((one) => one.cpuMs));
      const wall = (times: readonly Times[]): number => median(times.map((one) => one.wallMs));
      report('cold', cpu(cold), 'ms CPU');
      report('cold, wall', wall(cold), 'millisec');
      report('warm', cpu(warm), 'ms CPU');
      report('warm, wall', wall(warm), 'millisec');
      if (pmrep.length === 0) continue;
      report('pmrep', cpu(pmrep), 'ms CPU');
      report('pmrep, wall', wall(pmrep), 'millisec');
      const budget = count === 311 && kind === KINDS[0][0] ? BUDGETS.rangesMany : BUDGETS.rangesCold;
      report('cold, against pmrep', cpu(cold) / cpu(pmrep), '', budget.limit);
      report('warm, against pmrep', cpu(warm) / cpu(pmrep), '');
    }
  }
} finally {
  agent.destroy();
  await gateway.stop();
}
