/** The part of a long word that is significant. */
const WORD_LENGTH = 64;
/**
 * Runs of digits, and runs of letters up to a capital after a small letter: `disk.dev.read_bytes`, `loadAvg` and `eth0` are
 * several words. Linear time for any text.
 */
const WORD = /\p{N}+|\p{Lu}+(?:(?!\p{Lu})[\p{L}\p{M}])*|(?:(?!\p{Lu})[\p{L}\p{M}])+/gu;

/** A word of a text and its location, in UTF-16 units. */
export interface Word {
  /** In lower case and without a plural s: the form for comparison. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** The words of a text, in order. */
export function wordsOf(text: string): readonly Word[] {
  const words: Word[] = [];
  for (const match of text.matchAll(WORD)) {
    words.push({ text: comparable(match[0]), start: match.index, end: match.index + match[0].length });
  }
  return words;
}

/** Equal for words that mean the same in names and help texts: `Reads` and `read`. */
function comparable(word: string): string {
  const small = word.slice(0, WORD_LENGTH).toLowerCase();
  return small.length > 3 && small.endsWith('s') && !small.endsWith('ss') ? small.slice(0, -1) : small;
}
