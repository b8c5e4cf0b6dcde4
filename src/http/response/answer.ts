import type { DataOf, Schemas } from '../../client/index.js';
import type { PlanMissing, Context, FetchPlan } from '../../context/index.js';
import { inTurns } from '../../kit/index.js';
import { formatPmErr, PM_ERR, PmError, GatewayError, limitExceeded } from '../../pmapi/index.js';
import type { ErrorCode, FetchResult } from '../../pmapi/index.js';
import type { Answer, AnyAnswer, StreamedAnswer, SubscribedAnswer, AnyRequest } from '../contracts.js';
import type { HttpOptions } from '../options.js';
import { untilGone } from '../request/request-context.js';

export function isStreamed(answer: AnyAnswer): answer is StreamedAnswer {
  return 'pieces' in answer;
}

export function isSubscribed(answer: AnyAnswer): answer is SubscribedAnswer {
  return 'subscribe' in answer;
}

/** The end of pmproxy's JSON responses. */
export const LINE_END = '\r\n';

/** A successful JSON response; `json` without its line end. */
export function jsonAnswer(json: string, headers?: readonly string[]): Answer {
  return { contentType: 'application/json', body: json + LINE_END, ...(headers ? { headers } : {}) };
}

/** The response to a change that has nothing else to report; `members` follow. */
export function doneAnswer(contextId: number, client: string | undefined, members = ''): Answer {
  return jsonAnswer(`${contextHead(contextId, client)},"success":true${members}}`);
}

/** The members at the start of nearly every response: the context, and `client` if the request had one. No closing brace. */
export function contextHead(contextId: number, client: string | undefined): string {
  return client === undefined
    ? `{"context":${contextId}`
    : `{"context":${contextId},"client":${JSON.stringify(client)}`;
}

/** The header that tells that the gateway was alone when it began to respond, or ended. */
export const CLUSTER = 'Pmgate-Cluster';
/** In a request: the version of the global derived metrics that the answer must know of; changes answer with it. */
export const DEFINITIONS = 'pmgate-definitions';
/** The approximate length of the pieces of a long text: a millisecond's work. */
export const PIECE_LENGTH = 16_384;

/** A JSON response in pieces, made in turns of the event loop. @param heldBytes approximate memory kept until all is sent */
export function largeJsonAnswer(
  pieces: Iterable<string>,
  heldBytes: number,
  more: Pick<StreamedAnswer, 'headers' | 'isRepeatable'> = {},
): StreamedAnswer {
  return { contentType: 'application/json', pieces: piecesInTurns(pieces, LINE_END), heldBytes, ...more };
}

/** Pieces in turns of the event loop, followed by an end; as often iterable as the pieces. */
export function piecesInTurns(pieces: Iterable<string>, end = ''): AsyncIterable<string> {
  return {
    async *[Symbol.asyncIterator]() {
      yield* inTurns(pieces);
      if (end !== '') yield end;
    },
  };
}

const AT_ONCE_LENGTH = 262_144;

/** JSON around a list of serialised elements: as a whole, or in pieces if it is long. */
export function listAnswer(head: string, elements: readonly string[], end: string): Answer | StreamedAnswer {
  let length = 0;
  for (const element of elements) length += element.length;
  if (length <= AT_ONCE_LENGTH) return jsonAnswer(`${head}${elements.join(',')}${end}`);
  return largeJsonAnswer(inPieces(head, elements, end), length, { isRepeatable: true });
}

/** A list with commas between its elements, in pieces that take little time each. */
export function inPieces(head: string, elements: Iterable<string>, end: string): Iterable<string> {
  return {
    *[Symbol.iterator]() {
      let text = head;
      let comma = '';
      for (const element of elements) {
        text += comma + element;
        comma = ',';
        if (text.length < PIECE_LENGTH) continue;
        yield text;
        text = '';
      }
      yield text + end;
    },
  };
}

/** Pieces of a text; calls a function after the last of them, even if they are not all read. */
export function* untilReleased(pieces: Iterable<string>, release: () => void): Generator<string, void> {
  try {
    yield* pieces;
  } finally {
    release();
  }
}

/** A part of a request that failed while the rest succeeded. */
export type Warning = DataOf<Omit<Schemas['Warning'], 'code'>> & { readonly code: ErrorCode };

type Subject = Pick<Warning, 'name' | 'pmid' | 'instance'>;

export function pmErrWarning(subject: Subject, pmErr: number, message = formatPmErr(pmErr)): Warning {
  // Ten times as fast as a spread: lists may have thousands.
  return Object.assign({}, subject, { message, code: errorCodeOfPmErr(pmErr), pmErr });
}

/** The warning for an archive that is left out because it cannot be read. */
export function leftOutWarning(name: string, error: PmError | GatewayError): Warning {
  const message = `the archive ${name} is left out: ${error.message}`;
  return error instanceof PmError ? pmErrWarning({ name }, error.pmErr, message) : { name, message, code: error.code };
}

/** Warnings for the missing metrics of a plan; `by` says how the request named them. */
export function missingWarnings(missing: readonly PlanMissing[], by: 'name' | 'pmid'): Warning[] {
  return missing.map(({ requested, pmErr, message }) => pmErrWarning({ [by]: requested }, pmErr, message));
}

export function withUnmatched(warnings: readonly Warning[], names: readonly string[]): readonly Warning[] {
  return names.length === 0 ? warnings : [...warnings, ...names.map((name) => pmErrWarning({ name }, PM_ERR.INST))];
}

/** Warnings, with the one for damage in the data that was read. */
export function withDamage(
  warnings: readonly Warning[],
  damage: { readonly pmErr: number; readonly message: string } | undefined,
): readonly Warning[] {
  return damage ? [...warnings, pmErrWarning({}, damage.pmErr, damage.message)] : warnings;
}

/** `,"warnings":[…]`, or '' without warnings. */
export function warningsMember(warnings: readonly Warning[]): string {
  return warnings.length === 0 ? '' : `,"warnings":${JSON.stringify(warnings)}`;
}

/** The header, or trailer, of {@link warningsHeader}. */
export const WARNINGS_HEADER = 'X-Pmgate-Warnings';

/** Clients limit the size of headers; node's own limit is 16 kbyte for all of them. */
const WARNINGS_HEADER_BYTES = 4096;

/** The header with the warnings of a response that is not JSON: compact JSON in ASCII, as many as there is room for. */
export function warningsHeader(warnings: readonly Warning[]): readonly string[] {
  const written: string[] = [];
  let size = 2;
  for (const warning of warnings) {
    const text = JSON.stringify(warning).replace(/[^\x20-\x7e]/g, escapeUnit);
    size += text.length + 1;
    if (size > WARNINGS_HEADER_BYTES) break;
    written.push(text);
  }
  return warnings.length === 0 ? [] : [WARNINGS_HEADER, `[${written.join(',')}]`];
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** The PM_ERR codes, and negated errnos, of each error in the catalog for clients. */
const PM_ERRS_OF: Partial<Record<ErrorCode, readonly number[]>> = {
  UNKNOWN_METRIC: [PM_ERR.NAME, PM_ERR.PMID, PM_ERR.PMID_LOG],
  NOT_A_LEAF: [PM_ERR.NONLEAF],
  UNKNOWN_INDOM: [PM_ERR.INDOM, PM_ERR.INDOM_LOG],
  UNKNOWN_INSTANCE: [PM_ERR.INST, PM_ERR.INST_LOG],
  UNAVAILABLE: [PM_ERR.NOAGENT, PM_ERR.AGAIN, PM_ERR.PMDAFENCED, PM_ERR.PMDANOTREADY, PM_ERR.CONNLIMIT],
  FORBIDDEN: [PM_ERR.PERMISSION, -1, -13],
  UNKNOWN_CONTEXT: [PM_ERR.NOCONTEXT],
  SOURCE_TIMEOUT: [PM_ERR.TIMEOUT, -110],
  SOURCE_UNREACHABLE: [-111, -112, -113],
  WRONG_CONTEXT: [PM_ERR.NOTHOST, PM_ERR.NOTARCHIVE, PM_ERR.MODE],
  CONVERSION: [PM_ERR.UNIT, PM_ERR.CONV, PM_ERR.TRUNC, PM_ERR.SIGN],
  BAD_PARAMETER: [PM_ERR.TYPE, PM_ERR.TOOSMALL, PM_ERR.BADSTORE, -34],
  SEMANTIC_ERROR: [PM_ERR.BADDERIVE],
  LIMIT_EXCEEDED: [PM_ERR.TOOBIG],
  UNKNOWN_ARCHIVE: [-2, PM_ERR.LOGFILE],
  END_OF_ARCHIVE: [PM_ERR.EOL],
  BAD_ARCHIVE: [
    PM_ERR.LABEL,
    PM_ERR.LOGREC,
    PM_ERR.NODATA,
    PM_ERR.RECTYPE,
    PM_ERR.FEATURE,
    PM_ERR.LOGOVERLAP,
    PM_ERR.LOGHOST,
    PM_ERR.LOGCHANGETYPE,
    PM_ERR.LOGCHANGESEM,
    PM_ERR.LOGCHANGEINDOM,
    PM_ERR.LOGCHANGEUNITS,
  ],
};

const CODES: ReadonlyMap<number, ErrorCode> = new Map(
  Object.entries(PM_ERRS_OF).flatMap(([code, pmErrs]) => pmErrs.map((pmErr) => [pmErr, code as ErrorCode])),
);

/** The catalog's code for a PM_ERR code; SOURCE_FAILED for those that concern the source alone. */
export function errorCodeOfPmErr(pmErr: number): ErrorCode {
  return CODES.get(pmErr) ?? 'SOURCE_FAILED';
}

/** The warning for a time before or after all samples, or in a gap. */
export const NOTHING_RECORDED = pmErrWarning({}, PM_ERR.VALUE, 'nothing is recorded or remembered of this time');

/** Characters of a text, or bytes of an aggregate, that count as one more value: the limit is about the size of a response. */
const LENGTH_PER_VALUE = 32;

/** The memory of a value: an instance and a number, or the part of a text that counts as one. */
const VALUE_BYTES = 64;

/** The share of the limit of values that the samples of a stream may have per second, because they continue. */
const STREAMED_SHARE = 0.1;

/** Values and metrics that are written in one turn of the event loop; more take several. */
const WRITTEN_AT_ONCE = 4000;

/** The size of a result: its values, with long texts counting as several, and the metrics without values. */
export type ResultSize = number;

/** Whether writing a result at once would delay others. */
export function isLarge(size: ResultSize): boolean {
  return size > WRITTEN_AT_ONCE;
}

export function bytesOf(size: ResultSize): number {
  return size * VALUE_BYTES;
}

/** The size of a result. Throws LIMIT_EXCEEDED, with what would fit, for more values than a response may have. */
export function requireFewValues(
  result: Pick<FetchResult, 'sets'>,
  { limits }: Pick<HttpOptions, 'limits'>,
): ResultSize {
  return requireAtMost(limits.values, result, 'one response') + result.sets.length;
}

/** As {@link requireFewValues}, for a sample of a stream; the shorter the interval, the lower the limit. */
export function requireFewStreamed(
  result: Pick<FetchResult, 'sets'>,
  intervalSec: number,
  { limits }: Pick<HttpOptions, 'limits'>,
): void {
  const most = Math.floor(limits.values * Math.min(1, STREAMED_SHARE * intervalSec));
  requireAtMost(most, result, `a sample of a stream every ${intervalSec} s`);
}

/** The number of values, as they count. Throws LIMIT_EXCEEDED for more than `most`. */
function requireAtMost(most: number, { sets }: Pick<FetchResult, 'sets'>, holder: string): number {
  let count = 0;
  for (const { status, column } of sets) {
    if (status <= 0) continue;
    count += status;
    for (const { length } of column.texts) count += Math.floor(length / LENGTH_PER_VALUE);
    for (const { length } of column.bytes) count += Math.floor(length / LENGTH_PER_VALUE);
  }
  if (count <= most) return count;
  const fitting = Math.floor((sets.length * most) / count);
  const fits =
    fitting > 0
      ? `about ${fitting} of these metrics would fit`
      : 'select some of the instances (instances, iname, top)';
  throw tooMany(`${count} values of ${sets.length} metrics`, holder, most, fits);
}

/** Throws LIMIT_EXCEEDED for more metrics than a response may have values: each has at least one. */
export function requireFewMetrics(count: number, { limits }: Pick<HttpOptions, 'limits'>): void {
  const { values: most } = limits;
  if (count <= most) return;
  throw tooMany(`${count} metrics`, 'one response', most, 'select some of them, or a subtree');
}

/** Metrics of a fetch that is not large: planning, reading and writing them takes about a millisecond. */
const FEW_METRICS = 250;

/** The size of the last result of each plan, if it was large: it depends on the number of instances, which is known only after a fetch. */
const sizes = new WeakMap<FetchPlan, ResultSize>();

/** Whether a request lists so many metrics that even looking them up takes long. */
export function isLongList(listed: readonly unknown[] = []): boolean {
  return listed.length > FEW_METRICS;
}

/** Whether a plan has many metrics, or had many values at its last fetch. */
export function isLargePlan(plan: FetchPlan): boolean {
  return plan.entries.length > FEW_METRICS || sizes.has(plan);
}

export function rememberSize(plan: FetchPlan, size: ResultSize): void {
  if (isLarge(size)) sizes.set(plan, size);
  else sizes.delete(plan);
}

/** Waits for the turn of a large fetch of its source; the result ends it. Rejects with OVERLOADED, and if the client leaves. */
export function largeFetchTurn(
  request: Pick<AnyRequest, 'options' | 'onClose'>,
  { origin }: Context,
): Promise<() => void> | undefined {
  return request.options.guards.overload.enterLargeFetch(origin, untilGone(request));
}

/** Characters of an element of a list that count as one value: sources determine the length of names, labels and help texts. */
const LENGTH_PER_ELEMENT_VALUE = 64;

/** Texts of a list's elements: too many are rejected before any is written, too long ones as soon as the limit is reached. */
export class BoundedList {
  readonly elements: string[] = [];
  readonly #noun: string;
  readonly #fits: string;
  readonly #most: number;
  #length = 0;

  /** `noun`: what the elements are; `fits`: what to request instead. Throws LIMIT_EXCEEDED for more than values allowed. */
  constructor(count: number, noun: string, fits: string, { limits }: Pick<HttpOptions, 'limits'>) {
    this.#noun = noun;
    this.#fits = fits;
    this.#most = limits.values;
    if (count > this.#most) throw tooMany(`${count} ${noun}`, 'one response', this.#most, fits);
  }

  /** Adds an element. Throws LIMIT_EXCEEDED if its text does not fit. */
  push(element: string): void {
    this.#length += element.length;
    if (this.#length > this.#most * LENGTH_PER_ELEMENT_VALUE) {
      const what = `${this.#noun} of more than ${this.#most * LENGTH_PER_ELEMENT_VALUE} characters`;
      throw tooMany(what, 'one response', this.#most, this.#fits);
    }
    this.elements.push(element);
  }
}

function tooMany(what: string, holder: string, most: number, fits: string): GatewayError {
  return limitExceeded(`${what}; ${holder} may have ${most} (limits.values): ${fits}`, fits);
}
