import { GatewayError } from '../../pmapi/index.js';
import { LinkViolation } from './frames.js';

const RETRY_AFTER_SEC = 1;

/**
 * Adds a listener that is called once the answer is complete or the client has left, whichever comes first; at once if that is over. An
 * AbortSignal would cost more than everything else about a small call.
 */
export type OnClose = (listener: () => void) => void;

/** A call that another member answers: what a request says, without its socket. */
export interface HandedCall {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Who sends it, as the member found that took it on: JSON. */
  readonly principal?: unknown;
  readonly client: string;
  readonly requestId: string;
}

export interface LinkAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Pieces arrive as they are taken; leaving the iteration cancels the call. */
  readonly body: AsyncIterable<Uint8Array> | Uint8Array;
  /** What is known only after the last piece. */
  readonly trailer?: () => string | undefined;
}

/** Answers a call that another member handed over. Once it has resolved, only the body may fail. */
export type AnswerCall = (call: HandedCall, onClose: OnClose) => Promise<LinkAnswer>;

/** A member did not answer. Clients are not told which one, nor why. */
export class LinkError extends GatewayError {
  override name = 'LinkError';
  readonly reason: string;
  /** Whether the member may have got the call, and may have done what it says. */
  readonly isSent: boolean;

  constructor(reason: string, isSent: boolean, options?: ErrorOptions) {
    const message = 'the gateway of the fleet that has to answer this did not answer';
    super('UNAVAILABLE', message, { retryAfterSec: RETRY_AFTER_SEC }, options);
    this.reason = reason;
    this.isSent = isSent;
  }
}

/** Throws LinkViolation for JSON that is no head of a call. */
export function readCall(json: unknown, body: Uint8Array | undefined): HandedCall {
  const { method, url, headers, principal, client, requestId } = recordOf(json);
  const texts = [method, url, client, requestId];
  if (!texts.every((text) => typeof text === 'string')) throw new LinkViolation('a call without its parts');
  const head = { method, url, headers: readHeaders(headers), principal, client, requestId } as HandedCall;
  return body ? { ...head, body } : head;
}

/** Throws LinkViolation for JSON that is no head of an answer. */
export function readAnswer(json: unknown): Pick<LinkAnswer, 'status' | 'headers'> {
  const { status, headers } = recordOf(json);
  const isStatus = Number.isInteger(status) && (status as number) >= 100 && (status as number) <= 599;
  if (!isStatus) throw new LinkViolation('an answer without a status');
  return { status: status as number, headers: readHeaders(headers) };
}

function readHeaders(value: unknown): Readonly<Record<string, string>> {
  const headers = recordOf(value);
  for (const name in headers)
    if (typeof headers[name] !== 'string') throw new LinkViolation('a header that is no text');
  return headers as Readonly<Record<string, string>>;
}

/** Throws LinkViolation for anything but an object. */
export function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new LinkViolation('JSON that is no object');
}
