import { wordsOf } from './words.js';

/** Where a found word stands in a text: from its first UTF-16 unit to behind its last. */
export type Span = readonly [start: number, end: number];

/** Where the words that were found stand in a text, in order; neighbours are not joined. */
export function spansIn(text: string, matched: ReadonlySet<string>): readonly Span[] {
  return wordsOf(text)
    .filter((word) => matched.has(word.text))
    .map(({ start, end }): Span => [start, end]);
}

/**
 * A text with what was found between `<b>` and `</b>`. It is HTML: a process may name itself as it likes. Differs from PCP: there
 * the rest of the text stays as it is.
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
