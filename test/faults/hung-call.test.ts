import { execFileSync, spawn } from 'node:child_process';
import path from 'node:path';
import { bundledProgram } from '../support/bundled-program.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const directory = temporaryDirectory();

interface End {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly said: string;
}

function endOf(...args: readonly string[]): Promise<End> {
  const child = spawn(process.execPath, [bundledProgram('test/faults/support/hung-call.ts'), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  return new Promise((resolve) => child.once('close', (code, signal) => resolve({ code, signal, said })));
}

describe('the end of the process', () => {
  it('comes with the exit code when nothing hangs', async () => {
    expect(await endOf('0')).toEqual({ code: 0, signal: null, said: 'last words' });
    expect(await endOf('1')).toEqual({ code: 1, signal: null, said: 'last words' });
  });

  it('comes by a signal when a call hangs in the kernel, once all has been said', async () => {
    const fifo = path.join(directory.path, 'fifo');
    execFileSync('mkfifo', [fifo]);
    expect(await endOf('0', fifo)).toEqual({ code: null, signal: 'SIGTERM', said: 'last words' });
    expect(await endOf('1', fifo)).toEqual({ code: null, signal: 'SIGKILL', said: 'last words' });
  });
});
