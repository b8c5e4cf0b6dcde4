import { spawn } from 'node:child_process';
import { bundledProgram } from '../support/bundled-program.js';
import { NonBlockingStderr } from '../../src/log/non-blocking-stderr.js';
import { ManualTimers } from '../support/manual-timers.js';

function setUp() {
  const timers = new ManualTimers();
  const file = { text: '', takes: Infinity, failure: undefined as string | undefined };
  const pipe = new NonBlockingStderr((bytes) => {
    if (file.failure !== undefined) throw Object.assign(new Error('cannot'), { code: file.failure });
    if (file.takes === 0) throw Object.assign(new Error('full'), { code: 'EAGAIN' });
    const count = Math.min(bytes.length, file.takes);
    file.takes -= count;
    file.text += bytes.subarray(0, count).toString();
    return count;
  }, timers);
  return { timers, file, pipe };
}

describe('NonBlockingStderr', () => {
  it('writes lines at once', () => {
    const { file, pipe } = setUp();
    pipe.write('one\n');
    pipe.write('two\n');
    expect(file.text).toBe('one\ntwo\n');
  });

  it('keeps what its reader does not take, in order and from the byte on where it stopped', () => {
    const { file, pipe, timers } = setUp();
    file.takes = 5;
    for (const line of ['one\n', 'two\n', 'three\n']) pipe.write(line);
    expect(file.text).toBe('one\nt');
    file.takes = 4;
    timers.advance(50);
    expect(file.text).toBe('one\ntwo\nt');
    file.takes = Infinity;
    timers.advance(50);
    expect(file.text).toBe('one\ntwo\nthree\n');
    expect(timers.pending).toBe(0);
  });

  it('keeps no more than there is room for, and tells how much it lost', () => {
    const { file, pipe, timers } = setUp();
    file.takes = 0;
    const line = `${'x'.repeat(99_999)}\n`;
    for (let i = 0; i < 10; i++) pipe.write(line);
    file.takes = Infinity;
    timers.advance(50);
    expect(file.text.startsWith(line + line)).toBe(true);
    expect(JSON.parse(file.text.slice(200_000))).toMatchObject({ level: 40, lost: 8, msg: 'log lines were lost' });
    pipe.write('on\n');
    expect(file.text.endsWith('lost"}\non\n')).toBe(true);
  });

  it.each(['EPIPE', 'ENOSPC', 'EIO', 'EBADF'])('goes on when writing fails with %s, and tells it later', (code) => {
    const { file, pipe, timers } = setUp();
    file.failure = code;
    pipe.write('one\n');
    pipe.write('two\n');
    expect([file.text, timers.pending]).toEqual(['', 0]);
    file.failure = undefined;
    pipe.write('three\n');
    expect(file.text).toMatch(/^three\n\{.*"lost":2,.*\}\n$/);
  });

  it('waits at the end for a reader that is slow, and not for one that has stopped', () => {
    const { file, pipe } = setUp();
    let turns = 0;
    const slow = new NonBlockingStderr((bytes) => {
      if (turns++ % 2 === 0) throw Object.assign(new Error('full'), { code: 'EAGAIN' });
      file.text += bytes.subarray(0, 3).toString();
      return Math.min(bytes.length, 3);
    }, new ManualTimers());
    slow.write('one\n');
    slow.write('two\n');
    slow.end();
    expect(file.text).toBe('one\ntwo\n');

    file.takes = 0;
    pipe.write('three\n');
    pipe.end();
    expect(file.text).toBe('one\ntwo\n');
  });
});

/** 300 lines of 1000 bytes, which is more than a socket holds; then `then`. */
const WRITER = (then: string): string => `
  import { fstatSync } from 'node:fs';
  import { createLog } from '${bundledProgram('src/log/log.ts')}';
  const log = await createLog('info', { monotonicMs: () => 0, now: () => ({ sec: 0, nsec: 0 }) });
  for (let i = 0; i < 300; i++) log.info('x'.repeat(920), { i });
  setTimeout(() => { process.stdout.write(fstatSync(2).isSocket() ? 'socket' : 'other'); ${then} }, 0);
`;

describe('createLog on a socket, as under journald', () => {
  it.each([
    ['ends', '', 0],
    ['exits', 'process.exit(3);', 3],
    ['crashes', "throw new Error('crash');", 1],
  ])(
    'does not wait for its reader, and loses nothing when the process %s',
    async (_, then, expected) => {
      // Node gives a child sockets where others give pipes.
      const child = spawn(process.execPath, ['--input-type=module', '-e', WRITER(then)], {
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const exited = new Promise((resolve) => child.once('close', resolve));
      // Its reader reads nothing until all is written.
      const said = await new Promise((resolve) =>
        child.stdout.once('data', (data: Buffer) => resolve(data.toString())),
      );
      expect(said).toBe('socket');
      let text = '';
      child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
      expect(await exited).toBe(expected);

      const lines = text.split('\n').filter((line) => line.startsWith('{"level":'));
      expect(lines.map((line) => (JSON.parse(line) as { i: number }).i)).toEqual(
        Array.from({ length: 300 }, (_l, i) => i),
      );
    },
    60_000,
  );
});
