import { eventLoopTurns } from '../../../kit/index.js';
import { INSTANCE_NULL, MetricType, PM_ERR, PmError, ValueSet } from '../../../pmapi/index.js';
import { SharedWork } from '../../shared-work.js';
import {
  BLOCK_HEADER_BYTES,
  ByteReader,
  decodeValueSet,
  joinBytes,
  viewOf,
  type ResultLayout,
} from '../../wire/index.js';
import type { ArchiveMemory, ColumnReading } from '../archive-memory.js';
import type { Block } from '../files/block-cache.js';
import type { BlockFile } from '../files/block-file.js';
import { ColumnBuilder, rowsOf } from './column-builder.js';
import { SET_HEADER_BYTES, VALUE_BYTES, type FixedBlocks, type FixedValues } from './kept-columns.js';
import type { MetricColumn } from './metric-column.js';
import {
  heldByLayout,
  planMetrics,
  ReadBytes,
  setBytes,
  type ByteRange,
  type PlannedSet,
  type SegmentPlan,
} from './read-plan.js';
import { POINTER_BIAS } from '../records/record-checker.js';
import type { RecordTable } from '../records/record-table.js';
import { Volume, type Segment } from '../records/volume.js';

export const RECORD_LAYOUT: ResultLayout = { pointerBias: POINTER_BIAS, mismatchErr: PM_ERR.LOGREC };

/** Bytes of the last value block that are read before its length is known. */
const TAIL_GUESS_BYTES = 256;

/** The types of metrics, as far as the archive describes them. */
export type TypeOf = (pmid: number) => MetricType | undefined;

function columnKey(segment: Segment, pmid: number): string {
  return `${segment.uid}:${pmid}`;
}

export function peekColumn(memory: ArchiveMemory, segment: Segment, pmid: number): MetricColumn | undefined {
  return memory.columns.get(columnKey(segment, pmid));
}

export interface LoadOptions {
  readonly typeOf: TypeOf;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The columns of several metrics in one segment, in their order: from memory, or read together in one plan. A segment without a metric
 * gives an empty column. Concurrent requests for the same columns share one read, and metrics that others are reading a little further back
 * (the panels of a dashboard) are read along. Throws the signal's reason once it is aborted; a read that no one else waits for then stops.
 */
export async function loadColumns(
  memory: ArchiveMemory,
  segment: Segment,
  pmids: readonly number[],
  options: LoadOptions,
): Promise<readonly MetricColumn[]> {
  const found = pmids.map((pmid) => peekColumn(memory, segment, pmid));
  if (!found.includes(undefined)) return found as MetricColumn[];
  const { signal } = options;
  signal?.throwIfAborted();
  const missing = [...new Set(pmids.filter((_, i) => !found[i]))];
  const readings = new Set<ColumnReading>();
  const fresh: number[] = [];
  for (const pmid of missing) {
    const reading = memory.loading.get(columnKey(segment, pmid));
    if (reading && !reading.isGivenUp) readings.add(reading);
    else fresh.push(pmid);
  }
  if (fresh.length > 0) readings.add(startReading(memory, segment, fresh, options.typeOf));
  const made = new Map<number, MetricColumn>();
  // All are joined before the first is waited for: none of them is to stop meanwhile, or to fail unheard.
  for (const columns of await Promise.all([...readings].map((reading) => reading.join(signal)))) {
    for (const column of columns) made.set(column.pmid, column);
  }
  return pmids.map((pmid, i) => found[i] ?? made.get(pmid)!);
}

function startReading(
  memory: ArchiveMemory,
  segment: Segment,
  pmids: readonly number[],
  typeOf: TypeOf,
): ColumnReading {
  const { owner } = segment;
  const readAhead = owner instanceof Volume ? owner.readAhead.at(segment.index, pmids) : [];
  const wanted = [
    ...pmids,
    ...readAhead.filter((pmid) => {
      const key = columnKey(segment, pmid);
      return segment.mayHold(pmid) && !memory.columns.has(key) && !memory.loading.has(key);
    }),
  ];
  // The segment may grow meanwhile and get another uid: the keys are those of the beginning.
  const keys = wanted.map((pmid) => columnKey(segment, pmid));
  const reading: ColumnReading = new SharedWork(async (signal) => {
    try {
      const table = await owner.load(segment, signal);
      const columns = await readColumns(segment, table, wanted, typeOf, signal);
      columns.forEach((column, i) => memory.columns.set(keys[i]!, column));
      return columns;
    } finally {
      for (const key of keys) if (memory.loading.get(key) === reading) memory.loading.delete(key);
    }
  });
  for (const key of keys) memory.loading.set(key, reading);
  return reading;
}

/** The metrics of which a segment may have a value of a wanted instance: whole columns of those that never have one would be read for nothing. */
export async function metricsWith(
  segment: Segment,
  wanted: readonly { readonly pmid: number; readonly instances: ReadonlyMap<number, unknown> }[],
  signal: AbortSignal | undefined,
): Promise<readonly number[]> {
  const { owner } = segment;
  const table = await owner.load(segment, signal);
  if (!(owner instanceof Volume)) return [];
  const pmids = wanted.map(({ pmid }) => pmid);
  const held = heldByLayout(table, pmids);
  const isFound = new Uint8Array(pmids.length);
  let block: Block | undefined;
  try {
    for (let record = 0; record < table.count; record++) {
      const sets = held[table.layoutOf[record]!]!;
      if (sets.every(({ metric }) => isFound[metric] === 1)) continue;
      const { offsets, counts } = table.layouts[table.layoutOf[record]!]!;
      const [offset, length] = [table.offsets[record]!, table.lengths[record]!];
      if (!block?.covers(offset, 1)) {
        block?.release();
        block = undefined;
        block = await owner.file.hold(offset);
      }
      const isInBlock = block.covers(offset, length);
      const view = isInBlock ? block.view : viewOf(await owner.file.read(offset, length));
      const start = (isInBlock ? offset - block.start : 0) + SET_HEADER_BYTES;
      for (const { metric, set } of sets) {
        const { instances } = wanted[metric]!;
        const isSingular = instances.has(INSTANCE_NULL);
        for (let i = 0, at = start + offsets[set]!; i < counts[set]! && isFound[metric] === 0; i++, at += VALUE_BYTES) {
          if (isSingular || instances.has(view.getInt32(at))) isFound[metric] = 1;
        }
      }
    }
  } finally {
    block?.release();
  }
  return pmids.filter((_, metric) => isFound[metric] === 1);
}

/** Reads the bytes of all metrics by one plan; makes the columns one after the other, yielding to others between. */
async function readColumns(
  segment: Segment,
  table: RecordTable,
  pmids: readonly number[],
  typeOf: TypeOf,
  signal: AbortSignal,
): Promise<readonly MetricColumn[]> {
  signal.throwIfAborted();
  const plan = planMetrics(table, pmids);
  const { owner } = segment;
  if (!(owner instanceof Volume)) return pmids.map((pmid) => buildColumn(table, pmid, [], typeOf, undefined));
  const sets = await readSets(owner.file, plan);
  try {
    const blocks = await readBlocks(owner.file, table, plan, pmids.map(typeOf), sets);
    try {
      const columns: MetricColumn[] = [];
      for (const [i, pmid] of pmids.entries()) {
        const turn = eventLoopTurns.next();
        if (turn) await turn;
        signal.throwIfAborted();
        columns.push(buildColumn(table, pmid, plan.byMetric[i]!, typeOf, { sets, blocks }));
      }
      return columns;
    } finally {
      blocks.bytes.release();
    }
  } finally {
    sets.release();
  }
}

function readSets(file: BlockFile, { inOrder }: SegmentPlan): Promise<ReadBytes> {
  const ranges: ByteRange[] = [];
  for (const { setOffset, count } of inOrder) {
    if (count > 0) ranges.push({ offset: setOffset, length: setBytes(count) });
  }
  return ReadBytes.execute(file, ranges);
}

interface Blocks {
  readonly bytes: ReadBytes;
  /** By the place of the value set: where its value blocks lie in the file. */
  readonly regions: readonly (ByteRange | undefined)[];
}

/** Reads the value blocks that the sets point to; sets with pointers out of bounds have none and fail when decoded. */
async function readBlocks(
  file: BlockFile,
  table: RecordTable,
  { inOrder }: SegmentPlan,
  types: readonly (MetricType | undefined)[],
  sets: ReadBytes,
): Promise<Blocks> {
  const regions = new Array<ByteRange | undefined>(inOrder.length).fill(undefined);
  const open: { readonly set: PlannedSet; readonly last: number; readonly limit: number }[] = [];
  for (const set of inOrder) {
    const span = set.count > 0 ? blockSpan(placeOf(sets, set), set.count) : undefined;
    if (!span) continue;
    const fixed = fixedBlockBytes(types[set.metric]);
    const end = set.recordOffset + table.lengths[set.record]! - 4;
    const first = set.recordOffset + span.first;
    const last = set.recordOffset + span.last;
    if (first <= set.setOffset || last + BLOCK_HEADER_BYTES > end) continue;
    if (fixed === undefined) open.push({ set, last, limit: end });
    const reach = Math.min(end, last + (fixed ?? TAIL_GUESS_BYTES));
    regions[set.place] = { offset: first, length: reach - first };
  }
  const readAll = (): Promise<ReadBytes> => {
    const known = regions.filter((region) => region !== undefined);
    return ReadBytes.execute(file, known);
  };
  let bytes = await readAll();
  let isShort = false;
  for (const { set, last, limit } of open) {
    const tail = bytes.locate(last, BLOCK_HEADER_BYTES);
    const length = tail.view.getUint32(last - tail.offset) & 0xffffff;
    const region = regions[set.place]!;
    const reach = Math.min(limit, last + length);
    if (reach <= region.offset + region.length) continue;
    regions[set.place] = { offset: region.offset, length: reach - region.offset };
    isShort = true;
  }
  if (isShort) {
    bytes.release();
    bytes = await readAll();
  }
  return { bytes, regions };
}

function placeOf(sets: ReadBytes, { setOffset, count }: PlannedSet): FixedValues {
  const { view, offset } = sets.locate(setOffset, setBytes(count));
  return { view, at: setOffset - offset };
}

function blocksOf({ bytes, regions }: Blocks, { place, recordOffset }: PlannedSet): FixedBlocks | undefined {
  const region = regions[place];
  if (!region) return undefined;
  const { view, offset } = bytes.locate(region.offset, region.length);
  const start = region.offset - offset;
  return { view, start, end: start + region.length, shift: recordOffset - 4 * RECORD_LAYOUT.pointerBias - offset };
}

/** Bytes of a value block of a fixed-size type. */
function fixedBlockBytes(type: MetricType | undefined): number | undefined {
  switch (type) {
    case MetricType.I64:
    case MetricType.U64:
    case MetricType.DOUBLE:
      return BLOCK_HEADER_BYTES + 8;
    case MetricType.FLOAT:
      return BLOCK_HEADER_BYTES + 4;
    default:
      return undefined;
  }
}

/** Offsets in the record of a set's first and last value block; undefined for values in place. */
function blockSpan({ view, at }: FixedValues, count: number): { first: number; last: number } | undefined {
  if (view.getInt32(at + 8) === 0) return undefined;
  let first = Infinity;
  let last = 0;
  for (let i = 0, value = at + 16; i < count; i++, value += 8) {
    const pointer = view.getUint32(value);
    if (pointer < first) first = pointer;
    if (pointer > last) last = pointer;
  }
  return { first: 4 * (first - RECORD_LAYOUT.pointerBias), last: 4 * (last - RECORD_LAYOUT.pointerBias) };
}

interface JoinedSet {
  readonly bytes: Uint8Array;
  readonly layout: ResultLayout;
}

/** A value set directly followed by its blocks, and the base of its pointers then. */
function joinSet(set: PlannedSet, sets: ReadBytes, region: ByteRange | undefined, blocks: ReadBytes): JoinedSet {
  const length = setBytes(set.count);
  const head = sets.get(set.setOffset, length);
  if (!region) return { bytes: head, layout: RECORD_LAYOUT };
  const bytes = joinBytes([head, blocks.get(region.offset, region.length)]);
  const shiftWords = (region.offset - set.recordOffset - length) / 4;
  return { bytes, layout: { ...RECORD_LAYOUT, pointerBias: RECORD_LAYOUT.pointerBias + shiftWords } };
}

function buildColumn(
  table: RecordTable,
  pmid: number,
  planned: readonly PlannedSet[],
  typeOf: TypeOf,
  read: { readonly sets: ReadBytes; readonly blocks: Blocks } | undefined,
): MetricColumn {
  // Without a descriptor the first record with values decides; what differs later does not fit into the column.
  let type = typeOf(pmid);
  const values = planned.reduce((sum, { count }) => sum + Math.max(count, 0), 0);
  const rows = new ColumnBuilder(pmid, values);
  const scratch = new ValueSet();
  for (const set of planned) {
    const input = set.count > 0 ? read : undefined;
    const blocks = input && blocksOf(input.blocks, set);
    if (input && type !== undefined && rows.addFixed(type, set.count, placeOf(input.sets, set), blocks)) continue;
    if (input) {
      const region = input.blocks.regions[set.place];
      decodeJoined(joinSet(set, input.sets, region, input.blocks.bytes), pmid, type, scratch);
    } else scratch.reset(pmid, type ?? MetricType.U32);
    if (set.count <= 0) scratch.status = set.count;
    else if (scratch.status > 0) type ??= scratch.type;
    rows.add(scratch);
  }
  return rows.finish(type ?? MetricType.U32, rowsOf(table, planned));
}

function decodeJoined(input: JoinedSet, pmid: number, type: MetricType | undefined, set: ValueSet): void {
  try {
    const reader = new ByteReader(input.bytes, 'value set', PM_ERR.LOGREC);
    requireBlocksApart(reader.view, input.layout);
    decodeValueSet(reader, 0, type, set, input.layout);
  } catch (error) {
    if (!(error instanceof PmError)) throw error;
    set.reset(pmid, type ?? MetricType.U32);
    set.fail(PM_ERR.LOGREC);
  }
}

/** Blocks that overlap would let a small record unfold into a huge one. */
function requireBlocksApart(view: DataView, { pointerBias }: ResultLayout): void {
  const count = view.getInt32(4);
  if (view.getInt32(8) === 0) return;
  let room = view.byteLength - setBytes(count);
  for (let i = 0, at = 16; i < count; i++, at += 8) {
    const block = 4 * (view.getUint32(at) - pointerBias);
    if (block < 0 || block + BLOCK_HEADER_BYTES > view.byteLength) throw new PmError(PM_ERR.LOGREC);
    room -= view.getUint32(block) & 0xffffff;
    if (room < 0) throw new PmError(PM_ERR.LOGREC);
  }
}
