import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

const CLIENT_REQUEST_ID = /^[\w.:-]{1,64}$/;
/** Version 00, trace id, the caller's span id, flags: all in lower case. */
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/;
const ZEROS = /^0+$/;

/** Distinguishes this process's requests from those of others. */
const PROCESS = randomBytes(6).toString('hex');
let requests = 0;

/** The request's identifier in the log: the client's own if it is safe, otherwise a unique one. */
export function requestIdOf(headers: IncomingHttpHeaders): string {
  const asked = headers['x-request-id'];
  if (typeof asked === 'string' && CLIENT_REQUEST_ID.test(asked)) return asked;
  return `${PROCESS}-${(++requests).toString(36)}`;
}

/** The trace that a request is part of. */
export interface Trace {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** The span that sent the request: 16 hexadecimal digits. */
  readonly spanId: string;
}

/**
 * Parses a `traceparent` header of version 00; undefined for anything else. `tracestate` would be for the next service, and there
 * is none: pmcd's protocol has no place for it. @see https://www.w3.org/TR/trace-context/
 */
export function traceOf(headers: IncomingHttpHeaders): Trace | undefined {
  const { traceparent } = headers;
  if (typeof traceparent !== 'string') return undefined;
  const [, traceId, spanId] = TRACEPARENT.exec(traceparent) ?? [];
  if (traceId === undefined || spanId === undefined || ZEROS.test(traceId) || ZEROS.test(spanId)) return undefined;
  return { traceId, spanId };
}
