/** Converts the CR LF line ends of CSV to LF, which other tools in a pipe expect. Works in pieces; quoted line breaks are unchanged. */
export class UnixLines {
  #isQuoted = false;
  #held = '';

  /** The next piece, except a CR at its end, which may belong to the next. */
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

  /** The rest after the last piece. */
  end(): string {
    return this.#held;
  }
}
