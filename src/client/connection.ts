import { callOptions, prepareCall, type Call } from './call.js';
import { ownHeaders, pause, withDefaults, type ClientSettings, type PmgateClientOptions } from './client-options.js';
import { expectAnswer, type AnswerSchema } from './expect-answer.js';
import type { Schemas } from './answers.js';
import { errorDetails, errorOf, PmgateError } from './pmgate-error.js';

/** An answer whose body is read piece by piece. */
export interface OpenAnswer {
  readonly headers: Headers;
  /** The body as bytes. Ends the request when its reader stops early. */
  readonly bytes: AsyncGenerator<Uint8Array, void>;
  /** The same as text, in place of `bytes`. */
  readonly text: AsyncGenerator<string, void>;
  /** Ends the request: the text ends with the reason as its error. */
  abort(reason: Error): void;
}

/** Sends calls to one gateway, and turns all that goes wrong into {@link PmgateError}. */
export class Connection {
  readonly baseUrl: string;
  readonly settings: ClientSettings;

  constructor(baseUrl: string, options: PmgateClientOptions = {}) {
    this.baseUrl = baseUrl.replace(/\/+$/, '');
    this.settings = withDefaults(options);
  }

  /** The answer as a schema. `options` have the call's signal and time limit; all else of them are parameters. */
  async ask<S extends AnswerSchema>(
    schema: S,
    method: Call['method'],
    path: string,
    options: object = {},
    isRead = method === 'GET',
  ): Promise<Schemas[S]> {
    return expectAnswer(await this.json({ method, path, isRead, ...callOptions(options) }), schema);
  }

  json(call: Call): Promise<unknown> {
    return this.#retried(call, async () => {
      const exchange = new Exchange(call, this.settings);
      try {
        const response = await this.#answered(call, exchange);
        return parseJson(await exchange.orItsEnd(response.text()), call, response);
      } catch (error) {
        throw exchange.explain(error);
      } finally {
        exchange.end();
      }
    });
  }

  /** The answer as soon as it begins. */
  open(call: Call): Promise<OpenAnswer> {
    return this.#retried(call, async () => {
      const exchange = new Exchange(call, this.settings);
      try {
        const response = await this.#answered(call, exchange);
        exchange.hasBegun();
        const bytes = bytesOf(response, exchange);
        return {
          headers: response.headers,
          bytes,
          text: textOf(bytes),
          abort: (reason) => exchange.abort(reason),
        };
      } catch (error) {
        exchange.end();
        throw exchange.explain(error);
      }
    });
  }

  async #answered(call: Call, exchange: Exchange): Promise<Response> {
    const { url, method, headers, body } = prepareCall(this.baseUrl, call);
    const response = await this.settings.fetch(url, {
      method,
      headers: { ...(await ownHeaders(this.settings)), ...headers },
      signal: exchange.signal,
      ...(body === undefined ? {} : { body }),
    });
    if (response.ok) return response;
    throw await exchange.orItsEnd(failureOf(response, call));
  }

  async #retried<T>(call: Call, run: () => Promise<T>): Promise<T> {
    const { retries, maxRetryWaitMs, timers } = this.settings;
    for (let attempt = 0; ; attempt++) {
      try {
        return await run();
      } catch (error) {
        if (call.isRead !== true || attempt >= retries) throw error;
        if (!(error instanceof PmgateError) || error.status !== 503 || error.retryAfterMs === undefined) throw error;
        if (error.retryAfterMs > maxRetryWaitMs) throw error;
        await pause(timers, error.retryAfterMs, call.signal);
      }
    }
  }
}

/** One request on its way: what may end it early, and why it was. */
class Exchange {
  readonly #controller = new AbortController();
  readonly #callerSignal: AbortSignal | undefined;
  readonly #cancelTimer: () => void;
  #reason: Error | undefined;
  #giveUpWaiting: ((reason: Error) => void) | undefined;

  constructor(call: Call, { timers, timeoutMs }: ClientSettings) {
    const limitMs = call.timeoutMs ?? (typeof timeoutMs === 'function' ? timeoutMs(call) : timeoutMs);
    const late = (): void => {
      this.abort(new PmgateError('TIMEOUT', `${call.method} ${call.path}: no response within ${limitMs} ms`));
    };
    this.#cancelTimer = limitMs > 0 ? timers.after(limitMs, late) : () => undefined;
    this.#callerSignal = call.signal;
    if (call.signal?.aborted === true) this.#callerGaveUp();
    else call.signal?.addEventListener('abort', this.#callerGaveUp);
  }

  readonly #callerGaveUp = (): void => this.abort(this.#callerSignal?.reason as Error);

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  abort(reason: Error): void {
    this.#reason ??= reason;
    this.#controller.abort(reason);
    this.#giveUpWaiting?.(this.#reason);
  }

  /**
   * The result of one read of the body; rejects if the request is ended meanwhile. Node rejects the read as well, except when all
   * of the body has arrived: such a read would wait forever.
   */
  orItsEnd<T>(read: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#giveUpWaiting = reject;
      if (this.#reason !== undefined) reject(this.#reason);
      read.then(resolve, reject);
    });
  }

  /** The answer has begun: from now on it takes the time that it takes. */
  hasBegun(): void {
    this.#cancelTimer();
  }

  end(): void {
    this.#cancelTimer();
    this.#callerSignal?.removeEventListener('abort', this.#callerGaveUp);
  }

  /** What to throw for an error: why the request was ended, if it was, whatever the platform made of that. */
  explain(error: unknown): unknown {
    if (this.#reason !== undefined) return this.#reason;
    if (error instanceof PmgateError) return error;
    const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : '';
    const message = error instanceof Error ? error.message : String(error);
    return new PmgateError('NETWORK', `no response from the gateway: ${message}${cause}`, { cause: error });
  }
}

async function* textOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  for await (const piece of bytes) {
    const text = decoder.decode(piece, { stream: true });
    if (text !== '') yield text;
  }
  const rest = decoder.decode();
  if (rest !== '') yield rest;
}

async function* bytesOf(response: Response, exchange: Exchange): AsyncGenerator<Uint8Array, void> {
  // A reader, not `for await`: not every browser's streams can be iterated.
  const reader = response.body?.getReader() as ReadableStreamDefaultReader<Uint8Array> | undefined;
  try {
    while (reader) {
      const { done, value } = await exchange.orItsEnd(reader.read());
      if (done) return;
      yield value;
    }
  } catch (error) {
    throw exchange.explain(error);
  } finally {
    exchange.end();
    // Ends the request if the body is incomplete; a body that failed is over already, and no one waits for it.
    reader?.cancel().catch(() => undefined);
  }
}

/** The error that an answer other than 2xx stands for. */
async function failureOf(response: Response, call: Call): Promise<PmgateError> {
  const { status, headers } = response;
  const text = await response.text();
  const requestId = headers.get('x-request-id') ?? undefined;
  const retryAfter = headers.get('retry-after');
  const retryAfterSec = retryAfter === null || retryAfter.trim() === '' ? Number.NaN : Number(retryAfter);
  const facts = {
    status,
    ...(requestId === undefined ? {} : { requestId }),
    ...(retryAfterSec >= 0 ? { retryAfterMs: retryAfterSec * 1000 } : {}),
  };
  const details = errorDetails(jsonOrUndefined(text));
  if (details) return errorOf(details, facts);
  const message = `${call.method} ${call.path}: the ${status} response is not from pmgate`;
  return new PmgateError('UNEXPECTED_ANSWER', message, facts);
}

function parseJson(text: string, call: Call, { status }: Response): unknown {
  const value = jsonOrUndefined(text);
  if (value !== undefined) return value;
  throw new PmgateError('UNEXPECTED_ANSWER', `${call.method} ${call.path}: the response is not JSON`, { status });
}

/** A text as JSON; undefined if it is invalid. */
export function jsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
