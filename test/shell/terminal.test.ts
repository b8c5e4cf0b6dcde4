import { PassThrough, Writable } from 'node:stream';
import { OutputClosedError, OutputFailedError, readSecret, streamOutput } from '../../src/shell/terminal.js';

/** A stream whose writes fail, each with the next of some errors. */
function failing(...codes: readonly string[]): Writable {
  const left = [...codes];
  return new Writable({
    autoDestroy: false,
    write: (_chunk, _encoding, done) => {
      const code = left.shift() ?? 'ERR_NONE_LEFT';
      done(Object.assign(new Error(`${code}: it failed`), { code }));
    },
  });
}

describe('streamOutput', () => {
  it('tells a reader that has left from a disk that is full', async () => {
    await expect(streamOutput(failing('EPIPE')).write('x')).rejects.toBeInstanceOf(OutputClosedError);
    const full = streamOutput(failing('ENOSPC')).write('x');
    await expect(full).rejects.toThrow('cannot write the output: ENOSPC: it failed');
    await expect(full).rejects.toBeInstanceOf(OutputFailedError);
  });

  it('fails for the first reason for ever', async () => {
    const output = streamOutput(failing('ENOSPC', 'EPIPE'));
    await expect(output.write('x')).rejects.toThrow('ENOSPC');
    await expect(output.write('x')).rejects.toThrow('ENOSPC');
  });

  it('fails for what a stream throws at once, as one to a file does', async () => {
    const full = Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
    const stream = new Writable({
      write: () => {
        throw full;
      },
    });
    await expect(streamOutput(stream).write('x')).rejects.toBeInstanceOf(OutputFailedError);
  });
});

describe('readSecret', () => {
  /** What is typed at a terminal, what it shows, and how often Ctrl-C was heard. */
  async function typed(text: string): Promise<{ secret: string; shown: string; interrupts: number }> {
    const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
    const stderr = new PassThrough({ encoding: 'utf8' });
    let interrupts = 0;
    const secret = readSecret('Password: ', { stdin, stderr }, () => {
      interrupts++;
    });
    stdin.write(text);
    return { secret: await secret, shown: stderr.read() as string, interrupts };
  }

  it('asks at a terminal, and shows nothing of what is typed', async () => {
    expect(await typed('pa ss\u007ft\r')).toEqual({ secret: 'pa st', shown: 'Password: \n', interrupts: 0 });
  });

  it('hears Ctrl-C', async () => {
    expect(await typed('pass\u0003')).toMatchObject({ interrupts: 1 });
  });
});
