import { GatewayError } from '../pmapi/index.js';
import type { SearchField } from './search-document.js';
import { wordsOf } from './words.js';

/** Words of a query: as many as long metric names hold. Each of them costs a walk through the index. */
const MAX_WORDS = 12;
/** Words that stand in nearly every help text and tell nothing. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  'a an and as be by for has is it of or that the these thi to wa was were which with'.split(' '),
);

/** All that may be searched. */
export const SEARCH_FIELDS: readonly SearchField[] = ['name', 'oneline', 'helptext', 'labels'];

/** Whether a word is worth looking for in a help text. */
export function tellsSomething(word: string): boolean {
  return !STOP_WORDS.has(word);
}

/** A query made ready. */
export interface SearchQuery {
  /** The query as a name is compared with it: trimmed and in small letters. */
  readonly text: string;
  /** Its words, each once; never empty. */
  readonly words: readonly string[];
}

/** Read a query: words, nothing else has a meaning. Throws BAD_PARAMETER for one that holds no word or too many. */
export function parseQuery(text: string, parameter: string): SearchQuery {
  const all = [...new Set(wordsOf(text).map((word) => word.text))];
  const telling = all.filter(tellsSomething);
  const words = telling.length > 0 ? telling : all;
  if (words.length === 0) {
    throw new GatewayError('BAD_PARAMETER', `'${parameter}' holds no word: letters or digits are needed`, {
      parameter,
      expected: 'words to search for',
    });
  }
  if (words.length > MAX_WORDS) {
    throw new GatewayError(
      'BAD_PARAMETER',
      `'${parameter}' holds ${words.length} words; at most ${MAX_WORDS} are searched for`,
      {
        parameter,
        expected: `at most ${MAX_WORDS} words`,
      },
    );
  }
  return { text: text.trim().toLowerCase(), words };
}
