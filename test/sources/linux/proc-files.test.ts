import { closeSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { ProcFiles } from '../../../src/sources/linux/proc-files.js';
import { FakeClock } from '../../support/fake-clock.js';
import { makeTree, writeTree } from './support/collected.js';

describe('ProcFiles', () => {
  function open(files: Readonly<Record<string, string>>): { root: string; clock: FakeClock; files: ProcFiles } {
    const root = makeTree(files);
    const clock = new FakeClock();
    return { root, clock, files: new ProcFiles(root, clock) };
  }

  it('reads a file from its start each time, however long it has become', () => {
    const { root, files } = open({ 'proc/a': 'one' });
    const file = files.file('proc/a');
    expect(files.scan(file)?.rest()).toBe('one');
    const long = `${'x'.repeat(300_000)}end`;
    writeTree(root, { 'proc/a': long });
    expect(files.scan(file)?.rest()).toBe(long);
    writeTree(root, { 'proc/a': '2' });
    expect(files.scan(file)?.rest()).toBe('2');
  });

  it('gives one file object for one path', () => {
    const { files } = open({ 'proc/a': 'one' });
    expect(files.file('proc/a')).toBe(files.file('proc/a'));
  });

  it('reads /proc/sys in small steps, to the end', () => {
    const text = 'y'.repeat(10_000);
    const { files } = open({ 'proc/sys/kernel/long': text });
    const file = files.file('proc/sys/kernel/long');
    expect(file.stepBytes).toBe(4096);
    expect(files.scan(file)?.rest()).toBe(text);
  });

  it.each(['loadavg', 'meminfo', 'vmstat', 'diskstats', 'interrupts', 'cpuinfo', 'net/dev', 'self/mounts'])(
    'has all lines of /proc/%s of this machine, which the kernel gives a page at a time',
    (name) => {
      const path = `proc/${name}`;
      if (!existsSync(`/${path}`)) return;
      const files = new ProcFiles('/', new FakeClock());
      const { bytes, end } = files.scan(files.file(path))!;
      files.close();
      const linesOf = (text: string): number => text.split('\n').length;
      expect(linesOf(Buffer.from(bytes.subarray(0, end)).toString())).toBe(linesOf(readFileSync(`/${path}`, 'utf8')));
    },
  );

  it('takes no short read for the whole of a file whose lines may be as long as a page', () => {
    const { files } = open({});
    expect(files.file('proc/self/mounts').hasLongLines).toBe(true);
    expect(files.file('proc/meminfo').hasLongLines).toBe(false);
  });

  it('opens anew a descriptor that has gone stale', () => {
    const { files } = open({ 'proc/a': 'one' });
    const file = files.file('proc/a');
    files.scan(file);
    closeSync(file.fd);
    expect(files.scan(file)?.rest()).toBe('one');
  });

  it('looks for an absent file again after a second', () => {
    const { root, clock, files } = open({});
    const file = files.file('proc/late');
    expect(files.scan(file)).toBeUndefined();
    writeTree(root, { 'proc/late': 'here' });
    expect(files.scan(file)).toBeUndefined();
    clock.advance(1000);
    expect(files.scan(file)?.rest()).toBe('here');
  });

  it('takes a folder for an unreadable file', () => {
    const { files } = open({ 'proc/a/b': '' });
    expect(files.scan(files.file('proc/a'))).toBeUndefined();
    expect(files.text('proc/a')).toBeUndefined();
  });

  it('gives small texts, folders and paths, and nothing for what is absent', () => {
    const { root, files } = open({ 'sys/x': ' texté \n\n', 'sys/d/1': '', 'sys/d/2': '' });
    expect(files.text('sys/x')).toBe(' texté');
    expect(files.text('sys/none')).toBeUndefined();
    expect([...files.list('sys/d')].sort()).toEqual(['1', '2']);
    expect(files.list('sys/none')).toEqual([]);
    expect([files.exists('sys/x'), files.exists('sys/none')]).toEqual([true, false]);
    expect(files.link('sys/x')).toBeUndefined();
    expect(files.realPath('/sys/d/1')).toBe('/sys/d/1');
    expect(files.realPath('/sys/none')).toBe('/sys/none');
    rmSync(root, { recursive: true });
  });

  it('opens files again after they were closed or forgotten', () => {
    const { files } = open({ 'proc/a': 'one' });
    const file = files.file('proc/a');
    files.scan(file);
    files.forget(file);
    expect(file.fd).toBe(-1);
    expect(files.scan(files.file('proc/a'))?.rest()).toBe('one');
    files.close();
    expect(files.scan(files.file('proc/a'))?.rest()).toBe('one');
  });
});
