const NEWLINE = 10;
const BLANK = 32;
const STATES = 16;
/** Words before the state on a line: number, local and remote address. */
const STATE_WORD = 3;

/**
 * Counts the connections of /proc/net/tcp by state, from pieces of the file in any cut: the file is long on busy hosts and is
 * read bit by bit.
 *
 *     0: 0100007F:AD21 00000000:0000 0A 00000000:00000000 …
 */
export class TcpStateCounter {
  /** Number of connections by state: 1 ESTABLISHED, 6 TIME_WAIT, 8 CLOSE_WAIT and so on. @see include/net/tcp_states.h */
  readonly counts = new Uint32Array(STATES);
  #word = -1;
  #isBetweenWords = true;
  /** The state's value so far and its number of digits; a line that has something else there is not counted. */
  #state = 0;
  #digits = 0;

  /** Take the next piece. */
  push(bytes: Uint8Array): void {
    for (let i = 0; i < bytes.length; i++) {
      const byte = bytes[i]!;
      if (byte === NEWLINE) {
        this.#endWord();
        this.#word = -1;
        this.#isBetweenWords = true;
        // The rest of the line, most of it, is of no interest, nor is the beginning of the next one's.
      } else if (byte === BLANK) {
        this.#endWord();
        this.#isBetweenWords = true;
        if (this.#word === STATE_WORD) {
          const end = bytes.indexOf(NEWLINE, i);
          if (end < 0) return;
          i = end - 1;
        }
      } else {
        if (this.#isBetweenWords) this.#word++;
        this.#isBetweenWords = false;
        if (this.#word === STATE_WORD) this.#addDigit(byte);
      }
    }
  }

  #addDigit(byte: number): void {
    const value = parseInt(String.fromCharCode(byte), STATES);
    this.#digits = Number.isNaN(value) || this.#digits < 0 ? -1 : this.#digits + 1;
    this.#state = (this.#state * STATES + value) & 0xff;
  }

  #endWord(): void {
    if (this.#digits === 2 && this.#state < STATES) this.counts[this.#state]!++;
    this.#digits = 0;
    this.#state = 0;
  }
}
