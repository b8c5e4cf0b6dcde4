import { compareTimestamps, formatPmid, justAfter, PM_ERR, PmError } from '../../../pmapi/index.js';
import type { Instance, LabelSet, LabelTarget, MetricDescriptor, Timestamp } from '../../../pmapi/index.js';
import type { HelpLevel, HelpTarget } from '../../metric-source.js';
import { viewOf } from '../../wire/index.js';
import { contradiction } from '../metadata/metadata.js';
import {
  decodeDescRecord,
  decodeIndomRecord,
  decodeTextHeader,
  META_HEADER_BYTES,
  MetaRecordType,
  metaRecordReader,
  textHeader,
  textKey,
} from '../metadata/metadata-records.js';
import { readStamp, STAMP_BYTES } from '../metadata/stamped-records.js';
import {
  encodeDescRecord,
  encodeIndomRecord,
  encodeLabelSets,
  encodeTextRecord,
  stampRecord,
} from './encode-metadata.js';
import type { InstanceChange } from './encode-metadata.js';

const VERSION = 3;
/** Offset of a LABEL record's target or a record's instance domain: behind length, type and stamp. */
const TARGET_OFFSET = META_HEADER_BYTES + STAMP_BYTES[VERSION];
const LABEL_TARGET_BYTES = 8;
const INDOM_BYTES = 4;
const NEVER: Timestamp = { sec: -Infinity, nsec: 0 };

/** What a file has so far. Methods return the missing record, and count it as written; {@link stamp} stamps it. */
export class WrittenMetadata {
  readonly #descriptors = new Map<number, MetricDescriptor>();
  readonly #pmids = new Map<string, number>();
  readonly #indoms = new Map<number, ReadonlyMap<number, string>>();
  /** Records from their target on, by target. */
  readonly #labels = new Map<string, Uint8Array>();
  readonly #texts = new Set<string>();
  /** The stamps of the last records of instance domains and of the labels of targets. */
  readonly #stamps = new Map<string, Timestamp>();

  hasMetric(pmid: number): boolean {
    return this.#descriptors.has(pmid);
  }

  pmidOf(name: string): number | undefined {
    return this.#pmids.get(name);
  }

  /** Throws PM_ERR_LOGCHANGETYPE… for a descriptor, PM_ERR_PMID for a name, that contradicts the one in the file. */
  describe(descriptor: MetricDescriptor, names: readonly string[]): Uint8Array | undefined {
    const known = this.#descriptors.get(descriptor.pmid);
    const conflict = known && contradiction(known, descriptor);
    if (conflict !== undefined) throw new PmError(conflict, `${names[0] ?? ''} ${formatPmid(descriptor.pmid)}`);
    const other = names.find((name) => (this.#pmids.get(name) ?? descriptor.pmid) !== descriptor.pmid);
    if (other !== undefined) throw new PmError(PM_ERR.PMID, `${other} has been recorded with another PMID`);
    const added = names.filter((name) => !this.#pmids.has(name));
    if (known && added.length === 0) return undefined;
    this.#addDescriptor(descriptor, added);
    return encodeDescRecord(descriptor, added);
  }

  /** All instances of a domain, or the changes since the last record, whichever is shorter. */
  instances(indom: number, instances: readonly Instance[]): Uint8Array | undefined {
    const before = this.#indoms.get(indom);
    const sorted = [...new Map(instances.map(({ id, name }) => [id, name]))].sort(([a], [b]) => a - b);
    const now = new Map(sorted);
    const changes = before && instanceChanges(before, now);
    // A domain without instances has no record: only a delta can say that the last one went.
    if (changes ? changes.length === 0 : now.size === 0) return undefined;
    this.#indoms.set(indom, now);
    if (changes && isWorthADelta(before, changes, now.size)) return encodeIndomRecord(indom, changes, true);
    const all = sorted.map(([id, name]) => ({ id, name }));
    return encodeIndomRecord(indom, all, false);
  }

  /** The labels of a target, when they are others than before. */
  labels(target: LabelTarget, sets: readonly LabelSet[]): Uint8Array | undefined {
    const record = encodeLabelSets(target, sets);
    const [key, contents] = [targetOf(record), record.subarray(TARGET_OFFSET)];
    const before = this.#labels.get(key);
    if (before ? isSame(before, contents) : sets.every(({ labels }) => labels.length === 0)) return undefined;
    this.#labels.set(key, contents);
    return record;
  }

  /** Stamps records, 1 ns later where the file has such a record already (libpcp corrupts memory on equal stamps); returns the stamp. */
  stamp(records: readonly Uint8Array[], time: Timestamp): Timestamp {
    const keys = records.map(targetOf);
    const isTaken = keys.some((key) => compareTimestamps(this.#stamps.get(key) ?? NEVER, time) === 0);
    const stamp = isTaken ? justAfter(time) : time;
    for (const record of records) stampRecord(record, stamp);
    for (const key of keys) this.#stamps.set(key, stamp);
    return stamp;
  }

  /** A help text; texts have no time, so that the first one stays. */
  help(target: HelpTarget, level: HelpLevel, text: string): Uint8Array | undefined {
    const key = textKey(textHeader(target, level));
    if (this.#texts.has(key)) return undefined;
    this.#texts.add(key);
    return encodeTextRecord(target, level, text);
  }

  /** Takes up a record of a version 3 file. Throws PM_ERR_LOGREC or PM_ERR_RECTYPE. */
  take(record: Uint8Array, name: string): void {
    const reader = metaRecordReader(record, name);
    const type = reader.view.getUint32(4);
    switch (type) {
      case MetaRecordType.DESC: {
        const found = decodeDescRecord(reader);
        if (found) this.#addDescriptor(found.descriptor, found.names);
        break;
      }
      case MetaRecordType.INDOM:
      case MetaRecordType.INDOM_DELTA: {
        const { indom, ids, names } = decodeIndomRecord(reader, VERSION);
        this.#stamps.set(targetOf(record), stampOf(record));
        const now = new Map(type === MetaRecordType.INDOM_DELTA ? this.#indoms.get(indom) : []);
        ids.forEach((id, i) => setOrDelete(now, id, names[i]));
        this.#indoms.set(indom, now);
        break;
      }
      case MetaRecordType.LABEL:
        reader.require(TARGET_OFFSET + LABEL_TARGET_BYTES - reader.offset, 'label target');
        this.#labels.set(targetOf(record), record.slice(TARGET_OFFSET));
        this.#stamps.set(targetOf(record), stampOf(record));
        break;
      case MetaRecordType.TEXT:
        this.#texts.add(textKey(decodeTextHeader(reader)));
        break;
      default:
        throw new PmError(PM_ERR.RECTYPE, `${name}: record type ${type}`);
    }
  }

  #addDescriptor(descriptor: MetricDescriptor, names: readonly string[]): void {
    this.#descriptors.set(descriptor.pmid, descriptor);
    for (const name of names) this.#pmids.set(name, descriptor.pmid);
  }
}

function instanceChanges(before: ReadonlyMap<number, string>, now: ReadonlyMap<number, string>): InstanceChange[] {
  const changes: InstanceChange[] = [];
  for (const [id, name] of now) if (before.get(id) !== name) changes.push({ id, name });
  for (const id of before.keys()) if (!now.has(id)) changes.push({ id, name: undefined });
  return changes.sort((a, b) => a.id - b.id);
}

/**
 * A delta is written if it only adds and is shorter, or if no instance is left. LOGARCHIVE(5) has no deltas for renamed instances.
 * PCP: pmGetInDomArchive(3), and so every interpolation, reads the names of instances that a delta removed, which it has none of, and
 * crashes (seen in 6.0.3).
 */
function isWorthADelta(
  before: ReadonlyMap<number, string>,
  changes: readonly InstanceChange[],
  instanceCount: number,
): boolean {
  const isGrowth = changes.every(({ id, name }) => name !== undefined && !before.has(id));
  return instanceCount === 0 || (isGrowth && changes.length < instanceCount);
}

function setOrDelete(names: Map<number, string>, id: number, name: string | undefined): void {
  if (name === undefined) names.delete(id);
  else names.set(id, name);
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

function targetOf(record: Uint8Array): string {
  const isLabel = viewOf(record).getUint32(4) === MetaRecordType.LABEL;
  const bytes = isLabel ? LABEL_TARGET_BYTES : INDOM_BYTES;
  return record.subarray(TARGET_OFFSET, TARGET_OFFSET + bytes).join();
}

function stampOf(record: Uint8Array): Timestamp {
  return readStamp(viewOf(record), META_HEADER_BYTES, VERSION);
}
