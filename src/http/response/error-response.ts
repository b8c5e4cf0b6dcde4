import { ERROR_CATALOGUE, GatewayError, PM_ERR, PmError } from '../../pmapi/index.js';
import type { ErrorCode, ErrorDetails } from '../../pmapi/index.js';
import type { Answer } from '../contracts.js';
import { AS_IT_IS, tellDefect, type Exchange } from '../request/exchange.js';
import type { RepeatedFacts } from '../request/request-context.js';
import { errorCodeOfPmErr } from './answer.js';
import { respond } from './respond.js';

export interface ErrorView {
  readonly code: ErrorCode;
  readonly status: number;
  readonly message: string;
  readonly details: ErrorDetails;
}

/** Error codes of a source that is temporarily unable to respond: retrying makes sense. */
const PASSING: ReadonlySet<number> = new Set([PM_ERR.AGAIN, PM_ERR.PMDANOTREADY]);
const PASSING_RETRY_SEC = 1;

/** The client's view of an error: for an internal error, only that it is one. */
export function viewError(error: unknown): ErrorView {
  // Clients are not told why a host cannot be reached.
  const isUnreachable = error instanceof GatewayError && error.code === 'SOURCE_UNREACHABLE';
  if (!isUnreachable && isOutOfDescriptors(error)) return OUT_OF_DESCRIPTORS;
  if (error instanceof GatewayError) {
    return { code: error.code, status: error.httpStatus, message: error.message, details: error.details };
  }
  if (error instanceof PmError) {
    const { pmErr, message } = error;
    const code = errorCodeOfPmErr(pmErr);
    const details = PASSING.has(pmErr) ? { pmErr, retryAfterSec: PASSING_RETRY_SEC } : { pmErr };
    return { code, status: ERROR_CATALOGUE[code].status, message, details };
  }
  // The router throws it for a path parameter with invalid percent-encoding.
  if (error instanceof URIError) {
    return { code: 'BAD_REQUEST', status: 400, message: 'invalid percent-encoding in the path', details: {} };
  }
  return { code: 'INTERNAL', status: 500, message: 'internal error', details: {} };
}

/** EMFILE of the process, ENFILE of the machine. */
const DESCRIPTOR_ERRORS: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE']);
const MAX_CAUSES = 8;

const OUT_OF_DESCRIPTORS: ErrorView = {
  code: 'OVERLOADED',
  status: ERROR_CATALOGUE.OVERLOADED.status,
  message:
    'the gateway is out of file descriptors: raise its limit (LimitNOFILE in its unit, ulimit -n), or lower limits.connections',
  details: { retryAfterSec: 1 },
};

/** Whether an error, or one of its causes, is a lack of file descriptors. */
function isOutOfDescriptors(error: unknown): boolean {
  let each = error;
  // Errors of the system may come from another realm: they are not always instances of our Error.
  for (let i = 0; i < MAX_CAUSES && typeof each === 'object' && each !== null; i++) {
    const { code, cause } = each as { readonly code?: unknown; readonly cause?: unknown };
    if (DESCRIPTOR_ERRORS.has(code)) return true;
    each = cause;
  }
  return false;
}

/** The body of an error: pmproxy's three members, and `client` as in other responses; then the gateway's own. */
export function errorBody(view: ErrorView, repeated: RepeatedFacts = {}, requestId?: string): string {
  const { context = repeated.context, ...details } = view.details;
  const { message, code } = view;
  const { client } = repeated;
  return `${JSON.stringify({ context, client, message, success: false, code, ...details, requestId })}\r\n`;
}

/** Header fields that an error's status requires. */
function errorHeaders(view: ErrorView): string[] {
  const headers: string[] = [];
  if (view.status === 401) headers.push('WWW-Authenticate', 'Basic realm="pmgate", charset="UTF-8"');
  const { retryAfterSec } = view.details;
  if (retryAfterSec !== undefined) headers.push('Retry-After', String(Math.max(1, Math.ceil(retryAfterSec))));
  return headers;
}

/** An error as a response. Only bodies of internal errors have the request's id: others must be identical. */
export function errorAnswer(
  error: unknown,
  requestId: string,
  repeated?: RepeatedFacts,
  headers: readonly string[] = [],
): Answer {
  const view = viewError(error);
  return {
    status: view.status,
    contentType: 'application/json',
    body: errorBody(view, repeated, view.code === 'INTERNAL' ? requestId : undefined),
    headers: [...errorHeaders(view), ...headers],
  };
}

/** Statuses after which a browser may retry a stream later. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([429, 503, 507]);
/** The minimum delay before a browser reconnects; the maximum is twice as long, so that not all reconnect at once. */
const BROWSER_RETRY_SEC = 5;

/** Whether a request comes from a browser's EventSource: other clients of streams understand errors. */
function isEventSource({ req, route }: Exchange): boolean {
  const { accept, 'sec-fetch-mode': fetchMode } = req.headers;
  return route.endsWith('/stream') && accept === 'text/event-stream' && fetchMode !== undefined;
}

/** An error as an event stream with a retry time: an EventSource never reconnects after another status than 200. */
function eventStreamOf({ body }: Answer, { details }: ErrorView): Answer {
  const retryMs = Math.round(Math.max(details.retryAfterSec ?? 0, BROWSER_RETRY_SEC) * 1000 * (1 + Math.random()));
  return {
    status: 200,
    contentType: 'text/event-stream',
    body: `retry: ${retryMs}\nevent: failure\ndata: ${String(body).trimEnd()}\n\n`,
    headers: [],
  };
}

/** Responds to a request with an error: the one place where errors become HTTP. */
export function respondError(
  exchange: Exchange,
  error: unknown,
  repeated?: RepeatedFacts,
  headers: readonly string[] = [],
): void | Promise<void> {
  const view = viewError(error);
  if (view.code === 'INTERNAL') tellDefect(exchange, error);
  const plain = errorAnswer(error, exchange.requestId, repeated, headers);
  const answer = PASSING_STATUSES.has(view.status) && isEventSource(exchange) ? eventStreamOf(plain, view) : plain;
  // For a client that accepts no body at all, an error that it can read is best.
  return respond(exchange.coding ? exchange : { ...exchange, coding: AS_IT_IS }, answer);
}
