import { ValueSet, type InstanceDomain, type Timestamp } from '../../pmapi/index.js';

const SLOT_BYTES = 24;
const LISTING_BYTES = 100;
const DECISION_BYTES = 120;

export interface PreviousSample {
  timestamp: Timestamp;
  /** A copy of the values, or of the error. */
  readonly values: ValueSet;
}

/** The id of the name in `e[instance]`, for one listing of the domain. */
export interface ResolvedInstance {
  readonly domain: InstanceDomain;
  readonly id: number | undefined;
}

/** The result of a matchinst() by instance id, for one listing of the instance domain. */
export interface MatchDecisions {
  domain: InstanceDomain;
  decisions: Map<number, MatchDecision>;
}

/** A result is for the name: an id that returns with another name is matched again. */
export interface MatchDecision {
  readonly name: string;
  readonly selected: boolean;
}

/** The state of evaluation between samples: one object per context and definition. Slots are numbered by binding. */
export class History {
  readonly samples: (PreviousSample | undefined)[];
  readonly resolved: (ResolvedInstance | undefined)[];
  readonly matches: (MatchDecisions | undefined)[];
  #sequence: number | undefined = undefined;
  #answer: ValueSet | undefined = undefined;

  readonly leastSec: number;

  constructor(slots: number, leastSec = 0) {
    this.leastSec = leastSec;
    this.samples = new Array<PreviousSample | undefined>(slots).fill(undefined);
    this.resolved = new Array<ResolvedInstance | undefined>(slots).fill(undefined);
    this.matches = new Array<MatchDecisions | undefined>(slots).fill(undefined);
  }

  get bytes(): number {
    let total = SLOT_BYTES * this.samples.length;
    for (const sample of this.samples) if (sample) total += LISTING_BYTES + sample.values.bytes;
    for (const resolved of this.resolved) if (resolved) total += LISTING_BYTES;
    for (const match of this.matches) if (match) total += LISTING_BYTES + DECISION_BYTES * match.decisions.size;
    return total;
  }

  /** Forgets the previous samples: the next delta() and rate() have no values, as across a mark. */
  forgetSamples(): void {
    this.samples.fill(undefined);
  }

  remember(slot: number, timestamp: Timestamp, values: ValueSet): void {
    const previous = (this.samples[slot] ??= { timestamp, values: new ValueSet() });
    previous.timestamp = timestamp;
    previous.values.copyFrom(values);
  }

  /** The result set of the fetch with this number, if that was evaluated last. */
  answerOf(sequence: number): ValueSet | undefined {
    return this.#sequence === sequence ? this.#answer : undefined;
  }

  noteAnswer(sequence: number, answer: ValueSet): void {
    this.#sequence = sequence;
    this.#answer = answer;
  }
}
