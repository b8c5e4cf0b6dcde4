import { inTurns } from '../../kit/index.js';
import type { Answer, AnyAnswer, StreamedAnswer, SubscribedAnswer } from '../contracts.js';

/** Whether a response is written as it is made. */
export function isStreamed(answer: AnyAnswer): answer is StreamedAnswer {
  return 'pieces' in answer;
}

/** Whether a response is pushed to the client. */
export function isSubscribed(answer: AnyAnswer): answer is SubscribedAnswer {
  return 'subscribe' in answer;
}

/** The end of pmproxy's JSON responses. */
export const LINE_END = '\r\n';

/** A successful JSON response; `json` without its line end. */
export function jsonAnswer(json: string, headers?: readonly string[]): Answer {
  return { contentType: 'application/json', body: json + LINE_END, ...(headers ? { headers } : {}) };
}

/** The response to a change that has nothing else to report; `members` follow. */
export function doneAnswer(contextId: number, client: string | undefined, members = ''): Answer {
  return jsonAnswer(`${contextHead(contextId, client)},"success":true${members}}`);
}

/** The members at the start of nearly every response: the context, and `client` if the request had one. No closing brace. */
export function contextHead(contextId: number, client: string | undefined): string {
  return client === undefined
    ? `{"context":${contextId}`
    : `{"context":${contextId},"client":${JSON.stringify(client)}`;
}

/** The approximate length of the pieces of a long text: a millisecond's work. */
export const PIECE_LENGTH = 16_384;

/**
 * A successful JSON response in pieces, which are made in turns of the event loop: for responses so large that they would delay
 * others.
 * @param heldBytes the approximate memory that is kept until all of it is sent
 */
export function largeJsonAnswer(
  pieces: Iterable<string>,
  heldBytes: number,
  more: Pick<StreamedAnswer, 'headers' | 'isRepeatable'> = {},
): StreamedAnswer {
  return { contentType: 'application/json', pieces: piecesInTurns(pieces, LINE_END), heldBytes, ...more };
}

/** Pieces in turns of the event loop, followed by an end; they can be iterated as often as the pieces can. */
export function piecesInTurns(pieces: Iterable<string>, end = ''): AsyncIterable<string> {
  return {
    async *[Symbol.asyncIterator]() {
      yield* inTurns(pieces);
      if (end !== '') yield end;
    },
  };
}

/** Maximum length of a response that is written at once. */
const AT_ONCE_LENGTH = 262_144;

/** JSON around a list of serialised elements: as a whole, or in pieces if it is long. */
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

/** Pieces of a text, and a function that is called after the last of them, even if they are not all read. */
export function* untilReleased(pieces: Iterable<string>, release: () => void): Generator<string, void> {
  try {
    yield* pieces;
  } finally {
    release();
  }
}
