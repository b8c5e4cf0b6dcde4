import { cpSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  FetchResult,
  INDOM_NULL,
  makeIndom,
  makePmid,
  MetricType,
  PM_ERR,
  PmError,
  Semantics,
} from '../../../src/pmapi/index.js';
import { InstanceProfile } from '../../../src/sources/index.js';
import { Catalog, LinuxCollector } from '../../../src/sources/linux/index.js';
import type { LocalCluster, MetricBinding, SlowValues } from '../../../src/sources/linux/index.js';
import { loadavgCluster } from '../../../src/sources/linux/clusters/tables.js';
import { Sample } from '../../../src/sources/linux/sample.js';
import { ProcFiles } from '../../../src/sources/linux/proc-files.js';
import { FakeClock } from '../../support/fake-clock.js';
import { collectedOf, CollectedTree, fixture, makeTree, writeTree } from './support/collected.js';

const OWN_INDOM = makeIndom(250, 1);

function catalogOf(name: string): Catalog {
  const descriptor = [makePmid(250, 0, 1), MetricType.U32, INDOM_NULL, Semantics.INSTANT, 0] as const;
  return new Catalog({
    indoms: [[OWN_INDOM, 'fixed', 'own instances', 'own instances', {}]],
    metrics: [[name, ...descriptor, 'own', 'own help', {}]],
  });
}

function clusterOf(binding: MetricBinding, name = 'own.metric'): LocalCluster {
  return { name: 'own', metrics: catalogOf(name).bind(new Map([[name, binding]])) };
}

function answering(value: number): MetricBinding {
  return { kind: 'quick', samples: [], fill: (set) => set.setNumber(value) };
}

/** How often each file was read while `work` ran. */
async function readsDuring(work: () => Promise<unknown>): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  const scan = Object.getOwnPropertyDescriptor(ProcFiles.prototype, 'scan')!.value as ProcFiles['scan'];
  ProcFiles.prototype.scan = function (this: ProcFiles, file) {
    const at = String(file.path);
    counts[at] = (counts[at] ?? 0) + 1;
    return scan.call(this, file);
  };
  try {
    await work();
  } finally {
    ProcFiles.prototype.scan = scan;
  }
  return counts;
}

describe('LinuxCollector', () => {
  it('reads each file once a fetch, and none that no metric asks for', async () => {
    const tree = new CollectedTree(fixture('vm2'));
    const names = ['kernel.all.load', 'kernel.all.runnable', 'mem.util.free', 'disk.dev.read', 'disk.all.write'];
    expect(await readsDuring(() => tree.fetch([...names, 'swap.free']))).toEqual({
      [fixture('vm2/proc/loadavg')]: 1,
      [fixture('vm2/proc/meminfo')]: 1,
      [fixture('vm2/proc/diskstats')]: 1,
    });
  });

  it('shares what was read among fetches within the same 10 ms, time stamp included', async () => {
    const root = makeTree({ 'proc/loadavg': '1.00 2.00 3.00 1/10 100' });
    const tree = new CollectedTree(root, { clusters: [loadavgCluster] });
    const source = tree.collector.open();
    const fetch = async (): Promise<FetchResult> => {
      const into = new FetchResult();
      await source.fetch(source.prepare(await source.lookupNames(['kernel.all.lastpid'])), new InstanceProfile(), into);
      return into;
    };
    const first = await fetch();
    writeTree(root, { 'proc/loadavg': '1.00 2.00 3.00 1/10 101' });
    tree.clock.advance(9);
    const second = await fetch();
    expect([collectedOf(first.sets[0]!), collectedOf(second.sets[0]!)]).toEqual([100, 100]);
    expect(second.timestamp).toEqual(first.timestamp);
    tree.clock.advance(1);
    const third = await fetch();
    expect(collectedOf(third.sets[0]!)).toBe(101);
    expect(third.timestamp).toEqual(tree.clock.now());
  });

  it('answers PM_ERR_PMID for a PMID that it does not know, and the others beside it', async () => {
    const tree = new CollectedTree(fixture('vm2'));
    const source = tree.collector.open();
    const into = new FetchResult();
    const known = await source.lookupNames(['hinv.ncpu']);
    await source.fetch(source.prepare([makePmid(1, 2, 3), ...known]), new InstanceProfile(), into);
    expect(into.sets.map(collectedOf)).toEqual([{ error: PM_ERR.PMID }, 2]);
  });

  it('lets no counter seem to fall to 0 where a file is absent, or holds nothing any more', async () => {
    const withValues = async (tree: CollectedTree, only: RegExp): Promise<string[]> => {
      const names = (await tree.collector.open().traverse('')).filter((name) => only.test(name));
      const values = await tree.fetch(names);
      return names.filter((_, i) => {
        const value = values[i];
        return typeof value === 'object' ? !('error' in value) && Object.keys(value).length > 0 : value !== undefined;
      });
    };
    const some = /^(?:kernel\.(?:all\.cpu|per)|mem|swap|disk\.(?!all)|filesys|vfs|hinv\.ncpu)/;
    expect(await withValues(new CollectedTree(makeTree({})), /^disk/)).toEqual([]);
    expect(await withValues(new CollectedTree(makeTree({})), some)).toEqual([]);

    const root = makeTree({});
    cpSync(fixture('vm2'), root, { recursive: true });
    const tree = new CollectedTree(root);
    expect((await withValues(tree, some)).length).toBeGreaterThan(100);
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).map((file) => path.join(root, file));
    for (const file of files) if (statSync(file).isFile()) writeFileSync(file, '');
    tree.clock.advance(60_000);
    expect(await withValues(tree, some)).toEqual([]);
    // No disk at all: as many reads of disks.
    expect(await tree.value('disk.all.read')).toBe(0);
  });

  it('serves the metrics of the recorded machine', async () => {
    const tree = new CollectedTree(fixture('vm2'));
    expect(
      await tree.fetch(['kernel.uname.sysname', 'kernel.uname.distro', 'hinv.machine', 'disk.dev.scheduler']),
    ).toEqual(['Linux', 'Debian 12.11', 'x86_64', { 0: 'mq-deadline' }]);
  });

  describe('with slow sources', () => {
    const values: SlowValues<number> = { fill: (item, set) => set.setNumber(item) };

    it('waits for them only when a fetch asks for one', async () => {
      let asked = 0;
      const source = {
        sample: () => {
          asked++;
          return Promise.resolve(values);
        },
      };
      const tree = new CollectedTree(fixture('vm2'), { extra: [clusterOf({ kind: 'slow', source, item: 42 })] });
      await tree.value('hinv.ncpu');
      expect(asked).toBe(0);
      expect(await tree.fetch(['own.metric', 'hinv.ncpu'])).toEqual([42, 2]);
      expect(asked).toBe(1);
    });

    it('answers PM_ERR_AGAIN for one that is late, and the rest of the fetch as ever', async () => {
      const source = { sample: () => new Promise<SlowValues>(() => undefined) };
      const tree = new CollectedTree(fixture('vm2'), {
        extra: [clusterOf({ kind: 'slow', source, item: 1 })],
        slowDeadlineMs: 1,
      });
      expect(await tree.fetch(['own.metric', 'hinv.ncpu'])).toEqual([{ error: PM_ERR.AGAIN }, 2]);
    });

    it.each([
      [
        'throws',
        () => {
          throw new Error('no');
        },
      ],
      ['rejects', () => Promise.reject(new Error('no'))],
    ])('answers PM_ERR_AGAIN for one that %s', async (_, sample) => {
      const tree = new CollectedTree(fixture('vm2'), {
        extra: [clusterOf({ kind: 'slow', source: { sample }, item: 1 })],
      });
      expect(await tree.value('own.metric')).toEqual({ error: PM_ERR.AGAIN });
      expect(tree.log).toHaveLength(1);
    });
  });

  it('answers a bug in a cluster with PM_ERR_GENERIC for its metric alone, and says so once', async () => {
    const broken: MetricBinding = {
      kind: 'quick',
      samples: [],
      fill: () => {
        throw new Error('a bug');
      },
    };
    const tree = new CollectedTree(fixture('vm2'), { extra: [clusterOf(broken)] });
    expect(await tree.fetch(['own.metric', 'hinv.ncpu'])).toEqual([{ error: PM_ERR.GENERIC }, 2]);
    await tree.value('own.metric');
    expect(tree.log).toEqual(['cannot read own.metric']);
  });

  it('serves the rest of a fetch when a sample throws, and says so once', async () => {
    class Broken extends Sample {
      protected override refresh(): void {
        throw new Error('a bug');
      }
    }
    const binding: MetricBinding = { kind: 'quick', samples: [new Broken()], fill: () => undefined };
    const tree = new CollectedTree(fixture('vm2'), { extra: [clusterOf(binding)] });
    expect(await tree.fetch(['own.metric', 'hinv.ncpu'])).toEqual([undefined, 2]);
    tree.clock.advance(1000);
    await tree.value('own.metric');
    expect(tree.log).toEqual(['cannot read Broken']);
  });

  it('fails the fetches of open sources once it is closed', async () => {
    const tree = new CollectedTree(fixture('vm2'));
    const source = tree.collector.open();
    await tree.collector.close();
    await expect(tree.value('hinv.ncpu')).rejects.toThrow(new PmError(PM_ERR.NOCONTEXT));
    await expect(source.instances(makeIndom(60, 1))).rejects.toThrow(new PmError(PM_ERR.NOCONTEXT));
  });

  it('moves its generation when the members of an instance domain change, and only then', async () => {
    const root = makeTree({ 'proc/diskstats': '8 0 sda 1 2 3\n' });
    const tree = new CollectedTree(root);
    const source = tree.collector.open();
    await tree.value('disk.dev.read');
    const before = source.generation;
    tree.clock.advance(1000);
    writeTree(root, { 'proc/diskstats': '8 0 sda 5 2 3\n' });
    expect(await tree.value('disk.dev.read')).toEqual({ 0: 5 });
    expect(source.generation).toBe(before);
    tree.clock.advance(1000);
    writeTree(root, { 'proc/diskstats': '8 0 sdb 7 2 3\n8 0 sda 5 2 3\n' });
    expect(await tree.value('disk.dev.read')).toEqual({ 1: 7, 0: 5 });
    expect(source.generation).toBeGreaterThan(before);
  });

  it('starts on a system that is not Linux, with the metrics given to it and a word on what is missing', async () => {
    const collector = new LinuxCollector({
      clock: new FakeClock(),
      platform: 'darwin',
      extra: [clusterOf(answering(7))],
    });
    const source = collector.open();
    expect(await source.traverse('')).toEqual(['own.metric']);
    expect(collector.missing()).toEqual([expect.stringContaining('darwin')]);
  });

  it('says which files are missing', () => {
    const { collector } = new CollectedTree(makeTree({ 'proc/stat': '', 'proc/meminfo': '' }));
    expect(collector.missing()).toContainEqual(expect.stringContaining('/proc/diskstats'));
    expect(collector.missing()).not.toContainEqual(expect.stringContaining('/proc/stat'));
  });

  it('refuses two metrics of one PMID', () => {
    const extra = [clusterOf(answering(1)), clusterOf(answering(2), 'own.other')];
    expect(() => new LinuxCollector({ clock: new FakeClock(), extra })).toThrow('share PMID 250.0.1');
  });
});

describe('LinuxSource', () => {
  const own: LocalCluster = {
    ...clusterOf(answering(1)),
    indoms: [{ catalog: catalogOf('own.metric').indom('250.1'), samples: [], list: () => [{ id: 3, name: 'three' }] }],
  };
  const open = () =>
    new CollectedTree(fixture('vm2'), { extra: [own], extraAgents: new Map([[250, 'own']]) }).collector.open();

  it('says who the machine is', async () => {
    const source = open();
    expect(await source.info()).toMatchObject({ kind: 'local', hostName: 'vm' });
    expect(await source.labels({ kind: 'context' })).toEqual([
      {
        instance: -1,
        labels: [
          { name: 'domainname', json: '"localdomain"' },
          { name: 'hostname', json: '"vm"' },
          { name: 'machineid', json: '"00112233445566778899aabbccddeeff"' },
        ],
      },
    ]);
  });

  it('sees within a second that the machine is called otherwise, and tells whoever keeps metadata', async () => {
    const root = makeTree({ 'proc/sys/kernel/hostname': 'before\n' });
    const tree = new CollectedTree(root);
    const source = tree.collector.open();
    const hostLabel = async (): Promise<unknown> => (await source.labels({ kind: 'context' }))[0]!.labels[1];
    const before = source.generation;
    writeTree(root, { 'proc/sys/kernel/hostname': 'after-ü\n' });
    tree.clock.advance(999);
    expect(await source.info()).toMatchObject({ hostName: 'before' });
    expect(source.generation).toBe(before);
    tree.clock.advance(1);
    expect(source.generation).toBeGreaterThan(before);
    expect(await source.info()).toMatchObject({ hostName: 'after-ü' });
    expect(await hostLabel()).toEqual({ name: 'hostname', json: '"after-ü"' });
    const after = source.generation;
    tree.clock.advance(5000);
    expect(source.generation).toBe(after);
  });

  it('names the agent of each domain', async () => {
    const source = open();
    const agents = await Promise.all([60, 3, 2, 250].map((domain) => source.labels({ kind: 'domain', domain })));
    expect(agents.map(([set]) => set?.labels[0]?.json)).toEqual(['"linux"', '"proc"', '"pmcd"', '"own"']);
    expect(await source.labels({ kind: 'domain', domain: 99 })).toEqual([]);
  });

  it('gives descriptors, help, names and instances', async () => {
    const source = open();
    const pmid = makePmid(250, 0, 1);
    expect(await source.namesOf(pmid)).toEqual(['own.metric']);
    expect(await source.describe([pmid, makePmid(9, 9, 9)])).toEqual([expect.objectContaining({ pmid }), PM_ERR.PMID]);
    expect(await source.helpText({ kind: 'metric', pmid }, 'help')).toBe('own help');
    expect(await source.helpText({ kind: 'indom', indom: makeIndom(250, 1) }, 'oneline')).toBe('own instances');
    expect(await source.helpText({ kind: 'metric', pmid: makePmid(9, 9, 9) }, 'help')).toBeUndefined();
    expect(await source.instances(makeIndom(250, 1))).toEqual({
      indom: makeIndom(250, 1),
      instances: [{ id: 3, name: 'three' }],
    });
    await expect(source.instances(makeIndom(9, 9))).rejects.toThrow(new PmError(PM_ERR.INDOM));
    expect(await source.children('own')).toEqual({ leaf: ['metric'], nonleaf: [] });
  });

  it('answers nothing any more once it is closed', async () => {
    const source = open();
    const prepared = source.prepare([makePmid(250, 0, 1)]);
    await source.close();
    await expect(source.fetch(prepared, new InstanceProfile(), new FetchResult())).rejects.toThrow(PmError);
    await expect(source.traverse('')).rejects.toThrow(PmError);
    const other = open();
    other.destroy(new Error('lost'));
    await expect(other.info()).rejects.toThrow('lost');
  });
});
