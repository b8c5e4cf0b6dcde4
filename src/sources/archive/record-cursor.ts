import { compareTimestamps, PM_ERR, PmError, type Timestamp } from '../../pmapi/index.js';
import { doWaiting } from '../waits.js';
import { compareRecord, DAMAGE_LAYOUT, recordStamp } from './records/record-table.js';
import type { RecordTable, UnreadTail } from './records/record-table.js';
import type { Segment } from './records/volume.js';
import type { Position, Timeline } from './archive.js';

/** A record that a cursor passed. */
export interface RecordPlace {
  readonly segment: Segment;
  readonly table: RecordTable;
  readonly record: number;
  readonly stamp: Timestamp;
  /** A gap in the recording, without values. Damage is one. */
  readonly isMark: boolean;
  /** Why there is no record: what is here is damaged. */
  readonly damage: PmError | undefined;
}

/** PMIDs to look for, and marks when {@link MARK} is among them. */
export type WantedPmids = ReadonlySet<number>;

/** In a set of wanted PMIDs: marks too. No PMID has this value. */
export const MARK = -1;

/**
 * Goes over the records of a context, forward and backward. It stands between two records; what is appended to a growing archive
 * is found by going on. Damage has a position of its own among them, whichever records are requested: a mark with the error. If
 * the archive ends with anything but an intact record, {@link tail} reports it, and the cursor stays before it.
 */
export class RecordCursor {
  readonly #timeline: Timeline;
  #segment: Segment | undefined;
  #index = 0;

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

  /** The problem at the end of the last volume, once {@link next} has found no more records. */
  get tail(): UnreadTail | undefined {
    return this.#segment?.summary?.tail;
  }

  /**
   * Goes to where records at or after a moment begin, or (backward) those at or before it end. Going forward, damage right before comes
   * first, unless the next record is of the very moment: it may have held records of it.
   */
  async seek(moment: Timestamp, direction: 'forward' | 'backward', signal?: AbortSignal): Promise<void> {
    const position = await this.#timeline.locate(moment, direction === 'backward', signal);
    this.#segment = position?.segment;
    this.#index = position?.index ?? 0;
    if (!position) return;
    // The mark between two archives has another stamp for those who come from behind.
    if (direction === 'backward' && this.#timeline.isGap(position.segment)) {
      const stamp = this.#timeline.gapStampBackward(position.segment);
      if (compareTimestamps(stamp, moment) > 0) this.#index = 0;
    }
    if (direction === 'forward') await this.#stepBackOverDamage(position, moment, signal);
  }

  async #stepBackOverDamage({ segment, index }: Position, moment: Timestamp, signal?: AbortSignal): Promise<void> {
    if (!segment.summary?.damages.includes(index - 1)) return;
    const table = await segment.owner.load(segment, signal);
    if (index < table.count && compareRecord(table, index, moment) === 0) return;
    this.#index = index - 1;
  }

  /** Go on behind a record of the segment at hand. */
  passBy(record: number): void {
    this.#index = record + 1;
  }

  /** The next record (with one of the wanted PMIDs) or damage; undefined at the end. Throws the signal's reason. */
  async next(wanted?: WantedPmids, signal?: AbortSignal): Promise<RecordPlace | undefined> {
    this.#segment ??= await doWaiting(this.#timeline.first(signal));
    while (this.#segment) {
      signal?.throwIfAborted();
      const segment: Segment = this.#segment;
      if (!isWorthReading(segment, wanted)) {
        this.#index = Math.max(this.#index, segment.summary!.count);
      } else {
        const table = await segment.owner.load(segment, signal);
        const matches = matchLayouts(table, wanted);
        while (this.#index < table.count) {
          const record = this.#index++;
          if (!matches || matches[table.layoutOf[record]!]) return this.#place(segment, table, record, 'forward');
        }
      }
      const next = await doWaiting(this.#timeline.next(segment, signal));
      if (!next) return undefined;
      const { count, tail } = segment.summary!;
      if (this.#index <= count && this.#isDamage(tail, next)) {
        this.#index = count + 1;
        return this.#tailPlace(segment, await segment.owner.load(segment, signal));
      }
      // PCP: behind an archive that does not end with an intact record there is no mark.
      this.#segment = tail && this.#timeline.isGap(next) ? await doWaiting(this.#timeline.next(next, signal)) : next;
      this.#index = 0;
    }
    return undefined;
  }

  /** The previous record (with one of the wanted PMIDs) or damage; undefined at the start. */
  async previous(wanted?: WantedPmids): Promise<RecordPlace | undefined> {
    while (this.#segment) {
      const segment: Segment = this.#segment;
      if (segment.summary && this.#index > segment.summary.count) {
        this.#index = segment.summary.count;
        return this.#tailPlace(segment, await segment.owner.load(segment));
      }
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
      const previous = await doWaiting(this.#timeline.previous(segment));
      if (!previous) return undefined;
      const last = await this.#lastPiece(previous, segment);
      this.#segment = last;
      const { count, tail } = last.summary!;
      this.#index = this.#isDamage(tail, segment) ? count + 1 : count;
    }
    return undefined;
  }

  /** Whether the end of a volume is damage, judging by the segment that follows. */
  #isDamage(tail: UnreadTail | undefined, next: Segment): tail is UnreadTail {
    // An archive may well end with half a record, as the one before a crash does: the mark behind it says enough.
    return tail !== undefined && !(tail.isIncomplete && this.#timeline.isGap(next));
  }

  /** Reading a segment for the first time may cut it: returns the piece before `end`; all are read. */
  async #lastPiece(piece: Segment, end: Segment): Promise<Segment> {
    let last = piece;
    for (;;) {
      await last.owner.load(last);
      const next = await doWaiting(this.#timeline.next(last));
      if (!next || next === end || next.owner !== piece.owner) return last;
      last = next;
    }
  }

  #place(segment: Segment, table: RecordTable, record: number, direction: 'forward' | 'backward'): RecordPlace {
    const isMark = table.layouts[table.layoutOf[record]!]!.pmids.length === 0;
    const isGap = this.#timeline.isGap(segment);
    const stamp =
      isGap && direction === 'backward' ? this.#timeline.gapStampBackward(segment) : recordStamp(table, record);
    const message = isMark ? table.damages.get(record) : undefined;
    const damage = message === undefined ? undefined : new PmError(PM_ERR.LOGREC, message);
    return { segment, table, record, stamp, isMark, damage };
  }

  #tailPlace(segment: Segment, table: RecordTable): RecordPlace {
    const { last, tail } = segment.summary!;
    return { segment, table, record: table.count, stamp: last, isMark: true, damage: tail!.error };
  }
}

function isWorthReading(segment: Segment, wanted: WantedPmids | undefined): boolean {
  if (!wanted || !segment.summary || segment.summary.damages.length > 0) return true;
  if (wanted.has(MARK) && segment.summary.marks.length > 0) return true;
  for (const pmid of wanted) if (segment.mayHold(pmid)) return true;
  return false;
}

/** Which layouts hold a wanted PMID or are damage; undefined when every record matches. */
function matchLayouts(table: RecordTable, wanted: WantedPmids | undefined): readonly boolean[] | undefined {
  if (!wanted) return undefined;
  const marksToo = wanted.has(MARK);
  return table.layouts.map((layout) => {
    const { pmids } = layout;
    if (pmids.length === 0) return marksToo || layout === DAMAGE_LAYOUT;
    return pmids.some((pmid) => wanted.has(pmid));
  });
}
