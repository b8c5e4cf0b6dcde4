/** What streams may cost, all of them together unless it says otherwise. Times in milliseconds. */
export interface StreamLimits {
  /** Clients that may listen at once. */
  readonly maxSubscribers: number;
  /** Memory for the texts that were sent of late, for clients that come back. */
  readonly historyBytes: number;
  /** How long a text is kept, and how long sampling goes on after the last listener left. */
  readonly lingerMs: number;
  /** The shortest interval. */
  readonly minIntervalMs: number;
  /** After how much silence, about, a comment shows that the stream is alive. */
  readonly heartbeatMs: number;
  /** What one client may leave untaken before its stream is ended. */
  readonly bufferBytes: number;
}

/** The limits that hold where nothing is said. */
export const DEFAULT_STREAM_LIMITS: StreamLimits = Object.freeze({
  maxSubscribers: 2000,
  historyBytes: 32 * 1024 * 1024,
  lingerMs: 30_000,
  minIntervalMs: 100,
  heartbeatMs: 15_000,
  bufferBytes: 256 * 1024,
});

/** The longest interval: timers do not count much further. */
export const MAX_INTERVAL_MS = 86_400_000;
