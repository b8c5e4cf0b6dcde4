import type { Timestamp } from '../../pmapi/index.js';
import type { RangeEstimate } from '../metric-source.js';
import type { RecordTable } from './records/record-table.js';
import type { Position, Timeline } from './archive.js';
import { Volume } from './records/volume.js';

/** The share of a value set that counts; 0 for metrics that are not requested. */
export type ValuesOf = (pmid: number, count: number) => number;

/** Estimates what a range holds from its end segments and the bytes between. Wrong for metrics that begin or end within it. */
export async function estimateRange(
  timeline: Timeline,
  from: Timestamp,
  to: Timestamp,
  valuesOf: ValuesOf,
  signal?: AbortSignal,
): Promise<RangeEstimate> {
  const first = await timeline.locate(from, false, signal);
  const last = await timeline.locate(to, true, signal);
  if (!first || !last) return { records: 0, values: 0 };
  const [begin, end] = [await density(first, valuesOf, signal), await density(last, valuesOf, signal)];
  const bytes = bytesBetween(timeline, first, last);
  const read = begin.bytes + end.bytes;
  if (bytes <= 0 || read === 0) return { records: 0, values: 0 };
  return {
    records: ((begin.records + end.records) / read) * bytes,
    values: ((begin.values + end.values) / read) * bytes,
  };
}

/** Values of the requested metrics in a segment, and its bytes. */
async function density(
  { segment }: Position,
  valuesOf: ValuesOf,
  signal: AbortSignal | undefined,
): Promise<RangeEstimate & { readonly bytes: number }> {
  const table = await segment.owner.load(segment, signal);
  const perLayout = table.layouts.map(({ pmids, counts }) => {
    let values = 0;
    for (let i = 0; i < pmids.length; i++) values += valuesOf(pmids[i]!, Math.max(counts[i]!, 1));
    return values;
  });
  let [records, values] = [0, 0];
  for (let record = 0; record < table.count; record++) {
    const held = perLayout[table.layoutOf[record]!]!;
    if (held > 0) records++;
    values += held;
  }
  return { records, values, bytes: table.consumed - segment.start };
}

function bytesBetween(timeline: Timeline, first: Position, last: Position): number {
  const [begin, end] = [offsetOf(first), offsetOf(last)];
  const { owner } = first.segment;
  if (owner === last.segment.owner) return end - begin;
  const sizes = [first, last].map(({ segment }) => (segment.owner instanceof Volume ? segment.owner.file.size : 0));
  // A volume that has not been opened yet is assumed to be as long as the others.
  const usual = Math.max(...sizes);
  let bytes = sizes[0]! - begin + end;
  for (const volume of timeline.volumesBetween(first.segment, last.segment)) bytes += volume?.file.size ?? usual;
  return bytes;
}

function offsetOf({ segment, index }: Position): number {
  const { owner } = segment;
  const table: RecordTable | undefined = owner.peek(segment);
  if (!(owner instanceof Volume) || !table) return segment.start;
  return index < table.count ? table.offsets[index]! : table.consumed;
}
