import type { Warning } from '../client/index.js';
import { EXIT } from './exit-codes.js';
import type { ExitCode } from './exit-codes.js';
import { printable } from './output/printable.js';
import type { Session } from './session.js';

/** Writes warnings to standard error. */
export async function writeWarnings({ terminal, errorColours }: Session, warnings: readonly Warning[]): Promise<void> {
  for (const { name, pmid, hostspec, message } of warnings) {
    const what = [hostspec, name ?? pmid].filter((part) => part !== undefined).join(': ');
    const text = what === '' ? message : `${what}: ${message}`;
    await terminal.stderr.write(`${errorColours.yellow('pmgate:')} ${printable(text)}\n`);
  }
}

/** The exit code for a number of results and warnings. */
export function exitCodeOf(had: number, warnings: number): ExitCode {
  if (warnings === 0) return EXIT.OK;
  return had === 0 ? EXIT.FAILED : EXIT.PARTIAL;
}
