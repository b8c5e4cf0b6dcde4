import { Gunzip, type FlateError } from 'fflate';
import { eventLoopTurns, once } from '../../../kit/index.js';
import { joinBytes } from '../../wire/index.js';

/** So many bytes are inflated at once: to a thousand times as many at most. */
const STEP_BYTES = 16 * 1024;
/** So much of the input is kept: a member ends with CRC-32 and length of what it inflates to. */
const KEPT_BYTES = 8 * 1024;
/** A longer header is damage: all of it is looked at again at each step. A block that is stored has fewer bytes. */
const LONGEST_HEADER = 256 * 1024;

/** The code of fflate's error for what begins no member. */
const INVALID_HEADER = 6;
/** CRC-32 of each byte. */
const sums = once(() =>
  Int32Array.from({ length: 256 }, (_, byte) => {
    let sum = byte;
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
    return sum;
  }),
);

/**
 * What gzip data inflate to, member by member, in pages and elsewhere the same; with damage, what lies some KB before it, and then it throws
 * an Error. What follows the last member and begins no other is left out. @see RFC 1952
 */
export async function* inflateGzip(input: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const pieces: Uint8Array[] = [];
  let kept: Uint8Array = new Uint8Array(0);
  let [sum, length, members, silent] = [-1, 0, 0, 0];
  const gunzip = new Gunzip((piece) => {
    sum = summed(piece, sum);
    length += piece.length;
    pieces.push(piece);
  });
  const endMember = (): void => {
    const trailer = new DataView(new ArrayBuffer(8));
    trailer.setInt32(0, ~sum, true);
    trailer.setUint32(4, length % 2 ** 32, true);
    if (!textOf(kept).includes(textOf(new Uint8Array(trailer.buffer))))
      throw new Error('damaged gzip data: check sums differ, or the end is missing');
    [sum, length] = [-1, 0];
    members++;
  };
  gunzip.onmember = endMember;
  try {
    for await (const bytes of stepsOf(input)) {
      kept = joinBytes([kept.subarray(-KEPT_BYTES), bytes]);
      gunzip.push(bytes);
      silent = pieces.length > 0 ? 0 : silent + bytes.length;
      if (silent > LONGEST_HEADER) throw new Error('damaged gzip data: a header');
      yield* pieces.splice(0);
      const turn = eventLoopTurns.next();
      if (turn) await turn;
    }
    gunzip.push(new Uint8Array(0), true);
    endMember();
  } catch (error) {
    yield* pieces.splice(0);
    if ((error as FlateError).code === INVALID_HEADER && length > 0) endMember();
    // What inflates to nothing is left out behind a member.
    if (members === 0 || length > 0) throw error;
  }
}

/** CRC-32 with some bytes more. */
function summed(bytes: Uint8Array, before: number): number {
  const table = sums();
  let sum = before;
  for (let i = 0; i < bytes.length; i++) sum = table[(sum ^ bytes[i]!) & 0xff]! ^ (sum >>> 8);
  return sum;
}

/** A character for each byte. */
const textOf = (bytes: Uint8Array): string => new TextDecoder('latin1').decode(bytes);

/** The same bytes, in steps that begin at the same places, however they come: what lies before damage does not depend on that. */
async function* stepsOf(input: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  let room = STEP_BYTES;
  for await (const bytes of input) {
    for (let at = 0; at < bytes.length;) {
      const step = bytes.subarray(at, at + room);
      at += step.length;
      room = room === step.length ? STEP_BYTES : room - step.length;
      yield step;
    }
  }
}
