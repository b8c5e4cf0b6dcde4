/**
 * What recording costs: 100 and 1,000 metrics of a pmcd at one second. CPU time of this process, which does nothing else; bytes for a day
 * beside those of a pmlogger that records the same metrics meanwhile; how late samples are. Needs a pmcd on this machine and pmlogger.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ContextManager } from '../../src/context/index.js';
import { DefinitionStore } from '../../src/derived/index.js';
import { systemTimers } from '../../src/kit/index.js';
import { systemClock } from '../../src/pmapi/index.js';
import { Recorder } from '../../src/features/recorder/index.js';
import { PmcdPools } from '../../src/sources/pmcd/index.js';
import { ArchiveBench, recordsOf } from '../sources/archive/support.js';
import { BUDGETS } from './budgets.js';
import { cpuMs, heading, IS_QUICK, report, skip } from './support/report.js';
import { workDirectory } from './support/work-directory.js';

const HOSTSPEC = '127.0.0.1';
const PMLOGGER = '/usr/lib/pcp/bin/pmlogger';
const SECONDS = IS_QUICK ? 2 : 20;
const INTERVAL_MS = 1000;
const DAY_SEC = 86_400;
/** The first sample, and that of pmlogger, bring the metadata: they are not counted. */
const BEGIN_SAMPLES = 3;
/** Metrics whose instances are processes: a recording of them is as large as the machine is busy. */
const PROCESSES = /^(?:proc|hotproc)\./;

const root = workDirectory();
const pools = new PmcdPools();

function bytesIn(directory: string): number {
  return readdirSync(directory).reduce((sum, name) => sum + statSync(path.join(directory, name)).size, 0);
}

function makeRecorder(directory: string, metrics: readonly string[]): Recorder {
  const say = (message: string, fields: unknown): void => console.log(message, fields);
  return new Recorder({
    contexts: new ContextManager({
      definitions: new DefinitionStore(),
      sources: { open: () => pools.open(HOSTSPEC) },
      clock: systemClock,
      limits: { contexts: 10, pollTimeoutMs: 60_000, maxPollTimeoutMs: 60_000 },
    }),
    spec: { kind: 'host', hostspec: HOSTSPEC },
    groups: [{ intervalMs: INTERVAL_MS, metrics }],
    recordsDerived: () => false,
    directory,
    keepDays: 7,
    keepBytes: 2 ** 32,
    volumeBytes: 2 ** 30,
    clock: systemClock,
    timers: systemTimers,
    log: { info: say, warn: say },
  });
}

function startPmlogger(directory: string, metrics: readonly string[]): () => Promise<void> {
  mkdirSync(directory);
  const config = path.join(root, 'pmlogger.conf');
  writeFileSync(config, `log mandatory on 1 second {\n${metrics.join('\n')}\n}\n`);
  // Unbuffered, as the recorder is: else what it still holds is missing in its files.
  const args = ['-u', '-V', '3', '-c', config, '-h', HOSTSPEC, '-l', `${directory}.log`, path.join(directory, 'a')];
  const child = spawn(PMLOGGER, args, { stdio: 'ignore' });
  return async () => {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
  };
}

/** How long after the whole second each counted sample was taken; the largest of them, as a part of the interval. */
async function worstLateness(directory: string): Promise<number> {
  const bench = new ArchiveBench();
  const file = readdirSync(directory).find((name) => name.endsWith('.meta'))!;
  const { records } = await recordsOf(await bench.open(path.join(directory, file.slice(0, -'.meta'.length))));
  await bench.dispose();
  return Math.max(...records.slice(BEGIN_SAMPLES).map(([second]) => (second * 1000) % INTERVAL_MS)) / INTERVAL_MS;
}

async function measure(metrics: readonly string[]): Promise<void> {
  heading(`${metrics.length} metrics at one second, for ${SECONDS} s`);
  const own = path.join(root, `own-${metrics.length}`);
  const theirs = path.join(root, `pmlogger-${metrics.length}`);
  const recorder = makeRecorder(own, metrics);
  await recorder.start();
  const stop = existsSync(PMLOGGER) ? startPmlogger(theirs, metrics) : undefined;
  while (recorder.statistics.samples < BEGIN_SAMPLES) await sleep(100);
  const sizes = (): readonly number[] => [own, ...(stop ? [theirs] : [])].map(bytesIn);
  const before = sizes();
  const { missed, errors } = recorder.statistics;
  const beforeMs = cpuMs();
  await sleep(SECONDS * 1000);
  const share = cpuMs(beforeMs) / 10 / SECONDS;
  const after = sizes();
  const left = recorder.statistics.missed - missed + recorder.statistics.errors - errors;
  await recorder.close();
  await stop?.();
  const [ours, others] = after.map((bytes, i) => ((bytes - before[i]!) / SECONDS) * DAY_SEC);
  const isLarge = metrics.length > 100;
  report('CPU time, of one core', share, '%', (isLarge ? BUDGETS.recordThousand : BUDGETS.recordHundred).limit);
  report('samples missed or failed', left, '');
  report('lateness of the latest sample', (await worstLateness(own)) * 100, '%', BUDGETS.recordLateness.limit);
  report('bytes a day, before compression', ours! / 1e6, 'Mbyte');
  if (!others) {
    skip('no pmlogger recorded the same');
    return;
  }
  report('the same, pmlogger', others / 1e6, 'Mbyte');
  report("bytes, against pmlogger's", ours! / others, '', BUDGETS.recordBytes.limit);
}

const names = await pools
  .open(HOSTSPEC)
  .then((source) => source.traverse(''))
  .catch(() => undefined);
if (!names) skip(`no pmcd on ${HOSTSPEC}`);
else {
  const recorded = names.filter((name) => !PROCESSES.test(name)).sort();
  for (const count of [100, 1000]) {
    // Spread over all of them: neighbours are alike.
    const every = recorded.length / Math.min(count, recorded.length);
    await measure(Array.from({ length: Math.min(count, recorded.length) }, (_, i) => recorded[Math.floor(i * every)]!));
  }
}
await pools.close();
