import { bisect } from '../../../kit/index.js';
import { viewOf } from '../../wire/index.js';
import type { BlockFile } from '../files/block-file.js';
import { BLOCK_BYTES, type Block } from '../files/block-cache.js';
import type { RecordLayout, RecordTable } from '../records/record-table.js';

export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

/** A value set's record in the segment, and its bytes in the file. */
export interface PlannedSet {
  readonly place: number;
  readonly metric: number;
  readonly record: number;
  /** Number of values, or an error code. */
  readonly count: number;
  /** Bytes from the file's beginning to the record, and to the value set. */
  readonly recordOffset: number;
  readonly setOffset: number;
}

/** Wanted pieces at most this far apart are read together: another read costs some 50 µs, in which that much is read. */
const COALESCE_BYTES = 64 * 1024;

/** Larger reads go through the block cache: readers of other metrics will need the same blocks. */
const SHARED_READ_BYTES = 256 * 1024;

export function setBytes(count: number): number {
  return count > 0 ? 12 + 8 * count : 8;
}

export interface SegmentPlan {
  /** By metric: the sets of each, in the order of the records. */
  readonly byMetric: readonly (readonly PlannedSet[])[];
  readonly inOrder: readonly PlannedSet[];
}

/** Which records of a segment hold which metrics, and where in the file the value sets are: one pass for all metrics. */
export function planMetrics(table: RecordTable, pmids: readonly number[]): SegmentPlan {
  const held = heldByLayout(table, pmids);
  const byMetric: PlannedSet[][] = pmids.map(() => []);
  const inOrder: PlannedSet[] = [];
  for (let record = 0; record < table.count; record++) {
    const layoutIndex = table.layoutOf[record]!;
    const { offsets, counts } = table.layouts[layoutIndex]!;
    const recordOffset = table.offsets[record]!;
    for (const { metric, set } of held[layoutIndex]!) {
      const setOffset = recordOffset + offsets[set]!;
      const planned = { place: inOrder.length, metric, record, count: counts[set]!, recordOffset, setOffset };
      byMetric[metric]!.push(planned);
      inOrder.push(planned);
    }
  }
  return { byMetric, inOrder };
}

interface HeldSet {
  readonly metric: number;
  /** Which of the record's value sets is the metric's: of several, the first. */
  readonly set: number;
}

/** By layout: which value sets of its records are those of some metrics. */
export function heldByLayout({ layouts }: RecordTable, pmids: readonly number[]): readonly (readonly HeldSet[])[] {
  const metricOf = new Map(pmids.map((pmid, metric) => [pmid, metric]));
  return layouts.map((layout) => heldSets(layout, metricOf));
}

function heldSets({ pmids }: RecordLayout, metricOf: ReadonlyMap<number, number>): readonly HeldSet[] {
  const held = new Map<number, HeldSet>();
  for (let set = 0; set < pmids.length && held.size < metricOf.size; set++) {
    const metric = metricOf.get(pmids[set]!);
    if (metric !== undefined && !held.has(metric)) held.set(metric, { metric, set });
  }
  return [...held.values()];
}

/** Joins ascending ranges to reads: near neighbours together, none longer than `maxBytes` unless one range is. */
export function planReads(ranges: readonly ByteRange[], gapBytes: number, maxBytes: number): readonly ByteRange[] {
  const reads: { offset: number; length: number }[] = [];
  let current: { offset: number; length: number } | undefined;
  for (const { offset, length } of ranges) {
    const end = offset + length;
    if (current && offset <= current.offset + current.length + gapBytes && end - current.offset <= maxBytes) {
      current.length = Math.max(current.length, end - current.offset);
    } else {
      current = { offset, length };
      reads.push(current);
    }
  }
  return reads;
}

/** Bytes that were read or are in memory: from `offset` of the file on. */
interface Piece extends ByteRange {
  readonly bytes: Uint8Array;
  readonly view: DataView;
}

/** Bytes of planned reads, by their offset in the file. The executor of a plan releases what it holds of the cache. */
export class ReadBytes {
  readonly #pieces: readonly Piece[];
  readonly #held: readonly Block[];
  #last = 0;

  private constructor(pieces: readonly Piece[], held: readonly Block[]) {
    this.#pieces = pieces;
    this.#held = held;
  }

  /** Executes a plan, a few reads at a time. Blocks in memory are used; only the rest is joined to reads. */
  static async execute(file: BlockFile, ranges: readonly ByteRange[]): Promise<ReadBytes> {
    const whole = blockOfAll(file, ranges);
    if (whole) return new ReadBytes([pieceOf(whole.start, whole.bytes)], [whole.hold()]);
    const sorted = isSorted(ranges) ? ranges : [...ranges].sort((a, b) => a.offset - b.offset || a.length - b.length);
    const large = new Set<number>();
    for (const run of absentRuns(file, sorted)) {
      for (const { offset, length } of planReads(run, COALESCE_BYTES, BLOCK_BYTES)) {
        if (length < SHARED_READ_BYTES) continue;
        large.add(Math.floor(offset / BLOCK_BYTES)).add(Math.floor((offset + length - 1) / BLOCK_BYTES));
      }
    }
    const held: Block[] = [];
    try {
      await inTurns([...large], async (block) => held.push(await file.hold(block * BLOCK_BYTES)));
      const pieces: (Piece | ByteRange)[] = [];
      const absent: number[] = [];
      let run: ByteRange[] = [];
      const endRun = (): void => {
        for (const read of planReads(run, COALESCE_BYTES, BLOCK_BYTES)) absent.push(pieces.push(read) - 1);
        run = [];
      };
      let last: Block | undefined;
      for (const range of sorted) {
        if (last?.covers(range.offset, range.length) && run.length === 0) continue;
        const cached = file.peekBlock(range.offset);
        if (!cached?.covers(range.offset, range.length)) {
          const joined = cached && file.peekAcross(range.offset, range.length);
          if (joined) pieces.push(pieceOf(range.offset, joined));
          else run.push(range);
          continue;
        }
        endRun();
        held.push(cached.hold());
        last = cached;
        pieces.push(pieceOf(cached.start, cached.bytes));
      }
      endRun();
      await inTurns(absent, async (i) => {
        const { offset, length } = pieces[i]!;
        pieces[i] = pieceOf(offset, await file.readExact(offset, length));
      });
      const read = pieces as Piece[];
      return new ReadBytes(
        read.sort((a, b) => a.offset - b.offset),
        held,
      );
    } catch (error) {
      for (const block of held) block.release();
      throw error;
    }
  }

  /** Releases the bytes: results of {@link get} and {@link locate} become invalid. */
  release(): void {
    for (const block of this.#held) block.release();
  }

  /** The bytes of one of the ranges that were asked for, or of a part of it; ascending order is fastest. */
  get(offset: number, length: number): Uint8Array {
    const piece = this.locate(offset, length);
    const start = offset - piece.offset;
    return piece.bytes.subarray(start, start + length);
  }

  /** Like get() without a new buffer: the piece that contains these bytes, and its offset in the file. */
  locate(offset: number, length: number): Piece {
    if (!this.#covers(this.#last, offset, length)) this.#last = this.#find(offset, length);
    return this.#pieces[this.#last]!;
  }

  #find(offset: number, length: number): number {
    let i = bisect(1, this.#pieces.length, (k) => this.#pieces[k]!.offset > offset) - 1;
    // Pieces may overlap, where value blocks of a record do.
    while (i > 0 && !this.#covers(i, offset, length)) i--;
    return i;
  }

  #covers(i: number, offset: number, length: number): boolean {
    const piece = this.#pieces[i];
    return piece !== undefined && offset >= piece.offset && offset + length <= piece.offset + piece.length;
  }
}

function pieceOf(offset: number, bytes: Uint8Array): Piece {
  return { offset, length: bytes.length, bytes, view: viewOf(bytes) };
}

/** The block in memory that all ranges lie in, usually that of a segment scanned just now. */
function blockOfAll(file: BlockFile, ranges: readonly ByteRange[]): Block | undefined {
  const block = ranges[0] && file.peekBlock(ranges[0].offset);
  return block && ranges.every(({ offset, length }) => block.covers(offset, length)) ? block : undefined;
}

function isSorted(ranges: readonly ByteRange[]): boolean {
  for (let i = 1; i < ranges.length; i++) {
    const [a, b] = [ranges[i - 1]!, ranges[i]!];
    if (a.offset > b.offset || (a.offset === b.offset && a.length > b.length)) return false;
  }
  return true;
}

function absentRuns(file: BlockFile, sorted: readonly ByteRange[]): readonly (readonly ByteRange[])[] {
  const runs: ByteRange[][] = [];
  let wasCached = true;
  let last: Block | undefined;
  for (const range of sorted) {
    if (!last?.covers(range.offset, range.length)) last = file.peekBlock(range.offset);
    const isCached =
      last?.covers(range.offset, range.length) === true ||
      (last !== undefined && file.peekAcross(range.offset, range.length) !== undefined);
    if (!isCached && wasCached) runs.push([]);
    if (!isCached) runs.at(-1)!.push(range);
    wasCached = isCached;
  }
  return runs;
}

/** Processes items four at a time. After an error no more are begun; it is thrown when those begun have ended. */
async function inTurns<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      try {
        await work(items[next++]!);
      } catch (error) {
        next = items.length;
        throw error;
      }
    }
  };
  const ends = await Promise.allSettled([worker(), worker(), worker(), worker()]);
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}
