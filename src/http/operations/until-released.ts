/** Pieces of a text, and a function that is called after the last of them, even if they are not all read. */
export function* untilReleased(pieces: Iterable<string>, release: () => void): Generator<string, void> {
  try {
    yield* pieces;
  } finally {
    release();
  }
}
