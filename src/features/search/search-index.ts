import type { EntityType, SearchDocument } from './searchable.js';
import { SearchShard } from './search-shard.js';

/** Entities per shard: searching them for common words takes two milliseconds. */
const DOCUMENTS_PER_SHARD = 400;
/** Words of entities per shard: long help texts count more than short ones. */
const RECORDS_PER_SHARD = 10_000;

export interface IndexSize {
  readonly documents: number;
  /** Different words. */
  readonly terms: number;
  /** Words in entities: a word counts once for each entity that contains it. */
  readonly records: number;
  /** Characters of names, texts and labels; labels that several entities share count once. */
  readonly characters: number;
}

/** The entities of one view, in shards: between two shards, other requests get their turn. */
export class SearchIndex {
  readonly #shards: SearchShard[] = [];
  readonly #terms = new Set<string>();
  readonly #labels = new WeakSet<SearchDocument['labels']>();
  #documents = 0;
  #records = 0;
  #characters = 0;

  /** @param hasTexts whether help texts and labels are included: names alone are available sooner */
  constructor(readonly hasTexts = true) {}

  get shards(): readonly SearchShard[] {
    return this.#shards;
  }

  get size(): IndexSize {
    return {
      documents: this.#documents,
      terms: this.#terms.size,
      records: this.#records,
      characters: this.#characters,
    };
  }

  add(document: SearchDocument): void {
    let shard = this.#shards.at(-1);
    if (!shard || shard.documents >= DOCUMENTS_PER_SHARD || shard.records >= RECORDS_PER_SHARD) {
      shard = new SearchShard();
      this.#shards.push(shard);
    }
    const words = shard.add(document);
    for (const word of words) this.#terms.add(word);
    this.#records += words.size;
    this.#documents++;
    this.#characters += document.name.length + document.oneline.length + document.helptext.length;
    if (this.#labels.has(document.labels)) return;
    this.#labels.add(document.labels);
    for (const [label, value] of Object.entries(document.labels)) this.#characters += label.length + value.length;
  }

  /** Everything about an instance domain, given as pmInDomStr(3) writes it: itself, the metrics, the instances. */
  about(indom: string): readonly SearchDocument[] {
    const related = this.#shards.flatMap((shard) => shard.about(indom));
    const inOrder: readonly EntityType[] = ['indom', 'metric', 'instance'];
    return inOrder.flatMap((type) => related.filter((document) => document.type === type));
  }
}
