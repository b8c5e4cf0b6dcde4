/**
 * Builds MMV files of versions 1, 2 and 3, byte by byte and independently of the reader: for tests and benchmarks. Nothing is checked, so that
 * wrong files can be built as well. Little endian, as the machines are that tests run on.
 * @see src/features/mmv/FORMAT.md
 */

/** Types as MMV numbers them. */
export const MmvType = {
  NOSUPPORT: -1,
  I32: 0,
  U32: 1,
  I64: 2,
  U64: 3,
  FLOAT: 4,
  DOUBLE: 5,
  STRING: 6,
  AGGREGATE: 7,
  ELAPSED: 9,
} as const;

export const MmvFlag = { NO_PREFIX: 1, PROCESS: 2, SENTINEL: 4 } as const;
export const MmvLabelFlag = { INDOM: 4, CLUSTER: 8, ITEM: 16, INSTANCES: 32, OPTIONAL: 128 } as const;

/** A value as it is to be written: by the type of its metric, or 8 bytes as they are. */
export type BuiltMmvValue = number | bigint | string | Buffer;

export interface BuiltMmvMetric {
  readonly name: string | Buffer;
  /** Its place in the list, from 1 on, where it is not given. */
  readonly item?: number;
  readonly type?: number;
  readonly semantics?: number;
  readonly units?: number;
  readonly serial?: number;
  readonly oneline?: string;
  readonly help?: string;
  /** The value of a singular metric, or values by instance; undefined: no value at all. */
  readonly value?: BuiltMmvValue | readonly (readonly [instance: number, value: BuiltMmvValue])[];
  /** The extra field of all values, where it is not the offset of a string. */
  readonly extra?: bigint;
}

export interface BuiltMmvIndom {
  readonly serial: number;
  readonly instances: readonly (readonly [id: number, name: string])[];
  readonly oneline?: string;
  readonly help?: string;
}

export interface BuiltMmvLabel {
  readonly flags: number;
  readonly identity: number;
  readonly instance?: number;
  readonly json: string;
}

/** What a file says. */
export interface BuiltMmv {
  readonly version?: number;
  readonly generation?: bigint;
  /** The second generation: another one while a file is being written. */
  readonly generation2?: bigint;
  readonly flags?: number;
  readonly process?: number;
  readonly cluster?: number;
  readonly metrics?: readonly BuiltMmvMetric[];
  readonly indoms?: readonly BuiltMmvIndom[];
  readonly labels?: readonly BuiltMmvLabel[];
  /** Sections are listed in the table of contents in this order. */
  readonly order?: readonly number[];
  /** Entries of the table of contents beside those of the sections. */
  readonly contents?: readonly (readonly [kind: number, count: number, offset: bigint])[];
}

/** A file, and where its parts are, for tests that damage them. */
export interface MmvImage {
  readonly bytes: Buffer;
  /** Offset of each section, by kind, and of its entry in the table of contents. */
  readonly sections: ReadonlyMap<number, { readonly offset: number; readonly entry: number }>;
  /** Offset of each value's record, by metric, in order. */
  readonly values: ReadonlyMap<string, readonly number[]>;
  readonly metrics: ReadonlyMap<string, number>;
}

const MmvSection = { INDOMS: 1, INSTANCES: 2, METRICS: 3, VALUES: 4, STRINGS: 5, LABELS: 6 } as const;

const HEADER = 40;
const STRING = 256;

/** Build a file. */
export function buildMmv(file: BuiltMmv): Buffer {
  return imageOf(file).bytes;
}

/** Build a file, and tell where everything is. */
export function imageOf(file: BuiltMmv): MmvImage {
  const { version = 1, metrics = [], indoms = [], labels = [] } = file;
  const isFirst = version === 1;
  const instanceBytes = isFirst ? 80 : 24;
  const metricBytes = isFirst ? 104 : 48;
  const valuesOf = ({ value }: BuiltMmvMetric): readonly (readonly [number, BuiltMmvValue])[] =>
    value === undefined
      ? []
      : Array.isArray(value)
        ? (value as [number, BuiltMmvValue][])
        : [[-1, value as BuiltMmvValue]];
  const instanceCount = indoms.reduce((sum, { instances }) => sum + instances.length, 0);
  const valueCount = metrics.reduce((sum, metric) => sum + valuesOf(metric).length, 0);

  const strings: Buffer[] = [];
  const counts = new Map<number, number>([
    [MmvSection.INDOMS, indoms.length],
    [MmvSection.INSTANCES, instanceCount],
    [MmvSection.METRICS, metrics.length],
    [MmvSection.VALUES, valueCount],
    [MmvSection.LABELS, labels.length],
  ]);
  const sizes = new Map<number, number>([
    [MmvSection.INDOMS, 32],
    [MmvSection.INSTANCES, instanceBytes],
    [MmvSection.METRICS, metricBytes],
    [MmvSection.VALUES, 32],
    [MmvSection.LABELS, 256],
  ]);
  const kinds = (file.order ?? [1, 2, 3, 4, 6]).filter((kind) => counts.get(kind)! > 0);
  const extra = file.contents ?? [];
  const sections = new Map<number, { offset: number; entry: number }>();
  let end = HEADER + 16 * (kinds.length + 1 + extra.length);
  kinds.forEach((kind, i) => {
    sections.set(kind, { offset: end, entry: HEADER + 16 * i });
    end += counts.get(kind)! * sizes.get(kind)!;
  });
  const stringsAt = end;
  const addString = (text: string | Buffer): number => {
    const bytes = Buffer.alloc(STRING);
    bytes.set(Buffer.from(text).subarray(0, STRING));
    strings.push(bytes);
    return stringsAt + STRING * (strings.length - 1);
  };
  const fixed = Buffer.alloc(end);
  const place = (kind: number, i: number): number => sections.get(kind)!.offset + i * sizes.get(kind)!;
  const putName = (at: number, name: string | Buffer): void => {
    if (isFirst) fixed.set(Buffer.from(name).subarray(0, 64), at);
    else fixed.writeBigUInt64LE(BigInt(addString(name)), at);
  };
  const putText = (at: number, text: string | undefined): void => {
    if (text !== undefined) fixed.writeBigUInt64LE(BigInt(addString(text)), at);
  };

  let instance = 0;
  const instanceAt = new Map<string, number>();
  indoms.forEach(({ serial, instances, oneline, help }, i) => {
    const at = place(MmvSection.INDOMS, i);
    fixed.writeUInt32LE(serial, at);
    fixed.writeUInt32LE(instances.length, at + 4);
    if (instances.length > 0) fixed.writeBigUInt64LE(BigInt(place(MmvSection.INSTANCES, instance)), at + 8);
    putText(at + 16, oneline);
    putText(at + 24, help);
    for (const [id, name] of instances) {
      const own = place(MmvSection.INSTANCES, instance++);
      if (!instanceAt.has(`${serial} ${id}`)) instanceAt.set(`${serial} ${id}`, own);
      fixed.writeBigUInt64LE(BigInt(at), own);
      fixed.writeInt32LE(id, own + 12);
      putName(own + 16, name);
    }
  });

  const metricAt = new Map<string, number>();
  const valueAt = new Map<string, number[]>();
  let value = 0;
  metrics.forEach((metric, i) => {
    const at = place(MmvSection.METRICS, i);
    metricAt.set(String(metric.name), at);
    putName(at, metric.name);
    const rest = at + (isFirst ? 64 : 8);
    fixed.writeUInt32LE(metric.item ?? i + 1, rest);
    fixed.writeInt32LE(metric.type ?? MmvType.U32, rest + 4);
    fixed.writeInt32LE(metric.semantics ?? 3, rest + 8);
    fixed.writeUInt32LE(metric.units ?? 0, rest + 12);
    fixed.writeUInt32LE(metric.serial ?? 0, rest + 16);
    putText(rest + 24, metric.oneline);
    putText(rest + 32, metric.help);
    const own: number[] = [];
    for (const [id, content] of valuesOf(metric)) {
      const record = place(MmvSection.VALUES, value++);
      own.push(record);
      putValue(fixed, record, metric, content, addString);
      fixed.writeBigUInt64LE(BigInt(at), record + 16);
      fixed.writeBigUInt64LE(BigInt(instanceAt.get(`${metric.serial} ${id}`) ?? 0), record + 24);
    }
    valueAt.set(String(metric.name), own);
  });

  labels.forEach(({ flags, identity, instance: of = -1, json }, i) => {
    const at = place(MmvSection.LABELS, i);
    fixed.writeUInt32LE(flags, at);
    fixed.writeUInt32LE(identity, at + 4);
    fixed.writeInt32LE(of, at + 8);
    fixed.write(json, at + 12, 244, 'utf8');
  });

  const contents: (readonly [number, number, bigint])[] = kinds.map((kind) => [
    kind,
    counts.get(kind)!,
    BigInt(sections.get(kind)!.offset),
  ]);
  // An empty section of strings keeps the table at two entries at least.
  contents.push([MmvSection.STRINGS, strings.length, BigInt(stringsAt)], ...extra);
  contents.forEach(([kind, count, offset], i) => {
    fixed.writeUInt32LE(kind, HEADER + 16 * i);
    fixed.writeUInt32LE(count, HEADER + 16 * i + 4);
    fixed.writeBigUInt64LE(offset, HEADER + 16 * i + 8);
  });
  putHeader(fixed, file, contents.length);
  return { bytes: Buffer.concat([fixed, ...strings]), sections, values: valueAt, metrics: metricAt };
}

function putHeader(into: Buffer, file: BuiltMmv, contents: number): void {
  const { version = 1, generation = 1n, generation2 = generation, flags = 0, process: pid = 1, cluster = 0 } = file;
  into.write('MMV\0', 0, 'latin1');
  into.writeInt32LE(version, 4);
  into.writeBigUInt64LE(generation, 8);
  into.writeBigUInt64LE(generation2, 16);
  into.writeInt32LE(contents, 24);
  into.writeUInt32LE(flags, 28);
  into.writeInt32LE(pid, 32);
  into.writeInt32LE(cluster, 36);
}

function putValue(
  into: Buffer,
  at: number,
  { type = MmvType.U32, extra = 0n }: BuiltMmvMetric,
  content: BuiltMmvValue,
  addString: (text: string) => number,
): void {
  into.writeBigInt64LE(extra, at + 8);
  if (Buffer.isBuffer(content)) {
    into.set(content.subarray(0, 8), at);
  } else if (typeof content === 'string') {
    into.writeBigInt64LE(BigInt(content.length), at);
    into.writeBigUInt64LE(BigInt(addString(content)), at + 8);
  } else {
    putNumber(into, at, type, content);
  }
}

function putNumber(into: Buffer, at: number, type: number, content: number | bigint): void {
  if (type === MmvType.FLOAT) into.writeFloatLE(Number(content), at);
  else if (type === MmvType.DOUBLE) into.writeDoubleLE(Number(content), at);
  else if (type === MmvType.I32) into.writeInt32LE(Number(content), at);
  else if (type === MmvType.U32) into.writeUInt32LE(Number(content), at);
  else into.writeBigInt64LE(BigInt.asIntN(64, BigInt(content)), at);
}
