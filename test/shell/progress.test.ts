import { PassThrough } from 'node:stream';
import { progressOn } from '../../src/shell/commands/range.js';
import type { Output, Terminal } from '../../src/shell/index.js';

interface Screen {
  readonly terminal: Terminal;
  readonly text: () => string;
}

/** A process whose standard error is a terminal, and whose standard output may be. */
function screen({ isStdoutTerminal = false, isStderrTerminal = true } = {}): Screen {
  const stream = Object.assign(new PassThrough(), { isTTY: isStderrTerminal, columns: 80 });
  let text = '';
  stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const output = (isTerminal: boolean): Output => ({
    write: () => Promise.resolve(),
    isTerminal,
    columns: undefined,
    rows: undefined,
    stream,
  });
  const terminal: Terminal = {
    stdout: output(isStdoutTerminal),
    stderr: output(isStderrTerminal),
    environment: {},
    isAsked: false,
    readInput: () => Promise.resolve(''),
    readLines: () => (async function* () {})(),
    readSecret: () => Promise.resolve(''),
    onInterrupt: () => () => undefined,
  };
  return { terminal, text: () => text };
}

/** What is drawn of a range that is half done when the second is over. */
async function drawn({ terminal, text }: Screen, afterMs: number, done?: number): Promise<string> {
  let nowMs = 0;
  const progress = progressOn(terminal, () => nowMs);
  await progress.report(0.1, 'first');
  nowMs = afterMs;
  await progress.report(done, 'second');
  progress.end();
  await new Promise((resolve) => setImmediate(resolve));
  return text();
}

describe('progressOn', () => {
  it('draws a bar after a second, on standard error', async () => {
    const text = await drawn(screen(), 1500, 0.5);
    expect(text).toContain('50% second');
    expect(text).not.toContain('first');
  });

  it('draws what has come where the end is not known', async () => {
    const text = await drawn(screen(), 1500);
    expect(text).toContain('second');
    expect(text).not.toContain('%');
  });

  it.each([
    ['before a second is over', screen(), 999],
    ['when rows scroll by on the same terminal', screen({ isStdoutTerminal: true }), 1500],
    ['when standard error is no terminal', screen({ isStderrTerminal: false }), 1500],
  ])('draws nothing %s', async (_, on, afterMs) => {
    expect(await drawn(on, afterMs, 0.5)).toBe('');
  });
});
