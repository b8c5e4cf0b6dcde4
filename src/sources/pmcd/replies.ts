import { makeTimestamp, PM_ERR } from '../../pmapi/index.js';
import type {
  Instance,
  InstanceDomain,
  LabelSet,
  LabelTarget,
  MetricDescriptor,
  MetricType,
  Timestamp,
  ValueSet,
} from '../../pmapi/index.js';
import {
  ByteReader,
  decodeDescriptor,
  decodeLabels,
  decodeValueSet,
  DESCRIPTOR_BYTES,
  indexValueSetsInSteps,
  LABEL_BYTES,
  LABEL_TYPES,
  labelIdent,
} from '../wire/index.js';
import type { ResultLayout, ValueSetTable } from '../wire/index.js';
import { formatPduType, MAX_TEXT_BYTES, PDU_HEADER_BYTES, PduType } from './pdu-types.js';

/**
 * Decoders, one for each PDU that pmcd sends. Each takes a whole PDU (see FrameSplitter), trusts nothing in it, and throws a
 * PmError with PM_ERR_IPC if the PDU is of another type or its content is invalid.
 */

/** Decodes in steps of 64 KiB (of a result: 65,536 value pointers), between which others may have a turn of the event loop. */
export type Steps<T> = Generator<undefined, T, undefined>;

const STEP_BYTES = 65536;

/** Detects the end of a step. */
class Pace {
  #end = STEP_BYTES;

  isOver(offset: number): boolean {
    if (offset < this.#end) return false;
    this.#end = offset + STEP_BYTES;
    return true;
  }
}

export function pduTypeOf(frame: Buffer): number {
  return frame.readInt32BE(4);
}

function open(frame: Buffer, type: PduType): ByteReader {
  const reader = new ByteReader(frame, `${formatPduType(type)} PDU from pmcd`, PM_ERR.IPC);
  reader.skip(PDU_HEADER_BYTES, 'header');
  const found = pduTypeOf(frame);
  if (found !== type) reader.fail(`expected, found ${formatPduType(found)}`);
  return reader;
}

/** The content of an ERROR PDU: below 0 a failure, 0 success, above 0 state-change bits. */
export interface ErrorReply {
  readonly code: number;
  /** The second word that pmcd's first PDU of a connection carries: protocol version and features. */
  readonly capabilities: number | undefined;
}

/** ERROR. */
export function decodeError(frame: Buffer): ErrorReply {
  const reader = open(frame, PduType.ERROR);
  const code = reader.i32('code');
  return { code, capabilities: reader.remaining >= 4 ? reader.u32('capabilities') : undefined };
}

const LAYOUT: ResultLayout = { pointerBias: 0, mismatchErr: PM_ERR.CONV };

/** A result whose value sets are decoded one at a time. Keeps the PDU's bytes, of which decoded aggregates are views. */
export class ResultReply {
  readonly timestamp: Timestamp;
  readonly #reader: ByteReader;
  readonly #table: ValueSetTable;

  /** @param table where the value sets are in the reader's bytes */
  constructor(timestamp: Timestamp, reader: ByteReader, table: ValueSetTable) {
    this.timestamp = timestamp;
    this.#reader = reader;
    this.#table = table;
  }

  get pmids(): Uint32Array {
    return this.#table.pmids;
  }

  /** The number of values of a set, or the PM_ERR code in its place. */
  statusOf(index: number): number {
    return this.#reader.view.getInt32(this.#table.offsets[index]! + 4);
  }

  /** @param type of the metric's descriptor; undefined: what the values say */
  decode(index: number, type: MetricType | undefined, set: ValueSet): void {
    decodeValueSet(this.#reader, this.#table.offsets[index]!, type, set, LAYOUT);
  }

  /** Decodes a set in parts, one after the other. Of a set that fails, the rest is nothing. */
  decodePart(index: number, type: MetricType | undefined, set: ValueSet, first: number, count: number): void {
    decodeValueSet(this.#reader, this.#table.offsets[index]!, type, set, LAYOUT, undefined, { first, count });
  }
}

/**
 * RESULT (microseconds) or HIGHRES_RESULT (nanoseconds).
 * @param asked how many metrics the request had: a result with another number of value sets is refused
 */
export function* decodeResult(frame: Buffer, asked?: number): Steps<ResultReply> {
  const { timestamp, reader, count } = openResult(frame);
  if (asked !== undefined && count !== asked) {
    reader.fail(`${count} value sets in answer to a fetch of ${asked} metrics`);
  }
  return new ResultReply(timestamp, reader, yield* indexValueSetsInSteps(reader, count, LAYOUT));
}

interface OpenResult {
  readonly timestamp: Timestamp;
  readonly reader: ByteReader;
  readonly count: number;
}

function openResult(frame: Buffer): OpenResult {
  if (pduTypeOf(frame) === PduType.RESULT) {
    const reader = open(frame, PduType.RESULT);
    const timestamp = makeTimestamp(reader.i32('seconds'), reader.i32('microseconds') * 1000);
    requireMoment(reader, timestamp);
    return { timestamp, reader, count: reader.i32('numpmid') };
  }
  const reader = open(frame, PduType.HIGHRES_RESULT);
  const count = reader.i32('numpmid');
  const sec = Number(reader.i64('seconds'));
  const timestamp = makeTimestamp(sec, Number(reader.i64('nanoseconds')));
  requireMoment(reader, timestamp);
  return { timestamp, reader, count };
}

/** The last second of the year 9999. */
const MAX_SEC = 253_402_300_799;

function requireMoment(reader: ByteReader, { sec }: Timestamp): void {
  if (!(sec >= 0 && sec <= MAX_SEC)) reader.fail(`the time is ${sec} seconds from the epoch`);
}

/** DESC: a descriptor, or the PM_ERR code if it is unusable. */
export function decodeDescriptorReply(frame: Buffer): MetricDescriptor | number {
  return decodeDescriptor(open(frame, PduType.DESC));
}

/** DESCS: descriptors in the order of the request, PM_ERR_PMID for those that pmcd does not know. */
export function decodeDescriptorsReply(frame: Buffer): (MetricDescriptor | number)[] {
  const reader = open(frame, PduType.DESCS);
  const count = reader.count(DESCRIPTOR_BYTES, 'descriptor count');
  return Array.from({ length: count }, () => decodeDescriptor(reader));
}

/** INSTANCE. The domain that it names is arbitrary for some (2.2). Throws PM_ERR_IPC for a negative or repeated instance. */
export function* decodeInstances(frame: Buffer, indom: number): Steps<InstanceDomain> {
  const reader = open(frame, PduType.INSTANCE);
  reader.skip(4, 'indom');
  const seen = new Set<number>();
  const count = reader.count(8, 'instance count');
  const instances: Instance[] = [];
  const pace = new Pace();
  for (let i = 0; i < count; i++) {
    if (pace.isOver(reader.offset)) yield;
    const id = reader.i32('instance');
    if (id < 0 || seen.size === seen.add(id).size) reader.fail(`instance ${id} ${id < 0 ? 'is negative' : 'twice'}`);
    instances.push({ id, name: reader.paddedText(reader.count(1, 'instance name length'), 'instance name') });
  }
  return { indom, instances };
}

/** TEXT: its first 64 KiB. The rest is never made a string, so that what is kept does not keep it. */
export function decodeText(frame: Buffer): string {
  const reader = open(frame, PduType.TEXT);
  // The agent's number, which differs from the requested one where it redirects (sample.secret.foo.bar.max.redirect).
  reader.skip(4, 'ident');
  const length = reader.count(1, 'text length');
  return reader.text(length <= MAX_TEXT_BYTES ? length : wholeCharacters(reader, MAX_TEXT_BYTES), 'text');
}

/** How many of the reader's next bytes to take, at most `most`, not to cut a character of UTF-8. */
function wholeCharacters(reader: ByteReader, most: number): number {
  let count = most;
  const isContinued = (at: number): boolean => (reader.view.getUint8(reader.offset + at) & 0xc0) === 0x80;
  while (count > most - 3 && isContinued(count)) count--;
  return count;
}

/** Names, and beside them, where it was asked for, whether each is a leaf (0) or not (1). */
export interface NamesReply {
  readonly names: readonly string[];
  readonly statuses: readonly number[];
}

/** PMNS_NAMES as a reply. */
export function* decodeNames(frame: Buffer): Steps<NamesReply> {
  const reader = open(frame, PduType.PMNS_NAMES);
  reader.skip(4, 'string bytes');
  const statusCount = reader.i32('status count');
  const count = reader.count(statusCount > 0 ? 8 : 4, 'name count');
  if (statusCount > 0 && statusCount !== count) reader.fail(`${statusCount} statuses for ${count} names`);
  const names: string[] = [];
  const statuses: number[] = [];
  const pace = new Pace();
  for (let i = 0; i < count; i++) {
    if (pace.isOver(reader.offset)) yield;
    if (statusCount > 0) statuses.push(reader.i32('status'));
    names.push(reader.paddedText(reader.count(1, 'name length'), 'name'));
  }
  return { names, statuses };
}

/** PMNS_IDS as a reply: PMIDs in the order of the request, PMID_NULL for names that are no metric. */
export function decodeIds(frame: Buffer): readonly number[] {
  const reader = open(frame, PduType.PMNS_IDS);
  reader.skip(4, 'status');
  const count = reader.count(4, 'pmid count');
  return Array.from({ length: count }, () => reader.u32('pmid'));
}

const LABEL_SET_BYTES = 16;
/** The longest JSON text of one label set: PCP's own bound. */
const MAX_LABEL_JSON_BYTES = 65535;

/** LABEL of the requested target. Sets that hold an error in place of labels are left out. @see pmLookupLabels(3) */
export function* decodeLabelsReply(frame: Buffer, target: LabelTarget): Steps<LabelSet[]> {
  const reader = open(frame, PduType.LABEL);
  const found = `${reader.u32('ident')} of type ${reader.i32('type')}`;
  const asked = `${labelIdent(target) >>> 0} of type ${LABEL_TYPES[target.kind]}`;
  if (found !== asked) reader.fail(`it is about ${found}, the request was about ${asked}`);
  reader.skip(4, 'padding');
  const count = reader.count(LABEL_SET_BYTES, 'label set count');
  const sets: LabelSet[] = [];
  let jsonRoom = frame.length;
  const pace = new Pace();
  for (let i = 0; i < count; i++) {
    // The texts stand elsewhere in the PDU than the sets.
    if (pace.isOver(reader.offset + frame.length - jsonRoom)) yield;
    const instance = reader.i32('instance');
    const labelCount = reader.i32('label count');
    const jsonOffset = reader.i32('json offset');
    const jsonLength = reader.i32('json length');
    if (labelCount <= 0) continue;
    if (labelCount * LABEL_BYTES > reader.remaining) reader.fail(`${labelCount} labels in ${reader.remaining} bytes`);
    if (jsonLength > MAX_LABEL_JSON_BYTES) reader.fail(`a label set of ${jsonLength} bytes of JSON`);
    const json = reader.bytesAt(jsonOffset, jsonLength, 'json');
    jsonRoom -= jsonLength;
    if (jsonRoom < 0) reader.fail('the JSON texts of label sets overlap');
    sets.push({ instance, labels: decodeLabels(reader, labelCount, json) });
  }
  return sets;
}

/** ATTR: a step of SASL, or an attribute. */
export function decodeAttribute(frame: Buffer): { readonly attribute: number; readonly value: Buffer } {
  const reader = open(frame, PduType.ATTR);
  return { attribute: reader.i32('attribute'), value: frame.subarray(reader.offset) };
}
