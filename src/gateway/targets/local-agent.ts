import type { Clock } from '../../pmapi/index.js';
import type { SourceKind } from '../../sources/index.js';

/** A pmcd that starts anew is there again by then, as a rule. What was remembered of it would be lost by moving. */
const GONE_AFTER_MS = 5000;

/** Which of the two is on this machine, a pmcd or only the embedded collector, as far as anybody has looked. */
export class LocalAgent {
  readonly #clock: Clock;
  #found: SourceKind | undefined;
  /** Since when there has been no pmcd. */
  #goneSinceMs: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Somebody looked and found a pmcd (`host`), or none (`local`). */
  note(found: SourceKind): void {
    if (found === 'host') this.#goneSinceMs = undefined;
    else if (this.#found === 'host') this.#goneSinceMs = this.#clock.monotonicMs();
    this.#found = found;
  }

  /** What is here: a pmcd that is missing but for a moment still counts. Undefined before anybody has looked. */
  get inhabitant(): SourceKind | undefined {
    return this.#isAwaited ? 'host' : this.#found;
  }

  /** Whether whoever is at one of the two should go over to the other. */
  isLeft(at: SourceKind): boolean {
    return this.#found !== undefined && this.#found !== at && this.inhabitant !== at;
  }

  get #isAwaited(): boolean {
    return this.#goneSinceMs !== undefined && this.#clock.monotonicMs() - this.#goneSinceMs < GONE_AFTER_MS;
  }
}
