import fc from '../../support/properties.js';
import {
  FetchResult,
  INSTANCE_NULL,
  MetricType,
  PM_ERR,
  Semantics,
  timestampFromSeconds,
} from '../../../src/pmapi/index.js';
import type { AtomValue } from '../../../src/pmapi/index.js';
import { InstanceProfile } from '../../../src/sources/index.js';
import { LiveMemory, LiveRangeSource } from '../../../src/context/range/index.js';
import type { LiveHistory, LiveMemoryLimits, RangeMetric, RangeParameters } from '../../../src/context/range/index.js';
import { DISKS, type FakeValues, fakeMetric } from './support/fake-archive.js';
import { type Seen, rangeOf, readAll } from './support/read-all.js';
import { rows } from '../../support/rows.js';

const load = fakeMetric('load', 1, { type: MetricType.DOUBLE });
const reads = fakeMetric('reads', 2, { semantics: Semantics.COUNTER, type: MetricType.U64 });
const disks = fakeMetric('disks', 3, { indom: DISKS, semantics: Semantics.COUNTER, type: MetricType.U32 });
const limit = fakeMetric('limit', 4, { semantics: Semantics.DISCRETE });
const text = fakeMetric('text', 5, { type: MetricType.STRING });

const ALL = new InstanceProfile();
let nowMs = 0;
const memoryOf = (limits: Partial<LiveMemoryLimits> = {}): LiveMemory =>
  new LiveMemory({ monotonicMs: () => nowMs }, { bytes: 1e6, maxAgeMs: 60_000, ...limits });

/** What a fetch at a moment of some metrics answered. */
function see(
  history: LiveHistory,
  sec: number,
  values: readonly (readonly [RangeMetric, FakeValues])[],
  profile = ALL,
  reconnects = 0,
): void {
  const result = new FetchResult();
  result.timestamp = timestampFromSeconds(sec);
  result.resize(values.length);
  values.forEach(([{ descriptor }, value], i) => {
    const set = result.sets[i]!;
    set.reset(descriptor.pmid, descriptor.type);
    if (value instanceof Map) for (const [id, one] of value as Map<number, AtomValue>) set.add(id, one);
    else if (typeof value === 'object' && 'error' in value) set.fail(value.error);
    else set.add(INSTANCE_NULL, value as AtomValue);
  });
  history.record(
    values.map(([metric]) => metric),
    result,
    profile,
    reconnects,
  );
  // What was kept must not be the fetch's own buffers.
  for (const set of result.sets) set.reset(0, MetricType.DOUBLE);
  for (const set of result.sets) set.column.numbers.fill(-1);
}

function read(
  history: LiveHistory,
  metrics: readonly RangeMetric[],
  parameters: RangeParameters = {},
  profile = ALL,
): Promise<Seen[]> {
  const source = new LiveRangeSource(
    history,
    metrics.map(({ descriptor }) => descriptor),
    (indom) => Promise.resolve({ indom, instances: [] }),
  );
  return readAll(rangeOf(source, metrics, parameters, { profile }));
}

beforeEach(() => {
  nowMs = 0;
});

describe('LiveHistory', () => {
  it('keeps instances, in whatever order, and errors', async () => {
    const history = memoryOf().history();
    see(history, 1, [[disks, new Map([[0, 1], [1, 2]])]]); // prettier-ignore
    see(history, 2, [[disks, new Map([[1, 3], [0, 4]])]]); // prettier-ignore
    see(history, 3, [[disks, { error: PM_ERR.AGAIN }]]);
    see(history, 4, [[disks, new Map()]]);
    expect(await read(history, [disks])).toEqual([
      [1, { 0: 1, 1: 2 }],
      [2, { 0: 4, 1: 3 }],
      [3, { error: PM_ERR.AGAIN }],
      [4, undefined],
    ]);
  });

  it('does not keep the same sample twice, nor an older one', async () => {
    const history = memoryOf().history();
    see(history, 2, [[load, 2]]);
    see(history, 2, [[load, 3]]);
    see(history, 1, [[load, 1]]);
    expect(await read(history, [load])).toEqual([[2, 2]]);
  });

  it('does not keep what a profile cut short, and limits what it gives to a profile', async () => {
    const history = memoryOf().history();
    const profile = new InstanceProfile();
    profile.delete(DISKS, []);
    profile.add(DISKS, [1]);
    see(history, 1, [[disks, new Map([[1, 2]])], [load, 1]], profile); // prettier-ignore
    see(history, 2, [[disks, new Map([[0, 5], [1, 6]])]]); // prettier-ignore
    expect(await read(history, [disks, load], {}, profile)).toEqual(rows([1, undefined, 1], [2, { 1: 6 }, undefined]));
  });

  it('forgets the oldest samples of whatever source when the memory is full', async () => {
    const memory = memoryOf({ bytes: 2600 });
    const [one, other] = [memory.history(), memory.history()];
    for (let sec = 0; sec < 10; sec++) see(one, sec, [[load, sec]]);
    for (let sec = 0; sec < 15; sec++) see(other, sec, [[load, sec]]);
    expect(memory.bytes).toBeLessThanOrEqual(2600);
    const [left, others] = [await read(one, [load]), await read(other, [load])];
    expect(left.length + others.length).toBeGreaterThan(15);
    expect(others.length).toBe(15);
    expect(left.at(-1)).toEqual([9, 9]);
    for (let sec = 15; sec < 60; sec++) see(other, sec, [[load, sec], [text, 'a text']]); // prettier-ignore
    expect(await read(one, [load])).toEqual([]);
    expect((await read(other, [load])).at(-1)).toEqual([59, 59]);
  });

  it('forgets samples that have become too old', async () => {
    const memory = memoryOf({ maxAgeMs: 1000 });
    const history = memory.history();
    see(history, 1, [[load, 1]]);
    nowMs = 600;
    see(history, 2, [[load, 2]]);
    nowMs = 1001;
    memory.sweep();
    expect(await read(history, [load])).toEqual([[2, 2]]);
    nowMs = 1601;
    memory.sweep();
    expect(await read(history, [load])).toEqual([]);
    expect(memory.bytes).toBe(0);
    see(history, 3, [[load, 3]]);
    expect(await read(history, [load])).toEqual([[3, 3]]);
  });

  it('takes few bytes for a sample of metrics that are fetched together, whichever of them others fetch beside', async () => {
    const memory = memoryOf({ bytes: 1e9, maxAgeMs: 1e9 });
    const history = memory.history();
    const metrics = Array.from({ length: 100 }, (_, i) => fakeMetric(`m${i}`, 10 + i, { type: MetricType.DOUBLE }));
    for (let sec = 0; sec < 512; sec++) {
      see(history, sec / 8, metrics.map((metric) => [metric, sec / 3])); // prettier-ignore
      see(history, sec / 8 + 1 / 16, [[metrics[0]!, sec]]);
    }
    expect(memory.bytes / (513 * 100)).toBeLessThan(16);
    const last = await read(history, metrics.slice(0, 2), { start: '63.875' });
    expect(last).toEqual(rows([63.875, 511 / 3, 511 / 3], [63.9375, 511, undefined]));
  });

  it('gives its memory back when cleared, and the rest is left alone', async () => {
    const memory = memoryOf({ maxAgeMs: 1000 });
    const [one, other] = [memory.history(), memory.history()];
    see(one, 1, [[load, 1], [text, 'red']]); // prettier-ignore
    see(other, 1, [[load, 2]]);
    const before = memory.bytes;
    one.clear();
    expect(memory.bytes).toBeLessThan(before);
    see(one, 2, [[load, 3]]);
    expect(await read(one, [load])).toEqual([[2, 3]]);
    one.clear();
    other.clear();
    expect(memory.bytes).toBe(0);
    nowMs = 5000;
    memory.sweep();
    expect(memory.bytes).toBe(0);
  });

  it('never takes more than its limit, and counts down to nothing, whatever is seen', () => {
    const seen = fc.array(fc.tuple(fc.nat(50), fc.constantFrom(load, reads, limit), fc.nat(2000)), { maxLength: 60 });
    fc.assert(
      fc.property(seen, fc.integer({ min: 500, max: 4000 }), (samples, bytes) => {
        nowMs = 0;
        const memory = memoryOf({ bytes, maxAgeMs: 20_000 });
        const histories = [memory.history(), memory.history()];
        for (const [sec, metric, laterMs] of samples) {
          nowMs += laterMs;
          see(histories[sec % 2]!, sec, [[metric, sec]]);
          expect(memory.bytes).toBeLessThanOrEqual(bytes);
          expect(memory.bytes).toBeGreaterThanOrEqual(0);
        }
        nowMs += 20_001;
        memory.sweep();
        expect(memory.bytes).toBe(0);
      }),
    );
  });
});

describe('LiveRangeSource with an interval', () => {
  it('makes up nothing, and no rate, across a reconnection', async () => {
    const history = memoryOf().history();
    see(history, 10, [[reads, 100], [limit, 7]]); // prettier-ignore
    see(history, 11, [[reads, 110], [limit, 7]]); // prettier-ignore
    see(history, 13, [[reads, 5], [limit, 9]], ALL, 1); // prettier-ignore
    see(history, 15, [[reads, 25], [limit, 9]], ALL, 1); // prettier-ignore
    expect(await read(history, [reads, limit], { rate: true })).toEqual([
      [10, undefined, 7],
      [11, 10, 7],
      [13, 'mark'],
      [13, undefined, 9],
      [15, 10, 9],
    ]);
    const parameters = { start: '10', finish: '15', interval: '1', rate: true };
    expect(await read(history, [reads, limit], parameters)).toEqual([
      [10, undefined, 7],
      [11, 10, 7],
      [12, undefined, 7],
      [13, undefined, 9],
      [14, 10, 9],
      [15, 10, 9],
    ]);
  });

  it('has no values for what nobody ever fetched', async () => {
    expect(await read(memoryOf().history(), [load], { finish: '2', interval: '1' })).toEqual([
      [0, undefined],
      [1, undefined],
      [2, undefined],
    ]);
    expect(await read(memoryOf().history(), [load])).toEqual([]);
  });
});
