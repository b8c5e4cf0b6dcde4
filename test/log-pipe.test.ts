import { LogPipe } from '../src/log-pipe.js';
import { ManualTimers } from './support/manual-timers.js';

/** A file that takes so many bytes, or none for a reason. */
function setUp() {
  const timers = new ManualTimers();
  const file = { text: '', takes: Infinity, failure: undefined as string | undefined };
  const pipe = new LogPipe((bytes) => {
    if (file.failure !== undefined) throw Object.assign(new Error('cannot'), { code: file.failure });
    if (file.takes === 0) throw Object.assign(new Error('full'), { code: 'EAGAIN' });
    const count = Math.min(bytes.length, file.takes);
    file.takes -= count;
    file.text += bytes.subarray(0, count).toString();
    return count;
  }, timers);
  return { timers, file, pipe };
}

describe('LogPipe', () => {
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
    expect(JSON.parse(file.text.slice(200_000))).toMatchObject({
      level: 40,
      lost: 8,
      msg: 'lines of the log were lost',
    });
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
});
