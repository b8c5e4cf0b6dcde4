import { inTurns } from '../../context/range/index.js';
import type { StreamSink, StreamSubscription } from '../../context/stream/index.js';

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
  /** Bytes, about, that are kept until the last piece is out; they count as those of a large answer then. */
  readonly heldBytes?: number;
  /** Whether the pieces may be gone through more than once, and are the same each time: metadata has an entity tag then. */
  readonly isRepeatable?: boolean;
  readonly headers?: readonly string[];
  /** A field whose value is known once the last piece is written: sent as a trailer, if there is a value then. */
  readonly trailer?: { readonly name: string; readonly value: () => string | undefined };
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

/** What pmproxy's JSON answers end with. */
export const LINE_END = '\r\n';

/** A successful JSON answer; `json` without its line end. */
export function jsonAnswer(json: string, headers?: readonly string[]): Answer {
  return { contentType: 'application/json', body: json + LINE_END, ...(headers ? { headers } : {}) };
}

/** Characters of a text that is written in pieces, about, before the next piece begins: a millisecond's work. */
export const PIECE_LENGTH = 16_384;

/**
 * A successful JSON answer in pieces, which are made in turns of the event loop: for answers so large that others would wait for them.
 * @param heldBytes what is kept in memory until all of it is sent, about
 */
export function largeJsonAnswer(
  pieces: Iterable<string>,
  heldBytes: number,
  more: Pick<StreamedAnswer, 'headers' | 'isRepeatable'> = {},
): StreamedAnswer {
  return { contentType: 'application/json', pieces: piecesInTurns(pieces, LINE_END), heldBytes, ...more };
}

/** Pieces in turns of the event loop, and an end behind them; to be gone through as often as the pieces are. */
export function piecesInTurns(pieces: Iterable<string>, end = ''): AsyncIterable<string> {
  return {
    async *[Symbol.asyncIterator]() {
      yield* inTurns(pieces);
      if (end !== '') yield end;
    },
  };
}

/** Characters of an answer that is written at once, at most, when all of it is there. */
const AT_ONCE_LENGTH = 262_144;

/** JSON around a list whose elements are texts already: whole, or in pieces where it is long. */
export function listAnswer(head: string, elements: readonly string[], end: string): Answer | StreamedAnswer {
  let length = 0;
  for (const element of elements) length += element.length;
  if (length <= AT_ONCE_LENGTH) return jsonAnswer(`${head}${elements.join(',')}${end}`);
  return largeJsonAnswer({ [Symbol.iterator]: () => writeList(head, elements, end) }, length, { isRepeatable: true });
}

function* writeList(head: string, elements: readonly string[], end: string): Generator<string, void> {
  let text = head;
  for (const [i, element] of elements.entries()) {
    text += i === 0 ? element : `,${element}`;
    if (text.length < PIECE_LENGTH) continue;
    yield text;
    text = '';
  }
  yield text + end;
}
