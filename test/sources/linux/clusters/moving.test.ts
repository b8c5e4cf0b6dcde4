import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PM_ERR } from '../../../../src/pmapi/index.js';
import { InstanceProfile } from '../../../../src/sources/index.js';
import { FILESYSTEM_INDOM } from '../../../../src/sources/linux/catalog/linux-catalog.js';
import { filesystemCluster } from '../../../../src/sources/linux/clusters/filesystem.js';
import { loginsCluster } from '../../../../src/sources/linux/clusters/logins.js';
import { pmcdCluster } from '../../../../src/sources/linux/clusters/pmcd.js';
import { statCluster } from '../../../../src/sources/linux/clusters/stat.js';
import { ProcFiles } from '../../../../src/sources/linux/proc-files.js';
import { ManualTimers } from '../../../support/manual-timers.js';
import { CollectedTree, fixture, makeTree, writeTree } from '../support/collected.js';
import { rows } from '../../../support/rows.js';

/** Let everything happen that waits for nothing but its turn. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const IOWAIT = 'kernel.all.cpu.wait.total';

function statOf(iowait: number, cpus: readonly number[] = [0]): string {
  const lines = ['cpu', ...cpus.map((cpu) => `cpu${cpu}`)];
  return `${lines.map((name) => `${name} 1 2 3 4 ${iowait} 6 7 8 9 10`).join('\n')}\nbtime 5\n`;
}

describe('kernel.*.cpu.wait.total', () => {
  it('is held while the kernel steps back by less than a second, and follows it further back', async () => {
    const root = makeTree({ 'proc/stat': statOf(1000) });
    const tree = new CollectedTree(root, { clusters: [statCluster] });
    const seen: unknown[] = [];
    for (const iowait of [1000, 999, 901, 900, 950, 2000, 1950]) {
      writeTree(root, { 'proc/stat': statOf(iowait) });
      tree.clock.advance(1000);
      seen.push(await tree.value(IOWAIT));
    }
    expect(seen).toEqual([10_000, 10_000, 10_000, 9000, 9500, 20_000, 20_000]);
  });
});

describe('CPUs that go offline and come back', () => {
  it('have values while they are online, and keep their numbers and their node', async () => {
    const root = makeTree({
      'proc/stat': statOf(1, [0, 1, 2]),
      'sys/devices/system/node/node0/cpu0/x': '',
      'sys/devices/system/node/node1/cpu1/x': '',
      'sys/devices/system/node/node1/cpu2/x': '',
      'sys/devices/system/node/node2/meminfo': '',
    });
    const tree = new CollectedTree(root, { clusters: [statCluster] });
    const names = ['hinv.ncpu', 'kernel.percpu.cpu.user', 'kernel.pernode.cpu.user'];
    expect(await tree.fetch(names)).toEqual([3, { 0: 10, 1: 10, 2: 10 }, { 0: 10, 1: 20, 2: 0 }]);
    writeTree(root, { 'proc/stat': statOf(1, [0, 2]) });
    tree.clock.advance(1000);
    expect(await tree.fetch(names)).toEqual([2, { 0: 10, 2: 10 }, { 0: 10, 1: 10, 2: 0 }]);
    expect(await tree.instancesOf('kernel.percpu.cpu.user')).toEqual({ 0: 'cpu0', 2: 'cpu2' });
  });
});

describe('file systems that do not answer', () => {
  const sizes = { bsize: 1024, blocks: 10, bfree: 5, bavail: 5, files: 4, ffree: 2 };
  const mounts = '/dev/sda1 / ext4 rw 0 0\n/dev/fuse /far fuse.sshfs rw 0 0\n';

  /** A collector on which file systems asked through the thread pool answer when the test says so. */
  function heldTree(text: string) {
    const timers = new ManualTimers();
    const asked: string[] = [];
    const answers: (() => void)[] = [];
    const root = makeTree({ 'proc/self/mounts': text });
    const later = (file: string): Promise<typeof sizes> => {
      asked.push(file.slice(root.length));
      return new Promise((resolve) => answers.push(() => resolve(sizes)));
    };
    const tree = new CollectedTree(root, {
      clusters: [(environment) => filesystemCluster(environment, { now: () => sizes, later })],
      timers,
    });
    return { tree, timers, asked, answers };
  }

  it('hold up nobody and take nothing from the others, and are not asked again until they answer', async () => {
    const { tree, timers, asked, answers } = heldTree(mounts);
    const first = tree.fetch(['filesys.free', 'filesys.mountdir']);
    await turn();
    timers.advance(1000);
    expect(await first).toEqual([{ 0: 5 }, { 0: '/', 1: '/far' }]);
    expect(await tree.value('filesys.free')).toEqual({ 0: 5 });
    expect(asked).toEqual(['/far']);
    expect(tree.log).toEqual(['no response from the file system mounted at /far']);
    answers[0]!();
    await turn();
    const back = tree.value('filesys.free');
    await turn();
    answers[1]!();
    expect(await back).toEqual({ 0: 5, 1: 5 });
  });

  it('are PM_ERR_AGAIN when nothing else was asked for', async () => {
    const { tree, timers } = heldTree(mounts);
    await tree.value('filesys.mountdir');
    const profile = new InstanceProfile();
    profile.add(FILESYSTEM_INDOM.indom, [1]);
    const value = tree.value('filesys.free', profile);
    await turn();
    timers.advance(1000);
    expect(await value).toEqual({ error: PM_ERR.AGAIN });
  });

  it('hold no more than two threads, however many they are', async () => {
    const far = Array.from({ length: 5 }, (_, i) => `/dev/fuse${i} /far${i} fuse.sshfs rw 0 0\n`).join('');
    const { tree, timers, asked } = heldTree(`/dev/sda1 / ext4 rw 0 0\n${far}`);
    const value = tree.value('filesys.free');
    await turn();
    timers.advance(1000);
    expect(await value).toEqual({ 0: 5 });
    expect(await tree.value('filesys.free')).toEqual({ 0: 5 });
    expect(asked).toEqual(['/far0', '/far1']);
  });

  it('have those hang that are mounted below them, which are asked in the same way', async () => {
    const { tree, asked } = heldTree(
      ['/dev/sda1 / ext4 rw', 'server:/x /net/x nfs4 rw', '/dev/sdb1 /net/x/disk ext4 rw', '/dev/sdc1 /net/xy ext4 rw']
        .map((line) => `${line} 0 0\n`)
        .join(''),
    );
    void tree.value('filesys.free');
    await turn();
    expect(asked).toEqual(['/net/x/disk']);
    expect(await tree.value('filesys.mountdir')).toEqual({ 0: '/', 1: '/net/x/disk', 2: '/net/xy' });
  });

  it('use nothing where they say that more is free than there is', async () => {
    const odd = { ...sizes, bfree: 11, ffree: 5 };
    const tree = new CollectedTree(makeTree({ 'proc/self/mounts': mounts.split('\n')[0]! }), {
      clusters: [
        (environment) => filesystemCluster(environment, { now: () => odd, later: () => Promise.resolve(odd) }),
      ],
    });
    expect(await tree.fetch(['filesys.used', 'filesys.usedfiles', 'filesys.full', 'filesys.free'])).toEqual([
      { 0: 0 },
      { 0: 0 },
      { 0: 0 },
      { 0: 11 },
    ]);
  });

  it('leave the others their values when they fail', async () => {
    const tree = new CollectedTree(makeTree({ 'proc/self/mounts': mounts }), {
      clusters: [
        (environment) =>
          filesystemCluster(environment, { now: () => sizes, later: () => Promise.reject(new Error('ESTALE')) }),
      ],
    });
    expect(await tree.value('filesys.full')).toEqual({ 0: 50 });
    expect(await tree.value('filesys.full')).toEqual({ 0: 50 });
    expect(tree.log).toEqual([expect.stringContaining('/far')]);
  });

  it('keep their numbers when file systems are mounted and unmounted', async () => {
    const root = makeTree({ 'proc/self/mounts': mounts });
    const tree = new CollectedTree(root, { clusters: [(environment) => filesystemCluster(environment)] });
    await tree.value('filesys.mountdir');
    writeTree(root, { 'proc/self/mounts': '/dev/sdb1 /new ext4 rw 0 0\n/dev/fuse /far fuse.sshfs rw 0 0\n' });
    tree.clock.advance(1000);
    expect(await tree.value('filesys.mountdir')).toEqual({ 2: '/new', 1: '/far' });
    expect(await tree.value('hinv.nfilesys')).toBe(2);
  });
});

describe('pmcdCluster', () => {
  it('answers what clients ask pmcd when they start', async () => {
    const tree = new CollectedTree(fixture('vm2'), {
      extra: [
        pmcdCluster({
          hostName: () => 'here',
          timeZone: () => 'CET-1CEST,M3.5.0,M10.5.0/3',
          zoneInfo: () => ':Europe/Berlin',
          version: '7.2.1',
          agents: new Map(rows([60, 'linux'], [2, 'pmcd'])),
          clients: () => 5,
          requests: () => 2 ** 32 + 1,
          answers: () => 9,
        }),
      ],
    });
    const expected = {
      'pmcd.hostname': 'here',
      'pmcd.version': '7.2.1',
      'pmcd.timezone': 'CET-1CEST,M3.5.0,M10.5.0/3',
      'pmcd.zoneinfo': ':Europe/Berlin',
      'pmcd.numclients': 5,
      'pmcd.numagents': 2,
      'pmcd.pid': process.pid,
      'pmcd.pdu_in.total': 1,
      'pmcd.pdu_out.total': 9,
      'pmcd.agent.name': { 2: 'pmcd', 60: 'linux' },
      'pmcd.agent.status': { 2: 0, 60: 0 },
    };
    expect(await tree.fetch(Object.keys(expected))).toEqual(Object.values(expected));
    expect(await tree.instancesOf('pmcd.agent.name')).toEqual({ 2: 'pmcd', 60: 'linux' });
  });
});

describe('names that pass to something else', () => {
  const stats = (name: string): string => `253 0 ${name} 7\n`;

  it('are seen when /dev/mapper changes: a volume that is renamed, or comes in place of another', async () => {
    const root = makeTree({ 'proc/diskstats': stats('dm-0'), 'sys/block/dm-0/dm/name': 'a\n', 'dev/mapper/a': '' });
    const tree = new CollectedTree(root);
    for (let i = 0; i < 2; i++) {
      expect(await tree.value('disk.dm.read')).toEqual({ 0: 7 });
      tree.clock.advance(1000);
    }
    const files = new ProcFiles(root, tree.clock);
    const before = files.changeTime('dev/mapper');
    for (let i = 0; files.changeTime('dev/mapper') === before; i++) writeTree(root, { [`dev/mapper/b${i}`]: '' });
    writeTree(root, { 'sys/block/dm-0/dm/name': 'b\n' });
    expect(await tree.value('disk.dm.read')).toEqual({ 1: 7 });
    expect(await tree.instancesOf('disk.dm.read')).toEqual({ 1: 'b' });
  });

  it('are seen within a minute without /dev', async () => {
    const root = makeTree({ 'proc/diskstats': stats('dm-0'), 'sys/block/dm-0/dm/name': 'a\n' });
    const tree = new CollectedTree(root);
    const source = tree.collector.open();
    for (let i = 0; i < 2; i++) {
      await tree.value('disk.dm.read');
      tree.clock.advance(1000);
    }
    const before = source.generation;
    tree.clock.advance(60_000);
    expect(await tree.value('disk.dm.read')).toEqual({ 0: 7 });
    expect(source.generation).toBe(before);
    writeTree(root, { 'sys/block/dm-0/dm/name': 'b\n' });
    tree.clock.advance(60_000);
    expect(await tree.value('disk.dm.read')).toEqual({ 1: 7 });
    expect(source.generation).toBeGreaterThan(before);
  });

  it('are seen at once where an interrupt gets another device', async () => {
    const root = makeTree({ 'proc/interrupts': '   CPU0\n 25: 5 PCI-MSI  eth0\nERR: 1\n' });
    const tree = new CollectedTree(root);
    const labels = () => tree.instanceLabelsOf('kernel.all.interrupts.total');
    expect(await labels()).toEqual({ 0: { irq: '25', irqtext: 'PCI-MSI eth0' } });
    const source = tree.collector.open();
    const before = source.generation;
    writeTree(root, { 'proc/interrupts': '   CPU0\n 25: 6 PCI-MSI  nvme0\nERR: 1\n' });
    tree.clock.advance(1000);
    expect(await labels()).toEqual({ 0: { irq: '25', irqtext: 'PCI-MSI nvme0' } });
    expect(source.generation).toBeGreaterThan(before);
  });
});

describe('names that are no UTF-8', () => {
  it('are those of different interfaces still', async () => {
    const root = makeTree({ 'proc/net/dev': '' });
    const text = 'head\nhead\n \xff: 1 2\n \xfe: 3 4\n';
    writeFileSync(path.join(root, 'proc/net/dev'), Buffer.from(text, 'latin1'));
    const tree = new CollectedTree(root);
    expect(await tree.value('network.interface.in.bytes')).toEqual({ 0: 1, 1: 3 });
    expect(await tree.instancesOf('network.interface.in.bytes')).toEqual({ 0: '\\xff', 1: '\\xfe' });
  });
});

describe('kernel.all.nusers', () => {
  it.each([
    ['x64', 384],
    ['arm64', 400],
  ])('counts the records of %s, which have %i bytes', async (arch, size) => {
    const root = makeTree({ 'var/run/utmp': '' });
    const records = ['root', 'alice', 'bob'].map((user) => {
      const record = Buffer.alloc(size);
      record.writeUInt16LE(7);
      record.write(user, 44);
      return record;
    });
    writeFileSync(path.join(root, 'var/run/utmp'), Buffer.concat(records));
    const tree = new CollectedTree(root, { clusters: [(environment) => loginsCluster(environment, arch)] });
    expect(await tree.fetch(['kernel.all.nusers', 'kernel.all.nroots', 'kernel.all.nsessions'])).toEqual([3, 1, 3]);
  });
});

describe('a disk whose name has a slash', () => {
  it('has its files below /sys/block by a name with an exclamation mark', async () => {
    const root = makeTree({
      'proc/diskstats': '104 0 cciss/c0d0 1\n104 1 cciss/c0d0p1 2\n',
      'sys/block/cciss!c0d0/queue/scheduler': 'noop [cfq]\n',
    });
    const tree = new CollectedTree(root);
    expect(await tree.fetch(['disk.dev.scheduler', 'disk.dev.read', 'disk.partitions.read'])).toEqual([
      { 0: 'cfq' },
      { 0: 1 },
      { 0: 2 },
    ]);
  });
});

describe('names that are gone', () => {
  const device = (name: string): string => `head\nhead\n ${name}: 1 2 3\n`;
  it.each([
    ['60.1', 'disk.dev.read', 'proc/diskstats', (name: string) => `8 0 ${name} 1\n`],
    ['60.10', 'disk.partitions.read', 'proc/diskstats', (name: string) => `8 0 ${name}1 1\n`],
    ['60.5', 'filesys.mountdir', 'proc/self/mounts', (name: string) => `/dev/${name} / ext4 rw\n`],
    ['60.6', 'swapdev.length', 'proc/swaps', (name: string) => `Filename\n${name} file 1 1 1\n`],
    ['60.3', 'network.interface.in.bytes', 'proc/net/dev', device],
    [
      '60.17',
      'network.interface.ipv6_addr',
      'proc/net/if_inet6',
      (name: string) => `${'0'.repeat(32)} 1 80 10 80 ${name}\n`,
    ],
    ['60.4', 'kernel.all.interrupts.total', 'proc/interrupts', (name: string) => ` CPU0\n${name}: 5\n`],
    ['60.40', 'kernel.percpu.interrupts', 'proc/interrupts', (name: string) => ` CPU0\n${name}: 5\n`],
  ])('are told to the instance cache %s (%s)', async (indom, metric, file, textWith) => {
    const root = makeTree({});
    const stateDir = makeTree({});
    const tree = new CollectedTree(root, { stateDir });
    for (const name of ['one', 'two', 'three']) {
      writeTree(root, { [file]: textWith(name) });
      tree.clock.advance(100_000);
      await tree.value(metric);
    }
    await tree.collector.close();
    const lines = readFileSync(path.join(stateDir, indom), 'utf8')
      .split('\n')
      .filter((line) => /(?:one|two|three)/.test(line)); // addresses: this machine's own interfaces, too
    const seen = lines.map((line) => Number(line.split(' ')[1]) - tree.clock.now().sec);
    expect([lines.length, ...seen]).toEqual([3, -100, 0, 0]);
  });
});
