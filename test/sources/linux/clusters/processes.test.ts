import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { attempt } from '../../../../src/kit/index.js';
import { PM_ERR, PmError } from '../../../../src/pmapi/index.js';
import { InstanceProfile } from '../../../../src/sources/profile.js';
import { PROCESS_INDOM } from '../../../../src/sources/linux/catalog/linux-catalog.js';
import type { ClusterFactory } from '../../../../src/sources/linux/cluster.js';
import type { LinuxCollectorOptions } from '../../../../src/sources/linux/linux-collector.js';
import { ProcessFiles, readProcesses } from '../../../../src/sources/linux/clusters/process-reader.js';
import type { HeldFile, PromptFile, ProcessPart } from '../../../../src/sources/linux/clusters/process-reader.js';
import { processCluster } from '../../../../src/sources/linux/clusters/processes.js';
import { UncertainCalls } from '../../../../src/sources/linux/uncertain-calls.js';
import { FakeClock } from '../../../support/fake-clock.js';
import { ManualTimers } from '../../../support/manual-timers.js';
import { makeTree, writeTree } from '../support/collected.js';
import { LocalMetrics, type LocalValues } from '../../../support/local-metrics.js';

const FIXTURES = 'test/fixtures/linux/processes';
/** Whatever machine the test runs on, ticks are 10 ms and pages 4 Kbyte here. */
const cluster: ClusterFactory = (environment) => processCluster({ ...environment, hz: 100, pageSize: 4096 });

const open: LocalMetrics[] = [];
function local(options: Partial<LinuxCollectorOptions> = {}, root = FIXTURES): LocalMetrics {
  const metrics = new LocalMetrics(root, [cluster], { clock: new FakeClock(), ...options });
  open.push(metrics);
  return metrics;
}
afterEach(() => Promise.all(open.splice(0).map((metrics) => metrics.close())));

function only(...pids: readonly number[]): InstanceProfile {
  const profile = new InstanceProfile();
  profile.delete();
  profile.add(PROCESS_INDOM.indom, pids);
  return profile;
}

async function valuesOf(pid: number): Promise<Readonly<Record<string, unknown>>> {
  const metrics = local();
  const names = (await metrics.source.traverse('')).filter((name) => !/nprocs|runq/.test(name));
  const values = await metrics.fetch(names, only(pid));
  return Object.fromEntries(
    names.map((name) => [name.replace('proc.', ''), (values[name] as Record<number, unknown>)[pid]]),
  );
}

describe('processCluster', () => {
  it('serves an ordinary process from its files', async () => {
    expect(await valuesOf(1)).toEqual({
      'psinfo.pid': 1,
      'psinfo.cmd': 'init',
      'psinfo.sname': 'S',
      'psinfo.ppid': 0,
      'psinfo.minflt': 5, // 2^32 + 5 in 32 bits
      'psinfo.maj_flt': 12,
      'psinfo.utime': 15500n,
      'psinfo.stime': 64200n,
      'psinfo.cutime': 197700n,
      'psinfo.cstime': 142800n,
      'psinfo.priority': 20,
      'psinfo.nice': 0,
      'psinfo.start_time': 240n,
      'psinfo.vsize': 53108n,
      'psinfo.rss': 21532n,
      'psinfo.processor': 1,
      'psinfo.ttyname': '?',
      'psinfo.wchan_s': 'ep_poll',
      'psinfo.psargs': '/sbin/init --verbose splash screen',
      'psinfo.rt_priority': 0,
      'psinfo.policy': 0,
      'psinfo.guest_time': 0n,
      'psinfo.threads': 13,
      'psinfo.vctxsw': 354,
      'psinfo.nvctxsw': 77,
      'psinfo.oom_score': 0,
      'memory.share': 6464,
      'memory.vmsize': 53108,
      'memory.vmrss': 21532,
      'memory.vmdata': 45608,
      'memory.vmstack': 132,
      'memory.vmexe': 5308,
      'memory.vmlib': 8,
      'memory.vmswap': 16,
      'io.rchar': 4292n,
      'io.wchar': 0n,
      'io.syscr': 13n,
      'io.syscw': 1n,
      'io.read_bytes': 9007199254740993n,
      'io.write_bytes': 4096n,
      'io.cancelled_write_bytes': 512n,
      'id.uid': 0,
      'id.euid': 0,
      'id.gid': 0,
      'id.uid_nm': 'root',
      'schedstat.cpu_time': 170646626n,
      'schedstat.run_delay': 19154847n,
      'schedstat.pcount': 431n,
      'fd.count': 3,
    });
  });

  it('reads past a command name with blanks and parentheses, and shows the fields that PCP mixes up', async () => {
    expect(await valuesOf(420)).toMatchObject({
      'psinfo.cmd': 'a) R 7 (b) :x',
      'psinfo.sname': 'R',
      'psinfo.ppid': 1,
      'psinfo.ttyname': 'pts/2',
      'psinfo.utime': 30n,
      'psinfo.priority': -51,
      'psinfo.nice': -5,
      'psinfo.processor': 3,
      'psinfo.rt_priority': 50,
      'psinfo.policy': 2,
      'psinfo.guest_time': 10n,
      'psinfo.psargs': 'python3 -c print(1)',
      'psinfo.wchan_s': '0',
      'id.uid': 1000,
      'id.euid': 1001,
      'id.gid': 100,
      'id.uid_nm': 'alice',
    });
  });

  it('has all lines of its control groups, and the container that one names', async () => {
    const container = 'a1b2c3d4'.repeat(8);
    expect(await valuesOf(420)).toMatchObject({
      'psinfo.cgroups': `memory:/docker/${container};cpu,cpuacct:/;:/system.slice/a b`,
      'id.container': container,
    });
  });

  it('has no name for a user that /etc/passwd does not know', async () => {
    expect(await valuesOf(502)).toMatchObject({ 'id.uid': 4321, 'id.uid_nm': '' });
  });

  it('gives kernel threads no memory, and their name in parentheses for a command line', async () => {
    expect(await valuesOf(2)).toMatchObject({
      'psinfo.psargs': '(kthreadd)',
      'memory.vmsize': 0,
      'memory.vmswap': 0,
      'psinfo.vsize': 0n,
      'psinfo.threads': 1,
    });
  });

  it('gives no value for what cannot be read, or is gone', async () => {
    const metrics = local();
    expect(Object.keys(await metrics.value('proc.io.rchar'))).toEqual(['1', '2']);
    expect(Object.keys(await metrics.value('proc.psinfo.utime'))).not.toContain('77');
    expect(Object.keys(await metrics.value('proc.psinfo.pid'))).not.toContain('77');
    expect(await metrics.value('proc.psinfo.psargs', only(77, 4444))).toEqual({});
  });

  it('counts processes by state, kernel threads apart, and those that ended not at all', async () => {
    const values = await local().all();
    const counts = ['runnable', 'blocked', 'sleeping', 'stopped', 'swapped', 'defunct', 'unknown', 'kernel'].map(
      (state) => values[`proc.runq.${state}`],
    );
    expect(counts).toEqual([1, 1, 1, 1, 1, 1, 1, 1].map((count) => ({ '-1': count })));
    expect(values['proc.nprocs']).toEqual({ '-1': 9 });
  });

  it('counts all processes whatever the profile', async () => {
    const metrics = local();
    const names = ['proc.nprocs', 'proc.runq.sleeping', 'proc.psinfo.pid', 'proc.runq.kernel'];
    expect(await metrics.fetch(names, only(420))).toEqual({
      'proc.nprocs': { '-1': 9 },
      'proc.runq.sleeping': { '-1': 1 },
      'proc.psinfo.pid': { 420: 420 },
      'proc.runq.kernel': { '-1': 1 },
    });
  });

  it('names instances by padded id and the first word of the command', async () => {
    const metrics = local();
    expect(await metrics.instances('3.9')).toEqual([
      { id: 1, name: '000001 /sbin/init' },
      { id: 2, name: '000002 (kthreadd)' },
      { id: 77, name: '000077 <exiting>' },
      { id: 420, name: '000420 python3' },
      { id: 500, name: '000500 (gone)' },
      { id: 501, name: '000501 paged' },
      { id: 502, name: '000502 disk' },
      { id: 503, name: '000503 traced' },
      { id: 504, name: '000504 odd' },
    ]);
    const labels = await metrics.source.labels({ kind: 'instances', indom: PROCESS_INDOM.indom });
    expect(labels[3]).toEqual({ instance: 420, labels: [{ name: 'pid', json: '420' }] });
  });

  it('reads a name again after as long as it has been the same, and a new one at once', async () => {
    const { read } = ProcessFiles.prototype;
    const asked: number[] = [];
    ProcessFiles.prototype.read = function (this: ProcessFiles, pid, file) {
      asked.push(pid);
      return read.call(this, pid, file);
    };
    const root = makeTree({ 'proc/7/cmdline': 'sh\0-c\0', 'proc/8/cmdline': 'editor\0' });
    const clock = new FakeClock();
    try {
      const metrics = local({ clock }, root);
      const after = async (ms: number, files: Readonly<Record<string, string>> = {}) => {
        writeTree(root, files);
        clock.advance(ms);
        const names = (await metrics.instances('3.9')).map(({ name }) => name);
        return [names, asked.splice(0)];
      };
      const both = ['000007 sh', '000008 editor'];
      expect(await after(0)).toEqual([both, [7, 8]]);
      expect(await after(999, { 'proc/7/cmdline': 'build\0' })).toEqual([both, []]);
      expect(await after(1, { 'proc/9/cmdline': 'new\0' })).toEqual([
        ['000007 build', '000008 editor', '000009 new'],
        [7, 8, 9],
      ]);
      rmSync(path.join(root, 'proc/9'), { recursive: true });
      const changed = ['000007 build', '000008 editor'];
      for (const [ms, pids] of [
        [1000, [7, 8]],
        [1500, [7]],
        [500, [8]],
        [2000, [7]],
        [2000, [8]],
        // Others may have had these numbers since.
        [10_001, [7, 8]],
      ] as const) {
        expect([ms, ...(await after(ms))]).toEqual([ms, changed, pids]);
      }
    } finally {
      ProcessFiles.prototype.read = read;
      rmSync(root, { recursive: true });
    }
  });

  it('keeps single processes to itself when told to, but not the sums', async () => {
    const metrics = local({ processes: false });
    const values = await metrics.all();
    const permitted = Object.entries(values).filter(([, value]) => value !== PM_ERR.PERMISSION);
    expect(permitted.map(([name]) => name).sort()).toEqual([
      'proc.nprocs',
      ...['blocked', 'defunct', 'kernel', 'runnable', 'sleeping', 'stopped', 'swapped', 'unknown'].map(
        (state) => `proc.runq.${state}`,
      ),
    ]);
    await expect(metrics.instances('3.9')).rejects.toEqual(new PmError(PM_ERR.PERMISSION));
  });

  it('shares one pass between fetches that ask for the same at the same time', async () => {
    const { list } = ProcessFiles.prototype;
    let listings = 0;
    ProcessFiles.prototype.list = function (this: ProcessFiles, ...given) {
      listings++;
      return list.apply(this, given);
    };
    try {
      const metrics = local();
      const ask = (name: string, profile?: InstanceProfile) => metrics.value(name, profile);
      const [first, second] = await Promise.all([ask('proc.psinfo.utime'), ask('proc.psinfo.stime')]);
      expect(listings).toBe(1);
      expect(first).toMatchObject({ 1: 15500n });
      expect(second).toMatchObject({ 1: 64200n });
      await Promise.all([ask('proc.psinfo.utime'), ask('proc.io.rchar'), ask('proc.psinfo.utime', only(1))]);
      expect(listings).toBe(4);
    } finally {
      ProcessFiles.prototype.list = list;
    }
  });

  it('does not list all processes again to find some that were there less than a second ago', async () => {
    const root = makeTree({ 'proc/1/stat': '', 'proc/20/stat': '', 'proc/x/stat': '' });
    const files = new ProcessFiles(path.join(root, 'proc'));
    expect(await files.list(0)).toEqual([1, 20]);
    writeTree(root, { 'proc/3/stat': '' });
    expect(await files.list(999, new Set([20, 1]))).toEqual([1, 20]);
    expect(await files.list(999, new Set([1, 3]))).toEqual([1, 3, 20]);
    expect(await files.list(1999, new Set([1]))).toEqual([1, 3, 20]);
    rmSync(root, { recursive: true });
  });

  it('keeps stat of a process open while it lasts', async () => {
    const files = new ProcessFiles('/proc');
    const openOf = (pid: number): number =>
      readdirSync('/proc/self/fd').filter(
        (fd) => attempt(() => readlinkSync(`/proc/self/fd/${fd}`)) === `/proc/${pid}/stat`,
      ).length;
    const children = ['noticed', 'listed', 'closed'].map(() => spawn('sleep', ['60']));
    const pids = children.map(({ pid }) => pid!);
    const ends = async (i: number): Promise<void> => {
      const ended = once(children[i]!, 'exit');
      children[i]!.kill('SIGKILL');
      await ended;
    };
    for (const pid of [...pids, ...pids]) expect(files.scan(pid, 'stat')!.word()).toBe(String(pid));
    expect(pids.map(openOf)).toEqual([1, 1, 1]);
    await ends(0);
    expect(files.scan(pids[0]!, 'stat')).toBeUndefined();
    await ends(1);
    await files.list(0);
    expect(pids.map(openOf)).toEqual([0, 0, 1]);
    files.close();
    expect(openOf(pids[2]!)).toBe(0);
    await ends(2);
  });

  it('names a process that is stuck after its stat file', async () => {
    const { read } = ProcessFiles.prototype;
    const timers = new ManualTimers();
    const waitedFor = new Set(readdirSync(path.join(FIXTURES, 'proc')).map(Number).filter(Boolean));
    ProcessFiles.prototype.read = function (this: ProcessFiles, pid, file) {
      waitedFor.delete(pid);
      return pid === 420 ? new Promise(() => undefined) : read.call(this, pid, file);
    };
    try {
      const metrics = local({ timers });
      const named = metrics.instances('3.9');
      while (waitedFor.size > 0 || timers.pending > 1) await new Promise((resolve) => setImmediate(resolve));
      timers.advance(1000);
      expect((await named).filter(({ id }) => id === 420)).toEqual([{ id: 420, name: '000420 (a) R 7 (b) :x)' }]);
    } finally {
      ProcessFiles.prototype.read = read;
    }
  });

  it('answers PM_ERR_AGAIN where there is no /proc', async () => {
    const root = mkdtempSync(path.join(tmpdir(), 'pmgate-processes-'));
    try {
      const metrics = local({}, root);
      expect(await metrics.value('proc.psinfo.pid')).toBe(PM_ERR.AGAIN);
    } finally {
      rmSync(root, { recursive: true });
    }
  });

  it('describes itself: this very process', async () => {
    const metrics = local({}, '/');
    const names = ['proc.psinfo.ppid', 'proc.psinfo.pid', 'proc.fd.count'];
    const values = await metrics.fetch(names, only(process.pid));
    expect(values['proc.psinfo.pid']).toEqual({ [process.pid]: process.pid });
    expect(values['proc.psinfo.ppid']).toEqual({ [process.pid]: process.ppid });
    const descriptors = (values['proc.fd.count'] as Record<number, LocalValues>)[process.pid];
    expect(Math.abs(Number(descriptors) - readdirSync('/proc/self/fd').length)).toBeLessThan(10);
  });
});

describe('readProcesses', () => {
  /** Notes what is read, and lets time pass with each file. */
  class WatchedFiles extends ProcessFiles {
    readonly opened: string[] = [];
    readonly hung = new Set<number>();
    readonly #clock: FakeClock;

    constructor(clock: FakeClock) {
      super(`${FIXTURES}/proc`);
      this.#clock = clock;
    }

    override scan(pid: number, file: PromptFile): ReturnType<ProcessFiles['scan']> {
      this.#note(pid, file);
      return super.scan(pid, file);
    }

    override read(pid: number, file: HeldFile): Promise<Uint8Array> {
      this.#note(pid, file);
      return this.hung.has(pid) ? new Promise(() => undefined) : super.read(pid, file);
    }

    #note(pid: number, file: string): void {
      this.opened.push(`${pid}/${file}`);
      this.#clock.advance(1);
    }
  }

  async function filesRead(parts: readonly ProcessPart[], pids: readonly number[], countsStates = false) {
    const clock = new FakeClock();
    const files = new WatchedFiles(clock);
    const query = { parts: new Set(parts), includes: (pid: number) => pids.includes(pid), countsStates };
    const uncertain = new UncertainCalls(new ManualTimers());
    const snapshot = await readProcesses({ files, clock, uncertain }, query);
    return { snapshot, read: files.opened };
  }

  it('opens only the files that are asked for, of the processes that are asked for', async () => {
    expect((await filesRead(['status'], [1, 420])).read).toEqual(['1/status', '420/status']);
    expect((await filesRead(['stat', 'io'], [1])).read).toEqual(['1/stat', '1/io']);
    expect((await filesRead(['fd'], [1])).read).toEqual([]);
    expect((await filesRead([], [1])).read).toEqual([]);
  });

  it('reads stat once for a process, whoever needs it', async () => {
    expect((await filesRead(['stat', 'cmdline'], [2])).read).toEqual(['2/stat', '2/cmdline']);
    expect((await filesRead(['cmdline'], [1, 2])).read).toEqual(['1/cmdline', '2/cmdline', '2/stat']);
    const { read } = await filesRead(['stat'], [1], true);
    expect(read.filter((file) => file === '1/stat')).toEqual(['1/stat']);
    expect(read.length).toBe(9);
  });

  it('waits a second for a process that is stuck, and then leaves it alone', async () => {
    const clock = new FakeClock();
    const files = new WatchedFiles(clock);
    files.hung.add(1);
    const timers = new ManualTimers();
    const uncertain = new UncertainCalls(timers);
    const pass = (parts: readonly ProcessPart[]) =>
      readProcesses(
        { files, clock, uncertain },
        { parts: new Set(parts), includes: (pid) => pid <= 2, countsStates: false },
      );
    const first = pass(['cmdline']);
    while (timers.pending === 0 || files.opened.length < 3) await new Promise((resolve) => setImmediate(resolve));
    timers.advance(1000);
    const { pids, texts } = await first;
    expect(pids.map((pid, row) => [pid, texts[row]])).toEqual([
      [1, { cmd: 'init', sname: 'S' }],
      [2, { cmd: 'kthreadd', sname: 'S', psargs: '(kthreadd)' }],
    ]);
    files.opened.length = 0;
    expect((await pass(['cmdline'])).texts[1]?.psargs).toBe('(kthreadd)');
    expect(files.opened).not.toContain('1/cmdline');
  });

  it('lets others run every two milliseconds', async () => {
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns++;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    await filesRead(['stat', 'status'], [1, 2, 420, 500, 501, 502]);
    isOver = true;
    expect(turns).toBeGreaterThanOrEqual(6);
  });
});
