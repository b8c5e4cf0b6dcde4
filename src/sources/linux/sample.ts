/**
 * Something that is read from the system as a whole: one or several files, parsed into fields that stay until the next refresh.
 * It is refreshed once per sampling round, however many metrics of a fetch need it; a round lasts `snapshotMs`, so concurrent
 * fetches share it.
 */
export abstract class Sample {
  #round = -1;

  /** Refreshes the fields for a round. Never throws: unreadable values are absent. */
  ensure(round: number): void {
    if (this.#round === round) return;
    this.#round = round;
    this.refresh();
  }

  /** Reads and parses. Absent values must not keep their old value. */
  protected abstract refresh(): void;
}
