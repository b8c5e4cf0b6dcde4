import { rmSync } from 'node:fs';
import path from 'node:path';
import { makeIndom } from '../../../../src/pmapi/index.js';
import { InstanceProfile } from '../../../../src/sources/index.js';
import { cgroupCluster } from '../../../../src/sources/linux/clusters/cgroups.js';
import { CollectedTree, makeTree, writeTree } from '../support/collected.js';
import { rows } from '../../../support/rows.js';

const GROUPS = makeIndom(3, 16);
const MEMORY = makeIndom(3, 24);
const CGROUP = 'sys/fs/cgroup';
const ID = 'c0ffee'.repeat(11).slice(0, 64);

const tree = (files: Readonly<Record<string, string>>): string => makeTree(files);
const open = (root: string): CollectedTree => new CollectedTree(root, { clusters: [cgroupCluster] });

async function values(collected: CollectedTree, metric: string): Promise<Record<string, unknown>> {
  const source = collected.collector.open();
  const [pmid] = await source.lookupNames([metric]);
  const [descriptor] = await source.describe([pmid!]);
  const { instances } = await source.instances((descriptor as { indom: number }).indom);
  const names = new Map(instances.map(({ id, name }) => [id, name]));
  const found = (await collected.value(metric)) ?? {};
  return Object.fromEntries(Object.entries(found).map(([id, value]) => [names.get(Number(id)) ?? id, value]));
}

const UNIFIED = {
  'proc/mounts': `cgroup2 /${CGROUP} cgroup2 rw,nosuid 0 0\n`,
  'proc/cgroups': '#subsys_name\thierarchy\tnum_cgroups\tenabled\ncpu\t0\t5\t1\nmemory\t0\t5\t0\nbad line\n',
  'proc/diskstats': '   8       0 sda 1 2 3\n   7       0 loop0 1 2 3\n 253       0 zram0 1\n',
  [`${CGROUP}/cpu.stat`]: 'usage_usec 30\nuser_usec 20\nsystem_usec 10\n',
  [`${CGROUP}/a.slice/cpu.stat`]:
    'system_usec 1\nnr_periods 7\nnr_throttled 5\nthrottled_usec 900\nnew_key 1\nusage_usec 18446744073709551614\nuser_usec 18446744073709551615\n',
  [`${CGROUP}/a.slice/cpu.max`]: '50000 100000\n',
  [`${CGROUP}/a.slice/memory.stat`]: 'anon 4096\nfile 1\nworkingset_refault 3\n',
  [`${CGROUP}/a.slice/memory.current`]: '8192\n',
  [`${CGROUP}/a.slice/memory.max`]: 'max\n',
  [`${CGROUP}/a.slice/memory.events`]: 'low 0\nhigh 1\nmax 2\noom 3\noom_kill 4\noom_group_kill 5\n',
  [`${CGROUP}/a.slice/pids.current`]: '12\n',
  [`${CGROUP}/a.slice/pids.max`]: '100\n',
  [`${CGROUP}/a.slice/io.stat`]:
    '8:0 rbytes=1 wbytes=2 rios=3 wios=4 dbytes=5 dios=6 cost.usage=7\n7:0 rbytes=1 wbytes=2 rios=3 wios=4 dbytes=5 dios=6\n253:0 rbytes=9 wbytes=9 rios=9\n9:9\n',
  [`${CGROUP}/a.slice/cpu.pressure`]:
    'some avg10=49.03 avg60=0.50 avg300=0.00 total=123\nfull avg10=1.00 avg60=1.00 avg300=1.00 total=1\n',
  [`${CGROUP}/a.slice/io.pressure`]: 'some avg10=1.00 avg60=2.00\nfull avg10=x avg60=0 avg300=0 total=1\n',
  [`${CGROUP}/a.slice/docker-${ID}.scope/memory.stat`]: 'anon 1\n',
  [`${CGROUP}/a.slice/b\\x2dc d/cpu.stat`]: 'user_usec x\n',
  [`${CGROUP}/.hidden/cpu.stat`]: 'user_usec 1\n',
};

describe('control groups of version 2', () => {
  const root = tree(UNIFIED);
  const groups = open(root);
  afterAll(() => {
    rmSync(root, { recursive: true });
  });

  it('are the folders, with their names', async () => {
    const { instances } = await groups.collector.open().instances(GROUPS);
    expect(instances.map(({ name }) => name).sort()).toEqual(
      ['/', '/a.slice', '/a.slice/b-c d', `/a.slice/docker-${ID}.scope`].sort(),
    );
    const labels = await groups.collector.labels({ kind: 'instances', indom: makeIndom(3, 17) });
    expect(labels.map((set) => set.labels.map(({ name, json }) => [name, json]))).toEqual([
      rows(['cgroup', '"/a.slice"'], ['device_name', '"sda"']),
    ]);
  });

  it.each<[string, Record<string, unknown>]>([
    ['cgroup.cpu.stat.user', { '/': 20 }],
    ['cgroup.cpu.stat.usage', { '/': 30, '/a.slice': 2n ** 64n - 2n }],
    ['cgroup.memory.stat.anon', { '/a.slice': 4096, [`/a.slice/docker-${ID}.scope`]: 1 }],
    ['cgroup.memory.stat.workingset.refault', { '/a.slice': 3 }],
    ['cgroup.memory.current', { '/a.slice': 8192 }],
    ['cgroup.memory.id.container', { '/a.slice': '', [`/a.slice/docker-${ID}.scope`]: ID }],
    ['cgroup.io.stat.dios', { '/a.slice::sda': 6 }],
    ['cgroup.pressure.cpu.some.avg10sec', { '/a.slice': Math.fround(49.03) }],
    ['cgroup.pressure.cpu.some.total', { '/a.slice': 123 }],
    ['cgroup.pressure.io.some.avg10sec', {}],
    ['cgroup.pressure.io.full.total', {}],
    ['cgroup.subsys.enabled', { cpu: 1, memory: 0 }],
    ['cgroup.mounts.subsys', { '/sys/fs/cgroup': '?' }],
    ['cgroup.pmgate.cpu.throttled_time', { '/a.slice': 900 }],
    ['cgroup.pmgate.cpu.quota', { '/a.slice': 50_000 }],
    ['cgroup.pmgate.cpu.period', { '/a.slice': 100_000 }],
    ['cgroup.pmgate.memory.events.oom_kill', { '/a.slice': 4 }],
    ['cgroup.pmgate.memory.max', {}],
    ['cgroup.pmgate.pids.current', { '/a.slice': 12 }],
    ['cgroup.cpusched.shares', {}],
  ])('%s', async (metric, expected) => {
    expect(await values(groups, metric)).toEqual(expected);
  });

  it('are only those of the profile', async () => {
    const { instances } = await groups.collector.open().instances(MEMORY);
    const profile = new InstanceProfile();
    profile.delete();
    profile.add(MEMORY, [instances[1]!.id]);
    expect(await groups.value('cgroup.memory.stat.anon', profile)).toEqual({ [instances[1]!.id]: 1 });
  });

  it('keep their numbers when they go and come back, and a gone one is not there', async () => {
    const source = groups.collector.open();
    const before = await source.instances(GROUPS);
    rmSync(path.join(root, CGROUP, 'a.slice/b\\x2dc d'), { recursive: true });
    const { generation } = source;
    const without = await source.instances(GROUPS);
    expect(without.instances).toHaveLength(before.instances.length - 1);
    expect(source.generation).toBeGreaterThan(generation);
    writeTree(root, { [`${CGROUP}/new.slice/cpu.stat`]: '', [`${CGROUP}/a.slice/b\\x2dc d/cpu.stat`]: '' });
    const after = await source.instances(GROUPS);
    expect(after.instances).toEqual(expect.arrayContaining([...before.instances]));
    expect(after.instances).toHaveLength(before.instances.length + 1);
  });
});

describe('control groups of version 1', () => {
  const root = tree({
    'proc/mounts': [
      `cgroup /${CGROUP}/cpu\\040acct cgroup rw,cpu,cpuacct 0 0`,
      `cgroup /${CGROUP}/blkio cgroup rw,blkio 0 0`,
      `cgroup /${CGROUP}/systemd cgroup rw,name=systemd 0 0`,
      `cgroup2 /${CGROUP}/unified cgroup2 rw 0 0`,
    ].join('\n'),
    'proc/cgroups': '#subsys_name hierarchy num_cgroups enabled\ncpu 2 1 1\ncpuacct 2 1 1\nblkio 3 1 1\n',
    'proc/diskstats': ' 8 0 sda 1\n 8 16 sdb 1\n',
    [`${CGROUP}/cpu acct/cpuacct.usage`]: '12345\n',
    [`${CGROUP}/cpu acct/cpuacct.usage_percpu`]: '5 6 \n',
    [`${CGROUP}/cpu acct/cpuacct.stat`]: 'user 3\nsystem 4\n',
    [`${CGROUP}/cpu acct/cpu.cfs_quota_us`]: '-1\n',
    [`${CGROUP}/cpu acct/docker/${ID}/cpuacct.usage`]: '7\n',
    [`${CGROUP}/blkio/blkio.throttle.io_serviced`]:
      '8:0 Read 1\n8:0 Write 2\n8:0 Discard 9\n8:16 Read 10\n99:0 Read 100\nTotal 113\n',
    [`${CGROUP}/blkio/blkio.sectors`]: '8:0 5\n8:16 18446744073709551614\n',
    [`${CGROUP}/unified/u/cpu.stat`]: 'user_usec 1\n',
    [`${CGROUP}/unified/u/memory.stat`]: 'anon 2\n',
  });
  const groups = open(root);
  afterAll(() => {
    rmSync(root, { recursive: true });
  });

  it.each<[string, Record<string, unknown>]>([
    ['cgroup.cpuacct.usage', { '/': 12345, [`/docker/${ID}`]: 7 }],
    ['cgroup.cpuacct.usage_percpu', { '/::cpu0': 5, '/::cpu1': 6 }],
    ['cgroup.cpuacct.stat.user', { '/': 30 }],
    ['cgroup.cpuacct.id.container', { '/': '', '/docker': '', [`/docker/${ID}`]: ID }],
    ['cgroup.cpusched.cfs_quota', {}],
    ['cgroup.blkio.dev.throttle.io_serviced.read', { '/::sda': 1, '/::sdb': 10 }],
    ['cgroup.blkio.all.throttle.io_serviced.read', { '/': 11 }],
    ['cgroup.blkio.dev.sectors', { '/::sda': 2, '/::sdb': 2n ** 63n - 1n }],
    ['cgroup.cpu.stat.user', { '/u': 1 }],
    ['cgroup.memory.stat.anon', { '/u': 2 }],
    [
      'cgroup.mounts.subsys',
      {
        '/sys/fs/cgroup/cpu\\040acct': 'cpu,cpuacct',
        '/sys/fs/cgroup/blkio': 'blkio',
        '/sys/fs/cgroup/systemd': '?',
        '/sys/fs/cgroup/unified': '?',
      },
    ],
  ])('%s', async (metric, expected) => {
    expect(await values(groups, metric)).toEqual(expected);
  });
});

it('serves no control groups where there are none', async () => {
  const root = tree({ 'proc/mounts': 'proc /proc proc rw 0 0\n' });
  const groups = open(root);
  const names = ['cgroup.cpu.stat.user', 'cgroup.subsys.count', 'cgroup.mounts.count'];
  expect(await groups.fetch(names)).toEqual([undefined, 0, 0]);
  rmSync(root, { recursive: true });
});
