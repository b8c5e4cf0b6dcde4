import { eventLoopTurns } from '../../../kit/index.js';
import { compareTimestamps, PM_ERR, PmError, formatIndom } from '../../../pmapi/index.js';
import type { Instance, InstanceDomain, Timestamp } from '../../../pmapi/index.js';
import { MetaRecordType, type IndomRecord } from './metadata-records.js';
import type { StampedRecords } from './stamped-records.js';

/** Instances of a history decoded in one turn: some milliseconds' work. */
const INSTANCES_PER_TURN = 2000;
/** All instances that ever were are kept up to this number: of processes, a day may have far more. */
const MOST_KEPT = 20_000;

export type IndomReader = (i: number) => Promise<IndomRecord>;

/** When an instance was in its domain: from its first snapshot to the first later one without it. */
export interface Lifespan {
  readonly birth: Timestamp;
  /** Undefined for an instance that is in the last snapshot. */
  readonly death: Timestamp | undefined;
}

/** A domain over time: full records, and deltas (version 3). Only their places are held, and the last snapshot. @see LOGARCHIVE(5) */
export class IndomHistory {
  readonly indom: number;
  readonly records: StampedRecords;
  readonly #read: IndomReader;
  #snapshot: { readonly index: number; readonly names: Map<number, string> } | undefined;
  #union:
    | { readonly length: number; readonly names: ReadonlyMap<number, string>; readonly domain: InstanceDomain }
    | undefined;
  #insertions = 0;
  #lifespans: { readonly length: number; readonly spans: Promise<ReadonlyMap<number, Lifespan>> } | undefined;

  constructor(indom: number, records: StampedRecords, read: IndomReader) {
    this.indom = indom;
    this.records = records;
    this.#read = read;
  }

  /** Forget what was worked out: a record has been added, perhaps between others. @param isLast whether it comes after all others */
  reset(isLast: boolean): void {
    this.#snapshot = undefined;
    if (isLast) return;
    this.#union = undefined;
    this.#insertions++;
  }

  /** The instances at a moment: the last full record up to then, and the deltas since. Throws PM_ERR_INDOM_LOG. */
  async at(moment: Timestamp): Promise<InstanceDomain> {
    const { length } = this.records;
    const index = this.records.floor(moment);
    let first = index;
    while (first >= 0 && this.records.kindAt(first) === MetaRecordType.INDOM_DELTA) first--;
    if (first < 0) throw new PmError(PM_ERR.INDOM_LOG, formatIndom(this.indom));
    const known = this.#snapshot;
    let names = new Map<number, string>();
    if (known && known.index >= first && known.index <= index) {
      names = new Map(known.names);
      first = known.index + 1;
    }
    for await (const record of this.#all(first, index + 1)) applyRecord(names, record, record.isDelta);
    if (this.records.length === length) this.#snapshot = { index, names };
    return { indom: this.indom, instances: toInstances(names) };
  }

  /** Every instance that ever was, each with the latest of its names: the same object until records are added. */
  async union(): Promise<InstanceDomain> {
    const { length } = this.records;
    const known = this.#union;
    if (known?.length === length) return known.domain;
    const insertions = this.#insertions;
    const names = new Map(known?.names);
    for await (const record of this.#all(known?.length, length)) {
      record.ids.forEach((id, k) => {
        const name = record.names[k];
        if (name !== undefined) names.set(id, name);
      });
    }
    const domain = { indom: this.indom, instances: toInstances(names) };
    if (this.#insertions === insertions && names.size <= MOST_KEPT) this.#union = { length, names, domain };
    return domain;
  }

  /** When each instance that ever was came and went. Kept until records are added. */
  lifespans(): Promise<ReadonlyMap<number, Lifespan>> {
    if (this.#lifespans?.length !== this.records.length) {
      const spans = this.#findLifespans().catch((error: unknown) => {
        this.#lifespans = undefined;
        throw error;
      });
      this.#lifespans = { length: this.records.length, spans };
    }
    return this.#lifespans.spans;
  }

  async #findLifespans(): Promise<ReadonlyMap<number, Lifespan>> {
    const spans = new Map<number, Lifespan>();
    let present = new Set<number>();
    const die = (id: number, stamp: Timestamp): void => {
      const span = spans.get(id);
      if (span && !span.death) spans.set(id, { birth: span.birth, death: stamp });
    };
    for await (const record of this.#all()) {
      const { isDelta } = record;
      const before = present;
      if (!isDelta) present = new Set();
      record.ids.forEach((id, k) => {
        if (record.names[k] === undefined) {
          present.delete(id);
          die(id, record.stamp);
          return;
        }
        present.add(id);
        const span = spans.get(id);
        if (!span) spans.set(id, { birth: record.stamp, death: undefined });
        else if (span.death) spans.set(id, { birth: span.birth, death: undefined });
      });
      if (!isDelta) for (const id of before) if (!present.has(id)) die(id, record.stamp);
    }
    return spans;
  }

  /** All records of a part, a few at a time, so that others get a turn of the event loop between them. */
  async *#all(first = 0, end = this.records.length): AsyncGenerator<IndomRecord & { readonly isDelta: boolean }, void> {
    let left = INSTANCES_PER_TURN;
    for (let i = first; i < end; i++) {
      const record = await this.#read(i);
      yield { ...record, isDelta: this.records.kindAt(i) === MetaRecordType.INDOM_DELTA };
      left -= record.ids.length;
      if (left > 0) continue;
      await eventLoopTurns.own();
      left = INSTANCES_PER_TURN;
    }
  }
}

/** Whether a moment lies within a lifespan, both ends included. */
export function isAlive(span: Lifespan, moment: Timestamp): boolean {
  if (compareTimestamps(moment, span.birth) < 0) return false;
  return !span.death || compareTimestamps(moment, span.death) <= 0;
}

function applyRecord(names: Map<number, string>, record: IndomRecord, isDelta: boolean): void {
  if (!isDelta) names.clear();
  record.ids.forEach((id, k) => {
    const name = record.names[k];
    if (name === undefined) names.delete(id);
    else names.set(id, name);
  });
}

function toInstances(names: ReadonlyMap<number, string>): readonly Instance[] {
  return [...names].map(([id, name]) => ({ id, name }));
}
