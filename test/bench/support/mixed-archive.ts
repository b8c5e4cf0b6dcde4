import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import { ArchiveBuilder, type BuiltSet } from '../../support/archive-builder.js';
import { indexEntry } from './large-archive.js';

/** What {@link writeMixedArchive} has written. */
export interface MixedArchive {
  readonly base: string;
  readonly records: number;
  readonly bytes: number;
}

const METRICS = 1000;
const INTERVAL_SEC = 10;
const START_SEC = 1_700_000_000;
const [U32, U64, DOUBLE] = [1, 3, 5];
const [COUNTER, INSTANT, DISCRETE] = [1, 3, 4];
/** By a metric's place among ten of its kind: how many instances it has; 0 for a singular one. */
const INSTANCE_COUNTS = [0, 0, 0, 0, 0, 2, 2, 4, 4, 16];
/** How often pmlogger adds to the temporal index, about. */
const INDEX_EVERY_BYTES = 100_000;

/**
 * Write an archive of version 3 of about so many bytes, of 1,000 metrics as a real recording has them: half singular, the others
 * with up to 16 instances; counters, gauges and discrete values in and out of place; a tenth recorded every minute, a tenth once
 * at the start, and one in twenty never; and of every tenth domain an instance that no record has a value of.
 */
export function writeMixedArchive(directory: string, base: string, megabytes: number): MixedArchive {
  const builder = new ArchiveBuilder({ version: 3, start: [START_SEC, 0] });
  for (const count of new Set(INSTANCE_COUNTS)) {
    if (count === 0) continue;
    const instances = Array.from({ length: count + 1 }, (_, i) => [i, `instance${i}`] as const);
    builder.indom([START_SEC, 0], indomOf(count), instances);
  }
  const metrics = Array.from({ length: METRICS }, (_, i) => {
    const count = INSTANCE_COUNTS[i % 10]!;
    const [type, semantics] = ([[U64, COUNTER], [U32, INSTANT], [DOUBLE, INSTANT], [U64, DISCRETE]] as const)[i % 4]!; // prettier-ignore
    const pmid = 0x0f000000 + (Math.floor(i / 1000) + 1) * 1024 + i;
    const names = [`mixed.group${Math.floor(i / 100)}.m${String(i).padStart(3, '0')}`];
    builder.metric({ pmid, names, type, semantics, ...(count > 0 ? { indom: indomOf(count) } : {}) });
    return { pmid, count, everySec: i % 20 === 13 ? Infinity : i % 10 === 3 ? 0 : i % 10 === 6 ? 60 : INTERVAL_SEC };
  });
  const file = openSync(path.join(directory, `${base}.0`), 'w');
  const index: Buffer[] = [builder.labelBytes(-2)];
  let [records, offset, indexed] = [0, writeSync(file, builder.labelBytes(0)), -Infinity];
  try {
    for (; offset < megabytes * 1e6; records++) {
      const elapsedSec = records * INTERVAL_SEC;
      const stamp = [START_SEC + elapsedSec, 0] as const;
      const sets: BuiltSet[] = [];
      for (const [i, { pmid, count, everySec }] of metrics.entries()) {
        if (everySec === 0 ? elapsedSec > 0 : elapsedSec % everySec !== 0 || everySec === Infinity) continue;
        const value = (id: number): number => records * (i + 1) + id;
        const ids = count === 0 ? [-1] : Array.from({ length: count }, (_, id) => id);
        sets.push({ pmid, values: ids.map((id) => [id, value(Math.max(id, 0))] as const) });
      }
      if (offset - indexed >= INDEX_EVERY_BYTES) {
        index.push(indexEntry(stamp[0], offset));
        indexed = offset;
      }
      offset += writeSync(file, builder.recordBytes(stamp, sets));
    }
  } finally {
    closeSync(file);
  }
  writeFileSync(path.join(directory, `${base}.meta`), builder.files().get('meta')!);
  writeFileSync(path.join(directory, `${base}.index`), Buffer.concat(index));
  return { base: path.join(directory, base), records, bytes: offset };
}

function indomOf(count: number): number {
  return 0x0f000000 + count;
}
