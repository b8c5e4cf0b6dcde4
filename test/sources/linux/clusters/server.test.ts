import { makeIndom, PM_ERR } from '../../../../src/pmapi/index.js';
import { InstanceProfile } from '../../../../src/sources/index.js';
import { filesystemCluster } from '../../../../src/sources/linux/clusters/filesystem.js';
import { cpuinfoCluster } from '../../../../src/sources/linux/clusters/cpuinfo.js';
import { diskCluster } from '../../../../src/sources/linux/clusters/disk.js';
import { interruptsCluster, softirqsCluster } from '../../../../src/sources/linux/clusters/interrupts.js';
import { kernelLimitsCluster, unameCluster } from '../../../../src/sources/linux/clusters/tables.js';
import { loginsCluster } from '../../../../src/sources/linux/clusters/logins.js';
import {
  loadavgCluster,
  meminfoCluster,
  pressureCluster,
  swapsCluster,
  vfsCluster,
  vmstatCluster,
} from '../../../../src/sources/linux/clusters/tables.js';
import { nodeMemoryCluster } from '../../../../src/sources/linux/clusters/numa.js';
import { statCluster } from '../../../../src/sources/linux/clusters/stat.js';
import { type Collected, CollectedTree, fixture } from '../support/collected.js';

/** test/fixtures/linux/server: 2 NUMA nodes, CPU 3 offline, dm, RAID, swap, counters beyond 2^53. */
describe('the clusters on a large server', () => {
  const sizes = { bsize: 4096, blocks: 1000, bfree: 400, bavail: 300, files: 100, ffree: 60 };
  const server = new CollectedTree(fixture('server'), {
    clusters: [
      cpuinfoCluster,
      diskCluster,
      interruptsCluster,
      softirqsCluster,
      kernelLimitsCluster,
      loadavgCluster,
      loginsCluster,
      meminfoCluster,
      nodeMemoryCluster,
      pressureCluster,
      statCluster,
      swapsCluster,
      unameCluster,
      vfsCluster,
      vmstatCluster,
      (environment) =>
        filesystemCluster(environment, {
          now: () => sizes,
          later: (path) => Promise.resolve({ ...sizes, blocks: 400 + path.length }),
        }),
    ],
  });

  const expected: Readonly<Record<string, Collected | undefined>> = {
    // /proc/stat, in ticks of 10 ms
    'kernel.all.cpu.user': 10_000,
    'kernel.all.cpu.nice': 2000,
    'kernel.all.cpu.sys': 3000,
    'kernel.all.cpu.idle': 400_000,
    'kernel.all.cpu.wait.total': 500,
    'kernel.all.cpu.intr': 1300,
    'kernel.all.cpu.irq.hard': 600,
    'kernel.all.cpu.irq.soft': 700,
    'kernel.all.cpu.steal': 80,
    'kernel.all.cpu.guest': 900,
    'kernel.all.cpu.guest_nice': 100,
    'kernel.all.cpu.vuser': 9100,
    'kernel.all.cpu.vnice': 1900,
    'kernel.percpu.cpu.user': { 0: 4000, 1: 3000, 2: 3000 },
    'kernel.percpu.cpu.vuser': { 0: 3600, 1: 2700, 2: 2800 },
    'kernel.pernode.cpu.user': { 0: 7000, 1: 3000 },
    'kernel.pernode.cpu.vuser': { 0: 6400, 1: 2700 },
    'kernel.pernode.cpu.wait.total': { 0: 300, 1: 200 },
    'kernel.all.intr': 9007199254740993n,
    'kernel.all.pswitch': 18446744073709551615n,
    'kernel.all.boottime': 1767225600,
    'kernel.all.sysfork': 4242,
    'kernel.all.running': 3,
    'kernel.all.blocked': 1,
    'hinv.ncpu': 3,
    'hinv.nnode': 2,
    'hinv.cpu.online': { 0: 1, 1: 1, 2: 1 },
    'hinv.map.cpu_num': { 0: 0, 1: 1, 2: 2 },
    'hinv.map.cpu_node': { 0: 0, 1: 1, 2: 0 },
    // /proc/cpuinfo of an ARM machine
    'hinv.cpu.bogomips': { 0: 50, 2: 60.5 },
    'hinv.cpu.clock': { 0: 1800, 2: 2000.25 },
    'hinv.cpu.model_name': { 2: 'ARMv8 Processor rev 1' },
    'hinv.cpu.cache': { 2: 512 },
    'hinv.cpu.vendor': undefined,
    // /proc/meminfo
    'mem.physmem': 65_536_000,
    'mem.util.used': 64_512_000,
    'mem.util.active': 2_048_000,
    'mem.util.available': undefined,
    'mem.util.hugepagesTotal': 64,
    'mem.util.hugepagesTotalBytes': 64 * 2048 * 1024,
    'mem.util.hugepagesFreeBytes': 60 * 2048 * 1024,
    'hinv.physmem': 64_000,
    'hinv.hugepagesize': 2048 * 1024,
    'swap.length': 8_388_604 * 1024,
    'swap.used': 8192 * 1024,
    'swap.free': 8_380_412 * 1024,
    // /proc/vmstat
    'mem.vmstat.pgpgin': 123_456,
    'mem.vmstat.pgpgout': 18446744073709551615n,
    'mem.vmstat.pgfault': undefined,
    'mem.vmstat.thp_split': 11,
    'swap.pagesin': 5, // 2^32 + 5 in 32 bits
    'swap.pagesout': 7,
    'swap.in': { error: PM_ERR.APPVERSION },
    // nodes
    'mem.numa.util.total': { 0: 32_768_000, 1: 32_768_001 },
    'mem.numa.util.hugepagesFree': { 0: 30, 1: 31 },
    'mem.numa.util.dirty': undefined,
    // /proc/swaps
    'swapdev.free': { 0: 8_380_412, 1: 1_048_572 },
    'swapdev.length': { 0: 8_388_604, 1: 1_048_572 },
    'swapdev.priority': { 0: -2, 1: 10 },
    // /proc/diskstats
    'disk.dev.read': { 0: 1000, 1: 18446744073709551615n },
    'disk.dev.blkread': { 0: 20_001, 1: 9007199254740993n },
    'disk.dev.read_bytes': { 0: 10_000, 1: 4503599627370496 },
    'disk.dev.total': { 0: 3000, 1: 2 }, // 2^64 - 1 + 3 wraps
    'disk.dev.total_bytes': { 0: 25_001, 1: 9007199254740994n },
    'disk.dev.write_rawactive': { 0: 4294967290, 1: 5 },
    'disk.dev.total_rawactive': { 0: 294, 1: 7 }, // wraps at 32 bits
    'disk.dev.discard_bytes': { 0: 450, 1: 0 },
    'disk.dev.flush': { 0: 11 },
    'disk.dev.inflight': { 0: 3, 1: 0 },
    'disk.dev.scheduler': { 0: 'bfq', 1: 'unknown' },
    'disk.dev.capacity': { 0: 976_762_584, 1: 1_953_514_584 },
    'disk.all.write': 2003,
    'disk.all.write_bytes': 15_000 + 4503599627370497,
    'disk.all.write_rawactive': 4294967295,
    'disk.partitions.read': { 0: 900, 1: 5 },
    'disk.partitions.write_bytes': { 0: 14_000, 1: 24 },
    'disk.dm.read': { 0: 10, 1: 11 },
    'disk.dm.write_bytes': { 0: 80, 1: 84 },
    'disk.dm.total': { 0: 30, 1: 32 },
    'disk.md.read': { 0: 40, 1: 41 },
    'disk.dm.capacity': { 0: 52_428_800 },
    'disk.md.capacity': { 0: 1_046_528 },
    'hinv.map.mdname': { 0: 'md127', 1: 'md0' },
    'hinv.map.dmname': { 0: 'dm-0', 1: 'dm-1' },
    'hinv.ndisk': 2,
    // interrupts
    'kernel.all.interrupts.total': { 0: 15, 1: 4294967296, 2: 6 },
    'kernel.percpu.intr': { 0: 11, 1: 4294967297, 2: 9 },
    'kernel.percpu.interrupts': { 0: 10, 1: 0, 2: 5, 3: 0, 4: 4294967295, 5: 1, 6: 1, 7: 2, 8: 3 },
    'kernel.all.softirqs.total': { 0: 6, 1: 60 },
    'kernel.percpu.softirqs': { 0: 1, 1: 2, 2: 3, 3: 10, 4: 20, 5: 30 },
    // the rest
    'kernel.all.pressure.cpu.some.avg': { 10: 1.5, 60: 2.25, 300: Math.fround(0.1) },
    'kernel.all.pressure.cpu.some.total': 9007199254740993n,
    'kernel.all.pressure.io.some.avg': undefined,
    'kernel.all.pressure.io.full.total': undefined,
    'kernel.all.nusers': 2,
    'kernel.all.nroots': 1,
    'kernel.all.nsessions': 4,
    'kernel.all.pid_max': 4_194_304,
    'kernel.uname.nodename': 'big.example.com',
    'kernel.uname.distro': '?',
    'vfs.files.count': 1024,
    'vfs.files.max': -1, // 2^63 - 1 in 32 bits
    'vfs.inodes.free': 20,
    'vfs.aio.count': undefined,
    'filesys.mountdir': { 0: '/', 1: '/mnt/with blank', 2: '/mnt/slow' },
    'filesys.readonly': { 0: 0, 1: 1, 2: 0 },
    'filesys.capacity': { 0: 4000, 1: 4000, 2: (400 + fixture('server/mnt/slow').length) * 4 },
    'filesys.used': { 0: 2400, 1: 2400, 2: fixture('server/mnt/slow').length * 4 },
    'filesys.avail': { 0: 1200, 1: 1200, 2: 1200 },
    'hinv.nfilesys': 3,
  };

  it.each(Object.entries(expected))('serves %s', async (name, value) => {
    expect(await server.value(name)).toEqual(value);
  });

  it('serves all of them in one fetch alike', async () => {
    expect(await server.fetch(Object.keys(expected))).toEqual(Object.values(expected));
  });

  it.each([
    ['kernel.percpu.cpu.user', { 0: 'cpu0', 1: 'cpu1', 2: 'cpu2' }],
    ['kernel.pernode.cpu.user', { 0: 'node0', 1: 'node1' }],
    ['disk.dev.read', { 0: 'sda', 1: 'nvme0n1' }],
    ['disk.partitions.read', { 0: 'sda1', 1: 'nvme0n1p1' }],
    ['disk.dm.read', { 0: 'rhel-root', 1: 'rhel-swap' }],
    ['disk.md.read', { 0: 'home', 1: 'md0' }],
    ['swapdev.free', { 0: '/dev/dm-1', 1: '/swap file' }],
    ['filesys.free', { 0: '/dev/mapper/rhel-root', 1: '/dev/sda1', 2: '/dev/fuse' }],
    ['kernel.all.interrupts.total', { 0: '0', 1: '25', 2: 'NMI' }],
    [
      'kernel.percpu.softirqs',
      { 0: 'HI::cpu0', 1: 'HI::cpu1', 2: 'HI::cpu2', 3: 'TIMER::cpu0', 4: 'TIMER::cpu1', 5: 'TIMER::cpu2' },
    ],
    ['kernel.all.pressure.cpu.some.avg', { 10: '10 second', 60: '1 minute', 300: '5 minute' }],
    ['kernel.all.load', { 1: '1 minute', 5: '5 minute', 15: '15 minute' }],
  ])('names the instances of %s', async (name, instances) => {
    expect(await server.instancesOf(name)).toEqual(instances);
  });

  it('labels instances with what they are', async () => {
    expect(await server.instanceLabelsOf('disk.dm.read')).toEqual({
      0: { device_name: 'rhel-root' },
      1: { device_name: 'rhel-swap' },
    });
    expect(await server.instanceLabelsOf('kernel.percpu.cpu.user')).toMatchObject({ 2: { cpu: 2 } });
    expect(await server.instanceLabelsOf('kernel.percpu.interrupts')).toMatchObject({
      4: { cpu: 1, irq: '25', irqtext: 'PCI-MSI 65536-edge nvme0q0' },
    });
    expect(await server.instanceLabelsOf('kernel.percpu.softirqs')).toMatchObject({ 5: { cpu: 2, softirq: 'TIMER' } });
  });

  it('keeps to the instance profile', async () => {
    const profile = new InstanceProfile();
    profile.add(makeIndom(60, 1), [1]);
    profile.add(makeIndom(60, 0), [1, 3]);
    profile.add(makeIndom(60, 5));
    profile.delete(makeIndom(60, 5), [0]);
    profile.add(makeIndom(60, 40), [8]);
    const names = [
      'disk.dev.inflight',
      'kernel.percpu.cpu.nice',
      'filesys.free',
      'kernel.percpu.interrupts',
      'hinv.ndisk',
    ];
    expect(await server.fetch(names, profile)).toEqual([{ 1: 0 }, { 1: 500 }, { 1: 1600, 2: 1600 }, { 8: 3 }, 2]);
  });
});
