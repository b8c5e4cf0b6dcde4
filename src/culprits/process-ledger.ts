import { secondsBetween } from '../pmapi/index.js';
import type { Timestamp } from '../pmapi/index.js';

/** Who a process is; pid and start time together are its identity, for pids are used again. */
export interface ProcessIdentity {
  readonly pid: number;
  /** In milliseconds since the boot; undefined where the source does not tell. */
  readonly startMs: number | undefined;
  readonly name: string;
  readonly parent: number | undefined;
  readonly user: string | undefined;
  readonly group: string | undefined;
  readonly container: string | undefined;
}

/** What is read of a process at one moment, in the units of the source. */
export interface ProcessReading {
  readonly identity: ProcessIdentity;
  /** Seconds since the boot, at the moment; undefined where the source does not tell. */
  readonly uptimeSec: number | undefined;
  /** Sum of the counters, or the level. Undefined: not readable. */
  readonly own: number | undefined;
  /** Counters of children that have ended and that it waited for. */
  readonly children: number;
}

/** A process over a window. */
export interface ProcessUse {
  readonly identity: ProcessIdentity;
  /** What its own counters, or its level, rose by; below 0 for a level that fell. */
  readonly rise: number;
  /** What its children that ended add to that. */
  readonly ofChildren: number;
  /** The last reading. */
  readonly last: number;
}

interface Account {
  identity: ProcessIdentity;
  first: number;
  firstChildren: number;
  last: number;
  lastChildren: number;
  lastSeen: Timestamp;
}

/**
 * Adds up what processes used over a window from readings at some moments. A process that began within the window counts from 0 on, another
 * one from its first reading on. What a child used before the window and its parent inherits within is not of the window.
 */
export class ProcessLedger {
  readonly #accounts = new Map<string, Account>();
  readonly #isCounter: boolean;
  #first: Timestamp | undefined;
  #last: Timestamp | undefined;

  /** @param isCounter whether the readings are counters, rather than levels */
  constructor(isCounter: boolean) {
    this.#isCounter = isCounter;
  }

  /** The seconds between the first and the last moment. */
  get seconds(): number {
    return this.#first && this.#last ? secondsBetween(this.#last, this.#first) : 0;
  }

  /** Enters the readings of one moment; moments ascend. */
  enter(at: Timestamp, readings: Iterable<ProcessReading>): void {
    this.#first ??= at;
    this.#last = at;
    for (const reading of readings) {
      const { identity, own, children } = reading;
      if (own === undefined) continue;
      const key = `${identity.pid} ${identity.startMs ?? ''}`;
      const known = this.#accounts.get(key);
      if (known) {
        known.identity = identity;
        known.last = own;
        known.lastChildren = children;
        known.lastSeen = at;
        continue;
      }
      const isNew = this.#isCounter && this.#beganWithin(reading, at);
      const [first, firstChildren] = isNew ? [0, 0] : [own, children];
      this.#accounts.set(key, { identity, first, firstChildren, last: own, lastChildren: children, lastSeen: at });
    }
  }

  /** What each process used, in no order. */
  uses(): readonly ProcessUse[] {
    const inherited = new Map<number, number>();
    for (const { identity, first, firstChildren, lastSeen } of this.#accounts.values()) {
      if (identity.parent === undefined || lastSeen === this.#last) continue;
      inherited.set(identity.parent, (inherited.get(identity.parent) ?? 0) + first + firstChildren);
    }
    return [...this.#accounts.values()].map(({ identity, first, firstChildren, last, lastChildren }) => ({
      identity,
      rise: this.#isCounter ? Math.max(last - first, 0) : last - first,
      ofChildren: Math.max(lastChildren - firstChildren - (inherited.get(identity.pid) ?? 0), 0),
      last,
    }));
  }

  #beganWithin({ identity: { startMs }, uptimeSec }: ProcessReading, at: Timestamp): boolean {
    if (startMs === undefined || uptimeSec === undefined) return false;
    return uptimeSec - startMs / 1000 <= secondsBetween(at, this.#first!);
  }
}
