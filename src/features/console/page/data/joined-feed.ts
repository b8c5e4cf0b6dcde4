import { computed, type ReadonlySignal } from '@preact/signals';
import { Feed, type FeedRequest, type Resolution } from './feed.js';
import type { Trouble } from './gateway.js';
import { SeriesTable } from './series-table.js';
import { lateOf } from './shown-time.js';

/** Samples that are drawn, and what is to be said of them. */
export interface Samples {
  readonly table: SeriesTable;
  /** Counts the changes of the table. */
  readonly version: ReadonlySignal<number>;
  readonly isWaiting: ReadonlySignal<boolean>;
  readonly resolution: ReadonlySignal<Resolution | undefined>;
  readonly trouble: ReadonlySignal<Trouble | undefined>;
}

/** Feeds of the same metrics of several sources, as one. */
export class JoinedFeed implements Samples {
  readonly parts: readonly { readonly source: string; readonly feed: Feed }[];
  readonly version = computed(() => this.parts.reduce((sum, { feed }) => sum + feed.version.value, 0));
  readonly isWaiting = computed(() => this.parts.some(({ feed }) => feed.isWaiting.value));
  readonly trouble = computed(() => this.parts.find(({ feed }) => feed.trouble.value)?.feed.trouble.value);
  readonly resolution = computed((): Resolution | undefined => {
    const all = this.parts.flatMap(({ feed }) => feed.resolution.value ?? []);
    if (all.length < 2) return all[0];
    return {
      isLive: all.some(({ isLive }) => isLive),
      partSec: all.find(({ partSec }) => partSec !== undefined)?.partSec,
    };
  });
  #joined: SeriesTable | undefined;
  #joinedVersion = '';

  constructor(sources: readonly string[]) {
    this.parts = sources.map((source) => ({ source, feed: new Feed() }));
  }

  /** The samples of the only source, or of all of them in step with the first. */
  get table(): SeriesTable {
    const [first, ...others] = this.parts;
    if (others.length === 0) return first!.feed.table;
    const parts = this.parts.map(({ source, feed }) => ({ source, table: feed.table, late: lateOf(source) }));
    const version = [this.version.peek(), ...parts.map(({ late }) => late)].join();
    if (!this.#joined || version !== this.#joinedVersion) {
      this.#joined = SeriesTable.join(parts);
      this.#joinedVersion = version;
    }
    return this.#joined;
  }

  /** Provide this of each source from now on; undefined: it is not known yet. */
  want(requestOf: (source: string) => FeedRequest | undefined): void {
    for (const { source, feed } of this.parts) {
      const request = requestOf(source);
      if (request) feed.want(request);
    }
  }

  close(): void {
    for (const { feed } of this.parts) feed.close();
  }
}
