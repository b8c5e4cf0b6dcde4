import { PmgateError } from './pmgate-error.js';

/** The gateway never sends longer lines. */
const MAX_LINE_LENGTH = 2 ** 28;

/** Pieces of text as lines, without their ends (LF or CRLF). `rest` says what to do with a last line that has no end. */
export async function* linesOf(
  pieces: AsyncIterable<string>,
  rest: 'is-an-error' | 'is-dropped',
): AsyncGenerator<string, void> {
  // Pieces are joined once per line: adding each to the one before would copy a long line over and over.
  let begun: string[] = [];
  let begunLength = 0;
  for await (const piece of pieces) {
    let from = 0;
    for (let end = piece.indexOf('\n'); end >= 0; end = piece.indexOf('\n', from)) {
      const line = begun.join('') + piece.slice(from, end);
      begun = [];
      begunLength = 0;
      from = end + 1;
      yield line.endsWith('\r') ? line.slice(0, -1) : line;
    }
    if (from === piece.length) continue;
    begun.push(piece.slice(from));
    begunLength += piece.length - from;
    if (begunLength > MAX_LINE_LENGTH) throw new PmgateError('UNEXPECTED_ANSWER', 'a line of the response is too long');
  }
  if (begun.length > 0 && rest === 'is-an-error') {
    throw new PmgateError('UNEXPECTED_ANSWER', 'the response ended in the middle of a line');
  }
}
