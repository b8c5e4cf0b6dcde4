import type { BlockFile } from './block-file.js';
import { BLOCK_BYTES } from './block-file.js';
import { findSet } from './record-table.js';
import type { RecordTable } from './record-table.js';

/** A piece of a file that is wanted. */
export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

/** Where a value set lies: which record of the segment, and its bytes in the file. */
export interface PlannedSet {
  readonly record: number;
  /** Number of values, or an error code. */
  readonly count: number;
  /** Bytes from the file's beginning to the record, and to the value set. */
  readonly recordOffset: number;
  readonly setOffset: number;
}

/**
 * Two wanted pieces are read together when no more than this lies between. Another read costs some 50 microseconds, most of
 * it our own, in which that much is read along.
 */
export const COALESCE_BYTES = 64 * 1024;

/** Reads from this size on go by way of the block cache: readers of other metrics will want the same blocks. */
const SHARED_READ_BYTES = 256 * 1024;

/** Bytes of a value set with so many values. */
export function setBytes(count: number): number {
  return count > 0 ? 12 + 8 * count : 8;
}

/** Which records of a segment hold a metric, and where in the file its value sets are. */
export function planMetric(table: RecordTable, pmid: number): readonly PlannedSet[] {
  const inLayout = table.layouts.map((layout) => findSet(layout, pmid));
  if (inLayout.every((set) => set < 0)) return [];
  const planned: PlannedSet[] = [];
  for (let record = 0; record < table.count; record++) {
    const layoutIndex = table.layoutOf[record]!;
    const set = inLayout[layoutIndex]!;
    if (set < 0) continue;
    const layout = table.layouts[layoutIndex]!;
    const recordOffset = table.offsets[record]!;
    planned.push({ record, count: layout.counts[set]!, recordOffset, setOffset: recordOffset + layout.offsets[set]! });
  }
  return planned;
}

/** Join ranges, given in ascending order, to reads: near neighbours together, none longer than `maxBytes` unless asked. */
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

/** Bytes of planned reads, by their place in the file. */
export class ReadBytes {
  readonly #reads: readonly ByteRange[];
  readonly #bytes: readonly Buffer[];
  #last = 0;

  private constructor(reads: readonly ByteRange[], bytes: readonly Buffer[]) {
    this.#reads = reads;
    this.#bytes = bytes;
  }

  /**
   * Execute a plan, a few reads at a time. What is in memory is taken from there piece by piece; only what lies between is
   * joined to reads.
   */
  static async execute(file: BlockFile, ranges: readonly ByteRange[]): Promise<ReadBytes> {
    const sorted = [...ranges].sort((a, b) => a.offset - b.offset || a.length - b.length);
    const large = new Set<number>();
    for (const run of absentRuns(file, sorted)) {
      for (const { offset, length } of planReads(run, COALESCE_BYTES, BLOCK_BYTES)) {
        if (length < SHARED_READ_BYTES) continue;
        large.add(Math.floor(offset / BLOCK_BYTES)).add(Math.floor((offset + length - 1) / BLOCK_BYTES));
      }
    }
    await inTurns([...large], (block) => file.read(block * BLOCK_BYTES, 1));
    const reads: ByteRange[] = [];
    const bytes: Buffer[] = [];
    const absent: number[] = [];
    let run: ByteRange[] = [];
    const endRun = (): void => {
      for (const read of planReads(run, COALESCE_BYTES, BLOCK_BYTES)) {
        absent.push(reads.length);
        reads.push(read);
      }
      run = [];
    };
    for (const range of sorted) {
      const cached = file.peek(range.offset, range.length);
      if (!cached) {
        run.push(range);
        continue;
      }
      endRun();
      bytes[reads.length] = cached;
      reads.push(range);
    }
    endRun();
    await inTurns(absent, async (i) => {
      bytes[i] = await file.readExact(reads[i]!.offset, reads[i]!.length);
    });
    return new ReadBytes(reads, bytes);
  }

  /** The bytes of one of the ranges that were asked for, or of a part of it; asking in ascending order is quickest. */
  get(offset: number, length: number): Buffer {
    let i = this.#last;
    if (!this.#covers(i, offset, length)) {
      let low = 0;
      let high = this.#reads.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >>> 1;
        if (this.#reads[middle]!.offset <= offset) low = middle;
        else high = middle - 1;
      }
      // Pieces may overlap, where value blocks of a record do.
      for (i = low; i > 0 && !this.#covers(i, offset, length);) i--;
    }
    this.#last = i;
    const start = offset - this.#reads[i]!.offset;
    return this.#bytes[i]!.subarray(start, start + length);
  }

  #covers(i: number, offset: number, length: number): boolean {
    const read = this.#reads[i];
    return read !== undefined && offset >= read.offset && offset + length <= read.offset + read.length;
  }
}

/** The runs of consecutive ranges that are not in memory. */
function absentRuns(file: BlockFile, sorted: readonly ByteRange[]): readonly (readonly ByteRange[])[] {
  const runs: ByteRange[][] = [];
  let wasCached = true;
  for (const range of sorted) {
    const isCached = file.peek(range.offset, range.length) !== undefined;
    if (!isCached && wasCached) runs.push([]);
    if (!isCached) runs.at(-1)!.push(range);
    wasCached = isCached;
  }
  return runs;
}

/** Do something with each item, four at a time. */
async function inTurns<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) await work(items[next++]!);
  };
  await Promise.all([worker(), worker(), worker(), worker()]);
}
