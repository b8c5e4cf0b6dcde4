import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ContextManager } from '../../../src/context/index.js';
import type { ContextManagerOptions } from '../../../src/context/index.js';
import { DefinitionStore } from '../../../src/derived/index.js';
import { INDOM_NULL, makeIndom, makePmid, MetricType, PM_ERR, PmError, Semantics } from '../../../src/pmapi/index.js';
import { Recorder } from '../../../src/features/recorder/index.js';
import type { RecorderOptions } from '../../../src/features/recorder/index.js';
import { fileSystem } from '../../../src/sources/archive/writing/index.js';
import type { Instance, InstanceDomain, LabelSet } from '../../../src/pmapi/index.js';
import { MemorySource } from '../../support/memory-source.js';
import type { MemoryContent } from '../../support/memory-source.js';
import { ArchiveBench, disposeOfBenches, fetchAll, recordsOf } from '../../sources/archive/support.js';
import { FakeClock } from '../../support/fake-clock.js';
import { ManualTimers } from '../../support/manual-timers.js';
import { descriptor } from '../../support/memory-gateway.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { rows } from '../../support/rows.js';

afterEach(disposeOfBenches);

const INDOM = makeIndom(60, 1);
const COUNT = makePmid(60, 0, 1);
const DISK = makePmid(60, 0, 2);
const HOUR = 3600;

describe('Recorder', () => {
  const root = temporaryDirectory();
  let number = 0;

  /** A recorder of a host in memory, with a clock that the test moves. */
  class Bench {
    readonly directory: string;
    readonly clock = new FakeClock(Date.UTC(2026, 10, 22, 10));
    timers = new ManualTimers();
    readonly definitions = new DefinitionStore();
    readonly complaints: string[] = [];
    instances: Instance[] = [{ id: 0, name: 'sda' }];
    count = 0;
    type: number = MetricType.U64;
    failing: Error | undefined;
    /** What fetches of disks wait for. */
    disksHeld: Promise<void> | undefined;
    /** What lookups of names and labels wait for. */
    metadataHeld: Promise<void> | undefined;
    /** Lookups of names and labels so far. */
    lookups = 0;
    recorder: Recorder;
    readonly #options: Partial<RecorderOptions>;

    constructor(options: Partial<RecorderOptions> = {}) {
      this.directory = options.directory ?? path.join(root.path, `r${++number}`);
      this.#options = options;
      this.recorder = this.#make();
    }

    /** Let so many seconds pass, a second at a time. */
    async pass(seconds: number): Promise<void> {
      for (let i = 0; i < seconds; i++) {
        this.clock.advance(1000);
        this.timers.advance(1000);
        await this.recorder.settled();
      }
    }

    /** Let time pass for the wall clock, and a second for the timers, without waiting for what is held back. */
    async passHeld(ms: number): Promise<void> {
      this.clock.advance(ms);
      this.timers.advance(1000);
      for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
    }

    async start(): Promise<void> {
      await this.recorder.start();
      await this.recorder.settled();
    }

    /** Hold back what fetches of disks answer, until the returned function is called. */
    holdDisks(): () => void {
      let release!: () => void;
      this.disksHeld = new Promise((resolve) => (release = resolve));
      return () => {
        this.disksHeld = undefined;
        release();
      };
    }

    /** Hold back names and labels, until the returned function is called. */
    holdMetadata(): () => void {
      let release!: () => void;
      this.metadataHeld = new Promise((resolve) => (release = resolve));
      return release;
    }

    /** Start, and hold back labels when the first sample has been taken. */
    async startHeld(): Promise<() => void> {
      await this.recorder.start();
      const release = this.holdMetadata();
      await this.taken(1);
      return release;
    }

    /** Wait until so many samples have been taken in all. */
    async taken(samples: number): Promise<void> {
      while (this.count < samples) await new Promise((resolve) => setImmediate(resolve));
    }

    /** Wait until so many samples are recorded in all. */
    async recorded(samples: number): Promise<void> {
      while (this.recorder.statistics.samples < samples) await new Promise((resolve) => setImmediate(resolve));
    }

    /** End as a process does that is killed: nothing is closed. The lock is that of this process, so it has to go. */
    async restart(how: 'closed' | 'killed'): Promise<void> {
      const { recorder } = this;
      if (how === 'closed') await recorder.close();
      // The timers of a process that was killed stand still.
      this.timers = new ManualTimers();
      this.recorder = this.#make();
      if (how === 'killed') rmSync(path.join(this.directory, 'lock'));
      await this.start();
    }

    /** The archives that there are, oldest first. */
    archives(): string[] {
      const bases = readdirSync(this.directory).flatMap((name) => /^(.*)\.meta(?:\.gz)?$/.exec(name)?.[1] ?? []);
      return bases.map((base) => path.join(this.directory, base)).sort();
    }

    bytes(): number {
      return readdirSync(this.directory).reduce((sum, name) => sum + statSync(path.join(this.directory, name)).size, 0);
    }

    #make(): Recorder {
      const content = (): MemoryContent => ({
        hostName: 'web1',
        metrics: [
          {
            name: 'test.count',
            descriptor: descriptor(COUNT, { type: this.type as 1, semantics: Semantics.COUNTER, indom: INDOM_NULL }),
            oneline: 'how many',
            values: () => {
              if (this.failing) throw this.failing;
              return BigInt(++this.count);
            },
          },
          {
            name: 'test.disk.read',
            descriptor: descriptor(DISK, { indom: INDOM }),
            values: () => new Map(this.instances.map(({ id }) => [id, id + 100])),
          },
        ],
        indoms: [{ indom: INDOM, instances: [] }],
      });
      // Instances are those that the test has at the moment.
      const present = (): Instance[] => this.instances;
      const held = (): Promise<void> | undefined => this.disksHeld;
      const heldMetadata = (): Promise<void> | undefined => {
        this.lookups++;
        return this.metadataHeld;
      };
      class Source extends MemorySource {
        override instances(indom: number): Promise<InstanceDomain> {
          return Promise.resolve({ indom, instances: present() });
        }
        override async fetch(...[prepared, profile, into]: Parameters<MemorySource['fetch']>): Promise<void> {
          await super.fetch(prepared, profile, into);
          if (prepared.pmids.includes(DISK)) await held();
        }
        override async traverse(prefix: string): Promise<readonly string[]> {
          await heldMetadata();
          return super.traverse(prefix);
        }
        override async labels(): Promise<readonly LabelSet[]> {
          await heldMetadata();
          return [{ instance: -1, labels: [{ name: 'hostname', json: '"web1"' }] }];
        }
      }
      const sources: ContextManagerOptions['sources'] = {
        open: () => Promise.resolve(new Source(content(), this.clock)),
      };
      const contexts = new ContextManager({
        definitions: this.definitions,
        sources,
        clock: this.clock,
        limits: { contexts: 10, pollTimeoutMs: 5000, maxPollTimeoutMs: 60_000 },
      });
      const say = (message: string, { reason = '' }: Readonly<Record<string, unknown>>): void => {
        this.complaints.push(`${message}: ${String(reason)}`);
      };
      return new Recorder({
        contexts,
        spec: { kind: 'host', hostspec: 'embedded' },
        groups: [{ intervalMs: 10_000, metrics: ['test'] }],
        recordsDerived: (name) => this.definitions.get(name)?.origin !== 'api',
        directory: this.directory,
        keepDays: 7,
        keepBytes: 256 * 1024 * 1024,
        volumeBytes: 4 * 1024 * 1024,
        clock: this.clock,
        timers: this.timers,
        log: { info: say, warn: say },
        ...this.#options,
      });
    }
  }

  /** What libpcp says of archives, where it is installed. */
  const check = (archives: readonly string[]): string =>
    existsSync('/usr/bin/pmlogcheck')
      ? archives
          .map((archive) => spawnSync('pmlogcheck', ['-w', archive], { encoding: 'utf8' }))
          .map(({ stdout, stderr }) => stdout + stderr)
          .join('')
      : '';

  /** The counts that were recorded, over all archives, with their marks. */
  async function countsOf(bench: Bench): Promise<(number | 'mark')[]> {
    const reader = new ArchiveBench();
    const counts: (number | 'mark')[] = [];
    for (const base of bench.archives()) {
      const { fetches } = await fetchAll(await reader.open(base), [COUNT], 100_000);
      counts.push(...fetches.map(([, set]) => Number((set as Record<number, bigint>)[-1])));
    }
    await reader.dispose();
    return counts;
  }

  /** When the records of the only archive were taken, in seconds since the first one. */
  async function secondsOf(bench: Bench): Promise<number[]> {
    expect(bench.archives()).toHaveLength(1);
    const reader = new ArchiveBench();
    const { records } = await recordsOf(await reader.open(bench.archives()[0]!));
    await reader.dispose();
    return records.map(([second]) => second - records[0]![0]);
  }

  async function marksOf(base: string): Promise<number> {
    const reader = new ArchiveBench();
    const { records } = await recordsOf(await reader.open(base));
    await reader.dispose();
    return records.filter(([, what]) => what === 'mark').length;
  }

  it('records an hour over rotations, two hundred kills, other restarts and instances that come and go', async () => {
    const bench = new Bench({ volumeBytes: 6000 });
    await bench.start();
    let restarts = 0;
    for (let minute = 0; minute < 60; minute++) {
      bench.instances = Array.from({ length: 1 + (minute % 4) }, (_, i) => ({
        id: minute + i,
        name: `d${minute + i}`,
      }));
      for (const seconds of [15, 25, 10, 10]) {
        await bench.pass(seconds);
        await bench.restart(minute % 20 === 19 && seconds === 25 ? 'closed' : 'killed');
        restarts++;
      }
    }
    await bench.recorder.close();
    const counts = await countsOf(bench);
    expect(counts).toEqual(Array.from({ length: bench.count }, (_, i) => i + 1));
    expect(counts.length).toBeGreaterThanOrEqual(HOUR / 10);
    expect(bench.archives()).toHaveLength(1);
    expect(await marksOf(bench.archives()[0]!)).toBe(restarts);
    const files = readdirSync(bench.directory);
    expect(files.filter((name) => /\.\d+\.gz$/.test(name)).length).toBeGreaterThan(2);
    expect(files.filter((name) => /\.\d+$/.test(name))).toHaveLength(1);
    expect(files).not.toContain('lock');
    expect(bench.complaints).toEqual([]);
    expect(check(bench.archives())).toBe('');
  });

  const TWO_GROUPS = rows({ intervalMs: 1000, metrics: ['test.count'] }, { intervalMs: 5000, metrics: ['test.disk'] });

  it('records a group in time while another one waits for its values', async () => {
    const bench = new Bench({ groups: TWO_GROUPS });
    const release = bench.holdDisks();
    await bench.recorder.start();
    for (let samples = 1; samples <= 12; samples++) {
      await bench.recorded(samples);
      bench.clock.advance(1000);
      bench.timers.advance(1000);
    }
    await bench.recorded(13);
    expect(bench.recorder.statistics.missed).toBe(2);
    release();
    await bench.recorder.settled();
    await bench.pass(5);
    await bench.recorder.close();
    // What comes late is recorded behind what is there, in the same archive.
    expect(await secondsOf(bench)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 12, 13, 14, 15, 15, 16, 17]);
    expect(bench.complaints).toEqual([]);
    expect(check(bench.archives())).toBe('');
  });

  it('takes samples in time while metadata of the first one is looked up', async () => {
    const bench = new Bench({ groups: [{ intervalMs: 1000, metrics: ['test.count'] }] });
    const release = await bench.startHeld();
    for (let samples = 1; samples <= 10; samples++) {
      await bench.taken(samples);
      bench.clock.advance(1000);
      bench.timers.advance(1000);
    }
    expect(bench.recorder.statistics).toMatchObject({ samples: 0, missed: 0 });
    release();
    await bench.recorder.close();
    expect(await secondsOf(bench)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(check(bench.archives())).toBe('');
  });

  it('schedules the first sample when the names of all metrics are known', async () => {
    const bench = new Bench({ groups: [{ intervalMs: 1000, metrics: ['test.count'] }] });
    const release = bench.holdMetadata();
    const started = bench.recorder.start();
    while (bench.lookups === 0) await new Promise((resolve) => setImmediate(resolve));
    for (let i = 0; i < 3; i++) await bench.passHeld(1000);
    expect(bench.recorder.statistics.missed).toBe(0);
    release();
    await started;
    await bench.taken(1);
    await bench.pass(2);
    await bench.recorder.close();
    expect(await secondsOf(bench)).toEqual([0, 1, 2]);
    expect(bench.recorder.statistics.missed).toBe(0);
  });

  it('keeps no more than 16 samples of a group waiting to be written', async () => {
    const bench = new Bench({ groups: [{ intervalMs: 1000, metrics: ['test.count'] }] });
    const release = await bench.startHeld();
    for (let i = 0; i < 20; i++) await bench.passHeld(1000);
    expect(bench.count).toBe(16);
    expect(bench.recorder.statistics.missed).toBe(5);
    release();
    await bench.recorder.close();
    expect(await countsOf(bench)).toEqual(Array.from({ length: 16 }, (_, i) => i + 1));
  });

  it('begins another archive when the clock is set back while samples wait to be written', async () => {
    const bench = new Bench({ groups: [{ intervalMs: 1000, metrics: ['test.count'] }] });
    const release = await bench.startHeld();
    for (const ms of [1000, 1000, -HOUR * 1000, 1000]) await bench.passHeld(ms);
    release();
    await bench.recorder.close();
    expect(bench.archives()).toHaveLength(2);
    expect((await countsOf(bench)).sort()).toEqual([1, 2, 3, 4, 5]);
  });

  it('marks no gap for the groups that are recorded while another one fails, and complains once', async () => {
    const bench = new Bench({ groups: TWO_GROUPS });
    await bench.start();
    bench.failing = new PmError(PM_ERR.TIMEOUT);
    await bench.pass(20);
    expect(bench.recorder.isRecording).toBe(false);
    bench.failing = undefined;
    await bench.pass(5);
    expect(bench.recorder.isRecording).toBe(true);
    await bench.recorder.close();
    expect(await marksOf(bench.archives()[0]!)).toBe(0);
    expect(bench.complaints).toHaveLength(2);
    expect(bench.complaints[1]).toMatch(/^recording again/);
  });

  it('records derived metrics of files, and none that clients registered: they see what those may not', async () => {
    const bench = new Bench({});
    bench.definitions.register('test.ours', 'test.count * 2', 'file');
    bench.definitions.register('test.theirs', 'test.count * 3', 'api');
    await bench.start();
    await bench.pass(60);
    await bench.recorder.close();
    const reader = new ArchiveBench();
    const archive = await reader.open(bench.archives()[0]!);
    expect(await archive.traverse('')).toEqual(expect.arrayContaining(['test.count', 'test.ours']));
    expect(await archive.traverse('')).not.toContain('test.theirs');
    await reader.dispose();
  });

  it('begins an archive a day, and keeps as many days as it is told to', async () => {
    const bench = new Bench({ keepDays: 2, groups: [{ intervalMs: 600_000, metrics: ['test.count'] }] });
    await bench.start();
    for (let day = 0; day < 5; day++) {
      await bench.pass(3);
      bench.clock.advance(86_400_000);
      bench.timers.advance(86_400_000);
      await bench.recorder.settled();
    }
    await bench.recorder.close();
    const days = bench.archives().map((base) => path.basename(base).slice(0, 8));
    expect(days).toEqual(['20261125', '20261126', '20261127']);
    expect(check(bench.archives())).toBe('');
  });

  it('keeps no more bytes than it is told to', async () => {
    const bench = new Bench({ keepBytes: 200_000, volumeBytes: 8_000 });
    bench.instances = Array.from({ length: 100 }, (_, id) => ({ id, name: `disk${id}` }));
    await bench.start();
    await bench.pass(HOUR);
    expect(bench.bytes()).toBeLessThan(200_000 + 30_000);
    expect(bench.archives().length).toBeGreaterThan(1);
    expect(bench.recorder.keptBytes).toBeGreaterThan(50_000);
    const files = readdirSync(bench.directory);
    for (const base of bench.archives())
      expect(files.some((name) => name.startsWith(`${path.basename(base)}.`))).toBe(true);
    await bench.recorder.close();
    expect(check(bench.archives())).toBe('');
  });

  it('begins another archive when the clock is set back', async () => {
    const bench = new Bench();
    await bench.start();
    await bench.pass(60);
    bench.clock.advance(-HOUR * 1000);
    await bench.pass(60);
    await bench.recorder.close();
    expect(bench.archives()).toHaveLength(2);
    expect((await countsOf(bench)).sort((a, b) => Number(a) - Number(b))).toEqual(
      Array.from({ length: bench.count }, (_, i) => i + 1),
    );
    expect(bench.complaints).toEqual([]);
  });

  it('begins another archive when a metric is described otherwise after a restart', async () => {
    const bench = new Bench();
    await bench.start();
    await bench.pass(30);
    bench.type = MetricType.I64;
    await bench.restart('closed');
    await bench.pass(30);
    await bench.recorder.close();
    expect(bench.archives()).toHaveLength(2);
    expect(check(bench.archives())).toBe('');
  });

  it('refuses to record where another gateway does, and says so', async () => {
    const first = new Bench();
    await first.start();
    const second = new Bench({ directory: first.directory });
    await second.start();
    expect(second.complaints).toEqual([
      `cannot record: ${first.directory} is being written to by process ${process.pid}`,
    ]);
    await first.recorder.close();
    await second.pass(61);
    expect(second.recorder.isRecording).toBe(true);
    await second.recorder.close();
  });

  it('takes the lock of a process that is gone', async () => {
    const bench = new Bench();
    await bench.start();
    await bench.recorder.close();
    const lock = path.join(bench.directory, 'lock');
    writeFileSync(lock, JSON.stringify({ pid: process.pid, started: '1', namespace: '' }));
    const stale = new Bench({ directory: bench.directory });
    const { sec } = stale.clock.now();
    utimesSync(lock, sec - 119, sec - 119);
    // The lock of another PID namespace counts as long as it is fresh.
    await stale.start();
    expect(stale.complaints).toHaveLength(1);
    await stale.recorder.close();
    utimesSync(lock, sec - 121, sec - 121);
    const next = new Bench({ directory: bench.directory });
    await next.start();
    expect(next.complaints).toEqual([]);
    await next.recorder.close();
    // As one is that is released just before it is read.
    symlinkSync('nowhere', lock);
    const last = new Bench({ directory: bench.directory });
    await last.start();
    expect(last.complaints).toEqual([]);
    await last.recorder.close();
  });

  it('goes on with a mark when the host answers again, and complains once', async () => {
    const bench = new Bench();
    await bench.start();
    await bench.pass(20);
    bench.failing = new PmError(PM_ERR.TIMEOUT);
    await bench.pass(60);
    bench.failing = undefined;
    await bench.pass(20);
    expect(bench.complaints).toHaveLength(2);
    expect(bench.complaints[1]).toMatch(/^recording again/);
    expect(bench.recorder.statistics.errors).toBe(6);
    await bench.recorder.close();
    expect(await marksOf(bench.archives()[0]!)).toBe(1);
    expect(check(bench.archives())).toBe('');
  });

  it('complains about a full disk once, and goes on when there is room', async () => {
    let isFull = false;
    const bench = new Bench({
      files: {
        rename: (from, to) => fileSystem.rename(from, to),
        open: async (name, flags) => {
          const file = await fileSystem.open(name, flags);
          return {
            write: (...args) => (isFull ? Promise.reject(new Error('ENOSPC: no space left')) : file.write(...args)),
            truncate: (length) => file.truncate(length),
            datasync: () => file.datasync(),
            close: () => file.close(),
          };
        },
      },
    });
    await bench.start();
    await bench.pass(30);
    isFull = true;
    await bench.pass(60);
    isFull = false;
    await bench.pass(30);
    await bench.recorder.close();
    expect(bench.complaints).toEqual(['cannot record a sample: ENOSPC: no space left', 'recording again: ']);
    expect(await marksOf(bench.archives()[0]!)).toBe(1);
    expect(check(bench.archives())).toBe('');
  });

  it('has the disk write the archive once a minute, metadata before the values that need it', async () => {
    const synced: string[] = [];
    const bench = new Bench({
      files: {
        rename: (from, to) => fileSystem.rename(from, to),
        open: async (name, flags) => {
          const file = await fileSystem.open(name, flags);
          return {
            write: (...args) => file.write(...args),
            truncate: (length) => file.truncate(length),
            datasync: () => Promise.resolve(void synced.push(name.replace(/.*\d\.(\w+)\.new$/, '$1'))),
            close: () => file.close(),
          };
        },
      },
    });
    await bench.start();
    await bench.pass(59);
    expect(synced).toEqual([]);
    await bench.pass(61);
    expect(synced).toEqual(['meta', '0', 'index', 'meta', '0', 'index']);
    await bench.recorder.close();
  });

  it.each([
    ['the directory', (bench: InstanceType<typeof Bench>) => rmSync(bench.directory, { recursive: true })],
    ['its archive', (bench: InstanceType<typeof Bench>) => bench.archives().forEach((base) => rmSync(`${base}.meta`))],
  ])(
    'notices with the next sample that %s was removed, says what is lost, and begins a new archive',
    async (_, remove) => {
      const bench = new Bench();
      await bench.start();
      await bench.pass(30);
      const [lost] = bench.archives();
      remove(bench);
      await bench.pass(30);
      expect(bench.complaints).toEqual([
        `recordings were removed while they were written: ${path.basename(lost!)} of 2026-11-22T10:00:00.000Z to 2026-11-22T10:00:30.000Z`,
      ]);
      expect(bench.recorder.statistics).toMatchObject({ samples: 7, errors: 1 });
      expect(bench.recorder.isRecording).toBe(true);
      await bench.recorder.close();
      expect(await countsOf(bench)).toEqual([5, 6, 7]);
      expect(check(bench.archives())).toBe('');
    },
  );

  it('stops where another gateway has taken the directory meanwhile, until that one ends', async () => {
    const first = new Bench();
    await first.start();
    rmSync(first.directory, { recursive: true });
    const second = new Bench({ directory: first.directory });
    await second.start();
    await first.pass(20);
    expect(first.complaints.at(-1)).toMatch(/^cannot record a sample: .* is being written to by process \d+$/);
    expect(first.recorder.isRecording).toBe(false);
    expect(first.archives()).toHaveLength(1);
    await second.recorder.close();
    await first.pass(10);
    expect(first.recorder.isRecording).toBe(true);
    expect(first.archives()).toHaveLength(2);
    await first.recorder.close();
  });

  it('says why it cannot write to its directory, and ends all the same', async () => {
    writeFileSync(path.join(root.path, 'file'), '');
    const bench = new Bench({ directory: path.join(root.path, 'file', 'below') });
    await bench.start();
    await bench.pass(100);
    expect(bench.complaints).toHaveLength(1);
    expect(bench.complaints[0]).toMatch(/^cannot record: ENOTDIR/);
    await bench.recorder.close();
  });
});
