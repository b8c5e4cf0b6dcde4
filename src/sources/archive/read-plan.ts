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

/** Two wanted pieces are read together when no more than this lies between: about what another read costs. */
export const COALESCE_BYTES = 8 * 1024;

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

  /** Execute a plan, a few reads at a time. */
  static async execute(file: BlockFile, ranges: readonly ByteRange[]): Promise<ReadBytes> {
    const sorted = [...ranges].sort((a, b) => a.offset - b.offset);
    const reads = planReads(sorted, COALESCE_BYTES, BLOCK_BYTES);
    const bytes: Buffer[] = new Array<Buffer>(reads.length);
    let next = 0;
    const worker = async (): Promise<void> => {
      while (next < reads.length) {
        const i = next++;
        const { offset, length } = reads[i]!;
        bytes[i] = file.peek(offset, length) ?? (await file.readExact(offset, length));
      }
    };
    await Promise.all([worker(), worker(), worker(), worker()]);
    return new ReadBytes(reads, bytes);
  }

  /** The bytes of one of the ranges that were asked for; asking in ascending order is quickest. */
  get(offset: number, length: number): Buffer {
    let i = this.#last;
    if (!this.#covers(i, offset)) {
      let low = 0;
      let high = this.#reads.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >>> 1;
        if (this.#reads[middle]!.offset <= offset) low = middle;
        else high = middle - 1;
      }
      i = low;
    }
    this.#last = i;
    const start = offset - this.#reads[i]!.offset;
    return this.#bytes[i]!.subarray(start, start + length);
  }

  #covers(i: number, offset: number): boolean {
    const read = this.#reads[i];
    return read !== undefined && offset >= read.offset && offset < read.offset + read.length;
  }
}
