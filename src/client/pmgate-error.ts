import type { components } from './openapi.generated.js';

/** The body of an error response. */
export type ErrorDetails = components['schemas']['ErrorDetails'];

/** Codes of this client, in addition to those of the gateway's error catalogue. */
export const CLIENT_ERROR_CODES = {
  /** The gateway could not be reached, or the connection broke. */
  NETWORK: 'NETWORK',
  /** No response within `timeoutMs`. */
  TIMEOUT: 'TIMEOUT',
  /** The response does not conform to openapi.yaml: it is a proxy's page, from another server, or truncated. */
  UNEXPECTED_ANSWER: 'UNEXPECTED_ANSWER',
} as const;

/** The members of an error besides its code and message. */
export interface PmgateErrorFacts {
  readonly status?: number;
  readonly details?: ErrorDetails;
  readonly requestId?: string;
  /** Milliseconds after which a retry makes sense. */
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

/** A request that failed: the gateway rejected it, or no valid response came. */
export class PmgateError extends Error {
  override readonly name = 'PmgateError';
  /** A code of the gateway's error catalogue (`UNKNOWN_METRIC`), or one of {@link CLIENT_ERROR_CODES}. */
  readonly code: string;
  /** The HTTP status; 0 if there was no response. */
  readonly status: number;
  /** The gateway's response: `parameter`, `expected`, `position`, `pmErr` …; undefined without one. */
  readonly details: ErrorDetails | undefined;
  /** The request's identifier in the gateway's log. */
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(code: string, message: string, facts: PmgateErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.code = code;
    this.status = facts.status ?? 0;
    this.details = facts.details;
    this.requestId = facts.requestId;
    this.retryAfterMs = facts.retryAfterMs;
  }
}

/** The body of an error response, or undefined for anything else. */
export function errorDetails(value: unknown): ErrorDetails | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { code, message, success } = value as Partial<Record<keyof ErrorDetails, unknown>>;
  const isError = typeof code === 'string' && typeof message === 'string' && success === false;
  return isError ? (value as ErrorDetails) : undefined;
}

/** The error of an error body in the middle of a response. */
export function errorOf(details: ErrorDetails, facts: PmgateErrorFacts = {}): PmgateError {
  const { code, message, requestId, retryAfterSec } = details;
  return new PmgateError(code, message, {
    ...(requestId === undefined ? {} : { requestId }),
    ...(retryAfterSec === undefined ? {} : { retryAfterMs: retryAfterSec * 1000 }),
    ...facts,
    details,
  });
}
