import type { PlanMissing } from '../../context/index.js';
import { inTurns } from '../../kit/index.js';
import { formatPmErr, PM_ERR, PmError, type ErrorCode, type GatewayError } from '../../pmapi/index.js';
import type { Answer, AnyAnswer, StreamedAnswer, SubscribedAnswer } from '../contracts.js';

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

/** A part of a request that failed while the rest succeeded; `Warning` in openapi.yaml. */
export interface Warning {
  /** The host, of several. */
  readonly hostspec?: string;
  readonly name?: string;
  readonly pmid?: string;
  readonly instance?: number;
  readonly message: string;
  readonly code: ErrorCode;
  readonly pmErr?: number;
}

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
