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

export interface ServerSentEvent {
  /** The value of `event:`; empty for an event without a name. */
  readonly name: string;
  readonly data: string;
  /** The last `id:` so far; empty before the first. */
  readonly id: string;
  /** The last `retry:` so far, in milliseconds. */
  readonly retryMs: number | undefined;
}

/**
 * The events of a text of media type text/event-stream, given in pieces. Comments and unknown fields are ignored, and so are
 * events without data and truncated ones.
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
 */
export async function* serverSentEvents(pieces: AsyncIterable<string>): AsyncGenerator<ServerSentEvent, void> {
  let id = '';
  let retryMs: number | undefined;
  let name = '';
  let data: string[] = [];
  let isFirst = true;
  for await (const whole of linesOf(withPlainLineEnds(pieces), 'is-dropped')) {
    const line = isFirst ? whole.replace(/^\uFEFF/, '') : whole;
    isFirst = false;
    if (line === '') {
      if (data.length > 0) yield { name, data: data.join('\n'), id, retryMs };
      name = '';
      data = [];
      continue;
    }
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line.startsWith(' ', colon + 1) ? colon + 2 : colon + 1);
    if (field === 'data') data.push(value);
    else if (field === 'event') name = value;
    else if (field === 'id' && !value.includes('\0')) id = value;
    else if (field === 'retry' && /^\d{1,9}$/.test(value)) retryMs = Number(value);
  }
}

/** A line may end in CR, LF or both, and a piece between the two. */
async function* withPlainLineEnds(pieces: AsyncIterable<string>): AsyncGenerator<string, void> {
  let afterCr = false;
  for await (const piece of pieces) {
    const text = afterCr && piece.startsWith('\n') ? piece.slice(1) : piece;
    afterCr = piece === '' ? afterCr : piece.endsWith('\r');
    yield text.replaceAll(/\r\n?/g, '\n');
  }
}
