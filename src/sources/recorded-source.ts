import type { FetchResult, PmError, Timestamp } from '../pmapi/index.js';

/** How fetches on an archive advance: record by record, or by values made for equidistant moments. @see pmSetMode(3) */
export type RecordedMode = 'forward' | 'backward' | 'interp';

/** Where a context on an archive stands. */
export interface RecordedPosition {
  readonly mode: RecordedMode;
  /** The moment that the next fetch starts from, and that metadata refers to. */
  readonly time: Timestamp;
  /** Seconds between two interpolated fetches; negative goes back in time. */
  readonly intervalSec: number;
  /** Whether the record at that moment has been fetched: the next fetch takes the one behind it. */
  readonly isRead?: boolean;
}

/** What is left out stays as it is. @see pmSetMode(3) */
export interface RecordedModeChange {
  readonly mode: RecordedMode;
  readonly time?: Timestamp | undefined;
  readonly intervalSec?: number | undefined;
}

/** What an archive says of itself. @see pmGetArchiveLabel(3) */
export interface RecordedLabel {
  readonly version: number;
  readonly hostName: string;
  readonly timezone: string;
  /** The recorded system's own name of its time zone (`:Europe/Berlin`), or empty. */
  readonly zoneinfo: string;
}

/** How records are read. */
export interface ReadingOptions {
  /** Aborted when the rest is no longer needed: reading then stops within a turn of the event loop, by throwing the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Told what is damaged where values are missing, or not made across, because of it; maybe more than once of the same. Without it damage
   * is passed over in silence.
   */
  readonly onDamage?: ((damage: PmError) => void) | undefined;
}

/** How values between records are made. */
export interface InterpolationOptions extends ReadingOptions {
  /** Counters that go down have wrapped, as PCP's tools take it when PCP_COUNTER_WRAP is set; else they lie on a line down. */
  readonly wrap?: boolean | undefined;
}

/** About how much the records of a range hold of the metrics that were asked for. */
export interface RangeEstimate {
  /** Records that hold one of them. */
  readonly records: number;
  /** Their values, as far as the profile lets instances through. */
  readonly values: number;
}

/**
 * Reads the values at a moment into a result: at once where nothing has to be waited for, otherwise the promise resolves when they are
 * there. Throws or rejects with PM_ERR_EOL outside of what there is.
 */
export type ReadMoment = (time: Timestamp, into: FetchResult) => void | Promise<void>;
