import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ContextManager, type ContextManagerOptions } from '../../src/context/index.js';
import { DefinitionStore } from '../../src/derived/index.js';
import { OwnContext } from '../../src/features/recorder/own-context.js';
import { Recorder } from '../../src/features/recorder/index.js';
import { ProcessSampler } from '../../src/features/recorder/who/process-sampler.js';
import { LinuxCollector } from '../../src/sources/linux/index.js';
import { PmcdPools } from '../../src/sources/pmcd/index.js';
import { FakeClock } from '../support/fake-clock.js';
import { ManualTimers } from '../support/manual-timers.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { until } from '../support/until.js';
import { type RunningPmcd, describeWithPcp, startPmcd } from './support/pmcd.js';
import { hasReportingTools, pmrep } from './support/pmrep.js';

const SECRET = 'hunter2';
const CONFIG = path.resolve('config/record');

const namesIn = (file: string): string[] =>
  readFileSync(path.join(CONFIG, file), 'utf8')
    .split('\n')
    .filter((line) => /^\w/.test(line));

/** CPU time of a process, in ticks. */
function ticksOf(pid: number): number {
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  return Number(fields.split(' ')[11]) + Number(fields.split(' ')[12]);
}

describeWithPcp('the history of processes', () => {
  const root = temporaryDirectory();
  const clock = new FakeClock(Date.now());
  let hog: ChildProcess;
  let collector: LinuxCollector;
  let pmcd: RunningPmcd;
  const pools = new PmcdPools({ connectTimeoutMs: 60_000, replyTimeoutMs: 60_000 });

  beforeAll(async () => {
    // At a real-time priority it is among the busiest, whatever else this machine does.
    hog = spawn('chrt', ['-r', '1', 'sh', '-c', 'while :; do :; done', SECRET], { stdio: 'ignore' });
    collector = new LinuxCollector({ clock, snapshotMs: 0 });
    pmcd = await startPmcd();
  });

  afterAll(async () => {
    hog.kill('SIGKILL');
    await pools.close();
    await pmcd.stop();
  });

  /** Records some samples, between which the hog works; returns the base of the archive, and what was said. */
  async function record(name: string, sources: NonNullable<ContextManagerOptions['sources']>) {
    const timers = new ManualTimers();
    const contexts = new ContextManager({
      definitions: new DefinitionStore(),
      sources,
      clock,
      limits: { contexts: 10, pollTimeoutMs: 5000, maxPollTimeoutMs: 60_000 },
    });
    const said: string[] = [];
    const say = (message: string, fields: Readonly<Record<string, unknown>>): void =>
      void said.push(`${message}: ${String(fields.reason)}`);
    const log = { info: say, warn: say };
    const spec = { kind: 'host', hostspec: 'localhost' } as const;
    const who = namesIn('who.txt');
    const metrics = who.filter((metric) => metric.startsWith('proc.'));
    const sampler = new ProcessSampler({
      context: new OwnContext(contexts, spec),
      metrics,
      besides: namesIn('who-besides.txt'),
      commandLines: false,
      log,
    });
    const intervalMs = 10_000;
    const recorder = new Recorder({
      contexts,
      spec,
      groups: [
        { intervalMs, metrics: namesIn('core-metrics.txt') },
        { intervalMs, metrics, sampler },
        { intervalMs, metrics: who.filter((metric) => !metrics.includes(metric)), isOptional: true },
      ],
      recordsDerived: () => false,
      directory: path.join(root.path, name),
      keepDays: 7,
      keepBytes: 256 * 1024 * 1024,
      volumeBytes: 4 * 1024 * 1024,
      clock,
      timers,
      log,
    });
    await recorder.start();
    await recorder.settled();
    for (let i = 0; i < 5; i++) {
      const before = ticksOf(hog.pid!);
      // Instances come and go: deltas that libpcp has to read.
      const guest = spawn('sh', ['-c', 'while :; do :; done'], { stdio: 'ignore' });
      await until(() => ticksOf(hog.pid!) > before + 2 && ticksOf(guest.pid!) > 1);
      clock.advance(intervalMs);
      timers.advance(intervalMs);
      await recorder.settled();
      guest.kill('SIGKILL');
    }
    await recorder.close();
    const files = readdirSync(path.join(root.path, name));
    const bytes = files.map((file) => readFileSync(path.join(root.path, name, file), 'latin1')).join('');
    const base = path.join(root.path, name, files.find((file) => file.endsWith('.meta'))!.slice(0, -5));
    return { base, said, bytes };
  }

  const env = { ...process.env, PATH: `/usr/bin:${process.env.PATH ?? ''}`, TERM: 'xterm', PCP_DERIVED_CONFIG: '' };
  const run = (command: string, ...args: readonly string[]): string =>
    execFileSync(command, args, { encoding: 'utf8', env });

  /** The tools read an archive, and find the hog. */
  function checkWithTools(base: string): void {
    const pid = String(hog.pid);
    expect(run('pmlogcheck', '-w', base)).toBe('');
    expect(run('pminfo', '-f', '-a', base, 'proc.psinfo.cmd')).toMatch(/^ {4}inst \[\d+ or "\d{6} \S.*"\] value "/m);
    if (!hasReportingTools()) return;
    const { columns } = pmrep(['-u', '-r', '-a', base], ['proc.psinfo.utime', 'proc.psinfo.start_time']);
    const values = columns.get(`proc.psinfo.utime-${pid.padStart(6, '0')} sh`)!.filter((value) => value !== undefined);
    expect(values.length).toBeGreaterThanOrEqual(3);
    expect(values.at(-1)).toBeGreaterThan(values[0]!);
  }

  it('of the embedded collector is read by PCP, and has nothing of a command line', async () => {
    const { base, bytes, said } = await record('embedded', { open: () => Promise.resolve(collector.open()) });
    expect(bytes).not.toContain(SECRET);
    expect(said.filter((line) => !line.startsWith('the I/O'))).toEqual([]);
    checkWithTools(base);
    const pid = String(hog.pid);
    expect(run('pcp', '-a', base, 'ps')).toMatch(new RegExp(`^\\S+ +${pid}\\s.*\\bsh *$`, 'm'));
    expect(run('pcp', '-a', base, 'pidstat')).toMatch(new RegExp(`\\t${pid}\\t.*\\tsh$`, 'm'));
    // It ends with the archive, which it counts as an error.
    expect(spawnSync('pcp', ['atop', '-r', base], { encoding: 'utf8', env }).stdout).toMatch(
      new RegExp(`^ *${pid} .* sh *$`, 'm'),
    );
  });

  it('of a pmcd is read by PCP, and has nothing of a command line', async () => {
    const { base, bytes } = await record('pmcd', { open: () => pools.open(`unix://${pmcd.socket}`) });
    expect(bytes).not.toContain(SECRET);
    checkWithTools(base);
  });

  it('of a pmcd that refuses is missing, which is said once', async () => {
    const { said, base } = await record('refused', { open: () => pools.open(`localhost:${pmcd.port}`) });
    expect(said).toEqual(['processes are not recorded: No permission to perform requested operation']);
    expect(run('pminfo', '-a', base)).not.toContain('proc.psinfo');
  });
});
