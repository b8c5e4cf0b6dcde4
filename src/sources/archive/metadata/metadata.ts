import { getOrMake } from '../../../kit/index.js';
import {
  formatPmid,
  INDOM_NULL,
  INSTANCE_NULL,
  makeLabel,
  PM_ERR,
  PmError,
  PMID_NULL,
  sameUnits,
} from '../../../pmapi/index.js';
import type { InstanceDomain, LabelSet, LabelTarget, MetricDescriptor, Timestamp } from '../../../pmapi/index.js';
import type { HelpLevel, HelpTarget } from '../../metric-source.js';
import { PmnsTree } from '../../pmns-tree.js';
import { LABEL_TYPES, labelIdent, viewOf } from '../../wire/index.js';
import type { BlockFile } from '../files/block-file.js';
import { IndomHistory, type Lifespan } from './indom-history.js';
import { LABEL_RECORD_BYTES } from './label-record.js';
import type { ArchiveLimits } from '../archive-memory.js';
import {
  checkMetaRecord,
  decodeIndomRecord,
  decodeLabelSets,
  META_HEADER_BYTES,
  metaRecordReader,
  TEXT_HEADER_BYTES,
  textHeader,
  textKey,
  versionOf,
} from './metadata-records.js';
import { StampedRecords, type ArchiveVersion, type RecordPlace } from './stamped-records.js';

interface MetaFile {
  readonly file: BlockFile;
  readonly version: ArchiveVersion;
  offset: number;
}

/** Pooled over the archives of a context. Descriptors and names are held, of all else only places. May grow: {@link refresh}. */
export class Metadata {
  readonly #files: MetaFile[] = [];
  readonly #limits: ArchiveLimits;
  readonly #hostName: string;
  readonly #descriptors = new Map<number, MetricDescriptor>();
  readonly #indoms = new Map<number, IndomHistory>();
  readonly #labels = new Map<string, StampedRecords>();
  readonly #texts = new Map<string, RecordPlace>();
  readonly pmns = new PmnsTree();
  #version = 1;

  private constructor(hostName: string, limits: ArchiveLimits) {
    this.#hostName = hostName;
    this.#limits = limits;
  }

  /** In order of their archives. Throws PM_ERR_LOGREC, PM_ERR_NODATA, PM_ERR_RECTYPE, PM_ERR_LOGCHANGE…. @param hostName in the label */
  static async read(
    files: readonly { readonly file: BlockFile; readonly version: ArchiveVersion }[],
    hostName: string,
    limits: ArchiveLimits,
    signal?: AbortSignal,
  ): Promise<Metadata> {
    const metadata = new Metadata(hostName, limits);
    for (const { file, version } of files) {
      if (file.size > limits.metadataBytes) {
        const problem = `metadata of ${file.size} bytes, expected at most ${limits.metadataBytes}`;
        throw new PmError(PM_ERR.TOOBIG, `${file.name}: ${problem}`);
      }
      const index = metadata.#files.push({ file, version, offset: LABEL_RECORD_BYTES[version] }) - 1;
      await metadata.#take(index, false, signal);
      if (metadata.#descriptors.size === 0) throw new PmError(PM_ERR.NODATA, file.name);
    }
    return metadata;
  }

  /** Moves when something was added. */
  get version(): number {
    return this.#version;
  }

  descriptor(pmid: number): MetricDescriptor | undefined {
    return this.#descriptors.get(pmid);
  }

  /** The instances at a moment. Throws PM_ERR_INDOM_LOG. @see pmGetInDom(3) */
  async instancesAt(indom: number, at: Timestamp): Promise<InstanceDomain> {
    return this.#history(indom).at(at);
  }

  /** All instances over the whole archive. Throws PM_ERR_INDOM_LOG. @see pmGetInDomArchive(3) */
  async instancesEver(indom: number): Promise<InstanceDomain> {
    return this.#history(indom).union();
  }

  /** When each instance came and went; empty for an indom without records. */
  async lifespans(indom: number): Promise<ReadonlyMap<number, Lifespan>> {
    return (await this.#indoms.get(indom)?.lifespans()) ?? NO_LIFESPANS;
  }

  /** The labels of a target at a moment: those of its last record up to then; none is an empty list. */
  async labelsAt(target: LabelTarget, at: Timestamp): Promise<readonly LabelSet[]> {
    const records = this.#labels.get(labelKey(target));
    if (!records) {
      if (target.kind !== 'context') return [];
      return [{ instance: INSTANCE_NULL, labels: [makeLabel('hostname', this.#hostName)] }];
    }
    const i = records.floor(at);
    if (i < 0) return [];
    return decodeLabelSets(await this.#reader(records.placeAt(i)), versionOf(records.kindAt(i)));
  }

  nextLabels(target: LabelTarget, after: Timestamp): Timestamp | undefined {
    return this.#labels.get(labelKey(target))?.stampAfter(after);
  }

  nextInstances(indom: number, after: Timestamp): Timestamp | undefined {
    return this.#indoms.get(indom)?.records.stampAfter(after);
  }

  /** A help text; of a metric or indom without a longer text, its one line. @see pmLookupText(3) */
  async helpText(target: HelpTarget, level: HelpLevel): Promise<string | undefined> {
    const textOf = async (which: HelpLevel): Promise<string | undefined> => {
      const place = this.#texts.get(textKey(textHeader(target, which)));
      const reader = place && (await this.#reader(place));
      reader?.skip(TEXT_HEADER_BYTES, 'text header');
      return reader?.textAt(reader.offset, reader.remaining, 'text');
    };
    const oneline = await textOf('oneline');
    if (level === 'oneline') return oneline;
    const help = await textOf('help');
    return help === undefined || help === '' ? oneline : help;
  }

  /** Reads what was appended to the files; an incomplete record waits. */
  async refresh(): Promise<void> {
    for (const [index, { file, offset }] of this.#files.entries()) {
      await file.refresh();
      if (file.size > offset && file.size <= this.#limits.metadataBytes) await this.#take(index, true);
    }
  }

  async #take(index: number, growing: boolean, signal?: AbortSignal): Promise<void> {
    const meta = this.#files[index]!;
    const { file } = meta;
    const start = meta.offset;
    while (file.size - meta.offset >= META_HEADER_BYTES) {
      signal?.throwIfAborted();
      const { offset } = meta;
      const length = viewOf(file.peek(offset, 4) ?? (await file.read(offset, 4))).getUint32(0);
      const name = `${file.name} at offset ${offset}`;
      if (length < META_HEADER_BYTES + 4 || length > this.#limits.recordBytes) {
        throw new PmError(PM_ERR.LOGREC, `${name}: a record of ${length} bytes`);
      }
      if (offset + length > file.size) {
        if (growing) break;
        throw new PmError(PM_ERR.LOGREC, `${name}: a record of ${length} bytes, ${file.size - offset} are left`);
      }
      const bytes = file.peek(offset, length) ?? (await file.read(offset, length));
      const trailer = viewOf(bytes).getUint32(length - 4);
      if (trailer !== length) throw new PmError(PM_ERR.LOGREC, `${name}: lengths ${length} and ${trailer} differ`);
      this.#takeRecord(bytes, { file: index, offset, length }, name);
      meta.offset = offset + length;
    }
    if (meta.offset !== start) this.#version++;
  }

  #takeRecord(bytes: Uint8Array, place: RecordPlace, name: string): void {
    const reader = metaRecordReader(bytes, name);
    const type = reader.view.getUint32(4);
    const found = checkMetaRecord(reader, name);
    if (!found) return;
    if ('desc' in found) {
      this.#addDescriptor(found.desc.descriptor, found.desc.names, name);
    } else if ('indom' in found) {
      const { stamp, indom, count } = found.indom;
      if (count > 0) this.#addIndom(indom, stamp, place, type);
    } else if ('labels' in found) {
      const { labels } = found;
      const ident = labels.type === LABEL_TYPES.context ? PMID_NULL : labels.ident;
      const key = `${labels.type}:${ident}`;
      getOrMake(this.#labels, key, () => new StampedRecords()).push(labels.stamp, place, type);
    } else {
      this.#texts.set(textKey(found.text), place);
    }
  }

  #addDescriptor(descriptor: MetricDescriptor, names: readonly string[], where: string): void {
    const { pmid } = descriptor;
    const known = this.#descriptors.get(pmid);
    if (known) {
      const pmErr = contradiction(known, descriptor);
      if (pmErr !== undefined) throw new PmError(pmErr, `${where}: ${names[0] ?? ''} ${formatPmid(pmid)}`);
    } else {
      this.#descriptors.set(pmid, descriptor);
    }
    for (const name of names) this.pmns.add(name, pmid);
  }

  #addIndom(indom: number, stamp: Timestamp, place: RecordPlace, type: number): void {
    const history = getOrMake(this.#indoms, indom, () => {
      const records = new StampedRecords();
      return new IndomHistory(indom, records, async (i) => {
        const at = records.placeAt(i);
        return decodeIndomRecord(await this.#reader(at), versionOf(records.kindAt(i)));
      });
    });
    history.reset(history.records.push(stamp, place, type));
  }

  #history(indom: number): IndomHistory {
    const history = indom === INDOM_NULL ? undefined : this.#indoms.get(indom);
    if (!history) throw new PmError(PM_ERR.INDOM_LOG);
    return history;
  }

  async #reader(place: RecordPlace): Promise<ReturnType<typeof metaRecordReader>> {
    const { file } = this.#files[place.file]!;
    return metaRecordReader(await file.read(place.offset, place.length), `${file.name} at offset ${place.offset}`);
  }
}

const NO_LIFESPANS: ReadonlyMap<number, Lifespan> = new Map();

function labelKey(target: LabelTarget): string {
  return `${LABEL_TYPES[target.kind]}:${labelIdent(target)}`;
}

/** The code of what two descriptors of one metric disagree about; undefined when they agree. */
export function contradiction(known: MetricDescriptor, other: MetricDescriptor): number | undefined {
  if (known.type !== other.type) return PM_ERR.LOGCHANGETYPE;
  if (known.semantics !== other.semantics) return PM_ERR.LOGCHANGESEM;
  if (known.indom !== other.indom) return PM_ERR.LOGCHANGEINDOM;
  return sameUnits(known.units, other.units) ? undefined : PM_ERR.LOGCHANGEUNITS;
}
