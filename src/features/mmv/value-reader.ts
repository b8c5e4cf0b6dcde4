import { MetricType, PM_ERR, type Timestamp, type ValueSet } from '../../pmapi/index.js';
import type { InstanceProfile } from '../../sources/index.js';
import { HostBytes } from './host-bytes.js';
import type { ServedMetric } from './mmv-catalogue.js';
import type { MmvFile } from './mmv-file.js';
import { FileFlag, STRING_BYTES, VALUE_BYTES } from './mmv-layout.js';

/** A string at the end of the file may be shorter; PCP requires this many bytes. */
const LEAST_STRING_BYTES = 4;

/** A metric of a fetch, and the index of its value set. */
export interface WantedMetric {
  readonly served: ServedMetric;
  readonly position: number;
}

interface ValueColumn {
  readonly position: number;
  readonly type: MetricType;
  readonly isElapsed: boolean;
  readonly indom: number;
  /** The PM_ERR code in place of values; 0: none. */
  readonly failure: number;
  /** Its first record in {@link Records}, and the one after the last. */
  readonly start: number;
  readonly end: number;
}

/** The records of all values of a fetch, in parallel arrays, because a fetch may have thousands. */
interface Records {
  /** Offsets: of each record in the file, and in it of its metric and its instance. */
  readonly offsets: Uint32Array;
  readonly owners: Uint32Array;
  readonly places: Float64Array;
  readonly instances: Int32Array;
}

/** The metrics of a fetch from one file: reads the part with their values. */
export class FileFetch {
  readonly file: MmvFile;
  readonly #columns: readonly ValueColumn[];
  readonly #records: Records;
  readonly #hasSentinel: boolean;
  readonly #start: number;
  readonly #end: number;

  constructor(file: MmvFile, wanted: readonly WantedMetric[]) {
    this.file = file;
    this.#columns = columnsOf(wanted);
    this.#records = recordsOf(wanted);
    this.#hasSentinel = wanted.some(({ served }) => (served.layout.header.flags & FileFlag.SENTINEL) !== 0);
    let [start, end] = [Infinity, 0];
    for (const offset of this.#records.offsets) {
      start = Math.min(start, offset);
      end = Math.max(end, offset + VALUE_BYTES);
    }
    this.#start = Math.min(start, end);
    this.#end = end;
  }

  get bytes(): number {
    return this.#end - this.#start;
  }

  /** Fills reset value sets: one read for values, one for strings, then the header: if it changed, there are no values. */
  fill(sets: readonly ValueSet[], profile: InstanceProfile, now: Timestamp): void {
    const values = this.#read(this.#start, this.#end);
    const strings = this.#readStrings(values);
    if (!this.file.isUnchanged()) return;
    const nowMicros = now.sec * 1e6 + Math.floor(now.nsec / 1000);
    for (const column of this.#columns) {
      const set = sets[column.position]!;
      if (column.failure < 0) set.fail(column.failure);
      else if (column.type === MetricType.STRING) this.#fillTexts(set, column, profile, values, strings);
      else this.#fillNumbers(set, column, profile, values, nowMicros);
    }
  }

  #fillTexts(set: ValueSet, column: ValueColumn, profile: InstanceProfile, values: FilePart, strings: FilePart): void {
    for (let i = column.start; i < column.end; i++) {
      const at = this.#find(values, i, column, profile);
      if (at < 0) continue;
      const found = strings.find(values.bytes.offset(at + 8), LEAST_STRING_BYTES);
      if (found < 0) {
        set.fail(PM_ERR.GENERIC);
        return;
      }
      const text = strings.bytes.text(found, STRING_BYTES - 1);
      if (text !== '' || !this.#hasSentinel) set.addText(this.#records.instances[i]!, text);
    }
  }

  #fillNumbers(
    set: ValueSet,
    column: ValueColumn,
    profile: InstanceProfile,
    values: FilePart,
    nowMicros: number,
  ): void {
    const { bytes } = values;
    const { type, isElapsed } = column;
    const { instances } = this.#records;
    for (let i = column.start; i < column.end; i++) {
      const at = this.#find(values, i, column, profile);
      if (at < 0) continue;
      const instance = instances[i]!;
      if (type === MetricType.FLOAT || type === MetricType.DOUBLE) {
        const value = type === MetricType.FLOAT ? bytes.f32(at) : bytes.f64(at);
        if (!this.#hasSentinel || !Number.isNaN(value)) set.addNumber(instance, value);
      } else if (!this.#hasSentinel || !bytes.isAllOnes(at)) {
        if (type === MetricType.I32) set.addNumber(instance, bytes.i32(at));
        else if (type === MetricType.U32) set.addNumber(instance, bytes.u32(at));
        else if (isElapsed) addInteger(set, instance, elapsed(bytes, at, nowMicros));
        else if (type === MetricType.U64) addInteger(set, instance, unsigned(bytes, at));
        else addInteger(set, instance, bytes.integer(at));
      }
    }
  }

  /** The index of a record in `values`; -1 if it is gone, changed, or its instance not in the profile. */
  #find(values: FilePart, i: number, { indom }: ValueColumn, profile: InstanceProfile): number {
    const { offsets, owners, places, instances } = this.#records;
    const at = values.find(offsets[i]!, VALUE_BYTES);
    if (at < 0) return -1;
    const { bytes } = values;
    if (bytes.offset(at + 16) !== owners[i] || bytes.offset(at + 24) !== places[i]) return -1;
    return profile.includes(indom, instances[i]!) ? at : -1;
  }

  #read(start: number, end: number): FilePart {
    const bytes = Buffer.allocUnsafe(end - start);
    return new FilePart(bytes.subarray(0, this.file.read(bytes, start)), start);
  }

  #readStrings(values: FilePart): FilePart {
    const { size } = this.file;
    let [start, end] = [Infinity, 0];
    for (const column of this.#columns) {
      if (column.type !== MetricType.STRING) continue;
      for (let i = column.start; i < column.end; i++) {
        const at = values.find(this.#records.offsets[i]!, VALUE_BYTES);
        if (at < 0) continue;
        const offset = values.bytes.offset(at + 8);
        if (offset + LEAST_STRING_BYTES > size) continue;
        start = Math.min(start, offset);
        end = Math.max(end, Math.min(offset + STRING_BYTES, size));
      }
    }
    return this.#read(Math.min(start, end), end);
  }
}

function columnsOf(wanted: readonly WantedMetric[]): readonly ValueColumn[] {
  let start = 0;
  return wanted.map(({ served: { metric, descriptor, order }, position }) => {
    const end = start + (order?.length ?? 0);
    const { type, isElapsed } = metric;
    const column = { position, type, isElapsed, indom: descriptor.indom, failure: failureOf(type, order), start, end };
    start = end;
    return column;
  });
}

/** The status of a metric without values: one whose instance domain is unknown or empty has no values, without an error. */
function failureOf(type: MetricType, order: readonly number[] | undefined): number {
  if (type === MetricType.NOSUPPORT) return PM_ERR.APPVERSION;
  return order?.length === 0 ? PM_ERR.INST : 0;
}

function recordsOf(wanted: readonly WantedMetric[]): Records {
  const count = wanted.reduce((sum, { served }) => sum + (served.order?.length ?? 0), 0);
  const records = {
    offsets: new Uint32Array(count),
    owners: new Uint32Array(count),
    places: new Float64Array(count),
    instances: new Int32Array(count),
  };
  let i = 0;
  for (const { served } of wanted) {
    const { values, offset } = served.metric;
    for (const index of served.order ?? []) {
      records.offsets[i] = values.offsets[index]!;
      records.owners[i] = offset;
      records.places[i] = values.places[index]!;
      records.instances[i] = values.instances[index]!;
      i++;
    }
  }
  return records;
}

class FilePart {
  readonly bytes: HostBytes;
  readonly #start: number;

  constructor(bytes: Buffer, start: number) {
    this.bytes = new HostBytes(bytes);
    this.#start = start;
  }

  find(offset: number, length: number): number {
    const at = offset - this.#start;
    return at >= 0 && this.bytes.has(at, length) ? at : -1;
  }
}

/** The duration of a section in microseconds, including the current one since `-extra` µs after the epoch. */
function elapsed(bytes: HostBytes, at: number, nowMicros: number): number | bigint {
  const [value, extra] = [bytes.integer(at), bytes.integer(at + 8)];
  if (extra >= 0) return value;
  return BigInt.asIntN(64, BigInt(value) + BigInt(nowMicros) + BigInt(extra));
}

function unsigned(bytes: HostBytes, at: number): number | bigint {
  const value = bytes.integer(at);
  return value >= 0 ? value : bytes.u64(at);
}

function addInteger(set: ValueSet, instance: number, value: number | bigint): void {
  if (typeof value === 'number') set.addNumber(instance, value);
  else set.addInteger(instance, value);
}
