import { PmgateError, type Warning } from '../client/index.js';
import { printable, printableLines, type Colours } from './output/terminal-text.js';
import { UsageError, type Session } from './session.js';
import { OutputClosedError, OutputFailedError } from './terminal.js';

/** Exit codes of sub-commands; stable, and listed by `pmgate --help`. */
export const EXIT = {
  OK: 0,
  /** The gateway returned an error, no requested data was available, or the output could not be written. */
  FAILED: 1,
  /** Invalid command line or configuration; no request was sent. */
  USAGE: 2,
  UNREACHABLE: 3,
  /** Some of the requested metrics, hosts or archives failed; the others were written. */
  PARTIAL: 4,
  /** Nothing could be compared. */
  NOTHING: 5,
  /** Ctrl-C before the response was complete. Streams end with 0, since Ctrl-C is the normal way to stop them. */
  INTERRUPTED: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export const EXIT_CODES_HELP = `Exit codes:
  0    success; also if the reader of a pipe closes it, and for Ctrl-C in a stream
  1    the gateway returned an error, no requested data was available, or the output could not be written;
       diagnose: something is wrong, or nothing could be judged; conformance: something differs
  2    invalid command line or configuration
  3    no gateway reachable; conformance, bench: PCP is not installed, or its pmcd does not answer
  4    partial result: some of the requested data failed (see standard error)
  5    changes: there was nothing to compare (standard error says what there is)
  130  Ctrl-C before the response was complete
`;

export async function writeWarnings(session: Session, warnings: readonly Warning[]): Promise<void> {
  for (const { name, pmid, hostspec, message } of warnings) {
    const what = [hostspec, name ?? pmid].filter((part) => part !== undefined);
    await warn(session, [...what, message].join(': '));
  }
}

/** Writes what needs attention to standard error. */
export function warn({ terminal, errorColours }: Session, text: string): Promise<void> {
  return terminal.stderr.write(`${errorColours.yellow('pmgate:')} ${printable(text)}\n`);
}

/** Writes what belongs to a table, in lines of its own, to standard error. */
export async function remark({ terminal, errorColours, format }: Session, text: string): Promise<void> {
  if (format === 'table') await terminal.stderr.write(`${errorColours.dim(text)}\n`);
}

/** The exit code for a number of results and warnings. */
export function exitCodeOf(had: number, warnings: number): ExitCode {
  if (warnings === 0) return EXIT.OK;
  return had === 0 ? EXIT.FAILED : EXIT.PARTIAL;
}

interface Failure {
  readonly exitCode: ExitCode;
  /** Lines for standard error; '' for none. */
  readonly text: string;
}

/** The message and exit code for an error. Unknown errors are rethrown: they are bugs. */
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
  if (error.code === 'NETWORK' || error.code === 'TIMEOUT') {
    const text = say(`cannot reach the gateway at ${url}: ${printable(error.message)}`) + HOW_TO_REACH;
    return { exitCode: EXIT.UNREACHABLE, text };
  }
  const hint = error.code === 'AUTHENTICATION_REQUIRED' ? HOW_TO_LOG_IN : '';
  return { exitCode: EXIT.FAILED, text: say(printableLines(error.message)) + explain(error, colours) + hint };
}

const HOW_TO_REACH =
  'Start one with `pmgate`, set another URL with --url or PMGATE_URL, or give --archive the path of an archive here.\n';
const HOW_TO_LOG_IN = 'Log in with --user or --token, or set PMGATE_USER or PMGATE_TOKEN.\n';

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
