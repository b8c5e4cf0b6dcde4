/** How many segments behind another a metric's reader may be and still count as going along. */
const REACH_SEGMENTS = 8;
/** How many metrics are remembered. */
const MAX_PMIDS = 64;
/** How many are read along at most. */
const MAX_READ_AHEAD = 32;

/**
 * Which metrics of a volume are being read by several readers at about the same place, as the panels of a dashboard do, each a
 * metric of its own: the first that comes to a segment reads it for the others too. A metric counts for a few segments from where
 * its column was last missing, so that readers who have left are soon forgotten.
 */
export class ReadAhead {
  readonly #missedAt = new Map<number, number>();

  /** Note that columns are missing in a segment; answers what else to read there. */
  at(segment: number, pmids: readonly number[]): readonly number[] {
    const others: number[] = [];
    for (const [pmid, missed] of this.#missedAt) {
      const isNear = segment >= missed && segment - missed <= REACH_SEGMENTS;
      if (isNear && others.length < MAX_READ_AHEAD && !pmids.includes(pmid)) others.push(pmid);
    }
    for (const pmid of pmids) {
      this.#missedAt.delete(pmid);
      this.#missedAt.set(pmid, segment);
    }
    for (const pmid of this.#missedAt.keys()) {
      if (this.#missedAt.size <= MAX_PMIDS) break;
      this.#missedAt.delete(pmid);
    }
    return others;
  }
}
