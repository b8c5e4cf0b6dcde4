import { INSTANCE_NULL, MetricType, PM_ERR } from '../../pmapi/index.js';
import type { Timestamp, ValueSet } from '../../pmapi/index.js';
import type { InstanceProfile } from '../profile.js';
import { HostBytes } from './host-bytes.js';
import type { ServedMetric } from './mmv-catalogue.js';
import type { MmvFile } from './mmv-file.js';
import { FileFlag } from './mmv-header.js';
import { STRING_BYTES, VALUE_BYTES } from './mmv-layout.js';

/** A string that ends the file need not have all of its bytes; PCP asks for so many. */
const LEAST_STRING_BYTES = 4;

/** A metric of a fetch, and the place of its value set. */
export interface WantedMetric {
  readonly served: ServedMetric;
  readonly position: number;
}

/** The metrics of a fetch that one file has: what is read of it is the part that holds their values. */
export class FileFetch {
  readonly file: MmvFile;
  readonly #wanted: readonly WantedMetric[];
  readonly #start: number;
  readonly #end: number;

  constructor(file: MmvFile, wanted: readonly WantedMetric[]) {
    this.file = file;
    this.#wanted = wanted;
    let [start, end] = [Infinity, 0];
    for (const { served } of wanted) {
      for (const offset of served.metric.values.offsets) {
        start = Math.min(start, offset);
        end = Math.max(end, offset + VALUE_BYTES);
      }
    }
    this.#start = Math.min(start, end);
    this.#end = end;
  }

  /** Bytes that are read of the file. */
  get bytes(): number {
    return this.#end - this.#start;
  }

  /**
   * Read the values, and fill in those of the profile: value sets that have been reset. One read for all values, one for all strings, and
   * the header after both: if it is another by then, the values are of no known layout, and there are none.
   */
  fill(sets: readonly ValueSet[], profile: InstanceProfile, now: Timestamp): void {
    const values = this.#read(this.#start, this.#end);
    const strings = this.#readStrings(values, profile);
    const isValid = this.file.isUnchanged();
    const nowMicros = now.sec * 1e6 + Math.floor(now.nsec / 1000);
    for (const { served, position } of this.#wanted) {
      const set = sets[position]!;
      if (isValid) fillSet(set, served, profile, { values, strings, nowMicros });
    }
  }

  #read(start: number, end: number): FilePart {
    const bytes = Buffer.allocUnsafe(end - start);
    return new FilePart(bytes.subarray(0, this.file.read(bytes, start)), start);
  }

  /** The part of the file that holds all strings which the values point to. */
  #readStrings(values: FilePart, profile: InstanceProfile): FilePart {
    let [start, end] = [Infinity, 0];
    for (const { served } of this.#wanted) {
      if (served.descriptor.type !== MetricType.STRING) continue;
      for (const at of recordsOf(served, values, profile)) {
        const offset = values.bytes.offset(at + 8);
        if (offset + LEAST_STRING_BYTES > this.file.size) continue;
        start = Math.min(start, offset);
        end = Math.max(end, Math.min(offset + STRING_BYTES, this.file.size));
      }
    }
    return this.#read(Math.min(start, end), end);
  }
}

/** A part of a file in memory. */
class FilePart {
  readonly bytes: HostBytes;
  readonly #start: number;

  constructor(bytes: Buffer, start: number) {
    this.bytes = new HostBytes(bytes);
    this.#start = start;
  }

  /** Where something of the file is in {@link bytes}; undefined when so many bytes of it are not there. */
  find(offset: number, length: number): number | undefined {
    const at = offset - this.#start;
    return at >= 0 && this.bytes.has(at, length) ? at : undefined;
  }
}

/** What the values of one file are made from. */
interface Material {
  readonly values: FilePart;
  readonly strings: FilePart;
  readonly nowMicros: number;
}

/** Where in `values` the records of a metric are, of the instances that pass. */
function* recordsOf(served: ServedMetric, values: FilePart, profile: InstanceProfile): Generator<number, void> {
  for (const index of served.order ?? []) {
    const at = recordAt(served, index, values, profile);
    if (at !== undefined) yield at;
  }
}

/** Where in `values` one record is; undefined when it is gone, belongs to something else by now, or its instance does not pass. */
function recordAt(
  { metric, descriptor }: ServedMetric,
  index: number,
  values: FilePart,
  profile: InstanceProfile,
): number | undefined {
  const { instances, offsets, places } = metric.values;
  if (!profile.includes(descriptor.indom, instances[index]!)) return undefined;
  const at = values.find(offsets[index]!, VALUE_BYTES);
  if (at === undefined) return undefined;
  const { bytes } = values;
  return bytes.offset(at + 16) === metric.offset && bytes.offset(at + 24) === places[index] ? at : undefined;
}

function fillSet(set: ValueSet, served: ServedMetric, profile: InstanceProfile, material: Material): void {
  const { metric, order } = served;
  if (metric.type === MetricType.NOSUPPORT) {
    set.fail(PM_ERR.APPVERSION);
    return;
  }
  if (order === undefined) return;
  if (order.length === 0) {
    set.fail(PM_ERR.INST);
    return;
  }
  const { instances } = metric.values;
  for (const index of order) {
    const at = recordAt(served, index, material.values, profile);
    if (at === undefined) continue;
    const instance = metric.serial === undefined ? INSTANCE_NULL : instances[index]!;
    if (metric.type === MetricType.STRING) {
      const text = textOf(material, at);
      if (text === undefined) {
        set.fail(PM_ERR.GENERIC);
        return;
      }
      if (text !== '' || !hasSentinel(served)) set.addText(instance, text);
    } else {
      addNumber(set, instance, served, material, at);
    }
  }
}

/** The string of a value; undefined when it lies beyond the file. */
function textOf({ values, strings }: Material, at: number): string | undefined {
  const found = strings.find(values.bytes.offset(at + 8), LEAST_STRING_BYTES);
  return found === undefined ? undefined : strings.bytes.text(found, STRING_BYTES - 1);
}

function addNumber(set: ValueSet, instance: number, served: ServedMetric, material: Material, at: number): void {
  const { metric } = served;
  const { bytes } = material.values;
  switch (metric.type) {
    case MetricType.FLOAT:
    case MetricType.DOUBLE: {
      const value = metric.type === MetricType.FLOAT ? bytes.f32(at) : bytes.f64(at);
      if (!Number.isNaN(value) || !hasSentinel(served)) set.addNumber(instance, value);
      return;
    }
    default:
      if (hasSentinel(served) && bytes.isAllOnes(at)) return;
      if (metric.type === MetricType.I32) set.addNumber(instance, bytes.i32(at));
      else if (metric.type === MetricType.U32) set.addNumber(instance, bytes.u32(at));
      else if (metric.isElapsed) addInteger(set, instance, elapsed(bytes, at, material.nowMicros));
      else if (metric.type === MetricType.U64) addInteger(set, instance, unsigned(bytes, at));
      else addInteger(set, instance, bytes.integer(at));
  }
}

/** The time that a section has taken, in microseconds, with what is under way since `-extra` µs after the epoch. */
function elapsed(bytes: HostBytes, at: number, nowMicros: number): number | bigint {
  const [value, extra] = [bytes.integer(at), bytes.integer(at + 8)];
  if (extra >= 0) return value;
  const sum = BigInt.asIntN(64, BigInt(value) + BigInt(nowMicros) + BigInt(extra));
  return sum;
}

function unsigned(bytes: HostBytes, at: number): number | bigint {
  const value = bytes.integer(at);
  return value >= 0 ? value : bytes.u64(at);
}

function addInteger(set: ValueSet, instance: number, value: number | bigint): void {
  if (typeof value === 'number') set.addNumber(instance, value);
  else set.addInteger(instance, value);
}

function hasSentinel({ layout }: ServedMetric): boolean {
  return (layout.header.flags & FileFlag.SENTINEL) !== 0;
}
