/**
 * The frames of the link between members: 8 bytes of head (3 bytes length of the payload, 1 byte kind, 4 bytes stream, big-endian),
 * then the payload. Pure: bytes in, frames out.
 */

/** What a frame is. `hello`, `ping` and `pong` belong to the connection (stream 0), all others to a stream. */
export const FRAME = {
  hello: 1,
  call: 2,
  answer: 3,
  piece: 4,
  end: 5,
  error: 6,
  credit: 7,
  cancel: 8,
  ping: 9,
  pong: 10,
} as const;

export type FrameKind = (typeof FRAME)[keyof typeof FRAME];

export const HEAD_BYTES = 8;
/** The longest payload that three bytes can tell. */
export const MAX_CALL_BYTES = 0xff_ff_ff;
/** The longest piece of a body in one frame. */
export const MAX_PIECE_BYTES = 65_536;
/** The longest head of an answer: its status and header fields as JSON. */
export const MAX_ANSWER_HEAD_BYTES = 65_536;
/** How many bytes of a body may be in transit before its reader has taken them. */
export const STREAM_CREDIT_BYTES = 262_144;
const MAX_HELLO_BYTES = 4096;
const MAX_ERROR_BYTES = 8192;
/** What is known of a body only after its end. */
export const MAX_TRAILER_BYTES = 8192;
/** The flag and the length in front of the JSON of a call or an answer. */
const JSON_HEAD_BYTES = 5;

/** The longest payload of each kind. */
const MAX_PAYLOAD: ReadonlyMap<number, number> = new Map([
  [FRAME.hello, MAX_HELLO_BYTES],
  [FRAME.call, MAX_CALL_BYTES],
  [FRAME.answer, JSON_HEAD_BYTES + MAX_ANSWER_HEAD_BYTES + MAX_PIECE_BYTES],
  [FRAME.piece, MAX_PIECE_BYTES],
  [FRAME.end, MAX_TRAILER_BYTES],
  [FRAME.error, MAX_ERROR_BYTES],
  [FRAME.credit, 4],
  [FRAME.cancel, 0],
  [FRAME.ping, 0],
  [FRAME.pong, 0],
]);

/** The peer broke a rule of the link: its connection ends. */
export class LinkViolation extends Error {
  override name = 'LinkViolation';
}

export type TakeFrame = (kind: FrameKind, stream: number, payload: Buffer) => void;

export function writeHead(target: Buffer, at: number, kind: FrameKind, stream: number, length: number): void {
  target.writeUInt32BE(length * 256 + kind, at);
  target.writeUInt32BE(stream, at + 4);
}

/** Cuts bytes into frames, wherever they were cut on their way. */
export class FrameReader {
  readonly #take: TakeFrame;
  /** Whether the peer has shown who it is; before that, nothing is kept of it but a hello. */
  isTrusted = false;
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** How many bytes there must be before the next frame, or its head, is complete. */
  #needed = HEAD_BYTES;

  constructor(take: TakeFrame) {
    this.#take = take;
  }

  /** Reads more bytes. Throws LinkViolation for a head that no peer may send, before its payload is kept. */
  read(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#chunks.length > 0 || this.#bytes < this.#needed) this.#chunks.push(chunk);
    if (this.#bytes < this.#needed) return;
    const bytes = this.#chunks.length === 0 ? chunk : this.#join();
    let at = 0;
    this.#needed = HEAD_BYTES;
    while (bytes.length - at >= HEAD_BYTES) {
      const head = bytes.readUInt32BE(at);
      const kind = head % 256;
      const length = (head - kind) / 256;
      requireLength(kind, length);
      if (!this.isTrusted && kind !== FRAME.hello) throw new LinkViolation('a frame before the handshake');
      const end = at + HEAD_BYTES + length;
      if (end > bytes.length) {
        this.#needed = HEAD_BYTES + length;
        break;
      }
      this.#take(kind as FrameKind, bytes.readUInt32BE(at + 4), bytes.subarray(at + HEAD_BYTES, end));
      at = end;
    }
    this.#bytes = bytes.length - at;
    this.#chunks = this.#bytes === 0 ? [] : [at === 0 ? bytes : bytes.subarray(at)];
  }

  #join(): Buffer {
    const bytes = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks, this.#bytes);
    this.#chunks = [];
    return bytes;
  }
}

function requireLength(kind: number, length: number): void {
  const longest = MAX_PAYLOAD.get(kind);
  if (longest === undefined) throw new LinkViolation(`unknown kind of frame ${kind}`);
  if (length > longest) throw new LinkViolation(`frame of kind ${kind} with ${length} bytes; at most ${longest}`);
}

/** A payload that begins with JSON, followed by bytes: of a call or an answer. */
export interface JsonAndBytes {
  /** Of a call: whether it has a body. Of an answer: whether the bytes are all of its body. */
  readonly flag: boolean;
  readonly json: unknown;
  readonly bytes: Buffer;
}

export function encodeJson(flag: boolean, json: unknown): Buffer {
  const text = JSON.stringify(json);
  const length = Buffer.byteLength(text);
  const payload = Buffer.allocUnsafe(JSON_HEAD_BYTES + length);
  payload[0] = flag ? 1 : 0;
  payload.writeUInt32BE(length, 1);
  payload.write(text, JSON_HEAD_BYTES);
  return payload;
}

/** Throws LinkViolation for an invalid payload. */
export function decodeJson(payload: Buffer): JsonAndBytes {
  if (payload.length < JSON_HEAD_BYTES) throw new LinkViolation('a payload that ends in its head');
  const flag = payload[0]!;
  const end = JSON_HEAD_BYTES + payload.readUInt32BE(1);
  if (flag > 1 || end > payload.length) throw new LinkViolation('a payload whose JSON is longer than itself');
  return { flag: flag === 1, json: parseJson(payload.subarray(JSON_HEAD_BYTES, end)), bytes: payload.subarray(end) };
}

/** Throws LinkViolation for bytes that are not JSON. */
export function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8')) as unknown;
  } catch {
    throw new LinkViolation('a payload that is not JSON');
  }
}
