import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ContextManager } from '../../../../src/context/index.js';
import { DefinitionStore } from '../../../../src/derived/index.js';
import { OwnContext } from '../../../../src/features/recorder/own-context.js';
import { Recorder } from '../../../../src/features/recorder/index.js';
import { shareAllowance } from '../../../../src/features/recorder/who/byte-allowance.js';
import { ProcessSampler } from '../../../../src/features/recorder/who/process-sampler.js';
import { makeIndom, makePmid, MetricType, PM_ERR, Semantics } from '../../../../src/pmapi/index.js';
import { ArchiveBench, disposeOfBenches, fetchAll } from '../../../sources/archive/support.js';
import { FakeClock } from '../../../support/fake-clock.js';
import { ManualTimers } from '../../../support/manual-timers.js';
import { descriptor } from '../../../support/memory-gateway.js';
import { MemorySource } from '../../../support/memory-source.js';
import type { MemoryMetric, MemoryValue } from '../../../support/memory-source.js';
import { temporaryDirectory } from '../../../support/temporary-directory.js';

afterEach(disposeOfBenches);

const INDOM = makeIndom(3, 9);
const SECRET = '--password=hunter2';

interface FakeProcess {
  readonly start: number;
  readonly name: string;
  readonly cpu?: number;
  readonly rss?: number;
  readonly io?: number;
}

/** Metrics of a process: its name, its type and its value. */
const METRICS: readonly (readonly [
  name: string,
  type: number,
  value: (process: FakeProcess) => MemoryValue | undefined,
])[] = [
  ['proc.psinfo.start_time', MetricType.U64, ({ start }) => BigInt(start)],
  ['proc.psinfo.cmd', MetricType.STRING, ({ name }) => name],
  ['proc.psinfo.psargs', MetricType.STRING, ({ name }) => `${name} ${SECRET}`],
  ['proc.psinfo.ppid', MetricType.U32, () => 1],
  ['proc.psinfo.utime', MetricType.U64, ({ cpu = 0 }) => BigInt(cpu)],
  ['proc.psinfo.stime', MetricType.U64, () => 0n],
  ['proc.psinfo.cutime', MetricType.U64, () => 0n],
  ['proc.psinfo.cstime', MetricType.U64, () => 0n],
  ['proc.psinfo.rss', MetricType.U64, ({ rss = 0 }) => BigInt(rss)],
  ['proc.psinfo.maj_flt', MetricType.U32, () => 0],
  ['proc.io.read_bytes', MetricType.U64, ({ io }) => (io === undefined ? undefined : BigInt(io))],
  ['proc.io.write_bytes', MetricType.U64, ({ io }) => (io === undefined ? undefined : 0n)],
];
const NAMES = METRICS.map(([name]) => name);
const BESIDES = ['proc.psinfo.psargs'];
const pmidOf = (name: string): number => makePmid(3, 8, NAMES.indexOf(name));

describe('ProcessSampler', () => {
  const root = temporaryDirectory();
  let number = 0;

  /** A recorder of the processes of a host in memory. */
  class Bench {
    readonly directory = path.join(root.path, `r${++number}`);
    readonly clock = new FakeClock(Date.UTC(2026, 10, 22, 10));
    readonly timers = new ManualTimers();
    readonly said: string[] = [];
    processes = new Map<number, FakeProcess>();
    error: number | undefined;
    /** Instances of processes that the last fetches asked for. */
    listed = 0;
    readonly sampler: ProcessSampler;
    readonly recorder: Recorder;

    constructor({ commandLines = false, missing = '', bytesPerDay = 1e9 } = {}) {
      const metrics = METRICS.filter(([name]) => name !== missing).map(([name, type, value]): MemoryMetric => ({
        name,
        descriptor: descriptor(pmidOf(name), { type: type as 1, indom: INDOM, semantics: Semantics.INSTANT }),
        values: () => {
          if (this.error !== undefined) return { error: this.error };
          const values = [...this.processes].map(([pid, one]) => [pid, value(one)] as const);
          return new Map(values.filter((entry): entry is [number, MemoryValue] => entry[1] !== undefined));
        },
      }));
      const noteListing = (): number => this.listed++;
      class Source extends MemorySource {
        override instances(indom: number): ReturnType<MemorySource['instances']> {
          noteListing();
          return super.instances(indom);
        }
      }
      const contexts = new ContextManager({
        definitions: new DefinitionStore(),
        sources: {
          open: () =>
            Promise.resolve(
              new Source({ hostName: 'web1', metrics, indoms: [{ indom: INDOM, instances: [] }] }, this.clock),
            ),
        },
        clock: this.clock,
        limits: { contexts: 10, pollTimeoutMs: 5000, maxPollTimeoutMs: 60_000 },
      });
      const say = (message: string, { reason = '' }: Readonly<Record<string, unknown>>): void =>
        void this.said.push(`${message}: ${String(reason)}`);
      const log = { info: say, warn: say };
      const spec = { kind: 'host', hostspec: 'embedded' } as const;
      const context = new OwnContext(contexts, spec);
      const each = NAMES.filter((name) => !BESIDES.includes(name));
      this.sampler = new ProcessSampler({ context, metrics: each, besides: BESIDES, commandLines, log });
      const [allowance] = shareAllowance(bytesPerDay, 1, () => this.timers.nowMs());
      this.recorder = new Recorder({
        contexts,
        spec,
        groups: [{ intervalMs: 10_000, metrics: NAMES, sampler: this.sampler, allowance: allowance! }],
        recordsDerived: () => false,
        directory: this.directory,
        keepDays: 7,
        keepBytes: 256 * 1024 * 1024,
        volumeBytes: 4 * 1024 * 1024,
        clock: this.clock,
        timers: this.timers,
        log,
      });
    }

    async start(): Promise<void> {
      await this.recorder.start();
      await this.recorder.settled();
    }

    /** The next sample, of changed processes. */
    async next(processes: Readonly<Record<number, FakeProcess>>, clockMs = 10_000): Promise<void> {
      this.processes = new Map(Object.entries(processes).map(([pid, one]) => [Number(pid), one]));
      this.clock.advance(clockMs);
      this.timers.advance(10_000);
      await this.recorder.settled();
    }

    archives(): string[] {
      const bases = readdirSync(this.directory).flatMap((name) => /^(.*)\.meta(?:\.gz)?$/.exec(name)?.[1] ?? []);
      return bases.map((base) => path.join(this.directory, base)).sort();
    }

    /** What was recorded of a metric: values by process, a sample each. */
    async recorded(name: string): Promise<unknown[]> {
      const reader = new ArchiveBench();
      const samples: unknown[] = [];
      for (const base of this.archives()) {
        const { fetches } = await fetchAll(await reader.open(base), [pmidOf(name)], 1000);
        samples.push(...fetches.map(([, set]) => set).filter((set) => set !== 'mark'));
      }
      await reader.dispose();
      return samples;
    }

    /** All bytes on the disk. */
    bytes(): string {
      return readdirSync(this.directory)
        .map((name) => readFileSync(path.join(this.directory, name), 'latin1'))
        .join('');
    }
  }

  it('records those that are busy, from the start of a new one to the end of an old one', async () => {
    const bench = new Bench();
    await bench.start();
    const idle = { start: 5, name: 'idle', io: 0 };
    await bench.next({ 1: idle, 2: { start: 7, name: 'cat', io: 0 } });
    await bench.next({ 1: idle, 2: { start: 7, name: 'cat', io: 0 } });
    await bench.next({
      1: idle,
      2: { start: 7, name: 'cat', cpu: 10, io: 5000 },
      3: { start: 900, name: 'hog', cpu: 8000, io: 0 },
    });
    await bench.next({ 1: idle, 3: { start: 900, name: 'hog', cpu: 18_000, io: 0 } });
    await bench.next({ 1: idle, 3: { start: 2900, name: 'other', cpu: 1, io: 0 } });
    await bench.recorder.close();
    expect((await bench.recorded('proc.psinfo.utime')).slice(-3)).toEqual([
      { 2: 10n, 3: 8000n },
      { 3: 18_000n },
      { 3: 1n },
    ]);
    expect((await bench.recorded('proc.psinfo.start_time')).slice(-2)).toEqual([{ 3: 900n }, { 3: 2900n }]);
    expect(bench.said).toEqual([]);
    expect(bench.listed).toBe(0);
    if (existsSync('/usr/bin/pmlogcheck')) {
      for (const archive of bench.archives()) {
        const { stdout, stderr } = spawnSync('pmlogcheck', ['-w', archive], { encoding: 'utf8' });
        expect(stdout + stderr).toBe('');
      }
    }
  });

  it('writes nothing of a command line, unless it is told to', async () => {
    for (const commandLines of [false, true]) {
      const bench = new Bench({ commandLines });
      await bench.start();
      await bench.next({ 12: { start: 5, name: 'mysql', cpu: 10, io: 0 } });
      await bench.recorder.close();
      expect(bench.bytes().includes('hunter2')).toBe(commandLines);
      expect(bench.bytes()).toContain(commandLines ? `000012 mysql ${SECRET}\0` : '000012 mysql\0');
      const line = commandLines ? `mysql ${SECRET}` : '(mysql)';
      expect((await bench.recorded('proc.psinfo.psargs')).at(-1)).toEqual({ 12: line });
    }
  });

  it('records any name', async () => {
    const bench = new Bench();
    const names = [
      '',
      ' ',
      'a b',
      '(sd-pam)',
      'x\\ny',
      '\u001b[2J',
      '"]}',
      '\ufffd\ufffd',
      'žluťoučký kůň',
      '000001 init',
    ];
    await bench.start();
    await bench.next(Object.fromEntries(names.map((name, i) => [i + 1, { start: i, name, cpu: 10, io: 0 }])));
    await bench.recorder.close();
    expect((await bench.recorded('proc.psinfo.cmd')).at(-1)).toEqual(
      Object.fromEntries(names.map((name, i) => [i + 1, name])),
    );
    expect(bench.said).toEqual([]);
  });

  it('says once what it may not record, and goes on when it may', async () => {
    const bench = new Bench();
    bench.error = PM_ERR.PERMISSION;
    await bench.start();
    await bench.next({});
    await bench.next({});
    expect(bench.said).toEqual(['processes are not recorded: No permission to perform requested operation']);
    expect(bench.sampler.problem).toBe(bench.said[0]);
    expect(bench.recorder.statistics).toMatchObject({ samples: 0, errors: 0 });
    bench.error = undefined;
    await bench.next({ 1: { start: 1, name: 'a', cpu: 10, io: 0 } });
    expect(bench.said.slice(1)).toEqual(['processes are recorded: ']);
    expect(bench.sampler.problem).toBeUndefined();
    await bench.next({ 1: { start: 1, name: 'a', cpu: 20 } });
    await bench.next({ 1: { start: 1, name: 'a', cpu: 30 } });
    await bench.next({ 1: { start: 1, name: 'a', cpu: 40 } });
    expect(bench.said.slice(2)).toEqual([
      'the I/O of some processes is not recorded: No permission to perform requested operation',
    ]);
    expect(bench.recorder.statistics.samples).toBe(4);
    // Not chosen, and so not known: nothing new.
    for (const cpu of [40, 40, 40, 50, 60])
      await bench.next({ 1: { start: 1, name: 'a', cpu }, 2: { start: 1, name: 'b', cpu: cpu * 2, io: 0 } });
    expect(bench.said).toHaveLength(3);
    for (const cpu of [70, 80]) await bench.next({ 1: { start: 1, name: 'a', cpu, io: 0 } });
    expect(bench.said.slice(3)).toEqual(['processes are recorded: ']);
    await bench.recorder.close();
  });

  it('says so where a host has no processes', async () => {
    const bench = new Bench({ missing: 'proc.psinfo.start_time' });
    await bench.start();
    expect(bench.sampler.problem).toBe('processes are not recorded: the host has no proc.psinfo.start_time');
    expect(bench.recorder.statistics.errors).toBe(0);
    await bench.recorder.close();
  });

  it('is not confused by a step of the clock', async () => {
    const bench = new Bench();
    const one = (cpu: number, idle = 0): Record<number, FakeProcess> => ({
      1: { start: 1, name: 'a', cpu, io: 0 },
      2: { start: 1, name: 'b', cpu: idle, io: 0 },
    });
    await bench.start();
    for (const cpu of [10, 20, 30]) await bench.next(one(cpu));
    await bench.next(one(40), -3_600_000);
    await bench.next(one(50), 7_200_000);
    await bench.recorder.close();
    expect(bench.archives()).toHaveLength(2);
    for (const cpu of [30n, 40n, 50n]) expect(await bench.recorded('proc.psinfo.utime')).toContainEqual({ 1: cpu });
  });

  it('leaves out samples when its allowance is used up', async () => {
    const bench = new Bench({ bytesPerDay: 24_000 });
    await bench.start();
    for (let i = 1; i <= 20; i++) await bench.next({ 1: { start: 1, name: 'a', cpu: i * 10, io: 0 } });
    const { samples, thinned } = bench.recorder.statistics;
    expect(samples + thinned).toBe(21);
    expect(samples).toBeGreaterThan(0);
    expect(thinned).toBeGreaterThan(10);
    await bench.recorder.close();
  });
});
