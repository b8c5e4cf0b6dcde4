import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import { ArchiveBuilder, type BuiltSet } from '../../support/archive-builder.js';

/** What a generated archive holds: every record has all metrics with all instances. */
export interface LargeArchive {
  readonly base: string;
  readonly names: readonly string[];
  readonly records: number;
  readonly bytes: number;
}

export const METRICS = 100;
export const INSTANCES = 16;
export const INTERVAL_SEC = 10;

const INDOM = 0x0f000001;
const [U32, U64] = [1, 3];
const [COUNTER, INSTANT] = [1, 3];
const START_SEC = 1_700_000_000;
/** How often pmlogger adds to the temporal index, about. */
const INDEX_EVERY_BYTES = 100_000;
const WRITE_BYTES = 4 * 1024 * 1024;

/**
 * Write an archive of version 3 of about so many bytes: half of the metrics are 64-bit counters in value blocks, the others
 * 32-bit instantaneous values in place. One record is built; all others are copies of it with other stamps and values.
 * @param constants further metrics, each with one value that stays
 */
export function writeLargeArchive(
  directory: string,
  base: string,
  megabytes: number,
  constants: Readonly<Record<string, number>> = {},
): LargeArchive {
  const builder = new ArchiveBuilder({ version: 3, start: [START_SEC, 0] });
  const names: string[] = [];
  const sets: BuiltSet[] = [];
  builder.indom(
    [START_SEC, 0],
    INDOM,
    Array.from({ length: INSTANCES }, (_, i) => [i, `disk${i}`] as const),
  );
  for (let i = 0; i < METRICS; i++) {
    const isCounter = i % 2 === 0;
    const name = `bench.${isCounter ? 'counter' : 'gauge'}${i}`;
    const pmid = 0x0f000400 + i;
    names.push(name);
    builder.metric({
      pmid,
      names: [name],
      type: isCounter ? U64 : U32,
      indom: INDOM,
      semantics: isCounter ? COUNTER : INSTANT,
    });
    sets.push({ pmid, values: Array.from({ length: INSTANCES }, (_, instance) => [instance, 0] as const) });
  }
  for (const [i, [name, value]] of Object.entries(constants).entries()) {
    const pmid = 0x0f000800 + i;
    builder.metric({ pmid, names: [name], type: U32, semantics: INSTANT });
    sets.push({ pmid, values: [[-1, value]] });
  }
  const template = builder.recordBytes([START_SEC, 0], sets);
  const places = valuePlaces(template);
  const label = builder.labelBytes(0);
  const records = Math.ceil((megabytes * 1e6 - label.length) / template.length);
  const index: Buffer[] = [builder.labelBytes(-2)];
  const perWrite = Math.max(1, Math.floor(WRITE_BYTES / template.length));
  const chunk = Buffer.alloc(perWrite * template.length);
  for (let i = 0; i < perWrite; i++) template.copy(chunk, i * template.length);
  const file = openSync(path.join(directory, `${base}.0`), 'w');
  let indexed = -Infinity;
  let offset = label.length;
  try {
    writeSync(file, label);
    for (let record = 0; record < records;) {
      const count = Math.min(perWrite, records - record);
      for (let i = 0; i < count; i++, record++, offset += template.length) {
        const sec = START_SEC + record * INTERVAL_SEC;
        fill(chunk, i * template.length, places, sec, record);
        if (offset - indexed < INDEX_EVERY_BYTES) continue;
        index.push(indexEntry(sec, offset));
        indexed = offset;
      }
      writeSync(file, chunk, 0, count * template.length);
    }
  } finally {
    closeSync(file);
  }
  writeFileSync(path.join(directory, `${base}.meta`), builder.files().get('meta')!);
  writeFileSync(path.join(directory, `${base}.index`), Buffer.concat(index));
  return { base: path.join(directory, base), names, records, bytes: offset };
}

interface Place {
  readonly at: number;
  readonly isWide: boolean;
}

function valuePlaces(record: Buffer): readonly Place[] {
  const places: Place[] = [];
  for (let set = 0, at = 20; set < METRICS; set++, at += 12 + 8 * INSTANCES) {
    const inPlace = record.readInt32BE(at + 8) === 0;
    for (let i = 0; i < INSTANCES; i++) {
      const word = at + 12 + 8 * i + 4;
      places.push(
        inPlace ? { at: word, isWide: false } : { at: 4 * (record.readUInt32BE(word) - 2) + 4, isWide: true },
      );
    }
  }
  return places;
}

function fill(bytes: Buffer, start: number, places: readonly Place[], sec: number, record: number): void {
  bytes.writeUInt32BE(sec, start + 4);
  for (let i = 0; i < places.length; i++) {
    const { at, isWide } = places[i]!;
    if (isWide) {
      const value = record * (1000 + 37 * i) + i;
      bytes.writeUInt32BE(Math.floor(value / 0x100000000), start + at);
      bytes.writeUInt32BE(value >>> 0, start + at + 4);
    } else {
      bytes.writeUInt32BE((Math.imul(record + i, 2654435761) >>> 8) & 0xffff, start + at);
    }
  }
}

/** An entry of a temporal index, of version 3. */
export function indexEntry(sec: number, offset: number): Buffer {
  const entry = Buffer.alloc(32);
  entry.writeUInt32BE(sec, 0);
  entry.writeBigUInt64BE(808n, 16);
  entry.writeBigUInt64BE(BigInt(offset), 24);
  return entry;
}
