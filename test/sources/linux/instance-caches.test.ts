import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { indom } from '../../../src/sources/linux/catalog/indom.js';
import { InstanceCaches } from '../../../src/sources/linux/instance-caches.js';
import { FakeClock } from '../../support/fake-clock.js';
import { makeTree } from './support/collected.js';

const DISKS = indom('60.1', 'cached-saved', 'disks');
const MOUNTS = indom('60.5', 'cached', 'file systems');
const HEADER = '2 0 2147483647\n';

function cachesIn(stateDir?: string, pcpStateDir?: string): { caches: InstanceCaches; log: string[] } {
  const log: string[] = [];
  const caches = new InstanceCaches({
    stateDir,
    pcpStateDir,
    clock: new FakeClock(1_700_000_000_000),
    log: (message) => log.push(message),
  });
  return { caches, log };
}

describe('InstanceCaches', () => {
  it('numbers names in the order of first sight, and keeps the numbers', () => {
    const cache = cachesIn().caches.of(DISKS);
    expect(['sda', 'sdb', 'sda', 'sdc'].map((name) => cache.numberOf(name))).toEqual([0, 1, 0, 2]);
    expect(cache.nameOf(1)).toBe('sdb');
    expect(cache.nameOf(7)).toBeUndefined();
  });

  it('keeps numbers over a restart, and gives none of them to another name', async () => {
    const dir = path.join(makeTree({}), 'state', 'deep');
    const first = cachesIn(dir);
    first.caches.of(DISKS).numberOf('sda');
    first.caches.of(DISKS).numberOf('name with blanks');
    first.caches.of(MOUNTS).numberOf('/dev/sda1');
    await first.caches.flush();
    expect(readFileSync(path.join(dir, '60.1'), 'utf8')).toBe(
      `${HEADER}0 1700000000 sda\n1 1700000000 name with blanks\n`,
    );
    expect(readdirSync(dir).sort()).toEqual(['60.1', '60.5']);

    const second = cachesIn(dir);
    expect(['sdz', 'name with blanks', 'sda'].map((name) => second.caches.of(DISKS).numberOf(name))).toEqual([2, 1, 0]);
    await second.caches.flush();
    expect(cachesIn(dir).caches.of(DISKS).entries()).toHaveLength(3);
    expect([...first.log, ...second.log]).toEqual([]);
  });

  it("takes over the numbers of PCP's own agents, for the instance domains that these save", () => {
    const pcp = makeTree({
      '60.1': `${HEADER}4 1700000000 vda\n2 1600000000 gone\n`,
      '60.5': `${HEADER}9 1 /dev/vda\n`,
    });
    const { caches } = cachesIn(undefined, pcp);
    expect(['vdb', 'vda', 'gone'].map((name) => caches.of(DISKS).numberOf(name))).toEqual([5, 4, 2]);
    expect(caches.of(MOUNTS).numberOf('/dev/vda')).toBe(0);
  });

  it("prefers its own numbers to PCP's where they disagree", () => {
    const own = makeTree({ '60.1': `${HEADER}0 1 sda\n1 1 sdb\n` });
    const pcp = makeTree({ '60.1': `${HEADER}1 1 sda\n0 1 sdb\n2 1 sdc\n` });
    const { caches, log } = cachesIn(own, pcp);
    expect(['sda', 'sdb', 'sdc'].map((name) => caches.of(DISKS).numberOf(name))).toEqual([0, 1, 2]);
    expect(log).toEqual([]);
  });

  it.each([
    ['another header', 'hello\n0 1 sda\n', 0, 'no instance cache'],
    ['nothing at all', '', 0, 'no instance cache'],
    ['a line that is none', `${HEADER}0 1 sda\nrubbish\n`, 1, 'line 3'],
    ['a number twice', `${HEADER}0 1 sda\n0 1 sdb\n`, 1, 'line 3'],
    ['a number out of range', `${HEADER}2147483648 1 sda\n`, 0, 'line 2'],
  ])('goes on with a complaint when a file has %s', (_, text, next, complaint) => {
    const { caches, log } = cachesIn(makeTree({ '60.1': text }));
    expect(caches.of(DISKS).numberOf('new')).toBe(next);
    expect(log).toEqual([expect.stringContaining(complaint)]);
  });

  it('goes on with a complaint when the folder cannot be written', async () => {
    const root = makeTree({ file: '' });
    const { caches, log } = cachesIn(path.join(root, 'file', 'state'));
    expect(caches.of(DISKS).numberOf('sda')).toBe(0);
    await caches.flush();
    expect(log.at(-1)).toContain('will not survive');
  });

  it('goes on with a complaint when a file cannot be read', () => {
    const root = makeTree({});
    mkdirSync(path.join(root, '60.1'));
    const { caches, log } = cachesIn(root);
    expect(caches.of(DISKS).numberOf('sda')).toBe(0);
    expect(log).toEqual([expect.stringContaining('cannot read')]);
  });

  it('writes names that come while a file is being written', async () => {
    const dir = makeTree({});
    const { caches } = cachesIn(dir);
    const cache = caches.of(DISKS);
    cache.numberOf('sda');
    await Promise.resolve();
    await Promise.resolve();
    cache.numberOf('sdb');
    await caches.flush();
    expect(cachesIn(dir).caches.of(DISKS).entries()).toEqual([
      { id: 0, name: 'sda' },
      { id: 1, name: 'sdb' },
    ]);
  });
});
