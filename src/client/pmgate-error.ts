import type { components } from './openapi.generated.js';

/** What the gateway says of an error. */
export type ErrorDetails = components['schemas']['ErrorDetails'];

/** Codes of this client's own, beside those of the gateway's error catalogue. */
export const CLIENT_ERROR_CODES = {
  /** The gateway could not be reached, or the connection broke. */
  NETWORK: 'NETWORK',
  /** No answer within `timeoutMs`. */
  TIMEOUT: 'TIMEOUT',
  /** What answered is not what openapi.yaml says: a proxy's page, another server, an answer cut short. */
  UNEXPECTED_ANSWER: 'UNEXPECTED_ANSWER',
} as const;

/** Facts of an error beside its code and message. */
export interface PmgateErrorFacts {
  readonly status?: number;
  readonly details?: ErrorDetails;
  readonly requestId?: string;
  /** Milliseconds after which trying again makes sense. */
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

/** A request that was not answered as asked: by the gateway's word, or because no (proper) answer came. */
export class PmgateError extends Error {
  override readonly name = 'PmgateError';
  /** A code of the gateway's error catalogue (`UNKNOWN_METRIC`), or one of {@link CLIENT_ERROR_CODES}. */
  readonly code: string;
  /** The status of HTTP; 0 when there was no answer. */
  readonly status: number;
  /** The gateway's answer: `parameter`, `expected`, `position`, `pmErr` …; undefined when it gave none. */
  readonly details: ErrorDetails | undefined;
  /** What the gateway's log knows the request by. */
  readonly requestId: string | undefined;
  /** Milliseconds after which trying again makes sense, when the gateway said so. */
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

/** The body of an error answer, or undefined when the value is none. */
export function errorDetails(value: unknown): ErrorDetails | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { code, message, success } = value as Partial<Record<keyof ErrorDetails, unknown>>;
  const isError = typeof code === 'string' && typeof message === 'string' && success === false;
  return isError ? (value as ErrorDetails) : undefined;
}

/** The error that an error body in the middle of an answer stands for. */
export function errorOf(details: ErrorDetails, facts: PmgateErrorFacts = {}): PmgateError {
  const { code, message, requestId, retryAfterSec } = details;
  return new PmgateError(code, message, {
    ...(requestId === undefined ? {} : { requestId }),
    ...(retryAfterSec === undefined ? {} : { retryAfterMs: retryAfterSec * 1000 }),
    ...facts,
    details,
  });
}
