import { pause, type Timers } from '../kit/index.js';
import { GatewayError } from '../pmapi/index.js';

/** The sender of a password: the queue is shared fairly among networks, and their clients. */
export interface Checked {
  readonly network: string;
  readonly client: string;
}

interface Waiting extends Checked {
  readonly begin: () => void;
  readonly turnAway: (error: GatewayError) => void;
}

/** Passwords checked at once: each takes a thread and 32 MiB. */
const CHECKS_AT_ONCE = 2;
const CHECKS_WAITING = 32;
const USUAL_MS = 50;

/** Checks passwords, a few at a time. A full queue drops the last check of the greediest client in the greediest network. */
export class PasswordChecks {
  readonly #timers: Timers;
  readonly #waiting: Waiting[] = [];
  #underWay = 0;
  #isPretending = false;
  readonly #idling = new Map<string, number>();
  #lastMs = USUAL_MS;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** Runs a check in its turn. Throws TOO_MANY_REQUESTS if too many wait. */
  async run<T>(checked: Checked, check: () => Promise<T>): Promise<T> {
    const startMs = this.#timers.nowMs();
    await this.#turn(checked);
    try {
      return await check();
    } finally {
      this.#lastMs = this.#timers.nowMs() - startMs;
      this.#leave();
    }
  }

  /** For an unknown user: takes as long as a check, and hides which users exist. Only one call computes a hash. Throws as run(). */
  async pretend(checked: Checked, check: () => Promise<unknown>): Promise<void> {
    if (this.#isPretending) {
      await this.#idle(checked.client);
      return;
    }
    this.#isPretending = true;
    try {
      await this.run(checked, check);
    } finally {
      this.#isPretending = false;
    }
  }

  async #idle(client: string): Promise<void> {
    const idle = this.#idling.get(client) ?? 0;
    if (idle >= CHECKS_WAITING) throw tooMany();
    this.#idling.set(client, idle + 1);
    await pause(this.#lastMs, this.#timers);
    const left = this.#idling.get(client)! - 1;
    if (left > 0) this.#idling.set(client, left);
    else this.#idling.delete(client);
  }

  #turn({ network, client }: Checked): Promise<void> {
    if (this.#underWay < CHECKS_AT_ONCE) {
      this.#underWay++;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ network, client, begin: resolve, turnAway: reject });
      if (this.#waiting.length > CHECKS_WAITING) this.#turnOneAway();
    });
  }

  #leave(): void {
    const next = this.#waiting.shift();
    if (next) next.begin();
    else this.#underWay--;
  }

  #turnOneAway(): void {
    const [networks, clients] = [countBy(this.#waiting, 'network'), countBy(this.#waiting, 'client')];
    const weight = ({ network, client }: Checked): number =>
      networks.get(network)! * (CHECKS_WAITING + 2) + clients.get(client)!;
    let at = 0;
    for (const [i, each] of this.#waiting.entries()) if (weight(each) >= weight(this.#waiting[at]!)) at = i;
    const [last] = this.#waiting.splice(at, 1);
    last!.turnAway(tooMany());
  }
}

function tooMany(): GatewayError {
  return new GatewayError('TOO_MANY_REQUESTS', 'too many password checks in progress', { retryAfterSec: 1 });
}

function countBy(waiting: readonly Checked[], by: keyof Checked): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { [by]: key } of waiting) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}
