import { wordsOf } from './words.js';

/** The location of a matching word: from its first UTF-16 unit up to, not including, its end. */
export type Span = readonly [start: number, end: number];

/** The locations of the matching words in a text, in order; adjacent ones are not joined. */
export function spansIn(text: string, matched: ReadonlySet<string>): readonly Span[] {
  return wordsOf(text)
    .filter((word) => matched.has(word.text))
    .map(({ start, end }): Span => [start, end]);
}

/**
 * A text with matches between `<b>` and `</b>`. It is HTML and escaped: processes choose their names. Differs from PCP, which
 * does not escape the rest of the text.
 * @see pmSearchTextQuery(3)
 */
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
