import MiniSearch from 'minisearch';
import type { Query, QueryCombination, SearchOptions } from 'minisearch';
import { bisect } from '../../kit/index.js';
import { SEARCH_FIELDS, tellsSomething, wordsOf, type SearchQuery, type SearchTerm } from './search-query.js';
import type { EntityType, SearchDocument, SearchField } from './searchable.js';

/** The weight of a match in a field; the first three are RediSearch's weights in pmproxy's schema. */
const BOOST: Readonly<Record<SearchField, number>> = { name: 9, oneline: 4, helptext: 2, labels: 1 };
/** Shorter words match exactly: half the index begins with an `s`. */
const PREFIX_LENGTH = 2;
/** Words of these lengths also match with one wrong letter; no one types longer words. */
const FUZZY_LENGTH = { from: 4, twoFrom: 8, to: 24 };

/** Required similarity: `all` words (exactly or as prefixes), `similar` (all, with a wrong letter or two), `any` word. */
export type Likeness = 'all' | 'similar' | 'any';

/** Likenesses from strict to lenient: the next is tried if one finds nothing. */
export const LIKENESSES: readonly Likeness[] = ['all', 'similar', 'any'];

/** Ranks, which precede scores: named like the query, all of it in the name, help texts, instances, labels. */
const Rank = { EXACT: 0, NAME: 1, HELP: 2, INSTANCE: 3, LABEL: 4 } as const;
type Rank = (typeof Rank)[keyof typeof Rank];

export interface SearchHit {
  readonly document: SearchDocument;
  readonly rank: Rank;
  /** BM25+ with the fields' weights, times the prior and the matching share of a name; higher is better, within a rank. */
  readonly score: number;
  /** The words of the entity that matched, as `wordsOf` returns them. */
  readonly matched: ReadonlySet<string>;
  readonly fields: readonly SearchField[];
}

export interface FindOptions {
  readonly types?: readonly EntityType[] | undefined;
  readonly fields?: readonly SearchField[] | undefined;
}

/** Some entities of one view, and their words: as many as may be searched without a break. */
export class SearchShard {
  readonly #documents: SearchDocument[] = [];
  readonly #index: MiniSearch<IndexedDocument>;
  /** Words in entities: a word counts once for each entity that contains it. */
  records = 0;
  /** Names for suggestions, in lower case, in order. */
  #names: readonly { readonly small: string; readonly name: string }[] | undefined;

  constructor() {
    this.#index = new MiniSearch<IndexedDocument>({
      fields: [...SEARCH_FIELDS],
      // Fields are given as words already; so is a query, whose words contain no blank.
      tokenize: (text) => text.split(' '),
      processTerm: (term) => term || null,
      autoVacuum: false,
    });
  }

  get documents(): number {
    return this.#documents.length;
  }

  add(document: SearchDocument): ReadonlySet<string> {
    const id = this.#documents.push(document) - 1;
    const name = textsOf(document.name);
    const oneline = textsOf(document.oneline).filter(tellsSomething);
    const helptext = textsOf(document.helptext).filter(tellsSomething);
    const labels = Object.entries(document.labels).flatMap(([label, value]) => [...textsOf(label), ...textsOf(value)]);
    const words = new Set([...name, ...oneline, ...helptext, ...labels]);
    this.records += words.size;
    this.#index.add({
      id,
      name: name.join(' '),
      oneline: oneline.join(' '),
      helptext: helptext.join(' '),
      labels: labels.join(' '),
    });
    this.#names = undefined;
    return words;
  }

  /** Entities similar to a query, in no order. */
  find(query: SearchQuery, likeness: Likeness, { types, fields = SEARCH_FIELDS }: FindOptions = {}): SearchHit[] {
    const options: SearchOptions = { fields: [...fields], boost: BOOST };
    if (types) options.filter = ({ id }) => types.includes(this.#documents[id as number]!.type);
    return this.#index.search(queryOf(query, likeness), options).map(({ id, score, match }) => {
      const document = this.#documents[id as number]!;
      const matched = new Set(Object.keys(match));
      const found = new Set(Object.values(match).flat());
      const rank = rankOf(query, likeness, document, match);
      return {
        document,
        rank,
        // `disk.dev.read` is closer to `disk read` than `disk.dev.read_merge` is.
        score: priorOf(document) * (rank <= Rank.NAME ? score * shareOf(document.name, matched) : score),
        matched,
        fields: SEARCH_FIELDS.filter((field) => found.has(field)),
      };
    });
  }

  /** Names of metrics and instances that begin with a text, whatever its case; in order, at most `limit`. */
  namesFrom(text: string, limit: number): readonly string[] {
    const names = (this.#names ??= this.#sortNames());
    const small = text.toLowerCase();
    const found: string[] = [];
    const first = bisect(0, names.length, (i) => names[i]!.small >= small);
    for (let i = first; i < names.length && found.length < limit && names[i]!.small.startsWith(small); i++) {
      found.push(names[i]!.name);
    }
    return found;
  }

  about(indom: string): readonly SearchDocument[] {
    return this.#documents.filter((document) => document.indom === indom);
  }

  #sortNames(): { small: string; name: string }[] {
    const names = new Set(this.#documents.filter(({ type }) => type !== 'indom').map(({ name }) => name));
    return [...names]
      .map((name) => ({ small: name.toLowerCase(), name }))
      .sort((a, b) => (a.small < b.small ? -1 : a.small > b.small ? 1 : 0));
  }
}

/** The words of an entity's fields, separated by blanks. */
type IndexedDocument = { readonly id: number } & Readonly<Record<SearchField, string>>;

function textsOf(text: string): string[] {
  return wordsOf(text).map((word) => word.text);
}

/** The query for MiniSearch: typed words exactly, as prefixes, or nearly; alternatives exactly. */
function queryOf({ words, terms }: SearchQuery, likeness: Likeness): Query {
  const typed = (some: readonly string[]): QueryCombination => ({
    combineWith: 'AND',
    queries: [...some],
    prefix: (word) => word.length >= PREFIX_LENGTH,
    fuzzy: likeness === 'all' ? false : wrongLetters,
  });
  if (likeness === 'any') return { ...typed(words), combineWith: 'OR' };
  return { combineWith: 'AND', queries: terms.map((term) => eitherOf(term, typed)) };
}

function eitherOf({ words, synonyms }: SearchTerm, typed: (words: readonly string[]) => Query): Query {
  if (synonyms.length === 0) return typed(words);
  const exactly = { combineWith: 'AND', prefix: false, fuzzy: false } as const;
  const others = synonyms.map((some): Query => ({ ...exactly, queries: [...some] }));
  return { combineWith: 'OR', queries: [typed(words), ...others] };
}

/** How many letters of a word may be wrong, missing or extra; false for none. */
function wrongLetters(word: string): number | false {
  if (word.length < FUZZY_LENGTH.from || word.length > FUZZY_LENGTH.to) return false;
  return word.length < FUZZY_LENGTH.twoFrom ? 1 : 2;
}

function rankOf(
  query: SearchQuery,
  likeness: Likeness,
  document: SearchDocument,
  match: Readonly<Record<string, readonly string[]>>,
): Rank {
  // An instance may be called `cpu` or `memory`; metrics that people look for with these words precede it.
  if (document.name.toLowerCase() === query.text) return document.type === 'instance' ? Rank.NAME : Rank.EXACT;
  const found = Object.entries(match);
  if (found.every(([, fields]) => fields.every((field) => field === 'labels'))) return Rank.LABEL;
  if (document.type === 'instance') return Rank.INSTANCE;
  const inName = found.filter(([, fields]) => fields.includes('name')).map(([word]) => word);
  return isNamed(query, likeness, inName) ? Rank.NAME : Rank.HELP;
}

function shareOf(name: string, matched: ReadonlySet<string>): number {
  const words = textsOf(name);
  return words.filter((word) => matched.has(word)).length / words.length;
}

function isNamed({ words, terms }: SearchQuery, likeness: Likeness, inName: readonly string[]): boolean {
  switch (likeness) {
    case 'all':
      return terms.every(
        (term) =>
          term.words.every((word) => inName.some((other) => other.startsWith(word))) ||
          term.synonyms.some((synonym) => synonym.every((word) => inName.includes(word))),
      );
    case 'similar':
      // A word with a wrong letter is not a prefix: there must be as many as in the query.
      return inName.length >= words.length;
    case 'any':
      return inName.length > 0;
  }
}

/** Weights of nodes: metrics of the whole machine before those of parts and special subsystems. */
const PRIORS: Readonly<Record<string, number>> = {
  // What people mean by one word.
  'kernel.all.load': 24,
  'kernel.all.cpu': 12,
  'mem.util.used': 24,
  'mem.util.free': 24,
  'mem.util.available': 24,
  'mem.physmem': 16,
  'disk.all.total_bytes': 16,
  'disk.dev.total_bytes': 12,
  'proc.psinfo.rss': 8,
  'hinv.cpu': 1,
  hinv: 2,
  'hinv.ncpu': 8,
  kernel: 2,
  'kernel.all': 8,
  'kernel.cpu': 4,
  'kernel.uname': 8,
  mem: 2,
  'mem.util': 8,
  swap: 8,
  disk: 2,
  'disk.all': 8,
  'disk.dev': 6,
  filesys: 8,
  network: 2,
  'network.interface': 8,
  proc: 2,
  vfs: 2,
};
/** People look for values of metrics; instance domains are also found by their descriptions. */
const INDOM_PRIOR = 0.25;

/** The weight of an entity among equals with matching words; 1 by default. */
function priorOf({ type, name }: SearchDocument): number {
  if (type === 'instance') return 1;
  if (type === 'indom') return INDOM_PRIOR;
  for (let node = name; node !== ''; node = node.slice(0, Math.max(0, node.lastIndexOf('.')))) {
    const prior = PRIORS[node];
    if (prior !== undefined) return prior;
  }
  return 1;
}
