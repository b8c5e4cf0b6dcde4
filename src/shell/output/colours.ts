import pc from 'picocolors';
import type { Terminal } from '../terminal.js';

/** Functions that colour texts, or leave them as they are. */
export type Colours = ReturnType<typeof pc.createColors>;

/**
 * The colours for one output. In this order: the flag `--color` or `--no-color`, NO_COLOR, FORCE_COLOR (except 0), otherwise
 * whether the output is a terminal with colours.
 */
export function coloursFor(
  output: 'stdout' | 'stderr',
  { environment, [output]: { isTerminal } }: Terminal,
  flag?: boolean,
): Colours {
  return pc.createColors(flag ?? wanted(environment, isTerminal));
}

function wanted({ NO_COLOR, FORCE_COLOR, TERM }: Terminal['environment'], isTerminal: boolean): boolean {
  if (NO_COLOR !== undefined && NO_COLOR !== '') return false;
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== '') return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return isTerminal && TERM !== 'dumb';
}
