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
  /** By PMID and moment: all instances of a metric are usually in the same records. */
  const records = new Map<string, Promise<readonly RecordLocation[]>>();
  const found: (readonly InstanceNeighbours[])[] = [];
  for (const pmid of pmids) {
    const instances: InstanceNeighbours[] = [];
    for (const hood of interpolator.neighbourhoods(pmid)) instances.push(await describe(pmid, hood));
    found.push(instances);
  }
  return found;

  async function describe(pmid: number, { instance, low, high }: Neighbourhood): Promise<InstanceNeighbours> {
    const isExact = low.column !== undefined && compareTimestamps(low, at) === 0;
    return {
      instance,
      exact: isExact ? await ofMoment(pmid, instance, low) : [],
      low: await neighbour(pmid, instance, low, 'last'),
      high: await neighbour(pmid, instance, high, 'first'),
    };
  }

  async function ofMoment(
    pmid: number,
    instance: number,
    { column, index, sec, nsec }: Neighbour,
  ): Promise<ObservedValue[]> {
    const values = valuesOfMoment(column!, index, instance);
    const records = await recordsAt(pmid, { sec, nsec });
    const skipped = records.length - values.length;
    return values.map((i, k) => ({
      timestamp: { sec, nsec },
      value: valueOf(column!, i, instance),
      record: records[skipped + k],
    }));
  }

  async function neighbour(
    pmid: number,
    instance: number,
    { kind, sec, nsec, column, index, damage }: Neighbour,
    which: 'first' | 'last',
  ): Promise<NeighbourOfMoment> {
    const timestamp = { sec, nsec };
    if (kind === 'none') return { kind };
    if (kind === 'mark' || !column) return { kind: 'mark', timestamp, damage: damage?.message };
    const records = await recordsAt(pmid, timestamp);
    const record = which === 'first' ? records[0] : records.at(-1);
    return { kind: 'value', timestamp, value: valueOf(column, index, instance), record };
  }

  function recordsAt(pmid: number, moment: Timestamp): Promise<readonly RecordLocation[]> {
    const key = `${pmid} ${moment.sec} ${moment.nsec}`;
    return getOrMake(records, key, () => findRecords(pmid, moment));
  }

  async function findRecords(pmid: number, moment: Timestamp): Promise<readonly RecordLocation[]> {
    const position = await timeline.locate(moment, true, signal);
    if (!position) return [];
    const { segment } = position;
    const volume = timeline.volumeNumberOf(segment);
    if (volume === undefined) return [];
    const archive = lastPart(timeline.members[timeline.memberOf(segment)]!.base);
    const table = await segment.owner.load(segment, signal);
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
