import type { ConnectionOptions } from 'node:tls';
import { systemTimers, unlessAborted, type Timers } from '../../kit/index.js';
import { GatewayError, PM_ERR, PmError } from '../../pmapi/index.js';
import {
  ConnectionLostError,
  notAuthenticated,
  protocolBroken,
  timedOut,
  tooBusy,
  unreachable,
} from './connection-errors.js';
import { dial, resolveHost, type ResolveHost } from './dial.js';
import { shakeHands, type Identity } from './handshake.js';
import { formatHostspec, type Hostspec } from './hostspec.js';
import { Feature, formatPduType, maxReplyBytes, PduType } from './pdu-types.js';
import { PduStream } from './pdu-stream.js';
import { decodeError, pduTypeOf, type Steps } from './replies.js';

export interface ConnectionOptionsOfPmcd {
  /** From the name look-up to the end of the handshake. */
  readonly connectTimeoutMs: number;
  /** From when a request is the oldest unanswered one to the end of its reply. */
  readonly replyTimeoutMs: number;
  /** Maximum number of unanswered requests; more wait their turn. */
  readonly maxInFlight: number;
  /** Maximum number of waiting requests; more are rejected (UNAVAILABLE). */
  readonly maxWaiting: number;
  readonly resolve: ResolveHost;
  readonly timers: Timers;
  /** Waits for the next turn of the event loop: between the steps of long replies. */
  readonly rest: () => Promise<void>;
  readonly tls: ConnectionOptions | undefined;
  readonly makeNonce: (() => string) | undefined;
}

/** PCP's own timeouts (5 s and 10 s), and limits that keep one pmcd from being flooded. */
export const CONNECTION_DEFAULTS: ConnectionOptionsOfPmcd = {
  connectTimeoutMs: 5_000,
  replyTimeoutMs: 10_000,
  maxInFlight: 32,
  maxWaiting: 10_000,
  resolve: resolveHost,
  timers: systemTimers,
  rest: () => new Promise((resolve) => setImmediate(resolve)),
  tls: undefined,
  makeNonce: undefined,
};

/** The kind of a reply: `reply` a PDU for `decode`, `ack` an ERROR PDU with code 0. */
type Answer = 'reply' | 'ack';

interface Request {
  readonly bytes: Uint8Array;
  readonly answer: Answer;
  readonly take: (frame: Buffer) => void;
  readonly reject: (error: Error) => void;
}

/** One connection, after the handshake. Every promise settles: with the reply, pmcd's PmError, or the GatewayError that ended it. */
export class PmcdConnection {
  readonly features: number;
  readonly #target: string;
  readonly #stream: PduStream;
  readonly #options: ConnectionOptionsOfPmcd;
  readonly #onStateChange: (bits: number) => void;
  /** Sent and unanswered, oldest first. */
  readonly #inFlight: Request[] = [];
  readonly #waiting: Request[] = [];
  readonly #idle: (() => void)[] = [];
  readonly #onClosed: ((reason: Error, unanswered: number) => void)[] = [];
  #oldestSinceMs = 0;
  /** One for all requests, even without any: a timer for each costs more than reading the clock. */
  #stopTimer: (() => void) | undefined;
  #ended: Error | undefined;
  #closing = false;
  #replies = 0;

  private constructor(
    target: string,
    stream: PduStream,
    features: number,
    options: ConnectionOptionsOfPmcd,
    onStateChange: (bits: number) => void,
  ) {
    this.#target = target;
    this.#stream = stream;
    this.#options = options;
    this.#onStateChange = onStateChange;
    this.features = features;
    stream.deliverTo(
      (frame) => this.#take(frame),
      (error) => this.#lose(error),
    );
  }

  /**
   * Connects and performs the handshake. Rejects with a GatewayError: SOURCE_UNREACHABLE, SOURCE_TIMEOUT,
   * AUTHENTICATION_REQUIRED, or SOURCE_FAILED if the peer is not a pmcd.
   * @param onStateChange is called with the bits of each state-change notice
   * @param signal cancels connecting
   */
  static async connect(
    spec: Hostspec,
    identity: Identity | undefined,
    options: ConnectionOptionsOfPmcd,
    onStateChange: (bits: number) => void,
    signal?: AbortSignal,
  ): Promise<PmcdConnection> {
    const target = formatHostspec(spec);
    const late = new AbortController();
    const limit = options.connectTimeoutMs;
    const stopTimer = options.timers.after(limit, () => late.abort(timedOut(target, 'to connect', limit)));
    const abort = AbortSignal.any(signal ? [signal, late.signal] : [late.signal]);
    try {
      return await unlessAborted(abort, PmcdConnection.#open(target, spec, identity, options, onStateChange, abort));
    } catch (error) {
      throw connectError(target, error as Error);
    } finally {
      stopTimer();
    }
  }

  static async #open(
    target: string,
    spec: Hostspec,
    identity: Identity | undefined,
    options: ConnectionOptionsOfPmcd,
    onStateChange: (bits: number) => void,
    signal: AbortSignal,
  ): Promise<PmcdConnection> {
    const { socket, serverName } = await dial(spec, { signal, resolve: options.resolve, timers: options.timers });
    const stream = new PduStream(socket, maxReplyBytes);
    const giveUp = (): void => stream.destroy(signal.reason as Error);
    signal.addEventListener('abort', giveUp, { once: true });
    try {
      signal.throwIfAborted();
      const { tls, makeNonce } = options;
      const features = await shakeHands(stream, spec, { identity, serverName, tls, makeNonce });
      signal.throwIfAborted();
      return new PmcdConnection(target, stream, features, options, onStateChange);
    } catch (error) {
      stream.destroy(error as Error);
      throw error;
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  }

  get pending(): number {
    return this.#inFlight.length + this.#waiting.length;
  }

  get replies(): number {
    return this.#replies;
  }

  get isOpen(): boolean {
    return this.#ended === undefined && !this.#closing;
  }

  has(feature: keyof typeof Feature): boolean {
    return (this.features & Feature[feature]) !== 0;
  }

  /** Calls `callback` once at the end (at once if it has ended), with the number of unanswered requests. */
  onClosed(callback: (reason: Error, unanswered: number) => void): void {
    if (this.#ended) callback(this.#ended, 0);
    else this.#onClosed.push(callback);
  }

  /** Sends PDUs of which the last is answered by one PDU (or ERROR). A decoder that throws ends the connection: no reply could be trusted. */
  request<T>(bytes: Uint8Array, decode: (frame: Buffer) => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#submit({ bytes, answer: 'reply', take: (frame) => resolve(decode(frame)), reject });
    });
  }

  /** As {@link request} for a long reply: its first step at once, the others in turns of the event loop, in which nothing more is read. */
  requestList<T>(bytes: Uint8Array, decode: (frame: Buffer) => Steps<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const take = (frame: Buffer): void => {
        const steps = decode(frame);
        const first = steps.next();
        if (first.done) resolve(first.value);
        else this.#finish(steps).then(resolve, reject);
      };
      this.#submit({ bytes, answer: 'reply', take, reject });
    });
  }

  /** Sends a request that is answered by ERROR alone: code 0 resolves. */
  command(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#submit({ bytes, answer: 'ack', take: () => resolve(), reject });
    });
  }

  /** Accepts no more requests, waits until the last one is answered, then closes. */
  async close(): Promise<void> {
    this.#closing = true;
    if (this.#ended) return;
    if (this.pending > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
    this.destroy(new ConnectionLostError(this.#target));
  }

  destroy(reason: Error): void {
    if (this.#ended) return;
    this.#ended = reason;
    this.#stopTimer?.();
    this.#stream.destroy(reason);
    const unanswered = [...this.#inFlight.splice(0), ...this.#waiting.splice(0)];
    for (const request of unanswered) request.reject(reason);
    for (const resolve of this.#idle.splice(0)) resolve();
    for (const callback of this.#onClosed.splice(0)) callback(reason, unanswered.length);
  }

  #submit(request: Request): void {
    if (this.#ended) request.reject(this.#ended);
    else if (this.#closing) request.reject(new ConnectionLostError(this.#target));
    else if (this.#inFlight.length < this.#options.maxInFlight) this.#send(request);
    else if (this.#waiting.length < this.#options.maxWaiting) this.#waiting.push(request);
    else {
      request.reject(tooBusy(this.#target, this.pending));
    }
  }

  #send(request: Request): void {
    this.#inFlight.push(request);
    if (this.#inFlight.length === 1) this.#watchOldest();
    this.#stream.write(request.bytes);
  }

  #take(frame: Buffer): void {
    const request = this.#inFlight[0];
    if (!request) {
      // All requests were answered: the next one is on a new connection, where replies match requests again.
      const surplus = new PmError(PM_ERR.IPC, `an unsolicited PDU: ${formatPduType(pduTypeOf(frame))}`);
      this.destroy(new ConnectionLostError(this.#target, surplus));
      return;
    }
    try {
      let failure: PmError | undefined;
      if (pduTypeOf(frame) === PduType.ERROR) {
        const { code } = decodeError(frame);
        if (code > 0) {
          // Precedes the result that it belongs to.
          this.#onStateChange(code);
          return;
        }
        if (code === 0 && request.answer === 'reply') throw new PmError(PM_ERR.IPC, 'ERROR 0 in place of a reply');
        if (code < 0) failure = new PmError(code);
      } else if (request.answer === 'ack') {
        throw new PmError(PM_ERR.IPC, `${formatPduType(pduTypeOf(frame))} in place of an acknowledgement`);
      }
      if (failure) request.reject(failure);
      else request.take(frame);
      this.#advance();
    } catch (error) {
      this.destroy(protocolBroken(this.#target, error as Error));
    }
  }

  async #finish<T>(steps: Steps<T>): Promise<T> {
    this.#stream.pause();
    try {
      for (;;) {
        await this.#options.rest();
        const step = steps.next();
        if (step.done) return step.value;
      }
    } catch (error) {
      const broken = protocolBroken(this.#target, error as Error);
      this.destroy(broken);
      throw broken;
    } finally {
      this.#stream.resume();
    }
  }

  #advance(): void {
    this.#replies++;
    this.#inFlight.shift();
    const next = this.#waiting.shift();
    if (next) this.#send(next);
    if (this.#inFlight.length > 0) this.#watchOldest();
    else if (this.#idle.length > 0) for (const resolve of this.#idle.splice(0)) resolve();
  }

  #watchOldest(): void {
    this.#oldestSinceMs = this.#options.timers.nowMs();
    if (!this.#stopTimer) this.#startTimer(this.#options.replyTimeoutMs);
  }

  #startTimer(delayMs: number): void {
    this.#stopTimer = this.#options.timers.after(delayMs, () => {
      this.#stopTimer = undefined;
      if (this.#inFlight.length === 0) return;
      const limit = this.#options.replyTimeoutMs;
      const leftMs = this.#oldestSinceMs + limit - this.#options.timers.nowMs();
      if (leftMs > 0) this.#startTimer(leftMs);
      else this.destroy(timedOut(this.#target, 'for a reply', limit));
    });
  }

  #lose(error: Error): void {
    const malformed = error instanceof PmError && error.pmErr === PM_ERR.IPC;
    this.destroy(malformed ? protocolBroken(this.#target, error) : new ConnectionLostError(this.#target, error));
  }
}

const REFUSALS: readonly number[] = [PM_ERR.PERMISSION, PM_ERR.NEEDCLIENTCERT];

function connectError(target: string, error: Error): Error {
  if (error instanceof GatewayError) return error;
  if (error instanceof PmError && REFUSALS.includes(error.pmErr)) return notAuthenticated(target, error.pmErr);
  if (error instanceof PmError && error.pmErr === PM_ERR.IPC) return protocolBroken(target, error);
  return unreachable(target, error);
}
