import type { FetchResult, PmError, Timestamp } from '../pmapi/index.js';

/** Record by record, or by interpolated values at equal intervals. @see pmSetMode(3) */
export type RecordedMode = 'forward' | 'backward' | 'interp';

/** The state of a context on an archive. */
export interface RecordedPosition {
  readonly mode: RecordedMode;
  /** The moment that the next fetch starts from, and that metadata refers to. */
  readonly time: Timestamp;
  /** Seconds between two interpolated fetches; negative goes back in time. */
  readonly intervalSec: number;
  /** The record at that moment was fetched: the next fetch takes the one behind it. */
  readonly isRead?: boolean;
}

/** Omitted members stay. @see pmSetMode(3) */
export interface RecordedModeChange {
  readonly mode: RecordedMode;
  readonly time?: Timestamp | undefined;
  readonly intervalSec?: number | undefined;
}

/** An archive's label. @see pmGetArchiveLabel(3) */
export interface RecordedLabel {
  readonly version: number;
  readonly hostName: string;
  readonly timezone: string;
  readonly zoneinfo: string;
}

export interface ReadingOptions {
  /** Stops reading within a turn of the event loop, by throwing the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Called with damage that caused missing values; may repeat. */
  readonly onDamage?: ((damage: PmError) => void) | undefined;
}

/** How values between records are made. */
export interface InterpolationOptions extends ReadingOptions {
  /** Counters that go down have wrapped, as with PCP_COUNTER_WRAP; else they lie on a falling line. */
  readonly wrap?: boolean | undefined;
}

/** Approximate content of a range for the requested metrics. */
export interface RangeEstimate {
  readonly records: number;
  /** Their values of the profile's instances. */
  readonly values: number;
}

/** Reads the values at a moment, at once if possible, else a promise. Throws or rejects with PM_ERR_EOL outside of the source. */
export type ReadMoment = (time: Timestamp, into: FetchResult) => void | Promise<void>;
