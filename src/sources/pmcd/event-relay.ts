import { getOrMake } from '../../kit/index.js';
import { MetricType, ValueSet } from '../../pmapi/index.js';
import { EventFlag } from '../wire/index.js';
import type { ResultReply } from './replies.js';

const MIB = 1024 * 1024;
const MAX_KEPT_BYTES = MIB;
const MAX_HOST_BYTES = 16 * MIB;

const COUNT_BYTES = 4;
const CLASSIC_RECORD_BYTES = 16;
const HIGHRES_RECORD_BYTES = 24;

/** A reader of events: the source of one context. Only its identity counts. */
export type EventReader = object;

/** The cost of an array besides its bytes: otherwise empty arrays would be kept without limit. */
const ARRAY_OVERHEAD_BYTES = 64;

/** Event arrays kept of one reply, of which agents send one per metric and instance: as many as one reader may keep. */
const MAX_KEPT_ARRAYS = MAX_KEPT_BYTES / ARRAY_OVERHEAD_BYTES;

class Mailboxes {
  readonly byInstance = new Map<number, Mailbox>();
  bytes = 0;
}

interface Mailbox {
  /** Event arrays without their counts. */
  readonly arrays: Uint8Array[];
  records: number;
  lost: number;
}

/** By instance. */
export type WaitingEvents = ReadonlyMap<number, Uint8Array>;

/** Agents send an event record once to a client, which all contexts here are: it is kept for the others. @see pmdaEventQueue(3) */
export class EventRelay {
  readonly #metrics = new Map<number, { readonly type: MetricType; readonly readers: Map<EventReader, Mailboxes> }>();
  readonly #scratch = new ValueSet();
  #keptBytes = 0;

  join(reader: EventReader, pmid: number, type: MetricType): void {
    let metric = this.#metrics.get(pmid);
    if (metric?.type !== type) {
      for (const { bytes } of metric?.readers.values() ?? []) this.#keptBytes -= bytes;
      metric = { type, readers: new Map() };
      this.#metrics.set(pmid, metric);
    }
    if (!metric.readers.has(reader)) metric.readers.set(reader, new Mailboxes());
  }

  leave(reader: EventReader): void {
    for (const [pmid, { readers }] of this.#metrics) {
      this.#keptBytes -= readers.get(reader)?.bytes ?? 0;
      readers.delete(reader);
      if (readers.size === 0) this.#metrics.delete(pmid);
    }
  }

  /** Keeps the records of a reply for readers of the metrics that did not take part in the fetch, as `callers` did. */
  keep(reply: ResultReply, callers: readonly { readonly reader: EventReader }[]): void {
    if (this.#metrics.size === 0) return;
    const present = new Set(callers.map(({ reader }) => reader));
    let room = MAX_KEPT_ARRAYS;
    for (let i = 0; i < reply.pmids.length && room > 0; i++) {
      const metric = this.#metrics.get(reply.pmids[i]!);
      const arrays = reply.statusOf(i);
      if (!metric || arrays <= 0) continue;
      const absent = [...metric.readers].filter(([reader]) => !present.has(reader));
      if (absent.length === 0) continue;
      const set = this.#scratch;
      reply.decodePart(i, metric.type, set, 0, room);
      room -= arrays;
      for (let v = 0; v < set.status; v++) {
        const array = set.column.bytes[v]!;
        const count = array.length < COUNT_BYTES ? 0 : countOf(array);
        if (count <= 0) continue;
        // One copy for all: the reply's bytes, or those of Node's pool, are many times as long and would be kept with it.
        const records = new Uint8Array(array.subarray(COUNT_BYTES));
        for (const [, mailboxes] of absent) this.#put(mailboxes, set.instances[v]!, count, records);
      }
    }
  }

  /** Takes what waits for a reader: one event array per instance, in the format of columns. */
  take(reader: EventReader, pmid: number): WaitingEvents {
    const metric = this.#metrics.get(pmid);
    const mailboxes = metric?.readers.get(reader);
    if (!metric || !mailboxes || mailboxes.byInstance.size === 0) return new Map();
    metric.readers.set(reader, new Mailboxes());
    this.#keptBytes -= mailboxes.bytes;
    const highres = metric.type === MetricType.HIGHRES_EVENT;
    return new Map([...mailboxes.byInstance].map(([instance, mailbox]) => [instance, assemble(mailbox, highres)]));
  }

  /** Puts `count` records, the bytes of an event array after its count, into a reader's mailbox. */
  #put(mailboxes: Mailboxes, instance: number, count: number, records: Uint8Array): void {
    const cost = records.length + ARRAY_OVERHEAD_BYTES;
    const isFull = mailboxes.bytes + cost > MAX_KEPT_BYTES || this.#keptBytes + cost > MAX_HOST_BYTES;
    if (isFull && !mailboxes.byInstance.has(instance)) return;
    const mailbox = getOrMake(mailboxes.byInstance, instance, () => ({ arrays: [], records: 0, lost: 0 }));
    if (isFull) {
      mailbox.lost += count;
      return;
    }
    mailbox.arrays.push(records);
    mailbox.records += count;
    mailboxes.bytes += cost;
    this.#keptBytes += cost;
  }
}

/** One event array from two, the records of the first before those of the second. */
export function joinEventArrays(first: Uint8Array, second: Uint8Array): Uint8Array {
  if (second.length < COUNT_BYTES) return first;
  if (first.length < COUNT_BYTES) return second;
  const joined = Buffer.concat([first, second.subarray(COUNT_BYTES)]);
  joined.writeInt32BE(countOf(first) + countOf(second), 0);
  return joined;
}

function countOf(array: Uint8Array): number {
  return new DataView(array.buffer, array.byteOffset, array.byteLength).getInt32(0);
}

/** The mailbox as one array; lost records are reported by a record of their own. */
function assemble({ arrays, records, lost }: Mailbox, highres: boolean): Uint8Array {
  const count = Buffer.alloc(COUNT_BYTES);
  count.writeInt32BE(records + (lost > 0 ? 1 : 0));
  if (lost === 0) return Buffer.concat([count, ...arrays]);
  const missed = Buffer.alloc(highres ? HIGHRES_RECORD_BYTES : CLASSIC_RECORD_BYTES);
  missed.writeUInt32BE(EventFlag.MISSED, missed.length - 8);
  missed.writeUInt32BE(lost, missed.length - 4);
  return Buffer.concat([count, ...arrays, missed]);
}
