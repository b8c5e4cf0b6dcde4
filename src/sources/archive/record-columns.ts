import { MetricType } from '../../pmapi/index.js';
import type { FetchResult, MetricDescriptor } from '../../pmapi/index.js';
import type { InstanceProfile } from '../profile.js';
import type { Archive } from './archive.js';
import { loadColumns } from './column-loader.js';
import type { MetricColumn } from './metric-column.js';
import type { RecordPlace } from './record-cursor.js';

/** The indom that no profile speaks of, for metrics that the archive does not describe. */
const NO_PROFILE_INDOM = 0xffffffff;

/**
 * Takes the values of some metrics out of records that come one after the other: the columns of the segment at hand are looked
 * up once, not once a record.
 */
export class RecordColumns {
  readonly #archive: Archive;
  readonly pmids: readonly number[];
  readonly #rows: Int32Array;
  #uid = -1;
  #dataVersion = -1;
  #descriptors: readonly (MetricDescriptor | undefined)[] = [];
  #columns: readonly (MetricColumn | undefined)[] = [];

  constructor(archive: Archive, pmids: readonly number[]) {
    this.#archive = archive;
    this.pmids = pmids;
    this.#rows = new Int32Array(pmids.length);
  }

  /** The values of a record that is not a mark; what there is to wait for, if anything. */
  fill(place: RecordPlace, profile: InstanceProfile, into: FetchResult): Promise<void> | undefined {
    if (this.isReadyFor(place)) {
      this.#copy(place, profile, into);
      return undefined;
    }
    return this.#load(place).then(() => {
      this.#copy(place, profile, into);
    });
  }

  /** Whether {@link fill} has nothing to wait for at a record. */
  isReadyFor({ segment }: RecordPlace): boolean {
    return segment.uid === this.#uid && this.#archive.dataVersion === this.#dataVersion;
  }

  /** Whether the record that was filled in last holds metric `i`, be it with no values or an error. */
  holds(i: number): boolean {
    return this.#rows[i]! >= 0;
  }

  async #load({ segment }: RecordPlace): Promise<void> {
    const { metadata, memory, dataVersion } = this.#archive;
    const { uid } = segment;
    const held = this.pmids.filter((pmid) => segment.mayHold(pmid));
    const columns = await loadColumns(memory, segment, held, (pmid) => metadata.descriptor(pmid)?.type);
    let next = 0;
    this.#columns = this.pmids.map((pmid) => (pmid === held[next] ? columns[next++] : undefined));
    this.#descriptors = this.pmids.map((pmid) => metadata.descriptor(pmid));
    this.#uid = uid;
    this.#dataVersion = dataVersion;
  }

  #copy(place: RecordPlace, profile: InstanceProfile, into: FetchResult): void {
    into.timestamp = place.stamp;
    into.resize(this.pmids.length);
    for (let i = 0; i < this.pmids.length; i++) {
      const pmid = this.pmids[i]!;
      const descriptor = this.#descriptors[i];
      const column = this.#columns[i];
      const row = column ? column.rowOf(place.record, this.#rows[i]! + 1) : -1;
      this.#rows[i] = row;
      if (!column || row < 0) into.sets[i]!.reset(pmid, descriptor?.type ?? MetricType.U32);
      else column.fill(row, descriptor?.indom ?? NO_PROFILE_INDOM, profile, into.sets[i]!);
    }
  }
}
