import { isMetricType, makeTimestamp, MetricType, PM_ERR, type Timestamp } from '../../pmapi/index.js';
import { ByteReader, roundUpToWord } from './byte-reader.js';
import { joinBytes, viewOf } from './bytes.js';

/** The flags of an event record. @see pmEventFlagsStr(3) */
export const EventFlag = { POINT: 1, START: 2, END: 4, ID: 8, PARENT: 0x10, MISSED: 0x80000000 } as const;

/** The value of an event parameter: 64-bit integers are always bigint, aggregates and nested event arrays bytes. */
export type EventValue = number | bigint | string | Uint8Array;

/** A metric with one value, in an event record. */
export interface EventParameter {
  readonly pmid: number;
  readonly type: MetricType;
  readonly value: EventValue;
}

/** One record of an event array. `missed` counts records that were lost; such a record has no parameters. */
export interface EventRecord {
  readonly timestamp: Timestamp;
  readonly flags: number;
  readonly missed: number;
  readonly parameters: readonly EventParameter[];
}

const CLASSIC_RECORD_BYTES = 16;
const HIGHRES_RECORD_BYTES = 24;
const PARAMETER_BYTES = 8;

/** Unpacks the value of an EVENT or HIGHRES_EVENT metric. Throws PM_ERR_IPC for inconsistent lengths. @see pmUnpackEventRecords(3) */
export function decodeEventRecords(bytes: Uint8Array, highres: boolean): EventRecord[] {
  if (bytes.length === 0) return [];
  const reader = new ByteReader(bytes, 'event array', PM_ERR.IPC);
  const count = reader.count(highres ? HIGHRES_RECORD_BYTES : CLASSIC_RECORD_BYTES, 'event record count');
  const records: EventRecord[] = [];
  for (let i = 0; i < count; i++) records.push(decodeRecord(reader, highres));
  return records;
}

/** An event array with only the selected parameters of its records; the same array if all are. Throws as {@link decodeEventRecords}. */
export function selectEventParameters(
  bytes: Uint8Array,
  highres: boolean,
  isSelected: (pmid: number) => boolean,
): Uint8Array {
  const records = decodeEventRecords(bytes, highres);
  if (records.every(({ parameters }) => parameters.every(({ pmid }) => isSelected(pmid)))) return bytes;
  const reader = new ByteReader(bytes, 'event array', PM_ERR.IPC);
  const pieces = [reader.bytes(4, 'event record count')];
  for (const { missed, parameters } of records) {
    // Time and flags; then a count, of parameters or of records that were missed.
    pieces.push(reader.bytes((highres ? HIGHRES_RECORD_BYTES : CLASSIC_RECORD_BYTES) - 4, 'event record'));
    const count = Uint8Array.from(reader.bytes(4, 'event parameter count'));
    pieces.push(count);
    if (missed > 0) continue;
    let selected = 0;
    for (const { pmid } of parameters) {
      const at = reader.offset;
      const length = reader.view.getUint32(at + 4) & 0xffffff;
      const parameter = reader.bytes(4 + roundUpToWord(length), 'event parameter');
      if (!isSelected(pmid)) continue;
      pieces.push(parameter);
      selected++;
    }
    viewOf(count).setInt32(0, selected);
  }
  return joinBytes(pieces);
}

function decodeRecord(reader: ByteReader, highres: boolean): EventRecord {
  const timestamp = highres
    ? makeTimestamp(Number(reader.i64('event seconds')), Number(reader.i64('event nanoseconds')))
    : makeTimestamp(reader.i32('event seconds'), reader.i32('event microseconds') * 1000);
  const flags = reader.u32('event flags');
  if (flags >= EventFlag.MISSED) {
    return { timestamp, flags, missed: reader.u32('missed event records'), parameters: [] };
  }
  const count = reader.count(PARAMETER_BYTES, 'event parameter count');
  const parameters: EventParameter[] = [];
  for (let i = 0; i < count; i++) parameters.push(decodeParameter(reader));
  return { timestamp, flags, missed: 0, parameters };
}

function decodeParameter(reader: ByteReader): EventParameter {
  const pmid = reader.u32('event parameter pmid');
  const at = reader.offset;
  const header = reader.u32('event parameter');
  const length = (header & 0xffffff) - 4;
  const code = header >>> 24;
  if (length < 0) reader.fail(`the event parameter at offset ${at} has a length of ${length + 4}`);
  const data = reader.offset;
  reader.skip(roundUpToWord(length), 'event parameter');
  const type = isMetricType(code) ? code : MetricType.AGGREGATE;
  return { pmid, type, value: decodeEventValue(reader, type, data, length) };
}

function decodeEventValue(reader: ByteReader, type: MetricType, at: number, length: number): EventValue {
  const { view } = reader;
  const width = type === MetricType.I64 || type === MetricType.U64 || type === MetricType.DOUBLE ? 8 : 4;
  if (type <= MetricType.DOUBLE && length !== width) {
    reader.fail(`an event parameter of type ${type} has ${length} bytes of data at offset ${at}`);
  }
  switch (type) {
    case MetricType.I32:
      return view.getInt32(at);
    case MetricType.U32:
      return view.getUint32(at);
    case MetricType.I64:
      return view.getBigInt64(at);
    case MetricType.U64:
      return view.getBigUint64(at);
    case MetricType.FLOAT:
      return view.getFloat32(at);
    case MetricType.DOUBLE:
      return view.getFloat64(at);
    case MetricType.STRING:
      return reader.textAt(at, length, 'event parameter');
    default:
      return reader.bytesAt(at, length, 'event parameter');
  }
}
