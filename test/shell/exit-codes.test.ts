import { PmgateError } from '../../src/client/index.js';
import { describeFailure } from '../../src/shell/exit-codes.js';
import type { Terminal } from '../../src/shell/index.js';
import { coloursFor } from '../../src/shell/output/terminal-text.js';
import { OutputClosedError, OutputFailedError } from '../../src/shell/terminal.js';

const colours = coloursFor('stderr', { environment: {}, stderr: { isTerminal: false } } as Terminal);
const told = (error: unknown, signal = new AbortController().signal) =>
  describeFailure(error, { url: 'http://x', signal, colours });

describe('describeFailure', () => {
  it('says what the gateway says, where, and what it expected', () => {
    const details = {
      message: 'm',
      success: false,
      code: 'BAD_PARAMETER',
      parameter: 'top',
      expected: 'a number',
    } as const;
    expect(told(new PmgateError('BAD_PARAMETER', 'top is bad', { status: 400, details }))).toEqual({
      exitCode: 1,
      text: 'pmgate: top is bad\n  parameter top; expected a number; BAD_PARAMETER\n',
    });
  });

  it('says how to say who one is', () => {
    const { exitCode, text } = told(new PmgateError('AUTHENTICATION_REQUIRED', 'who are you?', { status: 401 }));
    expect(exitCode).toBe(1);
    expect(text).toContain('--token');
  });

  it('does not let an answer give orders to the terminal', () => {
    expect(told(new PmgateError('INTERNAL', 'a\u001b]0;b\nc')).text).toBe('pmgate: a\\x1b]0;b\nc\n  INTERNAL\n');
  });

  it.each([
    [new PmgateError('NETWORK', 'refused'), 3],
    [new PmgateError('TIMEOUT', 'late'), 3],
    [new PmgateError('UNEXPECTED_ANSWER', 'html'), 1],
    [new OutputClosedError(), 0],
    [new OutputFailedError(new Error('ENOSPC')), 1],
  ])('%s ends with %i', (error, exitCode) => {
    expect(told(error).exitCode).toBe(exitCode);
  });

  it('takes anything for Ctrl-C after Ctrl-C', () => {
    expect(told(new Error('aborted'), AbortSignal.abort())).toEqual({ exitCode: 130, text: '' });
  });

  it('throws defects on', () => {
    expect(() => told(new TypeError('a defect'))).toThrow('a defect');
  });
});
