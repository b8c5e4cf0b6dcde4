import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { CODINGS, type Coding } from '../response/representation.js';
import { readQuality } from './media-type.js';
import type { Timers } from '../../kit/index.js';
import { GatewayError, PmError, type Clock } from '../../pmapi/index.js';
import type { CorsPolicy } from '../guards/web-pages.js';
import type { FleetState, HttpObserver } from '../options.js';
import { systemLoopTimers, type LoopTimers, type OverloadGuard } from '../guards/overload/overload-guard.js';

const LOGGED_URL_LENGTH = 1024;
const CLIENT_REQUEST_ID = /^[\w.:-]{1,64}$/;
/** Version 00, trace id, the caller's span id, flags: all in lower case. */
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/;
const ZEROS = /^0+$/;

/** Distinguishes this process's requests from those of others. */
const PROCESS = randomBytes(6).toString('hex');
let requests = 0;

interface Trace {
  readonly traceId: string;
  readonly spanId: string;
}

export interface ExchangeBasis {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly timers: Pick<Timers, 'after'>;
  readonly observer: HttpObserver | undefined;
  readonly cors: CorsPolicy;
  readonly coalescer: WriteCoalescer;
  readonly overload: OverloadGuard;
  /** The value of Strict-Transport-Security; undefined: no such header. */
  readonly strictTransport: string | undefined;
  readonly fleet: FleetState | undefined;
  /** How long the client may stop reading its response, in milliseconds; 0: forever. */
  readonly writeTimeoutMs: number;
}

/** One request on its way through the gateway: created when its route is known, ended by respond(). */
export interface Exchange extends ExchangeBasis {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** The path as in openapi.yaml, or `unmatched`. */
  readonly route: string;
  /** Cacheable metadata: has an entity tag, and is revalidated before use. */
  readonly isMetadata: boolean;
  readonly startMs: number;
  readonly requestId: string;
  readonly trace: Trace | undefined;
  /** The accepted content coding; undefined: the client accepts none, and gets an uncompressed error. */
  readonly coding: CodingChoice | undefined;
  /** The gateway had lost contact with its fleet when the request arrived. */
  readonly wasAlone: boolean;
}

export function beginExchange(
  basis: ExchangeBasis,
  req: IncomingMessage,
  res: ServerResponse,
  route: string,
  isMetadata = false,
): Exchange {
  const { headers } = req;
  // Member by member: V8 copies an object that it spreads by a slow path, into one that is slow to read.
  return {
    clock: basis.clock,
    timers: basis.timers,
    observer: basis.observer,
    cors: basis.cors,
    coalescer: basis.coalescer,
    overload: basis.overload,
    strictTransport: basis.strictTransport,
    fleet: basis.fleet,
    writeTimeoutMs: basis.writeTimeoutMs,
    req,
    res,
    route,
    isMetadata,
    startMs: basis.clock.monotonicMs(),
    requestId: requestIdOf(headers),
    trace: traceOf(headers),
    coding: chooseCoding(headers['accept-encoding']),
    wasAlone: basis.fleet?.isAlone ?? false,
  };
}

/** Reports a finished exchange; `sizeBytes` are those that were sent. */
export function tellAnswered(
  exchange: Exchange,
  status: number,
  sizeBytes: number,
  durationMs = exchange.clock.monotonicMs() - exchange.startMs,
): void {
  const { req, route, requestId, trace, observer } = exchange;
  // Most observers do not need all of it, so it is computed on demand.
  observer?.answered?.({ route, status, durationMs }, () => ({
    method: req.method ?? '',
    route,
    url: loggedUrl(req.url),
    status,
    durationMs,
    sizeBytes,
    remoteAddress: req.socket.remoteAddress,
    requestId,
    traceId: trace?.traceId,
    spanId: trace?.spanId,
  }));
}

/** Reports an internal error to the observer; errors for clients are ignored. */
export function tellDefect({ req, route, requestId, trace, observer }: Exchange, error: unknown): void {
  if (error instanceof GatewayError || error instanceof PmError) return;
  const { traceId, spanId } = trace ?? {};
  observer?.defect?.({ requestId, traceId, spanId, route, url: loggedUrl(req.url), error });
}

/** Path and query for the log, truncated, without hostspec attributes, which may contain passwords. */
export function loggedUrl(url = ''): string {
  return url
    .slice(0, LOGGED_URL_LENGTH)
    .replace(/([?&]host(?:spec|name)=[^&?]*?)(?:\?|%3f|%26)[^&]*/gi, '$1')
    .replace(/([?&]pass(?:word)?=)[^&]*/gi, '$1');
}

/** The request's identifier in the log: the client's own if it is safe, otherwise a unique one. */
export function requestIdOf(headers: IncomingHttpHeaders): string {
  const asked = headers['x-request-id'];
  if (typeof asked === 'string' && CLIENT_REQUEST_ID.test(asked)) return asked;
  return `${PROCESS}-${(++requests).toString(36)}`;
}

/** Parses a `traceparent` of version 00 (`tracestate` has no next service). @see https://www.w3.org/TR/trace-context/ */
function traceOf(headers: IncomingHttpHeaders): Trace | undefined {
  const { traceparent } = headers;
  if (typeof traceparent !== 'string') return undefined;
  const [, traceId, spanId] = TRACEPARENT.exec(traceparent) ?? [];
  if (traceId === undefined || spanId === undefined || ZEROS.test(traceId) || ZEROS.test(spanId)) return undefined;
  return { traceId, spanId };
}

export interface CodingChoice {
  /** The best coding that both sides support; undefined: none. */
  readonly coding: Coding | undefined;
  /** Whether the client rejects uncompressed bodies, however small. */
  readonly isRequired: boolean;
}

export const AS_IT_IS: CodingChoice = { coding: undefined, isRequired: false };

const CHOICES_KEPT = 100;
const choices = new Map<string, CodingChoice | undefined>();

/** Chooses a coding by an `Accept-Encoding` header; undefined if it rejects all, identity included. @see RFC 9110, 12.5.3 */
function chooseCoding(accept: string | undefined): CodingChoice | undefined {
  if (accept === undefined) return AS_IT_IS;
  if (choices.has(accept)) return choices.get(accept);
  const choice = chooseAnew(accept);
  // All clients of a kind send the same header.
  if (choices.size >= CHOICES_KEPT) choices.clear();
  choices.set(accept, choice);
  return choice;
}

function chooseAnew(accept: string): CodingChoice | undefined {
  const qualities = readQualities(accept);
  const any = qualities.get('*');
  let best: Coding | undefined;
  let bestQuality = 0;
  for (const coding of CODINGS) {
    const quality = qualities.get(coding) ?? any ?? 0;
    if (quality > bestQuality) [best, bestQuality] = [coding, quality];
  }
  const asItIs = qualities.get('identity') ?? any;
  const isRequired = asItIs === 0;
  if (best === undefined) return isRequired ? undefined : AS_IT_IS;
  // Clients that do not mention identity accept it, but prefer what they named.
  const prefersAsItIs = qualities.has('identity') && asItIs !== undefined && asItIs > bestQuality;
  return prefersAsItIs ? AS_IT_IS : { coding: best, isRequired };
}

/** Qualities by lower-case name; invalid elements are ignored. */
function readQualities(accept: string): ReadonlyMap<string, number> {
  const qualities = new Map<string, number>();
  for (const element of accept.toLowerCase().split(',')) {
    const match = /^\s*([!#$%&'*+.^_`|~0-9a-z-]+)\s*(?:;\s*q=([\d.]+)\s*)?$/.exec(element);
    if (!match) continue;
    const name = match[1] === 'x-gzip' ? 'gzip' : match[1]!;
    qualities.set(name, readQuality(match[2]));
  }
  return qualities;
}

/** Whether the data of a response waits for earlier ones of its connection. */
export function isWaiting(res: ServerResponse): boolean {
  return res.socket === null;
}

/** How long a response may wait for others, in milliseconds, while they are made one after the other. */
const TOGETHER_MS = 1;

/**
 * Sends the responses that are made in one turn of the event loop together, at its end: each one sent alone wakes its reader,
 * which costs more than all the rest of a small response. A response waits for others for a millisecond, and for the one being
 * made then. With only one in a turn, nothing waits.
 */
export class WriteCoalescer {
  readonly #timers: Pick<LoopTimers, 'afterTurn' | 'turnNumber'>;
  #waiting: (() => void)[] = [];
  #sinceMs = 0;
  #turn: number | undefined;
  #inTurn = 0;
  #inLastTurn = 0;
  #isEndAwaited = false;

  constructor(timers: Pick<LoopTimers, 'afterTurn' | 'turnNumber'> = systemLoopTimers) {
    this.#timers = timers;
  }

  /** Sends a response, in the order of the calls; `send` must not throw. `nowMs` counts from any fixed point. */
  add(send: () => void, nowMs: number): void {
    const turn = this.#timers.turnNumber();
    if (turn !== this.#turn) {
      this.#turn = turn;
      this.#inLastTurn = this.#inTurn;
      this.#inTurn = 0;
    }
    if (this.#inTurn++ === 0 && this.#inLastTurn <= 1) {
      send();
      return;
    }
    if (!this.#isEndAwaited) this.#awaitEnd();
    if (this.#waiting.length === 0) this.#sinceMs = nowMs;
    this.#waiting.push(send);
    if (nowMs - this.#sinceMs >= TOGETHER_MS) this.#sendAll();
  }

  #awaitEnd(): void {
    this.#isEndAwaited = true;
    this.#timers.afterTurn(() => {
      this.#isEndAwaited = false;
      this.#sendAll();
    });
  }

  #sendAll(): void {
    if (this.#waiting.length === 0) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const send of waiting) send();
  }
}
