/** The error catalogue: every `code` for clients, its status and meaning. `npm run generate` writes it into ERRORS.md. */
export const ERROR_CATALOGUE = {
  BAD_PARAMETER: { status: 400, meaning: 'A parameter is missing, malformed or out of range; `parameter` names it.' },
  UNKNOWN_PARAMETER: {
    status: 400,
    meaning: 'The parameter is unknown; `expected` lists the known ones.',
  },
  BAD_BODY: { status: 400, meaning: 'The request body is malformed.' },
  BAD_REQUEST: {
    status: 400,
    meaning: 'The request is not valid HTTP, or the percent-encoding of its URL is invalid.',
  },
  BAD_PATTERN: { status: 400, meaning: 'A glob or regular expression does not compile.' },
  NULL_INDOM: { status: 400, meaning: 'The metric has no instance domain.' },
  NOT_A_LEAF: { status: 400, meaning: 'The name is an interior node of the PMNS, not a metric.' },
  SYNTAX_ERROR: { status: 400, meaning: 'The expression does not parse; `position` says where.' },
  SEMANTIC_ERROR: {
    status: 422,
    meaning: 'The expression parses, but its operands are not compatible; `position` says where.',
  },
  FAILED_DEPENDENCY: { status: 424, meaning: 'A batch entry refers to one that failed.' },
  REQUEST_TIMEOUT: { status: 408, meaning: 'The request did not arrive in time.' },
  DUPLICATE_NAME: { status: 409, meaning: 'A derived metric with this name exists already.' },
  CONVERSION: { status: 400, meaning: 'A value or a scale cannot be converted.' },
  WRONG_CONTEXT: { status: 400, meaning: 'The operation requires another kind of context (live host, archive).' },
  SHARED_CONTEXT: {
    status: 409,
    meaning: 'The context is shared by requests without a context: create one of your own.',
  },
  AUTHENTICATION_REQUIRED: { status: 401, meaning: 'The gateway or the target requires valid credentials.' },
  FORBIDDEN: { status: 403, meaning: 'The request is not allowed.' },
  WRONG_HOST: {
    status: 421,
    meaning: 'The name in the Host header is not in `listen.names`.',
  },
  UNKNOWN_CONTEXT: {
    status: 404,
    meaning: 'No such context: it never existed, expired, was destroyed, or a reload removed its host.',
  },
  UNKNOWN_METRIC: { status: 404, meaning: 'No metric with this name or PMID.' },
  UNKNOWN_INDOM: { status: 404, meaning: 'No such instance domain.' },
  UNKNOWN_INSTANCE: { status: 404, meaning: 'No such instance.' },
  UNKNOWN_ARCHIVE: { status: 404, meaning: 'No such archive below the configured roots.' },
  BAD_ARCHIVE: {
    status: 422,
    meaning: 'The archive is damaged, or its parts do not belong together; `pmErr` has the reason.',
  },
  END_OF_ARCHIVE: {
    status: 416,
    meaning: 'The end of the archive is reached in this direction; set another position with `mode`.',
  },
  UNKNOWN_PUSH: { status: 410, meaning: 'No archive is being pushed under this number by this client.' },
  VOLUME_CLOSED: { status: 409, meaning: 'A volume before the last one of a pushed archive cannot be continued.' },
  UNKNOWN_DERIVED: { status: 404, meaning: 'No derived metric with this name is registered.' },
  NOT_FOUND: { status: 404, meaning: 'No such path.' },
  METHOD_NOT_ALLOWED: {
    status: 405,
    meaning: 'The path exists, but not with this method; `Allow` lists its methods.',
  },
  NOT_ACCEPTABLE: { status: 406, meaning: 'The response is not available in any requested format.' },
  BODY_TOO_LARGE: { status: 413, meaning: 'The body is larger than `limits.bodyBytes`.' },
  URL_TOO_LONG: {
    status: 414,
    meaning: 'The URL is longer than `limits.urlBytes`; send the parameters in a POST body.',
  },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, meaning: 'The media type of the body is not supported.' },
  TOO_MANY_NAMES: { status: 413, meaning: 'More metrics than `limits.names` in one request.' },
  HEADERS_TOO_LARGE: { status: 431, meaning: 'The request headers are too large.' },
  TOO_MANY_CONTEXTS: {
    status: 429,
    meaning: 'Too many open contexts (`limits.contexts`, `clients.contexts`); destroy some, or wait.',
  },
  TOO_MANY_REQUESTS: {
    status: 429,
    meaning:
      'The client exceeded a limit in `clients`, or too many logins from its address failed; `Retry-After` says when to retry.',
  },
  LIMIT_EXCEEDED: { status: 413, meaning: 'The request exceeds a limit; the message names both.' },
  MEMORY_FULL: {
    status: 507,
    meaning:
      'Derived metrics, instance profiles or streams use all the memory that `limits.memoryBytes` allows: remove some, or destroy contexts.',
  },
  // Not 502: Grafana's PCP plugin replaces the message of every 502.
  SOURCE_FAILED: { status: 503, meaning: 'The source returned an error; `pmErr` is its code.' },
  SOURCE_UNREACHABLE: {
    status: 503,
    meaning: 'The target is unreachable or not allowed; the response does not say which.',
  },
  SOURCE_TIMEOUT: { status: 504, meaning: 'The source did not respond in time.' },
  UNAVAILABLE: {
    status: 503,
    meaning: 'The gateway cannot serve this now: it is starting or draining, or the source is missing.',
  },
  OUTCOME_UNKNOWN: {
    status: 503,
    meaning: 'A fleet could not complete the change in time: it may still take effect. Read the definition to see.',
  },
  OVERLOADED: {
    status: 503,
    meaning: 'The gateway or a host is overloaded; `Retry-After` says when to retry.',
  },
  INTERNAL: { status: 500, meaning: 'Internal error; the log has the stack trace under the request id.' },
} as const satisfies Record<string, { status: number; meaning: string }>;

export type ErrorCode = keyof typeof ERROR_CATALOGUE;

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

/** Codes of errors of a source that cannot be reached, or fails. */
export const SOURCE_ERROR_KINDS = ['SOURCE_FAILED', 'SOURCE_UNREACHABLE', 'SOURCE_TIMEOUT'] as const;

export function isSourceError(error: unknown): boolean {
  return error instanceof GatewayError && SOURCE_ERROR_KINDS.some((code) => code === error.code);
}

/** BAD_PARAMETER for one parameter, with what was expected of it. */
export function badParameter(parameter: string, message: string, expected: string): GatewayError {
  return new GatewayError('BAD_PARAMETER', message, { parameter, expected });
}

/** LIMIT_EXCEEDED, with what does not exceed it. */
export function limitExceeded(message: string, expected: string): GatewayError {
  return new GatewayError('LIMIT_EXCEEDED', message, { expected });
}
