import { BinaryReader } from '@bufbuild/protobuf/wire';
import { RE2JSException } from 're2js';
import { uncompress } from 'snappyjs';
import { compileCondition, PATTERNS_SIZE_MAX, patternSize } from '../../../context/selection/index.js';
import type { LabelMatcher } from '../../../context/selection/index.js';
import { GatewayError, limitExceeded } from '../../../pmapi/index.js';

/** A query of Prometheus: selected series and a window. */
export interface RemoteQuery {
  /** The window, both ends included, in milliseconds since the epoch. */
  readonly startMs: number;
  readonly endMs: number;
  readonly conditions: readonly LabelCondition[];
  /** Only series matter: one sample of each is enough. */
  readonly isAboutSeries: boolean;
}

/** A condition on a label (missing ones are empty). `__name__` is the metric's name. */
export interface LabelCondition {
  readonly label: string;
  /** The one text that it allows, if there is only one. */
  readonly text: string | undefined;
  readonly matches: (text: string) => boolean;
}

/** Maximum size of a decompressed request: far more than Prometheus sends. */
const MESSAGE_BYTES = 1024 * 1024;
const QUERIES = 100;
const CONDITIONS = 100;

/** LabelMatcher.Type. */
const OPERATORS: readonly LabelMatcher['operator'][] = ['=', '!=', '=~', '!~'];
/** ReadRequest.ResponseType. */
const SAMPLES = 0;

/** Times that a Date can hold: others are before or after all samples. */
const MOST_MS = 8.64e15;

/** Decodes Prometheus' ReadRequest (protobuf in a snappy block). Throws BAD_BODY, BAD_PATTERN and LIMIT_EXCEEDED. */
export function readRemoteQueries(body: Uint8Array): readonly RemoteQuery[] {
  const { queries, types } = decode(body);
  if (types.length > 0 && !types.includes(SAMPLES)) {
    throw badBody('accepted_response_types does not include SAMPLES', 'SAMPLES among accepted_response_types');
  }
  let size = 0;
  return queries.map(({ matchers, ...query }) => {
    for (const { operator, value } of matchers) size += patternSize(operator, value);
    if (size > PATTERNS_SIZE_MAX) {
      const expected = `at most ${PATTERNS_SIZE_MAX} characters with repetitions written out`;
      throw limitExceeded(`the regular expressions are too large: expected ${expected}`, expected);
    }
    return { ...query, conditions: matchers.map(compile) };
  });
}

interface DecodedQuery extends Omit<RemoteQuery, 'conditions'> {
  readonly matchers: readonly LabelMatcher[];
}

function compile({ operator, name, value }: LabelMatcher): LabelCondition {
  try {
    return { label: name, text: operator === '=' ? value : undefined, matches: compileCondition(operator, value) };
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    const message = `${name}${operator}${JSON.stringify(value)} - invalid regular expression: ${error.message}`;
    throw new GatewayError('BAD_PATTERN', message, { expected: 'a regular expression in RE2 syntax' });
  }
}

function decode(body: Uint8Array): { readonly queries: readonly DecodedQuery[]; readonly types: readonly number[] } {
  const bytes = decompress(body);
  const queries: DecodedQuery[] = [];
  const types: number[] = [];
  try {
    readMessage(bytes, {
      1: (reader) => {
        requireRoom(queries, QUERIES, 'queries');
        queries.push(readQuery(reader.bytes()));
      },
      2: (reader, wireType) => {
        // Packed or one by one: both are allowed.
        const list = wireType === PACKED ? new BinaryReader(reader.bytes()) : undefined;
        if (!list) types.push(reader.int32());
        else while (list.pos < list.len) types.push(list.int32());
      },
    });
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    throw badBody('the body is not a ReadRequest', "a protobuf message of Prometheus' remote read", error);
  }
  return { queries, types };
}

/** Checks the claimed length before allocating. */
function decompress(body: Uint8Array): Uint8Array {
  try {
    return uncompress(new Uint8Array(body), MESSAGE_BYTES);
  } catch (error) {
    const expected = `at most ${MESSAGE_BYTES} bytes in snappy's block format`;
    throw badBody('the body cannot be decompressed', expected, error);
  }
}

type FieldReader = (reader: BinaryReader, wireType: number) => unknown;

const PACKED = 2;

/** Decodes known fields, skips others. Throws for invalid protobuf. */
function readMessage(bytes: Uint8Array, fields: Readonly<Record<number, FieldReader>>): void {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    const read = fields[field];
    if (read) read(reader, wireType);
    else reader.skip(wireType, field);
  }
}

function readQuery(bytes: Uint8Array): DecodedQuery {
  let [startMs, endMs] = [0, 0];
  let isAboutSeries = false;
  const matchers: LabelMatcher[] = [];
  readMessage(bytes, {
    1: (reader) => (startMs = readTime(reader)),
    2: (reader) => (endMs = readTime(reader)),
    3: (reader) => {
      requireRoom(matchers, CONDITIONS, 'matchers in one query');
      matchers.push(readMatcher(reader.bytes()));
    },
    4: (reader) => readMessage(reader.bytes(), { 2: (hints) => (isAboutSeries = hints.string() === 'series') }),
  });
  return { startMs, endMs, matchers, isAboutSeries };
}

function readMatcher(bytes: Uint8Array): LabelMatcher {
  let [type, name, value] = [0, '', ''];
  readMessage(bytes, {
    1: (reader) => (type = reader.int32()),
    2: (reader) => (name = reader.string()),
    3: (reader) => (value = reader.string()),
  });
  const operator = OPERATORS[type];
  if (operator === undefined) throw new RangeError(`matcher of type ${type}`);
  return { operator, name, value };
}

function readTime(reader: BinaryReader): number {
  return Math.min(Math.max(Number(reader.int64()), -MOST_MS), MOST_MS);
}

function requireRoom(list: readonly unknown[], most: number, what: string): void {
  if (list.length < most) return;
  throw limitExceeded(`too many ${what}: expected at most ${most}`, `at most ${most} ${what}`);
}

function badBody(problem: string, expected: string, cause?: unknown): GatewayError {
  return new GatewayError('BAD_BODY', `${problem}: expected ${expected}`, { expected }, { cause });
}
