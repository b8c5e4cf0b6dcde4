/**
 * A machine with 20,000 processes, as files below a root of its own: what it takes to measure it twice and to say who it is, and what a sample of
 * the recorder takes. One process computes. Files in memory are read in about the time of those of the kernel.
 */
import { cpSync, mkdirSync, statfsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ContextManager } from '../../src/context/index.js';
import { sharedMeasure } from '../../src/culprits/index.js';
import { LiveMemory } from '../../src/context/range/index.js';
import { diagnose, metricsOf } from '../../src/features/diagnosis/operations.js';
import { readRules } from '../../src/features/diagnosis/rules.js';
import { OwnContext } from '../../src/features/recorder/own-context.js';
import { ProcessSampler } from '../../src/features/recorder/who/process-sampler.js';
import { systemTimers } from '../../src/kit/index.js';
import { systemClock } from '../../src/pmapi/index.js';
import { LinuxCollector } from '../../src/sources/linux/index.js';
import { BUDGETS, type Limit } from './budgets.js';
import { heading, IS_QUICK, report, skip } from './support/report.js';
import { watchTurns, type Took } from './support/turns.js';
import { workDirectory } from './support/work-directory.js';

const PROCESSES = IS_QUICK ? 200 : 20_000;
const ROUNDS = IS_QUICK ? 1 : 3;
const FILES = ['stat', 'statm', 'status', 'cgroup', 'io', 'cmdline'];
const HOG = 4242;
const MEMORY = '/dev/shm';
const TREE_BYTES = 600e6;
const TICKS_PER_MS = 0.1;

const isRoomy = (): boolean => {
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize > TREE_BYTES;
};
const root = workDirectory(isRoomy() ? MEMORY : undefined);

/** /proc/PID/stat of a process that used so much processor time. */
function statOf(pid: number, cpuMs: number): string {
  const ticks = Math.round(cpuMs * TICKS_PER_MS);
  return `${pid} (${pid === HOG ? 'hog' : 'idle'}) S 1 1 1 0 -1 0 9 0 0 0 ${ticks} 0 0 0 20 0 1 0 5000 3133440 390 0 0 0 0 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0 0 0 0 0 0 0 0 0\n`;
}

function writeProcesses(): void {
  for (let pid = 1; pid <= PROCESSES; pid++) {
    const folder = path.join(root, 'proc', String(pid));
    mkdirSync(path.join(folder, 'fd'), { recursive: true });
    for (const file of FILES) {
      if (file === 'stat') writeFileSync(path.join(folder, file), statOf(pid, 0));
      else cpSync(`/proc/self/${file}`, path.join(folder, file));
    }
  }
  for (const file of ['stat', 'meminfo', 'uptime', 'loadavg', 'vmstat', 'mounts', 'diskstats', 'cpuinfo']) {
    cpSync(`/proc/${file}`, path.join(root, 'proc', file));
  }
}

function compute(ms: number): void {
  writeFileSync(path.join(root, 'proc', String(HOG % PROCESSES), 'stat'), statOf(HOG % PROCESSES, ms));
}

if (process.platform !== 'linux') skip('there is no /proc here');
else await run();

function reportAll(name: string, took: readonly Took[], budget?: Limit): void {
  const of = (key: keyof Took): readonly number[] => took.map((one) => one[key]);
  report(name, of('ms'), 'millisec', budget);
  report('the same, CPU time', of('cpuMs'), 'ms CPU');
  report('longest turn of the event loop meanwhile', of('turnMs'), 'millisec', BUDGETS.processesTurn.limit);
}

async function run(): Promise<void> {
  writeProcesses();
  const collector = new LinuxCollector({ clock: systemClock, root });
  const contexts = new ContextManager({
    sources: { open: () => Promise.resolve(collector.open()) },
    clock: systemClock,
    limits: { contexts: 10, pollTimeoutMs: 3_600_000, maxPollTimeoutMs: 3_600_000 },
    memory: new LiveMemory(systemClock),
  });
  const spec = { kind: 'host', hostspec: 'embedded' } as const;
  const { rules } = readRules([]);
  const { signal } = new AbortController();
  const measure = sharedMeasure({ timers: systemTimers, clock: systemClock });
  heading(`${PROCESSES} processes`);
  let usedMs = 0;
  const measured: Took[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const context = await contexts.shared(spec);
    const took = await watchTurns(async () => {
      const waiting = measure(context, metricsOf(rules), signal);
      const busy = setInterval(() => compute((usedMs += 1000)), 1000);
      const { window } = await waiting;
      clearInterval(busy);
      await diagnose(context, rules, window, { signal });
    });
    measured.push(took);
  }
  reportAll('a diagnosis of now, with its two seconds', measured, BUDGETS.processesDiagnosis.limit);
  const ignore = (): void => undefined;
  const sampler = new ProcessSampler({
    context: new OwnContext(contexts, spec),
    metrics: metricsOf(rules).filter((name) => name.startsWith('proc.')),
    besides: [],
    commandLines: false,
    log: { info: ignore, warn: (message, fields) => process.stderr.write(`${message} ${JSON.stringify(fields)}\n`) },
  });
  const sampled: Took[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    compute((usedMs += 1000));
    const took = await watchTurns(async () => (await sampler.take())?.kept.release());
    if (round > 0) sampled.push(took);
  }
  reportAll("a sample of the recorder's processes", sampled);
  sampler.close();
  await contexts.close();
}
