/**
 * CSV with CR LF at the ends of its lines as CSV with LF, which is what the other tools in a pipe want. Piece by piece; what is quoted
 * stays as it is.
 */
export class UnixLines {
  #isQuoted = false;
  #held = '';

  /** The next piece, but for a CR at its end: it may belong to what follows. */
  convert(piece: string): string {
    const text = this.#held + piece;
    this.#held = text.endsWith('\r') ? '\r' : '';
    const parts = text.slice(0, text.length - this.#held.length).split('"');
    return parts
      .map((part, i) => {
        if (i > 0) this.#isQuoted = !this.#isQuoted;
        return this.#isQuoted ? part : part.replaceAll('\r\n', '\n');
      })
      .join('"');
  }

  /** What is left when there are no more pieces. */
  end(): string {
    return this.#held;
  }
}
