import type { Clock } from '../../pmapi/index.js';
import type { SourceKind } from '../../sources/index.js';

/** A pmcd that restarts is usually back by then. Switching would lose its remembered samples. */
const GONE_AFTER_MS = 5000;

/** Which of the two runs on this machine, a pmcd or only the embedded collector, as far as known. */
export class LocalAgent {
  readonly #clock: Clock;
  #found: SourceKind | undefined;
  /** Since when there has been no pmcd. */
  #goneSinceMs: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Records that a pmcd was found (`host`), or none (`local`). */
  note(found: SourceKind): void {
    if (found === 'host') this.#goneSinceMs = undefined;
    else if (this.#found === 'host') this.#goneSinceMs = this.#clock.monotonicMs();
    this.#found = found;
  }

  /** What runs here: a pmcd that is missing only for a moment still counts. Undefined before the first check. */
  get inhabitant(): SourceKind | undefined {
    return this.#isAwaited ? 'host' : this.#found;
  }

  /** Whether users of one of the two should switch to the other. */
  isLeft(at: SourceKind): boolean {
    return this.#found !== undefined && this.#found !== at && this.inhabitant !== at;
  }

  get #isAwaited(): boolean {
    return this.#goneSinceMs !== undefined && this.#clock.monotonicMs() - this.#goneSinceMs < GONE_AFTER_MS;
  }
}
