/** The end of something. Those who are added later are called at once. Costs less than an AbortSignal. */
export class Ending {
  isOver = false;
  readonly #listeners: (() => void)[] = [];

  readonly onEnd = (listener: () => void): void => {
    if (this.isOver) listener();
    else this.#listeners.push(listener);
  };

  end(): void {
    this.isOver = true;
    for (const listener of this.#listeners.splice(0)) listener();
  }
}
