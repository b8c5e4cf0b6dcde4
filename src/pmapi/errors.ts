/** Every `code` for clients with its status and meaning. */
const CODES = {
  BAD_PARAMETER: [400, 'A parameter is missing, malformed or out of range; `parameter` names it.'],
  UNKNOWN_PARAMETER: [400, 'The parameter is unknown; `expected` lists the known ones.'],
  BAD_BODY: [400, 'The request body is malformed.'],
  BAD_REQUEST: [400, 'The request is not valid HTTP, or the percent-encoding of its URL is invalid.'],
  BAD_PATTERN: [400, 'A glob or regular expression does not compile.'],
  NULL_INDOM: [400, 'The metric has no instance domain.'],
  NOT_A_LEAF: [400, 'The name is an interior node of the PMNS, not a metric.'],
  SYNTAX_ERROR: [400, 'The expression does not parse; `position` says where.'],
  SEMANTIC_ERROR: [422, 'The expression parses, but its operands are not compatible; `position` says where.'],
  FAILED_DEPENDENCY: [424, 'A batch entry refers to one that failed.'],
  REQUEST_TIMEOUT: [408, 'The request did not arrive in time.'],
  DUPLICATE_NAME: [409, 'A derived metric with this name exists already.'],
  CONVERSION: [400, 'A value or a scale cannot be converted.'],
  WRONG_CONTEXT: [400, 'The operation requires another kind of context (live host, archive).'],
  SHARED_CONTEXT: [409, 'The context is shared by requests without a context: create one of your own.'],
  AUTHENTICATION_REQUIRED: [401, 'The gateway or the target requires valid credentials.'],
  FORBIDDEN: [403, 'The request is not allowed.'],
  WRONG_HOST: [421, 'The name in the Host header is not in `listen.names`.'],
  UNKNOWN_CONTEXT: [404, 'No such context: it never existed, expired, was destroyed, or a reload removed its host.'],
  UNKNOWN_METRIC: [404, 'No metric with this name or PMID.'],
  UNKNOWN_INDOM: [404, 'No such instance domain.'],
  UNKNOWN_INSTANCE: [404, 'No such instance.'],
  UNKNOWN_ARCHIVE: [404, 'No such archive below the configured roots.'],
  BAD_ARCHIVE: [422, 'The archive is damaged, or its parts do not belong together; `pmErr` has the reason.'],
  END_OF_ARCHIVE: [416, 'The end of the archive is reached in this direction; set another position with `mode`.'],
  UNKNOWN_PUSH: [410, 'No archive is being pushed under this number by this client.'],
  VOLUME_CLOSED: [409, 'A volume before the last one of a pushed archive cannot be continued.'],
  UNKNOWN_DERIVED: [404, 'No derived metric with this name is registered.'],
  NOT_FOUND: [404, 'No such path.'],
  METHOD_NOT_ALLOWED: [405, 'The path exists, but not with this method; `Allow` lists its methods.'],
  NOT_ACCEPTABLE: [406, 'The response is not available in any requested format.'],
  BODY_TOO_LARGE: [413, 'The body is larger than `limits.bodyBytes`.'],
  URL_TOO_LONG: [414, 'The URL is longer than `limits.urlBytes`; send the parameters in a POST body.'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'The media type of the body is not supported.'],
  TOO_MANY_NAMES: [413, 'More metrics than `limits.names` in one request.'],
  HEADERS_TOO_LARGE: [431, 'The request headers are too large.'],
  TOO_MANY_CONTEXTS: [429, 'Too many open contexts (`limits.contexts`, `clients.contexts`); destroy some, or wait.'],
  TOO_MANY_REQUESTS: [
    429,
    'The client exceeded a limit in `clients`, or too many logins from its address failed; `Retry-After` says when to retry.',
  ],
  LIMIT_EXCEEDED: [413, 'The request exceeds a limit; the message names both.'],
  MEMORY_FULL: [
    507,
    'Derived metrics, instance profiles or streams use all the memory that `limits.memoryBytes` allows: remove some, or destroy contexts.',
  ],
  // Not 502: Grafana's PCP plugin replaces the message of every 502.
  SOURCE_FAILED: [503, 'The source returned an error; `pmErr` is its code.'],
  SOURCE_UNREACHABLE: [503, 'The target is unreachable or not allowed; the response does not say which.'],
  SOURCE_TIMEOUT: [504, 'The source did not respond in time.'],
  UNAVAILABLE: [503, 'The gateway cannot serve this now: it is starting or draining, or the source is missing.'],
  OUTCOME_UNKNOWN: [
    503,
    'A fleet could not complete the change in time: it may still take effect. Read the definition to see.',
  ],
  OVERLOADED: [503, 'The gateway or a host is overloaded; `Retry-After` says when to retry.'],
  INTERNAL: [500, 'Internal error; the log has the stack trace under the request id.'],
} as const satisfies Record<string, readonly [status: number, meaning: string]>;

export type ErrorCode = keyof typeof CODES;

/** The error catalogue: every `code` for clients, its status and meaning. `npm run generate` writes it into ERRORS.md. */
export const ERROR_CATALOGUE = Object.fromEntries(
  Object.entries(CODES).map(([code, [status, meaning]]) => [code, { status, meaning }]),
) as { readonly [Code in ErrorCode]: { readonly status: (typeof CODES)[Code][0]; readonly meaning: string } };

/** The location of an error in a text: `offset` and `end` count UTF-16 units from 0; line and column count from 1. */
export interface TextPosition {
  readonly offset: number;
  readonly end?: number;
  readonly line: number;
  readonly column: number;
}

/** Details of an error besides its message; all of them are sent to the client. */
export interface ErrorDetails {
  readonly pmErr?: number;
  /** The parameter (query, path or body member) at fault. */
  readonly parameter?: string;
  readonly expected?: string;
  readonly position?: TextPosition;
  readonly context?: number;
  /** Seconds after which a retry makes sense. */
  readonly retryAfterSec?: number;
}

/** An error for clients, turned into a response at the HTTP boundary: what is wrong, where, and what was expected. */
export class GatewayError extends Error {
  override name = 'GatewayError';
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.details = details;
  }

  get httpStatus(): number {
    return ERROR_CATALOGUE[this.code].status;
  }
}

export const SOURCE_ERROR_KINDS = ['SOURCE_FAILED', 'SOURCE_UNREACHABLE', 'SOURCE_TIMEOUT'] as const;

export function isSourceError(error: unknown): boolean {
  return error instanceof GatewayError && SOURCE_ERROR_KINDS.some((code) => code === error.code);
}

/** LIMIT_EXCEEDED, with what does not exceed it. */
export function limitExceeded(message: string, expected: string, parameter?: string): GatewayError {
  return new GatewayError('LIMIT_EXCEEDED', message, { ...(parameter !== undefined && { parameter }), expected });
}

/** BAD_PARAMETER for one parameter, with what was expected of it. */
export function badParameter(parameter: string, message: string, expected: string): GatewayError {
  return new GatewayError('BAD_PARAMETER', message, { parameter, expected });
}

/** The location of an error in a text, and other details. */
export interface SourceTextDetails extends Omit<ErrorDetails, 'position'> {
  readonly source: string;
  /** The start of the offending part, in UTF-16 units from 0; `source.length` is the end of the text. */
  readonly offset: number;
  /** Its end (exclusive). Without it, the error is at one position. */
  readonly end?: number;
}

/** An error at a known position of an external text. Line and column are computed on demand. */
export class SourceTextError extends GatewayError {
  readonly source: string;
  readonly offset: number;
  readonly end: number;

  constructor(code: ErrorCode, message: string, where: SourceTextDetails, options?: ErrorOptions) {
    const { source, offset: wantedOffset, end: wantedEnd, ...others } = where;
    const offset = clamp(wantedOffset, 0, source.length);
    const end = clamp(wantedEnd ?? offset, offset, source.length);
    const details = {
      ...others,
      get position(): TextPosition {
        return locate(source, offset, end);
      },
    };
    super(code, message, details, options);
    this.name = 'SourceTextError';
    this.source = source;
    this.offset = offset;
    this.end = end;
  }

  get position(): TextPosition {
    return locate(this.source, this.offset, this.end);
  }

  get excerpt(): string {
    return drawCaret(this.source, this.offset);
  }

  override toString(): string {
    return `${this.name}: ${this.message}\n${this.excerpt}`;
  }

  toJSON(): Readonly<Record<string, unknown>> {
    return { message: this.message, code: this.code, ...this.details };
  }
}

/** Line and column (from 1) of an offset in a text. Lines end in LF, CR LF or CR. */
export function locate(source: string, offset: number, end?: number): TextPosition {
  let line = 1;
  let lineStart = 0;
  for (const ending of source.matchAll(/\r\n|\n|\r/g)) {
    const next = ending.index + ending[0].length;
    if (next > offset) break;
    line++;
    lineStart = next;
  }
  const column = offset - lineStart + 1;
  return end === undefined || end === offset ? { offset, line, column } : { offset, end, line, column };
}

/** The line of `source` with `offset`, and a caret line below it (tabs kept), without a final newline. */
export function drawCaret(source: string, offset: number): string {
  const { column } = locate(source, offset);
  const lineStart = offset - column + 1;
  const line = /^[^\r\n]*/.exec(source.slice(lineStart))![0];
  const indent = source.slice(lineStart, offset).replace(/[^\t]/gu, ' ');
  return `${line}\n${indent}^`;
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}

/** Runs a parser on the text of a parameter; its errors name the parameter. */
export function parseInParameter<T>(parameter: string, text: string, parse: (text: string) => T): T {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof SourceTextError) throw inParameter(parameter, error);
    if (!(error instanceof GatewayError)) throw error;
    const details = { ...error.details, parameter };
    throw new GatewayError(error.code, `${parameter}: ${error.message}`, details, { cause: error });
  }
}

/** The same error, with the parameter whose text it is in. */
export function inParameter(parameter: string, error: SourceTextError): SourceTextError {
  const { source, offset, end } = error;
  const { expected, pmErr } = error.details;
  const where = {
    source,
    offset,
    end,
    parameter,
    ...(expected === undefined ? {} : { expected }),
    ...(pmErr === undefined ? {} : { pmErr }),
  };
  return new SourceTextError(error.code, error.message, where, { cause: error });
}
