import { STREAM_CREDIT_BYTES } from './frames.js';

/** Credit is given back in parts of this size: a frame for each piece would cost more than it is good for. */
const CREDIT_STEP_BYTES = STREAM_CREDIT_BYTES / 4;

/** The pieces of a body that have arrived and were not taken yet: one reader goes through them. */
export class PieceQueue implements AsyncIterableIterator<Uint8Array> {
  readonly #onTaken: (bytes: number) => void;
  readonly #onLeft: () => void;
  readonly #pieces: Uint8Array[] = [];
  /** What came with the end. */
  trailer: string | undefined;
  #unreadBytes = 0;
  #takenBytes = 0;
  #end: { readonly error: Error | undefined } | undefined;
  #wake: (() => void) | undefined;

  /** `onTaken`: the sender may send as many bytes again; `onLeft`: the reader leaves before the end. */
  constructor(onTaken: (bytes: number) => void, onLeft: () => void) {
    this.#onTaken = onTaken;
    this.#onLeft = onLeft;
  }

  /** Bytes that the sender was not given credit for again. */
  get outstandingBytes(): number {
    return this.#unreadBytes + this.#takenBytes;
  }

  push(piece: Uint8Array): void {
    if (this.#end) return;
    this.#pieces.push(piece);
    this.#unreadBytes += piece.byteLength;
    this.#wake?.();
  }

  /** No more pieces come. An error is thrown to the reader at once. */
  end(error?: Error): void {
    if (this.#end) return;
    this.#end = { error };
    if (error) this.#pieces.length = 0;
    this.#wake?.();
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    for (;;) {
      const piece = this.#pieces.shift();
      if (piece) {
        this.#take(piece.byteLength);
        return { done: false, value: piece };
      }
      if (this.#end?.error) throw this.#end.error;
      if (this.#end) return { done: true, value: undefined };
      await new Promise<void>((resolve) => (this.#wake = resolve));
      this.#wake = undefined;
    }
  }

  return(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (!this.#end) {
      this.end();
      this.#onLeft();
    }
    this.#pieces.length = 0;
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #take(bytes: number): void {
    this.#unreadBytes -= bytes;
    this.#takenBytes += bytes;
    if (this.#takenBytes < CREDIT_STEP_BYTES || this.#end) return;
    this.#onTaken(this.#takenBytes);
    this.#takenBytes = 0;
  }
}
