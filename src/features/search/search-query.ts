import { shippedText } from '../../kit/node/index.js';
import { badParameter } from '../../pmapi/index.js';
import type { SearchField } from './searchable.js';

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

const MAX_WORDS = 12;
/** Words in nearly every help text, which say nothing. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  'a an and as be by for has is it of or that the these thi to wa was were which with'.split(' '),
);

const QUESTION_WORDS: ReadonlySet<string> = new Set(
  'can do doe how many most much my per show tell use using what when where why'.split(' '),
);
/** A text with a dot between words is a name, or the beginning of one, and is taken literally. */
const NAME = /[\p{L}\p{N}_]\.[\p{L}\p{N}_]/u;

export const SEARCH_FIELDS: readonly SearchField[] = ['name', 'oneline', 'helptext', 'labels'];

/** Whether a word is worth looking for in a help text. */
export function tellsSomething(word: string): boolean {
  return !STOP_WORDS.has(word);
}

/** Words that must all be found, or all words of one alternative. */
export interface SearchTerm {
  readonly words: readonly string[];
  readonly synonyms: readonly (readonly string[])[];
}

export interface SearchQuery {
  /** The query for comparison with names: trimmed, lower case. */
  readonly text: string;
  /** Its words, each once; never empty. */
  readonly words: readonly string[];
  /** The same words in order, with their alternatives. */
  readonly terms: readonly SearchTerm[];
}

/** Parses a query: words without operators. Throws BAD_PARAMETER if there are none or too many. */
export function parseQuery(text: string, parameter: string): SearchQuery {
  const all = [...new Set(wordsOf(text).map((word) => word.text))];
  const telling = all.filter((word) => tellsSomething(word) && !QUESTION_WORDS.has(word));
  const words = telling.length > 0 ? telling : all;
  if (words.length === 0) {
    throw badParameter(parameter, `'${parameter}' has no words: expected letters or digits`, 'words to search for');
  }
  if (words.length > MAX_WORDS) {
    const message = `'${parameter}' has ${words.length} words; at most ${MAX_WORDS} are allowed`;
    throw badParameter(parameter, message, `at most ${MAX_WORDS} words`);
  }
  const terms = NAME.test(text) ? words.map((word) => ({ words: [word], synonyms: [] })) : termsOf(words);
  return { text: text.trim().toLowerCase(), words, terms };
}

/** Everyday words, and words of PCP's texts: several stand for all of them together. The longest match is used, besides the typed words. */
export const SYNONYMS: readonly (readonly [typed: string, ...instead: readonly string[]])[] = shippedText(
  'config/search/synonyms.txt',
)
  .split('\n')
  .filter((line) => /^[^#]/.test(line))
  .map((line) => {
    const [typed = '', instead = ''] = line.split(': ');
    return [typed, ...instead.split(' | ')];
  });

/** Alternatives of words, by those words joined by blanks. */
const SYNONYMS_BY_WORDS: ReadonlyMap<string, readonly (readonly string[])[]> = new Map(
  SYNONYMS.map(([typed, ...instead]) => [
    tellingWords(typed).join(' '),
    instead.map((text) => wordsOf(text).map((word) => word.text)),
  ]),
);
const LONGEST_SYNONYM = Math.max(...[...SYNONYMS_BY_WORDS.keys()].map((key) => key.split(' ').length));

function tellingWords(text: string): string[] {
  return wordsOf(text)
    .map((word) => word.text)
    .filter(tellsSomething);
}

/** The words of a query as terms: from left to right, the longest sequence with a synonym, or else one word. */
function termsOf(words: readonly string[]): SearchTerm[] {
  const terms: SearchTerm[] = [];
  for (let at = 0; at < words.length;) {
    let count = Math.min(LONGEST_SYNONYM, words.length - at);
    while (count > 1 && !SYNONYMS_BY_WORDS.has(words.slice(at, at + count).join(' '))) count--;
    const some = words.slice(at, at + count);
    terms.push({ words: some, synonyms: SYNONYMS_BY_WORDS.get(some.join(' ')) ?? [] });
    at += count;
  }
  return terms;
}
