/** The result of work; undefined if it throws, whatever it throws. */
export function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

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
