import { decodeUnits, INSTANCE_NULL, makeUnits, MetricType, Semantics } from '../../pmapi/index.js';
import type { Instance, Units } from '../../pmapi/index.js';
import type { HostBytes } from './host-bytes.js';
import { readLabel, type MmvLabel } from './mmv-label.js';

export const HEADER_BYTES = 40;
const CONTENTS_ENTRY_BYTES = 16;
const MAGIC = 'MMV';
export const MAX_CLUSTER = 4095;

/** Bits of the flags in a header; others are ignored. */
export const FileFlag = { NO_PREFIX: 1, PROCESS: 2, SENTINEL: 4 } as const;

interface MmvHeader {
  readonly version: 1 | 2 | 3;
  readonly contents: number;
  readonly flags: number;
  /** The process of the file, if the flag PROCESS is set; otherwise undefined. */
  readonly process: number | undefined;
  /** The cluster that the file requests; 0: any. */
  readonly cluster: number;
}

/** The state of a header: the file can be read, it is being written, or it is invalid, and why. */
type HeaderState =
  | { readonly state: 'complete'; readonly header: MmvHeader }
  | { readonly state: 'writing' }
  | { readonly state: 'refused'; readonly reason: string };

/** Parses the header of a file of `size` bytes. Complete files have equal generations, not 0. @see FORMAT.md, "Header" */
export function readHeader(bytes: HostBytes, size: number): HeaderState {
  if (size < HEADER_BYTES || !bytes.has(0, HEADER_BYTES)) return refused(`it has ${size} bytes, a header takes 40`);
  if (bytes.terminatedText(0, 4) !== MAGIC) return refused('it does not begin with MMV');
  const version = bytes.u32(4);
  if (version !== 1 && version !== 2 && version !== 3) {
    return refused(`it has version ${version}, or is of a machine with another byte order`);
  }
  const generation = bytes.u64(8);
  if (generation === 0n || generation !== bytes.u64(16)) return { state: 'writing' };
  const contents = bytes.i32(24);
  if (contents < 2 || HEADER_BYTES + contents * CONTENTS_ENTRY_BYTES > size) {
    return refused(`its table of contents has ${contents} entries`);
  }
  const flags = bytes.u32(28);
  const process = bytes.i32(32);
  const cluster = bytes.i32(36);
  if (cluster < 0 || cluster > MAX_CLUSTER) return refused(`it asks for cluster ${cluster}`);
  const isOfProcess = (flags & FileFlag.PROCESS) !== 0 && process !== 0;
  const header = { version, contents, flags, process: isOfProcess ? process : undefined, cluster } as const;
  return { state: 'complete', header };
}

interface Section {
  readonly offset: number;
  readonly count: number;
}

/** Kinds of sections that are read; instances and strings are found by their offsets. */
const SectionKind = { INDOMS: 1, METRICS: 3, VALUES: 4, LABELS: 6 } as const;

/** The sections of a table of contents, by kind; the last of each kind. */
function readContents(bytes: HostBytes, { contents }: MmvHeader): ReadonlyMap<number, Section> {
  const sections = new Map<number, Section>();
  for (let i = 0; i < contents; i++) {
    const at = HEADER_BYTES + i * CONTENTS_ENTRY_BYTES;
    const kind = bytes.u32(at);
    if (kind >= SectionKind.INDOMS && kind <= SectionKind.LABELS) {
      sections.set(kind, { count: bytes.u32(at + 4), offset: bytes.offset(at + 8) });
    }
  }
  return sections;
}

function refused(reason: string): HeaderState {
  return { state: 'refused', reason };
}

export const VALUE_BYTES = 32;
export const STRING_BYTES = 256;
const INDOM_BYTES = 32;
const LABEL_BYTES = 256;
/** A name within a record of version 1. */
const NAME_BYTES = 64;
const MAX_METRICS = 1023;
const MAX_ITEM = 1023;
const MAX_LABELS = 255;
const MAX_SERIAL = 0x3fffff;
const NO_INDOM = 0xffffffff;
/** An elapsed time is served as a counter of microseconds. */
const ELAPSED = 9;
const MICROSECONDS = makeUnits({ dimTime: 1, scaleTime: 1 });
/** Maximum number of recorded problems per file; further ones are counted. */
const PROBLEMS_KEPT = 10;
const METRIC_COST = 1200;
const INSTANCE_COST = 100;
const VALUE_COST = 40;
const LABEL_COST = 200;

/** The records of a metric's values: parallel arrays, in the order of the file. */
export interface ValueRecords {
  /** The instance of each value; INSTANCE_NULL for a singular metric. */
  readonly instances: Int32Array;
  readonly offsets: Uint32Array;
  readonly places: Float64Array;
}

export interface MmvMetric {
  /** The offset of its record: values refer to it. */
  readonly offset: number;
  readonly name: string;
  readonly item: number;
  readonly type: MetricType;
  readonly isElapsed: boolean;
  readonly semantics: Semantics;
  readonly units: Units;
  readonly serial: number | undefined;
  readonly oneline: string | undefined;
  readonly help: string | undefined;
  readonly values: ValueRecords;
}

export interface MmvIndom {
  readonly serial: number;
  readonly instances: readonly Instance[];
  readonly oneline: string | undefined;
  readonly help: string | undefined;
}

/** The content of a file besides its values, of one generation. */
export interface MmvLayout {
  readonly header: MmvHeader;
  readonly size: number;
  readonly metrics: readonly MmvMetric[];
  readonly indoms: readonly MmvIndom[];
  readonly labels: readonly MmvLabel[];
  readonly problems: readonly string[];
  readonly bytes: number;
}

/** A file that cannot be served at all. */
export class MmvRefusal extends Error {}

/**
 * Decodes a file after its header. Nothing is trusted: as little as possible is left out, and listed in `problems`. @see FORMAT.md
 * @param maxBytes the maximum memory: overlapping domains and texts can be many times as large as the file
 * @throws MmvRefusal if it takes more
 */
export function decodeLayout(bytes: HostBytes, header: MmvHeader, maxBytes: number): MmvLayout {
  const kept: string[] = [];
  let problemCount = 0;
  let taken = 0;
  const isFirstVersion = header.version === 1;
  const instanceBytes = isFirstVersion ? 80 : 24;
  const sections = readContents(bytes, header);
  const indomsAt = records('instance domains', sections.get(SectionKind.INDOMS), INDOM_BYTES, Infinity);
  const indoms = collect(indomsAt, readIndom);
  const metricBytes = isFirstVersion ? 104 : 48;
  const metricsAt = records('metrics', sections.get(SectionKind.METRICS), metricBytes, MAX_METRICS);
  const items = new Set<number>();
  const named = collect(metricsAt, (at) => readMetric(at, items));
  const values = readValues(sections.get(SectionKind.VALUES), named);
  const metrics = named.map((metric) => ({ ...metric, values: values.get(metric.offset)! }));
  const labelsAt = records('labels', sections.get(SectionKind.LABELS), LABEL_BYTES, MAX_LABELS);
  const labels = collect(labelsAt, labelAt);
  const more = problemCount - kept.length;
  const problems = more > 0 ? [...kept, `and ${more} more`] : kept;
  return { header, size: bytes.size, metrics, indoms, labels, problems, bytes: taken };

  /** What is read at offsets, without what is wrong. */
  function collect<T extends object>(offsets: Iterable<number>, read: (at: number) => T | string): T[] {
    const found: T[] = [];
    for (const at of offsets) {
      const one = read(at);
      if (typeof one === 'string') leaveOut(one);
      else found.push(one);
    }
    return found;
  }

  /** A metric, or what is wrong with it. */
  function readMetric(offset: number, items: Set<number>): Omit<MmvMetric, 'values'> | string {
    const name = nameAt(offset, 0);
    if (name === undefined) return `a metric whose name lies beyond the file, or has no end`;
    const at = offset + (isFirstVersion ? NAME_BYTES : 8);
    const item = bytes.u32(at);
    if (item > MAX_ITEM) return `${quoted(name)}: its item is ${item}`;
    if (items.has(item)) return `${quoted(name)}: another metric has item ${item}`;
    items.add(item);
    const type = bytes.i32(at + 4);
    if (!isServedType(type)) return `${quoted(name)}: its type is ${type}`;
    const isElapsed = type === ELAPSED;
    const serial = bytes.u32(at + 16);
    charge(METRIC_COST);
    return {
      offset,
      name,
      item,
      type: isElapsed ? MetricType.I64 : (type as MetricType),
      isElapsed,
      // Invalid semantics are passed on, as in PCP; 0 means counter.
      semantics: isElapsed ? Semantics.COUNTER : ((bytes.i32(at + 8) || Semantics.COUNTER) as Semantics),
      units: isElapsed ? MICROSECONDS : decodeUnits(bytes.i32(at + 12)),
      serial: serial === 0 || serial === NO_INDOM ? undefined : serial,
      oneline: textAt(bytes.offset(at + 24), `the help of ${quoted(name)}`),
      help: textAt(bytes.offset(at + 32), `the help of ${quoted(name)}`),
    };
  }

  function readIndom(at: number): MmvIndom | string {
    const serial = bytes.u32(at);
    const what = `instance domain ${serial}`;
    const count = bytes.u32(at + 4);
    const first = bytes.offset(at + 8);
    if (serial > MAX_SERIAL) return `${what}: its number is too large`;
    if (!bytes.has(first, count * instanceBytes)) return `${what}: its instances lie beyond the file`;
    charge(METRIC_COST + INSTANCE_COST * count);
    return {
      serial,
      instances: readInstances(first, count, what),
      oneline: textAt(bytes.offset(at + 16), `the help of ${what}`),
      help: textAt(bytes.offset(at + 24), `the help of ${what}`),
    };
  }

  function readInstances(first: number, count: number, what: string): readonly Instance[] {
    const instances: Instance[] = [];
    for (let i = 0; i < count; i++) {
      const at = first + i * instanceBytes;
      const id = bytes.i32(at + 12);
      const name = nameAt(at, 16);
      if (name === undefined) leaveOut(`${what}: the name of instance ${id} lies beyond the file, or has no end`);
      else instances.push({ id, name });
    }
    return instances;
  }

  function readValues(
    section: Section | undefined,
    metrics: readonly Omit<MmvMetric, 'values'>[],
  ): ReadonlyMap<number, ValueRecords> {
    const found = new Map(metrics.map((metric) => [metric.offset, { metric, byInstance: new Map<number, number>() }]));
    let beyond = 0;
    for (const at of records('values', section, VALUE_BYTES, Infinity)) {
      charge(VALUE_COST);
      const entry = found.get(bytes.offset(at + 16));
      if (!entry) continue;
      const place = bytes.offset(at + 24);
      let instance = INSTANCE_NULL;
      if (entry.metric.serial !== undefined) {
        if (!bytes.has(place, instanceBytes)) {
          beyond++;
          continue;
        }
        instance = bytes.i32(place + 12);
      }
      if (!entry.byInstance.has(instance)) entry.byInstance.set(instance, at);
    }
    if (beyond > 0) leaveOut(`${beyond} values whose instances lie beyond the file`);
    return new Map([...found].map(([offset, { byInstance }]) => [offset, valueRecords(byInstance)]));
  }

  function valueRecords(byInstance: ReadonlyMap<number, number>): ValueRecords {
    const offsets = Uint32Array.from(byInstance.values());
    return {
      instances: Int32Array.from(byInstance.keys()),
      offsets,
      places: Float64Array.from(offsets, (at) => bytes.offset(at + 24)),
    };
  }

  function labelAt(at: number): MmvLabel | string {
    const label = readLabel(bytes, at);
    if (typeof label !== 'string') charge(LABEL_COST + LABEL_BYTES);
    return label;
  }

  /** The offsets of a section's records: none if it is not entirely within the file. */
  function* records(
    what: string,
    section: Section | undefined,
    bytesEach: number,
    most: number,
  ): Generator<number, void> {
    if (!section || section.count === 0) return;
    const { offset, count } = section;
    if (count > most) {
      leaveOut(`its ${count} ${what}: at most ${most} are allowed`);
    } else if (!bytes.has(offset, count * bytesEach)) {
      leaveOut(`its ${count} ${what}: they lie beyond the file`);
    } else {
      for (let i = 0; i < count; i++) yield offset + i * bytesEach;
    }
  }

  /** The name of a record: within it in version 1, otherwise at an offset in it. */
  function nameAt(record: number, field: number): string | undefined {
    const at = isFirstVersion ? record + field : bytes.offset(record + field);
    const length = isFirstVersion ? NAME_BYTES : STRING_BYTES;
    if (!bytes.has(at, length)) return undefined;
    const name = isFirstVersion ? bytes.terminatedText(at, length) : bytes.text(at, length - 1);
    if (name !== undefined) charge(2 * name.length);
    return name;
  }

  /** The text at an offset; 0 means none. */
  function textAt(offset: number, what: string): string | undefined {
    if (offset === 0) return undefined;
    if (!bytes.has(offset, STRING_BYTES)) {
      leaveOut(`${what}: it lies beyond the file`);
      return undefined;
    }
    const text = bytes.text(offset, STRING_BYTES - 1);
    charge(2 * text.length);
    return text;
  }

  function charge(cost: number): void {
    taken += cost;
    if (taken > maxBytes) throw new MmvRefusal('its metrics, instances and texts take too much memory');
  }

  function leaveOut(problem: string): void {
    problemCount++;
    if (kept.length < PROBLEMS_KEPT) kept.push(problem);
  }
}

function isServedType(type: number): boolean {
  return type === ELAPSED || (type >= MetricType.NOSUPPORT && type <= MetricType.STRING);
}

/** A name in a message: files may contain anything. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}
