import { compareTimestamps } from '../../pmapi/index.js';
import type { Timestamp } from '../../pmapi/index.js';
import { recordStamp } from './record-table.js';
import type { RecordTable } from './record-table.js';
import type { Segment } from './segment.js';
import type { Timeline } from './timeline.js';
import { damageOf } from './volume.js';

/** A record that a cursor came by. */
export interface RecordPlace {
  readonly segment: Segment;
  readonly table: RecordTable;
  readonly record: number;
  readonly stamp: Timestamp;
  /** Whether it is a mark: a gap in the recording, without values. */
  readonly isMark: boolean;
}

interface Here {
  readonly segment: Segment;
  readonly uid: number;
  readonly table: RecordTable;
  readonly matches: readonly boolean[] | undefined;
}

/** What a reader looks for: PMIDs, and marks when {@link MARK} is among them. */
export type WantedPmids = ReadonlySet<number>;

/** In a set of wanted PMIDs: marks too. No PMID has this value. */
export const MARK = -1;

/**
 * Goes over the records of a context, forward and backward. It stands between two records; what is appended to a growing
 * archive is found by going on. Damage in an archive throws PM_ERR_LOGREC, as often as one tries to pass it; with several
 * archives the reader goes on with the next one, as libpcp 7 does.
 */
export class RecordCursor {
  readonly #timeline: Timeline;
  #segment: Segment | undefined;
  #index = 0;
  /** Where {@link nextHere} may go on without waiting. */
  #here: Here | undefined;

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
  }

  /** Another cursor at the same place. */
  copy(): RecordCursor {
    const copy = new RecordCursor(this.#timeline);
    copy.#segment = this.#segment;
    copy.#index = this.#index;
    return copy;
  }

  /** Go to where the records at or after a moment begin, or (backward) those at or before it end. */
  async seek(moment: Timestamp, direction: 'forward' | 'backward'): Promise<void> {
    const position = await this.#timeline.locate(moment, direction === 'backward');
    this.#segment = position?.segment;
    this.#index = position?.index ?? 0;
    // The mark between two archives has another stamp for those who come from behind.
    if (position && direction === 'backward' && this.#timeline.isGap(position.segment)) {
      const stamp = this.#timeline.gapStampBackward(position.segment);
      if (compareTimestamps(stamp, moment) > 0) this.#index = 0;
    }
  }

  /**
   * The next record in the segment at hand with what was wanted of the last one; undefined where {@link next} has to say.
   */
  nextHere(): RecordPlace | undefined {
    if (!this.#here || this.#here.segment !== this.#segment || this.#here.uid !== this.#segment.uid) return undefined;
    const { segment, table, matches } = this.#here;
    while (this.#index < table.count) {
      const record = this.#index++;
      if (!matches || matches[table.layoutOf[record]!]) return this.#place(segment, table, record, 'forward');
    }
    return undefined;
  }

  /** Go on behind a record of the segment at hand. */
  passBy(record: number): void {
    this.#index = record + 1;
  }

  /**
   * The next record, or the next with one of the wanted PMIDs, which marks never have; undefined at the end. Throws the signal's
   * reason once it is aborted.
   */
  async next(wanted?: WantedPmids, signal?: AbortSignal): Promise<RecordPlace | undefined> {
    this.#segment ??= await this.#timeline.first();
    while (this.#segment) {
      signal?.throwIfAborted();
      const segment: Segment = this.#segment;
      if (!isWorthReading(segment, wanted)) {
        this.#index = segment.summary!.count;
      } else {
        const table = await segment.owner.load(segment);
        this.#here = { segment, uid: segment.uid, table, matches: matchLayouts(table, wanted) };
        const place = this.nextHere();
        if (place) return place;
      }
      const next = segment.summary?.damage ? await this.#pastDamage(segment) : await this.#timeline.next(segment);
      if (!next) return undefined;
      this.#segment = next;
      this.#index = 0;
    }
    return undefined;
  }

  /** The record before, or the one before that with one of the wanted PMIDs; undefined at the start. */
  async previous(wanted?: WantedPmids): Promise<RecordPlace | undefined> {
    while (this.#segment) {
      const segment: Segment = this.#segment;
      if (!isWorthReading(segment, wanted)) {
        this.#index = 0;
      } else if (this.#index > 0) {
        const table = await segment.owner.load(segment);
        const matches = matchLayouts(table, wanted);
        while (this.#index > 0) {
          const record = --this.#index;
          if (!matches || matches[table.layoutOf[record]!]) return this.#place(segment, table, record, 'backward');
        }
      }
      const previous = await this.#timeline.previous(segment);
      if (!previous) return undefined;
      const { count } = await previous.owner.load(previous);
      if (previous.summary?.damage && this.#timeline.members.length === 1) throw damageOf(previous);
      // Reading a segment for the first time may cut it: what was cut off lies between.
      const between = await this.#timeline.next(previous);
      if (between && between !== segment && previous.owner === between.owner && !previous.summary?.damage) {
        this.#segment = await this.#lastPiece(between, segment);
        this.#index = (await this.#segment.owner.load(this.#segment)).count;
        if (this.#segment.summary?.damage && this.#timeline.members.length === 1) throw damageOf(this.#segment);
      } else {
        this.#segment = previous;
        this.#index = count;
      }
    }
    return undefined;
  }

  /** The last of the pieces, from `piece` on, that lie before `end`; all are read. */
  async #lastPiece(piece: Segment, end: Segment): Promise<Segment> {
    let last = piece;
    for (;;) {
      await last.owner.load(last);
      const next = await this.#timeline.next(last);
      if (!next || next === end || next.owner !== piece.owner || last.summary?.damage) return last;
      last = next;
    }
  }

  async #pastDamage(segment: Segment): Promise<Segment | undefined> {
    const member = this.#timeline.memberOf(segment);
    if (this.#timeline.members.length === 1) throw damageOf(segment);
    return this.#timeline.firstOfMember(member + 1);
  }

  #place(segment: Segment, table: RecordTable, record: number, direction: 'forward' | 'backward'): RecordPlace {
    const isMark = table.layouts[table.layoutOf[record]!]!.pmids.length === 0;
    const isGap = this.#timeline.isGap(segment);
    const stamp =
      isGap && direction === 'backward' ? this.#timeline.gapStampBackward(segment) : recordStamp(table, record);
    return { segment, table, record, stamp, isMark };
  }
}

function isWorthReading(segment: Segment, wanted: WantedPmids | undefined): boolean {
  if (!wanted || !segment.summary) return true;
  if (wanted.has(MARK) && segment.summary.marks.length > 0) return true;
  for (const pmid of wanted) if (segment.mayHold(pmid)) return true;
  return false;
}

/** Which layouts hold a wanted PMID; undefined when every record will do. */
function matchLayouts(table: RecordTable, wanted: WantedPmids | undefined): readonly boolean[] | undefined {
  if (!wanted) return undefined;
  const marksToo = wanted.has(MARK);
  return table.layouts.map(({ pmids }) => (pmids.length === 0 ? marksToo : pmids.some((pmid) => wanted.has(pmid))));
}
