import { ERROR_CATALOGUE, GatewayError, PmError } from '../pmapi/index.js';
import type { ErrorCode, ErrorDetails } from '../pmapi/index.js';
import type { Answer } from './answer.js';
import { AS_IT_IS } from './content-coding.js';
import { tellDefect } from './exchange.js';
import type { Exchange } from './exchange.js';
import { errorCodeOfPmErr } from './pm-error-code.js';
import { respond } from './respond.js';

/** An error as a client sees it. */
export interface ErrorView {
  readonly code: ErrorCode;
  readonly status: number;
  readonly message: string;
  readonly details: ErrorDetails;
}

/** What a client gets to see of an error: a defect of the gateway says no more than that it is one. */
export function viewError(error: unknown): ErrorView {
  if (error instanceof GatewayError) {
    return { code: error.code, status: error.httpStatus, message: error.message, details: error.details };
  }
  if (error instanceof PmError) {
    const code = errorCodeOfPmErr(error.pmErr);
    return { code, status: ERROR_CATALOGUE[code].status, message: error.message, details: { pmErr: error.pmErr } };
  }
  // The router throws it for a path parameter that is not percent-encoded properly.
  if (error instanceof URIError) {
    return { code: 'BAD_REQUEST', status: 400, message: 'the path is not percent-encoded properly', details: {} };
  }
  return { code: 'INTERNAL', status: 500, message: 'internal error', details: {} };
}

/** The body of an error: pmproxy's three members, then the gateway's own. */
export function errorBody(view: ErrorView, contextId?: number, requestId?: string): string {
  const { context = contextId, ...details } = view.details;
  const { message, code } = view;
  return `${JSON.stringify({ context, message, success: false, code, ...details, requestId })}\r\n`;
}

/** Header fields that an error's status calls for. */
function errorHeaders(view: ErrorView): string[] {
  const headers: string[] = [];
  if (view.status === 401) headers.push('WWW-Authenticate', 'Basic realm="pmgate", charset="UTF-8"');
  const { retryAfterSec } = view.details;
  if (retryAfterSec !== undefined) headers.push('Retry-After', String(Math.max(1, Math.ceil(retryAfterSec))));
  return headers;
}

/**
 * An error as an answer. The body tells what the log knows the request by only where the gateway is at fault: others must not be told
 * apart by it, and the header tells it anyway.
 */
export function errorAnswer(
  error: unknown,
  requestId: string,
  context?: number,
  headers: readonly string[] = [],
): Answer {
  const view = viewError(error);
  return {
    status: view.status,
    contentType: 'application/json',
    body: errorBody(view, context, view.code === 'INTERNAL' ? requestId : undefined),
    headers: [...errorHeaders(view), ...headers],
  };
}

/** Answer a request with an error: the one place where errors become HTTP. */
export function respondError(
  exchange: Exchange,
  error: unknown,
  context?: number,
  headers: readonly string[] = [],
): void | Promise<void> {
  if (viewError(error).code === 'INTERNAL') tellDefect(exchange, error);
  const answer = errorAnswer(error, exchange.requestId, context, headers);
  // To a client that takes no body at all, an error that it can read is the best there is.
  return respond(exchange.coding ? exchange : { ...exchange, coding: AS_IT_IS }, answer);
}
