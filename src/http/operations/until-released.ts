/** Pieces of a text, and the end of what they are made from behind them, also where nobody wants the rest. */
export function* untilReleased(pieces: Iterable<string>, release: () => void): Generator<string, void> {
  try {
    yield* pieces;
  } finally {
    release();
  }
}
