import { PmgateError } from '../client/index.js';
import { EXIT } from './exit-codes.js';
import type { ExitCode } from './exit-codes.js';
import { printable, printableLines } from './output/printable.js';
import type { Colours } from './output/colours.js';
import { UsageError } from './session.js';
import { OutputClosedError, OutputFailedError } from './terminal.js';

/** How a command ended that threw, and what to say of it. */
export interface Failure {
  readonly exitCode: ExitCode;
  /** Lines for standard error; '' for nothing. */
  readonly text: string;
}

/** What an error means to the caller of a command. Errors that are none of the known kinds are thrown on: they are defects. */
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

/** What an error answer holds beside its message: where, what was expected, the code to look for. */
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
