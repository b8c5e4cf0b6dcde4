import { readFileSync } from 'node:fs';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** The line by which `pmgate complete` requests file names from its shell. */
export const COMPLETE_FILES = ':files';

/** A completion script. It runs `pmgate complete`, which writes candidates, each with a tab and a description if there is one. */
export function completionScript(shell: Shell): string {
  return readFileSync(new URL(`../../../config/completion/pmgate.${shell}`, import.meta.url), 'utf8');
}
