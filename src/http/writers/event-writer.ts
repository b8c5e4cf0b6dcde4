import {
  formatDouble,
  formatFloat,
  formatPmid,
  formatTimestamp,
  JSON_NON_FINITE,
  MetricType,
  PmError,
} from '../../pmapi/index.js';
import { decodeEventRecords, EventFlag } from '../../sources/index.js';
import type { EventParameter, EventRecord } from '../../sources/index.js';

const FLAG_NAMES: readonly (readonly [bit: number, name: string])[] = [
  [EventFlag.POINT, 'point'],
  [EventFlag.START, 'start'],
  [EventFlag.END, 'end'],
  [EventFlag.ID, 'id'],
  [EventFlag.PARENT, 'parent'],
  [EventFlag.MISSED, 'missed'],
];

/**
 * The records of an EVENT or HIGHRES_EVENT value as a JSON array, 64-bit integers that a double cannot hold as texts if they must
 * be exact; `null` for bytes that are no event array.
 * @see pmUnpackEventRecords(3)
 */
export function writeEventRecords(bytes: Uint8Array, type: MetricType, isExact = false): string {
  try {
    return `[${decodeEventRecords(bytes, type === MetricType.HIGHRES_EVENT)
      .map((record) => writeRecord(record, isExact))
      .join(',')}]`;
  } catch (error) {
    if (error instanceof PmError) return 'null';
    throw error;
  }
}

function writeRecord({ timestamp, flags, missed, parameters }: EventRecord, isExact: boolean): string {
  const names = FLAG_NAMES.filter(([bit]) => (flags & bit) !== 0).map(([, name]) => name);
  const lost = missed > 0 ? `,"missed":${missed}` : '';
  const values = parameters.map((parameter) => writeParameter(parameter, isExact)).join(',');
  return `{"timestamp":${formatTimestamp(timestamp)},"flags":${JSON.stringify(names)}${lost},"parameters":[${values}]}`;
}

function writeParameter({ pmid, type, value }: EventParameter, isExact: boolean): string {
  return `{"pmid":"${formatPmid(pmid)}","value":${writeParameterValue(type, value, isExact)}}`;
}

function writeParameterValue(type: MetricType, value: EventParameter['value'], isExact: boolean): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'bigint') return isExact && !Number.isSafeInteger(Number(value)) ? `"${value}"` : String(value);
  if (typeof value !== 'number') return 'null'; // aggregates and nested events: bytes without a text
  return type === MetricType.FLOAT ? formatFloat(value, JSON_NON_FINITE) : formatDouble(value, JSON_NON_FINITE);
}
