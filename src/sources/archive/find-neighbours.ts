import { getOrMake } from '../../kit/index.js';
import { compareTimestamps, ValueSet, type AtomValue, type Timestamp } from '../../pmapi/index.js';
import type { InstanceNeighbours, NeighbourOfMoment, ObservedValue, RecordLocation } from '../batch.js';
import type { MetricColumn } from './columns/metric-column.js';
import { lastPart } from './files/archive-files.js';
import type { Interpolator } from './interpolator.js';
import { valuesOfMoment, type Neighbour, type Neighbourhood } from './neighbour.js';
import { compareRecord } from './records/record-table.js';
import type { Timeline } from './archive.js';

/** The neighbours that an interpolator found last, with the places of the records. */
export async function findNeighbours(
  timeline: Timeline,
  interpolator: Interpolator,
  pmids: readonly number[],
  at: Timestamp,
  signal: AbortSignal | undefined,
): Promise<readonly (readonly InstanceNeighbours[])[]> {
  const finder = new NeighbourFinder(timeline, signal);
  const found: (readonly InstanceNeighbours[])[] = [];
  for (const pmid of pmids) {
    const instances: InstanceNeighbours[] = [];
    for (const hood of interpolator.neighbourhoods(pmid)) instances.push(await finder.describe(pmid, hood, at));
    found.push(instances);
  }
  return found;
}

class NeighbourFinder {
  readonly #timeline: Timeline;
  readonly #signal: AbortSignal | undefined;
  /** By PMID and moment: all instances of a metric are usually in the same records. */
  readonly #records = new Map<string, Promise<readonly RecordLocation[]>>();

  constructor(timeline: Timeline, signal: AbortSignal | undefined) {
    this.#timeline = timeline;
    this.#signal = signal;
  }

  async describe(pmid: number, { instance, low, high }: Neighbourhood, at: Timestamp): Promise<InstanceNeighbours> {
    const isExact = low.column !== undefined && compareTimestamps(low, at) === 0;
    return {
      instance,
      exact: isExact ? await this.#ofMoment(pmid, instance, low) : [],
      low: await this.#neighbour(pmid, instance, low, 'last'),
      high: await this.#neighbour(pmid, instance, high, 'first'),
    };
  }

  async #ofMoment(pmid: number, instance: number, { column, index, sec, nsec }: Neighbour): Promise<ObservedValue[]> {
    const values = valuesOfMoment(column!, index, instance);
    const records = await this.#recordsAt(pmid, { sec, nsec });
    const skipped = records.length - values.length;
    return values.map((i, k) => ({
      timestamp: { sec, nsec },
      value: valueOf(column!, i, instance),
      record: records[skipped + k],
    }));
  }

  async #neighbour(
    pmid: number,
    instance: number,
    { kind, sec, nsec, column, index, damage }: Neighbour,
    which: 'first' | 'last',
  ): Promise<NeighbourOfMoment> {
    const timestamp = { sec, nsec };
    if (kind === 'none') return { kind };
    if (kind === 'mark' || !column) return { kind: 'mark', timestamp, damage: damage?.message };
    const records = await this.#recordsAt(pmid, timestamp);
    const record = which === 'first' ? records[0] : records.at(-1);
    return { kind: 'value', timestamp, value: valueOf(column, index, instance), record };
  }

  #recordsAt(pmid: number, moment: Timestamp): Promise<readonly RecordLocation[]> {
    const key = `${pmid} ${moment.sec} ${moment.nsec}`;
    return getOrMake(this.#records, key, () => this.#findRecords(pmid, moment));
  }

  async #findRecords(pmid: number, moment: Timestamp): Promise<readonly RecordLocation[]> {
    const position = await this.#timeline.locate(moment, true, this.#signal);
    if (!position) return [];
    const { segment } = position;
    const volume = this.#timeline.volumeNumberOf(segment);
    if (volume === undefined) return [];
    const archive = lastPart(this.#timeline.members[this.#timeline.memberOf(segment)]!.base);
    const table = await segment.owner.load(segment, this.#signal);
    const found: RecordLocation[] = [];
    for (let i = position.index - 1; i >= 0 && compareRecord(table, i, moment) === 0; i--) {
      if (table.layouts[table.layoutOf[i]!]!.pmids.includes(pmid)) {
        found.unshift({ archive, volume, offset: table.offsets[i]! });
      }
    }
    return found;
  }
}

const scratch = new ValueSet();

function valueOf(column: MetricColumn, i: number, instance: number): AtomValue {
  scratch.reset(column.pmid, column.type);
  column.copyValue(i, instance, scratch);
  const { numbers, wide, texts, bytes } = scratch.column;
  if (texts.length > 0) return texts[0]!;
  if (bytes.length > 0) return bytes[0]!.slice();
  return wide ? scratch.column.integerAt(0) : numbers[0]!;
}
