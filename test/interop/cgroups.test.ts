/**
 * Control groups beside PCP's agent (6.0.3): those of the trees in its test suite, and those that the test makes on this machine. They are compared by the
 * names of instances, whose numbers are free.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { CollectedTree } from '../sources/linux/support/collected.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { PcpProbe } from './support/pcp-probe.js';
import { describeWithPcp, startPmcd } from './support/pmcd.js';

const SUITE = '/var/lib/pcp/testsuite/linux';
const TREES = ['cgroups-root-002', 'cgroups-root-003', 'cgroups-root-004'];
/** What the agent never has right: averages are served as bits of an integer, ticks as milliseconds, groups of net_cls not at all, irq once. */
const NEVER_RIGHT = /\.avg\d+(?:sec|min)$|^cgroup\.(?:cpuacct\.stat|netclass|pressure\.irq)\./;
/** Of version 1 only, but all groups of version 2 have them, with nothing in it. */
const OF_VERSION_1 = /^cgroup\.(?:cpuset|cpuacct)\./;

/** How often values that differ are looked at. */
const LOOKS = 30;

type Values = Readonly<Record<string, string>>;

/** What the agent serves where there is no such file, disk or quota; and containers that it does not know. */
function isExcused(metric: string, theirs: string | undefined, ours: string | undefined): boolean {
  if (metric.startsWith('cgroup.blkio.') && theirs === '0') return ours === undefined;
  if (metric.endsWith('.cfs_quota') && theirs?.startsWith('-') === true) return ours === undefined;
  return metric.endsWith('.id.container') && theirs === '' && /^[\da-f]{64}$/.test(ours ?? '');
}

/** Compares all values of instances; returns how many there are, and those that differ. */
async function compare(root: string, isWanted: (instance: string) => boolean = () => true) {
  const pmcd = await startPmcd({ env: { PROC_STATSPATH: root } });
  const probe = new PcpProbe(`unix://${pmcd.socket}`);
  const tree = new CollectedTree(root);
  const isUnified = !/ cgroup /.test(readFileSync(path.join(root, 'proc/mounts'), 'utf8'));
  let compared = 0;
  let wrong: string[] = [];
  try {
    const all = await tree.collector.open().traverse('cgroup');
    const names = all.filter((name) => !name.startsWith('cgroup.pmgate.') && !NEVER_RIGHT.test(name));
    // Agents begin after pmcd answers; some instance domains are enumerated at the first fetch only.
    while ('error' in (await probe.fetch(names))['cgroup.mounts.count']!);
    const { metrics, indoms } = await probe.describe(names);
    // The kernel brings some counts up to date later: what differs is looked at again.
    for (let look = 0; look < LOOKS && (look === 0 || wrong.length > 0); look++) {
      [compared, wrong] = [0, []];
      tree.clock.advance(10_000);
      const fetched = await probe.fetch(names);
      const collected = await tree.fetch(names);
      for (const [i, name] of names.entries()) {
        if (!metrics[name] || (isUnified && OF_VERSION_1.test(name))) continue;
        const known = new Map((indoms[metrics[name].indom]?.instances ?? []).map(([id, text]) => [String(id), text]));
        const theirs = byName(fetched[name] as Values, (id) => known.get(id) ?? '');
        const own = collected[i];
        const instances = known.size > 0 ? await tree.instancesOf(name) : {};
        const ours = byName(typeof own === 'object' ? own : { '': own }, (id) => instances[Number(id)] ?? '');
        for (const instance of new Set([...Object.keys(theirs), ...Object.keys(ours)])) {
          // To the agent, names that are equal up to a blank are one.
          if (!isWanted(instance) || instance.includes(' ')) continue;
          const [their, our] = [theirs[instance], ours[instance]];
          compared++;
          if (their !== our && !isExcused(name, their, our))
            wrong.push(`${name} of ${instance}: ${their}, pmgate ${our}`);
        }
      }
    }
  } finally {
    probe.close();
    await tree.collector.close();
    await pmcd.stop();
  }
  return { compared, wrong };
}

function byName(values: Readonly<Record<string, unknown>>, nameOf: (id: string) => string): Values {
  const known = Object.entries(values).filter(([id, value]) => id !== 'error' && value !== undefined);
  return Object.fromEntries(known.map(([id, value]) => [nameOf(id), String(value)]));
}

describeWithPcp('control groups beside PCP', () => {
  const directory = temporaryDirectory();
  const made: string[] = [];
  let sleeper: ChildProcess;

  beforeAll(async () => {
    sleeper = spawn('sleep', ['1000']);
    await once(sleeper, 'spawn');
  });
  afterAll(async () => {
    sleeper.kill('SIGKILL');
    await once(sleeper, 'exit');
    for (const folder of made.reverse()) rmdirSync(folder);
  });

  it.each(TREES)('of the tree %s', async (name) => {
    const root = mkdtempSync(path.join(directory.path, name));
    execFileSync('tar', ['xzf', path.join(SUITE, `${name}.tgz`), '-C', root]);
    const { compared, wrong } = await compare(root);
    expect(wrong).toEqual([]);
    expect(compared).toBeGreaterThan(200);
  });

  /** The version 1 and the version 2 of this machine apart: with both, the agent takes one for the other. */
  it.each(['cgroup', 'cgroup2'])('of this machine, below its mounts of type %s', async (type) => {
    const lines = readFileSync('/proc/mounts', 'utf8').split('\n');
    const mounts = lines.filter((line) => line.split(' ')[2] === type);
    if (mounts.length === 0) return;
    const root = mkdtempSync(path.join(directory.path, type));
    mkdirSync(path.join(root, 'proc'));
    for (const file of ['cgroups', 'diskstats', 'stat', 'uptime'])
      symlinkSync(`/proc/${file}`, path.join(root, 'proc', file));
    symlinkSync('/sys', path.join(root, 'sys'));
    writeFileSync(path.join(root, 'proc/mounts'), `${mounts.join('\n')}\n`);
    const group = `/pmgate-interop-${process.pid}`;
    for (const mount of mounts) makeGroups(path.join(mount.split(' ')[1]!, group));
    const { compared, wrong } = await compare(root, (instance) => instance.startsWith(group));
    expect(wrong).toEqual([]);
    expect(compared).toBeGreaterThan(type === 'cgroup' ? 100 : 5);
  });

  /** A group with limits, a container in it, and a process that sleeps, where the kernel lets us. */
  function makeGroups(folder: string): void {
    for (const each of [folder, path.join(folder, `docker-${'0'.repeat(64)}.scope`)]) {
      mkdirSync(each);
      made.push(each);
    }
    const limits = {
      'cpu.cfs_quota_us': 50_000,
      'cpu.shares': 512,
      'memory.limit_in_bytes': 2 ** 26,
      'memory.max': 2 ** 26,
    };
    for (const [file, limit] of Object.entries(limits)) {
      if (existsSync(path.join(folder, file))) writeFileSync(path.join(folder, file), String(limit));
    }
    // Without processors of its own, a group of cpuset takes none.
    if (!existsSync(path.join(folder, 'cpuset.cpus')))
      writeFileSync(path.join(folder, 'cgroup.procs'), String(sleeper.pid));
  }
});
