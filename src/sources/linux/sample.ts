/**
 * Something that is read from the system as a whole: a file or a few, parsed into fields that stay until the next refresh.
 * However many metrics of a fetch need it, it is refreshed once per sampling round; a round lasts `snapshotMs`, so fetches
 * that arrive together share it.
 */
export abstract class Sample {
  #round = -1;

  /** Make the fields those of the given round. Never throws: what could not be read is absent. */
  ensure(round: number): void {
    if (this.#round === round) return;
    this.#round = round;
    this.refresh();
  }

  /** Read and parse. What is absent must leave no old value behind. */
  protected abstract refresh(): void;
}
