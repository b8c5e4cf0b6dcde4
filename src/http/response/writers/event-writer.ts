import {
  formatDouble,
  formatFloat,
  formatPmid,
  formatTimestamp,
  JSON_NON_FINITE,
  MetricType,
  PmError,
} from '../../../pmapi/index.js';
import { decodeEventRecords, EventFlag, type EventParameter, type EventRecord } from '../../../sources/index.js';

const decoder = new TextDecoder('utf-8');

/** Bytes as text, without trailing NULs; what is not UTF-8 becomes U+FFFD. */
export function textOfBytes(bytes: Uint8Array): string {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end--;
  return decoder.decode(bytes.subarray(0, end));
}

/** The name of a parameter of an event record; undefined if it is unknown or must not be shown. */
export type ParameterName = (pmid: number) => string | undefined;

export interface EventForm {
  readonly isExact?: boolean;
  readonly nameOf?: ParameterName | undefined;
}

/** The records of an event value as a JSON array; large 64-bit integers are texts if exact; `null` for invalid bytes. */
export function writeEventRecords(bytes: Uint8Array, type: MetricType, form: EventForm = {}): string {
  try {
    return `[${decodeEventRecords(bytes, type === MetricType.HIGHRES_EVENT)
      .map((record) => writeRecord(record, form))
      .join(',')}]`;
  } catch (error) {
    if (error instanceof PmError) return 'null';
    throw error;
  }
}

function writeRecord({ timestamp, flags, missed, parameters }: EventRecord, form: EventForm): string {
  const names = Object.entries(EventFlag).flatMap(([name, bit]) => ((flags & bit) === 0 ? [] : name.toLowerCase()));
  const lost = missed > 0 ? `,"missed":${missed}` : '';
  const values = parameters.map((parameter) => writeParameter(parameter, form)).join(',');
  return `{"timestamp":${formatTimestamp(timestamp)},"flags":${JSON.stringify(names)}${lost},"parameters":[${values}]}`;
}

function writeParameter({ pmid, type, value }: EventParameter, { isExact = false, nameOf }: EventForm): string {
  const name = nameOf?.(pmid);
  const named = name === undefined ? '' : `"name":${JSON.stringify(name)},`;
  return `{"pmid":"${formatPmid(pmid)}",${named}"value":${writeParameterValue(type, value, isExact)}}`;
}

function writeParameterValue(type: MetricType, value: EventParameter['value'], isExact: boolean): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'bigint') return isExact && !Number.isSafeInteger(Number(value)) ? `"${value}"` : String(value);
  if (typeof value !== 'number') {
    // As in the values of a fetch; an event array within an event has no text.
    const isText = type === MetricType.AGGREGATE || type === MetricType.AGGREGATE_STATIC;
    return isText ? JSON.stringify(textOfBytes(value)) : 'null';
  }
  return type === MetricType.FLOAT ? formatFloat(value, JSON_NON_FINITE) : formatDouble(value, JSON_NON_FINITE);
}
