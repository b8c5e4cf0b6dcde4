import { inTurns } from '../../kit/index.js';
import type { Answer, AnyAnswer, StreamedAnswer, SubscribedAnswer } from '../contracts.js';

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
