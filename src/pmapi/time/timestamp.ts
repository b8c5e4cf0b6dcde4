/** Seconds since the epoch (UTC) and nanoseconds (0..999999999); one floating-point number would lose nanoseconds. */
export interface Timestamp {
  readonly sec: number;
  readonly nsec: number;
}

const BILLION = 1_000_000_000;

export const END_OF_TIME: Timestamp = Object.freeze({ sec: Number.MAX_SAFE_INTEGER, nsec: 0 });

/** A timestamp from parts, with nanoseconds carried into seconds so that 0 <= nsec < 1e9. */
export function makeTimestamp(sec: number, nsec: number): Timestamp {
  const carry = Math.floor(nsec / BILLION);
  return { sec: sec + carry, nsec: nsec - carry * BILLION };
}

/** A timestamp from seconds as a real number, rounded to the nearest nanosecond. */
export function timestampFromSeconds(seconds: number): Timestamp {
  const sec = Math.floor(seconds);
  return makeTimestamp(sec, Math.round((seconds - sec) * BILLION));
}

/** Seconds as a real number: exact to about 200 ns for present-day dates. Only for arithmetic on differences. */
export function timestampToSeconds(t: Timestamp): number {
  return t.sec + t.nsec / BILLION;
}

export function timestampToNanoseconds(t: Timestamp): bigint {
  return BigInt(t.sec) * BigInt(BILLION) + BigInt(t.nsec);
}

export function timestampFromNanoseconds(nsec: bigint): Timestamp {
  return makeTimestamp(Number(nsec / BigInt(BILLION)), Number(nsec % BigInt(BILLION)));
}

/** `a - b` in seconds, without losing nanoseconds. */
export function secondsBetween(a: Timestamp, b: Timestamp): number {
  return a.sec - b.sec + (a.nsec - b.nsec) / BILLION;
}

/** Negative, zero or positive as `a` is before, at or after `b`. */
export function compareTimestamps(a: Timestamp, b: Timestamp): number {
  return a.sec - b.sec || a.nsec - b.nsec;
}

export function earlier(a: Timestamp, b: Timestamp): Timestamp {
  return compareTimestamps(a, b) <= 0 ? a : b;
}

export function later(a: Timestamp, b: Timestamp): Timestamp {
  return compareTimestamps(a, b) >= 0 ? a : b;
}

/** A nanosecond later. */
export function justAfter({ sec, nsec }: Timestamp): Timestamp {
  return makeTimestamp(sec, nsec + 1);
}

/** A nanosecond earlier. */
export function justBefore({ sec, nsec }: Timestamp): Timestamp {
  return makeTimestamp(sec, nsec - 1);
}

/** Rounded to the nanosecond. */
export function addSeconds(t: Timestamp, seconds: number): Timestamp {
  const whole = Math.floor(seconds);
  return makeTimestamp(t.sec + whole, t.nsec + Math.round((seconds - whole) * BILLION));
}

export function addInterval(t: Timestamp, interval: Timestamp): Timestamp {
  return makeTimestamp(t.sec + interval.sec, t.nsec + interval.nsec);
}

export function subtractInterval(t: Timestamp, interval: Timestamp): Timestamp {
  return makeTimestamp(t.sec - interval.sec, t.nsec - interval.nsec);
}

/** `sec.nnnnnnnnn`, nine padded digits: a JSON number without loss. Times before the epoch keep their sign. */
export function formatTimestamp(t: Timestamp): string {
  if (t.sec < 0 && t.nsec > 0) {
    const text = String(BILLION - t.nsec).padStart(9, '0');
    return `-${-t.sec - 1}.${text}`;
  }
  return t.nsec === 0 ? `${t.sec}.000000000` : `${t.sec}.${String(t.nsec).padStart(9, '0')}`;
}

/** Seconds by which a sample may be older than an earlier one, because its response took longer. */
const OVERTAKEN_SEC = 10;

/** Whether a sample of a live source is older than the previous one because the clock was set back meanwhile. */
export function wasClockSetBack(at: Timestamp, before: Timestamp): boolean {
  return secondsBetween(at, before) < -OVERTAKEN_SEC;
}

/** The source of time. Injected wherever time matters, so that tests do not sleep. */
export interface Clock {
  now(): Timestamp;
  /** Milliseconds that never go backwards, for durations and expiry; the origin is arbitrary. */
  monotonicMs(): number;
}

const ORIGIN_MS = performance.timeOrigin;

/** The system's clocks; the wall clock follows changes of the system time, and has microseconds. */
export const systemClock: Clock = {
  now(): Timestamp {
    // Date.now() follows changes of the system time but only has milliseconds; performance adds the microseconds if both agree.
    const coarseMs = Date.now();
    const fineMs = ORIGIN_MS + performance.now();
    const ms = Math.abs(fineMs - coarseMs) < 2 ? fineMs : coarseMs;
    const sec = Math.floor(ms / 1000);
    return { sec, nsec: Math.floor((ms - sec * 1000) * 1000) * 1000 };
  },
  monotonicMs(): number {
    return performance.now();
  },
};
