import { mkdirSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { DISK_INDOM, FILESYSTEM_INDOM } from '../../../src/sources/linux/catalog/linux-catalog.js';
import { InstanceCache, InstanceCaches } from '../../../src/sources/linux/instance-caches.js';
import { InstanceTable } from '../../../src/sources/linux/sample.js';
import { FakeClock } from '../../support/fake-clock.js';
import { ManualTimers } from '../../support/manual-timers.js';
import { makeTree } from './support/collected.js';
import { rows } from '../../support/rows.js';

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

/** Caches whose files are told to the test instead of being written. */
function watchedCaches(wait: () => Promise<void> = () => Promise.resolve()) {
  const timers = new ManualTimers();
  const saved: string[] = [];
  const log: string[] = [];
  const disk = { isFull: false };
  const caches = new InstanceCaches({
    stateDir: '/state',
    clock: new FakeClock(1_700_000_000_000),
    timers,
    log: (message) => log.push(message),
    save: (file, text) => {
      if (disk.isFull) return Promise.reject(new Error('ENOSPC'));
      saved.push(`${file} ${text.split('\n').slice(1, -1).join(', ')}`);
      return wait();
    },
  });
  return { caches, timers, saved, log, disk };
}

describe('InstanceCaches', () => {
  it('numbers names in the order of first sight, and keeps the numbers', () => {
    const cache = cachesIn().caches.of(DISK_INDOM);
    expect(['sda', 'sdb', 'sda', 'sdc'].map((name) => cache.numberOf(name))).toEqual([0, 1, 0, 2]);
    expect(cache.nameOf(1)).toBe('sdb');
    expect(cache.nameOf(7)).toBeUndefined();
  });

  it('keeps numbers over a restart, and gives none of them to another name', async () => {
    const dir = path.join(makeTree({}), 'state', 'deep');
    const first = cachesIn(dir);
    first.caches.of(DISK_INDOM).numberOf('sda');
    first.caches.of(DISK_INDOM).numberOf('name with blanks');
    first.caches.of(FILESYSTEM_INDOM).numberOf('/dev/sda1');
    await first.caches.flush();
    expect(readFileSync(path.join(dir, '60.1'), 'utf8')).toBe(
      `${HEADER}0 1700000000 sda\n1 1700000000 name with blanks\n`,
    );
    expect(readdirSync(dir).sort()).toEqual(['60.1', '60.5']);

    const second = cachesIn(dir);
    expect(['sdz', 'name with blanks', 'sda'].map((name) => second.caches.of(DISK_INDOM).numberOf(name))).toEqual([
      2, 1, 0,
    ]);
    await second.caches.flush();
    expect(cachesIn(dir).caches.of(DISK_INDOM).entries()).toHaveLength(3);
    expect([...first.log, ...second.log]).toEqual([]);
  });

  it("takes over the numbers of PCP's own agents, for the instance domains that these save", () => {
    const pcp = makeTree({
      '60.1': `${HEADER}4 1700000000 vda\n2 1600000000 gone\n`,
      '60.5': `${HEADER}9 1 /dev/vda\n`,
    });
    const { caches } = cachesIn(undefined, pcp);
    expect(['vdb', 'vda', 'gone'].map((name) => caches.of(DISK_INDOM).numberOf(name))).toEqual([5, 4, 2]);
    expect(caches.of(FILESYSTEM_INDOM).numberOf('/dev/vda')).toBe(0);
  });

  it("prefers its own numbers to PCP's where they disagree", () => {
    const own = makeTree({ '60.1': `${HEADER}0 1 sda\n1 1 sdb\n` });
    const pcp = makeTree({ '60.1': `${HEADER}1 1 sda\n0 1 sdb\n2 1 sdc\n` });
    const { caches, log } = cachesIn(own, pcp);
    expect(['sda', 'sdb', 'sdc'].map((name) => caches.of(DISK_INDOM).numberOf(name))).toEqual([0, 1, 2]);
    expect(log).toEqual([]);
  });

  it.each([
    ['another header', 'hello\n0 1 sda\n', 0, 'not an instance cache'],
    ['nothing at all', '', 0, 'not an instance cache'],
    ['a line that is none', `${HEADER}0 1 sda\nrubbish\n`, 1, 'line 3'],
    ['a number twice', `${HEADER}0 1 sda\n0 1 sdb\n`, 1, 'line 3'],
    ['a number out of range', `${HEADER}2147483648 1 sda\n`, 0, 'line 2'],
    ['a line cut off', `${HEADER}0 1 sda\n1 1`, 1, 'line 3'],
  ])('goes on with a complaint when a file has %s', (_, text, next, complaint) => {
    const { caches, log } = cachesIn(makeTree({ '60.1': text }));
    expect(caches.of(DISK_INDOM).numberOf('new')).toBe(next);
    expect(log).toEqual([expect.stringContaining(complaint)]);
  });

  it('goes on with a complaint when the folder cannot be written', async () => {
    const root = makeTree({ file: '' });
    const { caches, log } = cachesIn(path.join(root, 'file', 'state'));
    expect(caches.of(DISK_INDOM).numberOf('sda')).toBe(0);
    await caches.flush();
    expect(log.at(-1)).toContain('will not survive');
  });

  it('goes on with a complaint when a file cannot be read', () => {
    const root = makeTree({});
    mkdirSync(path.join(root, '60.1'));
    const { caches, log } = cachesIn(root);
    expect(caches.of(DISK_INDOM).numberOf('sda')).toBe(0);
    expect(log).toEqual([expect.stringContaining('cannot read')]);
  });

  it('writes names that come while a file is being written', async () => {
    let written = (): void => undefined;
    const { caches, saved } = watchedCaches(() => new Promise((resolve) => (written = resolve)));
    const cache = caches.of(DISK_INDOM);
    cache.numberOf('sda');
    const first = caches.flush();
    await Promise.resolve();
    cache.numberOf('sdb');
    expect(saved.length).toBe(1);
    written();
    await Promise.race([first, new Promise((resolve) => setImmediate(resolve))]);
    expect(saved).toEqual([expect.stringMatching(/ sda$/), expect.stringMatching(/ sdb$/)]);
    written();
    await first;
    expect(saved.length).toBe(2);
  });

  it('keeps names whole that have odd characters, and leaves out what would break its lines', async () => {
    const dir = makeTree({});
    const { caches, log } = cachesIn(dir);
    for (const name of ['a\rb', ' c\u2028', 'd\ne', 'f']) caches.of(FILESYSTEM_INDOM).numberOf(name);
    await caches.flush();
    const again = cachesIn(dir);
    expect(
      again.caches
        .of(FILESYSTEM_INDOM)
        .entries()
        .map(({ id, name }) => [id, name]),
    ).toEqual(rows([0, 'a\rb'], [1, ' c\u2028'], [3, 'f']));
    expect([...log, ...again.log]).toEqual([]);
  });

  it('writes at once, then every ten seconds at most, and the rest at the end', async () => {
    const { caches, timers, saved } = watchedCaches();
    const cache = caches.of(DISK_INDOM);
    cache.numberOf('sda');
    cache.numberOf('sdb');
    await caches.flush();
    expect(saved).toEqual(['/state/60.1 0 1700000000 sda, 1 1700000000 sdb']);
    cache.numberOf('sdc');
    caches.of(FILESYSTEM_INDOM).numberOf('/dev/sda1');
    timers.advance(9999);
    expect([saved.length, timers.pending]).toEqual([1, 1]);
    cache.numberOf('sdd');
    timers.advance(1);
    await Promise.resolve();
    await caches.flush();
    expect(saved.slice(1)).toEqual([expect.stringContaining('3 1700000000 sdd'), '/state/60.5 0 1700000000 /dev/sda1']);
    cache.numberOf('sde');
    await caches.flush();
    expect(saved.length).toBe(4);
  });

  it('tries again what could not be written, and complains once', async () => {
    const { caches, saved, log, disk } = watchedCaches();
    disk.isFull = true;
    caches.of(DISK_INDOM).numberOf('sda');
    await caches.flush();
    caches.of(FILESYSTEM_INDOM).numberOf('/dev/sda1');
    await caches.flush();
    expect(log).toEqual([expect.stringContaining('will not survive')]);
    disk.isFull = false;
    await caches.flush();
    expect(saved).toHaveLength(2);
    disk.isFull = true;
    caches.of(DISK_INDOM).numberOf('sdb');
    await caches.flush();
    expect(log).toHaveLength(2);
  });
});

const INDOM = 1;

/** A cache that keeps three unseen names, and how a cluster tells it what there is. */
function smallCache() {
  const clock = { sec: 100 };
  const cache = new InstanceCache(INDOM, { nowSec: () => clock.sec, changed: () => undefined, unseenKept: 3 });
  const see = (...names: readonly string[]): readonly number[] => {
    const table = new InstanceTable(INDOM);
    for (const name of names) table.add(cache.numberOf(name));
    cache.present(table);
    return [...table.ids.subarray(0, table.count)];
  };
  return { cache, clock, see };
}

const names = (cache: InstanceCache): string =>
  cache
    .entries()
    .map(({ id, name }) => `${id}${name}`)
    .join(' ');

describe('InstanceCache', () => {
  it('forgets the names that were unseen longest, and gives their numbers to nobody', () => {
    const { cache, see } = smallCache();
    expect(see('a', 'b')).toEqual([0, 1]);
    for (const name of ['c', 'd', 'e', 'f', 'g']) see('a', name);
    expect(names(cache)).toBe('0a 3d 4e 5f 6g');
    expect(cache.nameOf(1)).toBeUndefined();
    expect(see('a', 'b', 'e')).toEqual([0, 7, 4]);
  });

  it('never forgets what is there, nor what has just come back', () => {
    const { cache, see } = smallCache();
    see('a', 'b');
    see('c');
    see('a'); // b has been unseen for longer than c
    for (const name of ['d', 'e']) see('a', name);
    expect(names(cache)).toBe('0a 1b 2c 3d 4e');
    see('f');
    expect(names(cache)).toBe('0a 3d 4e 5f');
  });

  it('keeps as many unseen names as there are others, so that half of the CPUs may go offline', () => {
    const { cache, see } = smallCache();
    const all = 'a b c d e f g h i j'.split(' ');
    see(...all);
    see(...all.slice(5));
    expect(see(...all)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(cache.entries()).toHaveLength(10);
  });

  it('forgets nothing of an instance domain whose members nobody tells', () => {
    const { cache } = smallCache();
    for (let i = 0; i < 100; i++) cache.numberOf(`${i}`);
    expect(cache.entries()).toHaveLength(100);
  });

  it('tells when names were last there', () => {
    const { cache, clock, see } = smallCache();
    see('a', 'b');
    clock.sec = 200;
    see('a');
    clock.sec = 300;
    expect(cache.entries()).toEqual(rows({ id: 0, name: 'a', seenSec: 300 }, { id: 1, name: 'b', seenSec: 200 }));
  });

  it('begins again at the lowest free number behind the largest', () => {
    const { cache, see } = smallCache();
    expect(cache.adopt({ id: 0x7fff_ffff, name: 'last', seenSec: 1 })).toBe(true);
    expect(cache.adopt({ id: 0, name: 'first', seenSec: 1 })).toBe(true);
    expect(cache.adopt({ id: 0x8000_0000, name: 'beyond', seenSec: 1 })).toBe(false);
    expect(see('a', 'last', 'b')).toEqual([1, 0x7fff_ffff, 2]);
  });
});
