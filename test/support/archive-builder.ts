import { writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * Writes PCP archives of versions 2 and 3, byte by byte and independently of the reader: for tests and benchmarks. Layouts
 * are those of LOGARCHIVE(5); nothing is checked, so that wrong archives can be made as well.
 */

/** A moment: seconds and nanoseconds. Version 2 keeps microseconds only. */
export type BuiltStamp = readonly [sec: number, nsec: number];

/** A value as it is to be written; its encoding follows the metric's type. */
export type BuiltValue = number | bigint | string | Buffer;

/** One metric's values in a record: by instance (-1 for a singular metric), or an error code. */
export interface BuiltSet {
  readonly pmid: number;
  readonly values: readonly (readonly [instance: number, value: BuiltValue])[] | number;
}

/** A metric as the metadata describes it. */
export interface BuiltMetric {
  readonly pmid: number;
  readonly names: readonly string[];
  readonly type: number;
  readonly indom?: number;
  readonly semantics: number;
  readonly units?: number;
}

/** What an archive's labels say. */
export interface BuiltLabel {
  readonly version: 2 | 3;
  readonly start: BuiltStamp;
  readonly pid?: number;
  readonly hostName?: string;
  readonly timezone?: string;
  readonly features?: number;
}

const INDOM_NULL = 0xffffffff;
const TYPE = { I32: 0, U32: 1, I64: 2, U64: 3, FLOAT: 4, DOUBLE: 5, STRING: 6 } as const;

/** An archive in memory; {@link write} puts its files down. */
export class ArchiveBuilder {
  readonly #label: Required<BuiltLabel>;
  readonly #types = new Map<number, number>();
  readonly #meta: Buffer[] = [];
  readonly #volumes: Buffer[][] = [[]];
  readonly #index: Buffer[] = [];
  #volumeBytes = 0;

  constructor(label: BuiltLabel) {
    this.#label = { pid: 4711, hostName: 'builder.example', timezone: 'UTC', features: 0, ...label };
    this.#volumeBytes = this.labelBytes(0).length;
  }

  labelBytes(volume: number): Buffer {
    const { version, pid, start, hostName, timezone, features } = this.#label;
    const length = version === 2 ? 132 : 808;
    const bytes = Buffer.alloc(length);
    bytes.writeUInt32BE(length, 0);
    bytes.writeUInt32BE(0x50052600 + version, 4);
    bytes.writeInt32BE(pid, 8);
    this.#stamp(start).copy(bytes, 12);
    const at = version === 2 ? 20 : 24;
    bytes.writeInt32BE(volume, at);
    if (version === 3) bytes.writeUInt32BE(features, 28);
    bytes.write(hostName, version === 2 ? 24 : 36);
    bytes.write(timezone, version === 2 ? 88 : 292);
    bytes.writeUInt32BE(length, length - 4);
    return bytes;
  }

  metric(metric: BuiltMetric): this {
    this.#types.set(metric.pmid, metric.type);
    const names = metric.names.map((name) => [u32(Buffer.byteLength(name)), Buffer.from(name)]).flat();
    const { pmid, type, indom = INDOM_NULL, semantics, units = 0 } = metric;
    return this.metaRecord(1, [
      u32(pmid),
      i32(type),
      u32(indom),
      i32(semantics),
      u32(units),
      u32(metric.names.length),
      ...names,
    ]);
  }

  /** Record an instance domain; with `delta` (version 3), names of `null` are instances that went. */
  indom(
    stamp: BuiltStamp,
    indom: number,
    instances: readonly (readonly [number, string | null])[],
    delta = false,
  ): this {
    const strings: Buffer[] = [];
    let offset = 0;
    const offsets = instances.map(([, name]) => {
      if (name === null) return i32(-1);
      const text = Buffer.from(`${name}\0`);
      strings.push(text);
      offset += text.length;
      return i32(offset - text.length);
    });
    const type = this.#label.version === 2 ? 2 : delta ? 6 : 5;
    const ids = instances.map(([id]) => i32(id));
    return this.metaRecord(type, [
      this.#stamp(stamp),
      u32(indom),
      i32(instances.length),
      ...ids,
      ...offsets,
      ...strings,
    ]);
  }

  /** Record label sets: by instance (-1 for all but instances), each an object of names and values. */
  labels(
    stamp: BuiltStamp,
    type: number,
    ident: number,
    sets: readonly (readonly [number, Readonly<Record<string, string | number>>])[],
  ): this {
    const encoded = sets.flatMap(([instance, labels]) => {
      let json = '{';
      const entries: Buffer[] = [];
      for (const [name, value] of Object.entries(labels)) {
        if (json.length > 1) json += ',';
        const text = JSON.stringify(value);
        const entry = Buffer.alloc(8);
        entry.writeUInt16BE(json.length + 1, 0);
        entry.writeUInt8(name.length, 2);
        entry.writeUInt8(type, 3);
        entry.writeUInt16BE(json.length + name.length + 3, 4);
        entry.writeUInt16BE(text.length, 6);
        entries.push(entry);
        json += `"${name}":${text}`;
      }
      json += '}';
      return [i32(instance), i32(json.length), Buffer.from(json), i32(entries.length), ...entries];
    });
    const record = this.#label.version === 2 ? 3 : 7;
    return this.metaRecord(record, [this.#stamp(stamp), i32(type), u32(ident), i32(sets.length), ...encoded]);
  }

  /** Record a help text: kind 1 one-line or 2 help, plus 4 of a PMID or 8 of an indom. */
  text(kind: number, ident: number, text: string): this {
    return this.metaRecord(4, [u32(kind), u32(ident), Buffer.from(`${text}\0`)]);
  }

  metaRecord(type: number, parts: readonly Buffer[]): this {
    const body = Buffer.concat([u32(type), ...parts]);
    const length = u32(body.length + 8);
    this.#meta.push(length, body, length);
    return this;
  }

  record(stamp: BuiltStamp, sets: readonly BuiltSet[]): this {
    return this.raw(this.recordBytes(stamp, sets));
  }

  mark(stamp: BuiltStamp): this {
    return this.record(stamp, []);
  }

  /** Append an entry to the temporal index that points to where the next record will be. */
  indexEntry(stamp: BuiltStamp): this {
    const wide = this.#label.version === 3;
    const volume = i32(this.#volumes.length - 1);
    const offset = wide ? i64(BigInt(this.#volumeBytes)) : u32(this.#volumeBytes);
    const meta = wide ? i64(0n) : u32(0);
    this.#index.push(this.#stamp(stamp), volume, meta, offset);
    return this;
  }

  /** Append bytes of any kind to the current volume. */
  raw(bytes: Buffer): this {
    this.#volumes.at(-1)!.push(bytes);
    this.#volumeBytes += bytes.length;
    return this;
  }

  newVolume(): this {
    this.#volumes.push([]);
    this.#volumeBytes = this.labelBytes(0).length;
    return this;
  }

  recordBytes(stamp: BuiltStamp, sets: readonly BuiltSet[]): Buffer {
    const head = Buffer.concat([u32(0), this.#stamp(stamp), i32(sets.length)]);
    const countOf = ({ values }: BuiltSet): number => (typeof values === 'number' ? 0 : values.length);
    const words: number[] = [];
    const blocks: Buffer[] = [];
    let next = sets.reduce((sum, set) => sum + (countOf(set) > 0 ? 12 + 8 * countOf(set) : 8), head.length);
    for (const { pmid, values } of sets) {
      words.push(pmid, typeof values === 'number' ? values : values.length);
      if (typeof values === 'number' || values.length === 0) continue;
      const type = this.#types.get(pmid) ?? TYPE.U32;
      const inPlace = type === TYPE.I32 || type === TYPE.U32;
      words.push(inPlace ? 0 : 1);
      for (const [instance, value] of values) {
        // Pointers count words from two words before the record.
        words.push(instance, inPlace ? Number(value) : next / 4 + 2);
        if (inPlace) continue;
        const block = valueBlock(type, value);
        blocks.push(block);
        next += block.length;
      }
    }
    const encoded = Buffer.allocUnsafe(4 * words.length);
    words.forEach((word, i) => encoded.writeUInt32BE(word >>> 0, 4 * i));
    const bytes = Buffer.concat([head, encoded, ...blocks, u32(0)]);
    bytes.writeUInt32BE(bytes.length, 0);
    bytes.writeUInt32BE(bytes.length, bytes.length - 4);
    return bytes;
  }

  /** The contents of the files, by what is behind the base name: `meta`, `index`, `0`, `1`, … */
  files(): Map<string, Buffer> {
    const files = new Map<string, Buffer>();
    files.set('meta', Buffer.concat([this.labelBytes(-1), ...this.#meta]));
    files.set('index', Buffer.concat([this.labelBytes(-2), ...this.#index]));
    this.#volumes.forEach((parts, i) => files.set(String(i), Buffer.concat([this.labelBytes(i), ...parts])));
    return files;
  }

  /** Write the files; answers the archive's base path. */
  write(directory: string, base: string): string {
    for (const [suffix, bytes] of this.files()) writeFileSync(path.join(directory, `${base}.${suffix}`), bytes);
    return path.join(directory, base);
  }

  #stamp([sec, nsec]: BuiltStamp): Buffer {
    if (this.#label.version === 2) return Buffer.concat([i32(sec), i32(Math.floor(nsec / 1000))]);
    return Buffer.concat([u32(sec >>> 0), i32(Math.floor(sec / 0x100000000)), i32(nsec)]);
  }
}

function valueBlock(type: number, value: BuiltValue): Buffer {
  if (typeof value === 'string' || Buffer.isBuffer(value)) {
    const data = typeof value === 'string' ? Buffer.from(`${value}\0`) : value;
    const block = Buffer.alloc(4 + 4 * Math.ceil(data.length / 4), 0x7e);
    block.writeUInt32BE(((type << 24) | (data.length + 4)) >>> 0);
    data.copy(block, 4);
    return block;
  }
  const block = Buffer.allocUnsafe(type === TYPE.FLOAT ? 8 : 12);
  block.writeUInt32BE(((type << 24) | block.length) >>> 0);
  if (type === TYPE.FLOAT) block.writeFloatBE(Number(value), 4);
  else if (type === TYPE.DOUBLE) block.writeDoubleBE(Number(value), 4);
  else block.writeBigUInt64BE(BigInt.asUintN(64, BigInt(value)), 4);
  return block;
}

function u32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
}

function i32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function i64(value: bigint): Buffer {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeBigInt64BE(value);
  return bytes;
}
