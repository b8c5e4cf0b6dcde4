/** The part of a long word that is significant. */
const WORD_LENGTH = 64;
/** Runs of digits, and of letters up to a capital: `disk.dev.read_bytes`, `loadAvg` and `eth0` are several words. Linear time. */
const WORD = /\p{N}+|\p{Lu}+(?:(?!\p{Lu})[\p{L}\p{M}])*|(?:(?!\p{Lu})[\p{L}\p{M}])+/gu;

/** A word of a text and its location, in UTF-16 units. */
interface Word {
  /** In lower case and without a plural s: the form for comparison. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

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

/** The location of a matching word: from its first UTF-16 unit up to, not including, its end. */
type Span = readonly [start: number, end: number];

/** The locations of the matching words in a text, in order; adjacent ones are not joined. */
export function spansIn(text: string, matched: ReadonlySet<string>): readonly Span[] {
  return wordsOf(text)
    .filter((word) => matched.has(word.text))
    .map(({ start, end }): Span => [start, end]);
}

/** A text with matches in `<b>`, as escaped HTML, because processes choose their names (PCP does not escape). @see pmSearchTextQuery(3) */
export function markUp(text: string, spans: readonly Span[]): string {
  let marked = '';
  let done = 0;
  for (const [start, end] of spans) {
    marked += `${escapeHtml(text.slice(done, start))}<b>${escapeHtml(text.slice(start, end))}</b>`;
    done = end;
  }
  return marked + escapeHtml(text.slice(done));
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
