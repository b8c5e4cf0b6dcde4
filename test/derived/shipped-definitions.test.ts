import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { DefinitionStore, bindExpression, operandNames } from '../../src/derived/index.js';
import type { BindResult } from '../../src/derived/index.js';
import { describeMetadata, Given } from './support/given.js';

const FOLDER = path.join(import.meta.dirname, '../../config/derived');
const FILES = readdirSync(FOLDER).filter((file) => file.endsWith('.conf'));

/** Descriptors of all operands: those of the linux and proc collectors. */
const DISK_METRICS = ['read', 'write', 'total', 'discard', 'flush'].flatMap((operation) => [
  `${operation} U64 counter INDOM "count"`,
  `${operation}_rawactive U32 counter INDOM "millisec"`,
  `${operation}_bytes U64 counter INDOM "Kbyte"`,
]);
const DISK_INDOMS = { dev: '60.1', dm: '60.24', md: '60.25', wwid: '60.46' };
const BCC = ['tcp.recv', 'tcp.send', 'udp.recv', 'udp.send'];
const given = new Given([
  {
    word: 'metrics',
    rest: '',
    lines: [
      ...['user', 'nice', 'sys', 'idle', 'intr', 'wait.total', 'steal'].map(
        (name) => `kernel.all.cpu.${name} U64 counter - "millisec"`,
      ),
      'hinv.ncpu U32 discrete - ""',
      ...Object.entries(DISK_INDOMS).flatMap(([family, indom]) =>
        [...DISK_METRICS, 'avactive U32 counter INDOM "millisec"'].map(
          (metric) => `disk.${family}.${metric.replace('INDOM', indom)}`,
        ),
      ),
      'kernel.all.uptime DOUBLE instant - "sec"',
      'proc.psinfo.start_time U64 discrete 3.9 "millisec"',
      'proc.psinfo.utime U64 counter 3.9 "millisec"',
      'proc.psinfo.stime U64 counter 3.9 "millisec"',
      'proc.memory.vmrss U32 instant 3.9 "Kbyte"',
      'proc.memory.vmswap U32 instant 3.9 "Kbyte"',
      ...['read_bytes', 'write_bytes', 'cancelled_write_bytes'].map((name) => `proc.io.${name} U64 counter 3.9 "byte"`),
      ...BCC.map((name) => `bcc.proc.net.${name}.bytes U64 counter 149.17 "byte"`),
    ],
  },
]);

function loadAll(): DefinitionStore {
  const store = new DefinitionStore();
  for (const file of FILES) store.load(readFileSync(path.join(FOLDER, file), 'utf8'), { file, origin: 'shipped' });
  return store;
}

function bind(store: DefinitionStore, name: string): BindResult {
  return bindExpression(store.get(name)!.ast, given);
}

describe('the shipped definitions', () => {
  const store = loadAll();

  it('load without a problem', () => {
    expect(store.size).toBeGreaterThan(50);
  });

  it('bind, every one of them', () => {
    const failures = store.list().flatMap(({ name }) => {
      const result = bind(store, name);
      return result.ok ? [] : [`${name}: ${result.errors[0].where}: ${result.errors[0].reason}`];
    });
    expect(failures).toEqual([]);
  });

  it('need no operand that the table above lacks', () => {
    const unknown = store
      .list()
      .flatMap(({ ast }) => operandNames(ast).metrics)
      .filter((name) => !given.metrics.has(name));
    expect(unknown).toEqual([]);
  });

  it('all have a line and a paragraph of help', () => {
    const bare = store.list().filter(({ oneline, helptext }) => oneline === undefined || helptext === undefined);
    expect(bare.map(({ name }) => name)).toEqual([]);
  });

  it.each([
    ['kernel.cpu.util.user', 'DOUBLE instant - ""'],
    ['kernel.cpu.util.wait', 'DOUBLE instant - ""'],
    ['disk.dev.util', 'DOUBLE instant 60.1 ""'],
    ['disk.dev.await', 'DOUBLE instant 60.1 "millisec / count"'],
    ['disk.dev.avg_qlen', 'DOUBLE instant 60.1 ""'],
    ['disk.dev.avg_rqsz', 'DOUBLE instant 60.1 "Kbyte / count"'],
    ['disk.dm.w_await', 'DOUBLE instant 60.24 "millisec / count"'],
    ['disk.md.util', 'DOUBLE instant 60.25 ""'],
    ['proc.hog.cpu', 'DOUBLE instant 3.9 "/ sec"'],
    ['proc.hog.mem', 'U32 instant 3.9 "Kbyte"'],
    ['proc.hog.disk', 'DOUBLE instant 3.9 "byte / sec^2"'],
    ['proc.psinfo.age', 'DOUBLE instant 3.9 "sec"'],
  ])('%s is %s', (name, metadata) => {
    const result = bind(store, name);
    expect(result.ok && describeMetadata(result.bound.root.meta)).toBe(metadata);
  });
});
