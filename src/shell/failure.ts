import { PmgateError } from '../client/index.js';
import { EXIT } from './exit-codes.js';
import type { ExitCode } from './exit-codes.js';
import { printable, printableLines } from './output/terminal-text.js';
import type { Colours } from './output/terminal-text.js';
import { UsageError } from './session.js';
import { OutputClosedError, OutputFailedError } from './terminal.js';

/** The exit code of a command that threw, and its message. */
export interface Failure {
  readonly exitCode: ExitCode;
  /** Lines for standard error; '' for none. */
  readonly text: string;
}

/** What an error means for the user of a command. Unknown errors are rethrown: they are bugs. */
export function describeFailure(
  error: unknown,
  { url, signal, colours }: { readonly url: string; readonly signal: AbortSignal; readonly colours: Colours },
): Failure {
  if (error instanceof OutputClosedError) return { exitCode: EXIT.OK, text: '' };
  if (signal.aborted) return { exitCode: EXIT.INTERRUPTED, text: '' };
  const say = (message: string): string => `${colours.red('pmgate:')} ${message}\n`;
  if (error instanceof OutputFailedError) return { exitCode: EXIT.FAILED, text: say(error.message) };
  if (error instanceof UsageError) return { exitCode: EXIT.USAGE, text: say(error.message) };
  if (!(error instanceof PmgateError)) throw error;
  switch (error.code) {
    case 'NETWORK':
    case 'TIMEOUT':
      return {
        exitCode: EXIT.UNREACHABLE,
        text:
          say(`cannot reach the gateway at ${url}: ${printable(error.message)}`) +
          'Start one with `pmgate`, or set another URL with --url or PMGATE_URL.\n',
      };
    case 'AUTHENTICATION_REQUIRED':
      return {
        exitCode: EXIT.FAILED,
        text:
          say(printableLines(error.message)) +
          explain(error, colours) +
          'Log in with --user or --token, or set PMGATE_USER or PMGATE_TOKEN.\n',
      };
    default:
      return { exitCode: EXIT.FAILED, text: say(printableLines(error.message)) + explain(error, colours) };
  }
}

/** The details of an error besides its message: where, what was expected, the code to look up. */
function explain({ code, details }: PmgateError, colours: Colours): string {
  const { parameter, expected, requestId } = details ?? {};
  const facts = [
    ...(parameter === undefined ? [] : [`parameter ${parameter}`]),
    ...(expected === undefined ? [] : [`expected ${expected}`]),
    ...(requestId === undefined ? [] : [`request ${requestId} in the gateway's log`]),
    code,
  ];
  return colours.dim(`  ${facts.map(printable).join('; ')}`) + '\n';
}
