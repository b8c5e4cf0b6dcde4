import type { StreamSink, StreamSubscription } from '../context/stream/index.js';

/** What an operation answers: the boundary turns it into one writeHead and one end. */
export interface Answer {
  /** HTTP status; 200 when absent. */
  readonly status?: number;
  readonly contentType: string;
  /** Bytes stay the same for as long as there are any: what is made of them is kept with them. */
  readonly body: string | Uint8Array;
  /** When absent `no-cache` for metadata, which has an entity tag, and `no-store` for all else: nearly all of it are samples. */
  readonly cacheControl?: string;
  /** Further header fields, as a flat list of names and values. */
  readonly headers?: readonly string[];
}

/** An answer that is written as it is made, however long it is. */
export interface StreamedAnswer {
  readonly contentType: string;
  /**
   * The body in pieces of any size, asked for one by one as the client takes them. What the first of them throws is answered as
   * an error; when the client leaves the iterator is closed.
   */
  readonly pieces: AsyncIterable<string>;
  /**
   * What to end with when something fails after the first piece; undefined: the connection is broken off, so that nobody takes the
   * half for the whole.
   */
  readonly lastWords?: (error: unknown) => string;
  readonly headers?: readonly string[];
}

/** An answer that others push into for as long as the client stays: one text may go to a thousand of them. */
export interface SubscribedAnswer {
  readonly contentType: string;
  /**
   * Begin to push; what is thrown is answered as an error, as long as nothing was written. Whoever pushes bounds what a client does
   * not take.
   */
  subscribe(sink: StreamSink): StreamSubscription;
  readonly headers?: readonly string[];
}

/** Every kind of answer. */
export type AnyAnswer = Answer | StreamedAnswer | SubscribedAnswer;

/** Whether an answer is written as it is made. */
export function isStreamed(answer: AnyAnswer): answer is StreamedAnswer {
  return 'pieces' in answer;
}

/** Whether an answer is pushed to the client. */
export function isSubscribed(answer: AnyAnswer): answer is SubscribedAnswer {
  return 'subscribe' in answer;
}

/** A successful JSON answer; `json` without the line end that pmproxy's answers have. */
export function jsonAnswer(json: string, headers?: readonly string[]): Answer {
  return { contentType: 'application/json', body: `${json}\r\n`, ...(headers ? { headers } : {}) };
}
