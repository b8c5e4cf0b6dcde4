import { bindExpression, compileProgram, parseExpression } from '../../../src/derived/index.js';
import { EventLoopTurns } from '../../../src/kit/index.js';
import { GatewayError, MetricType, PM_ERR, PmError, Semantics } from '../../../src/pmapi/index.js';
import { InstanceProfile, RowBatch } from '../../../src/sources/index.js';
import { collectColumns, countSeries, DEFAULT_RANGE_LIMITS } from '../../../src/context/range/index.js';
import type { RangeMetric, RangeSamples } from '../../../src/context/range/index.js';
import { DISKS, FakeArchive, type FakeRecord, fakeMetric } from './support/fake-archive.js';
import { rangeOf, readAll } from './support/read-all.js';
import { rows } from '../../support/rows.js';

const load = fakeMetric('load', 1);
const reads = fakeMetric('reads', 2, { semantics: Semantics.COUNTER, type: MetricType.U64, units: { dimCount: 1 } });
const bytes = fakeMetric('bytes', 3, {
  semantics: Semantics.COUNTER,
  indom: DISKS,
  units: { dimSpace: 1, scaleSpace: 1 },
});
const METRICS = [load, reads, bytes];

const RECORDS: readonly FakeRecord[] = [
  [1, { load: 10, reads: 100 }],
  [2, { load: 20 }],
  [3, { load: 30, reads: 140 }],
  [3.001, 'mark'],
  [5, { load: 50, reads: 200 }],
  [6, { bytes: new Map([[0, 7]]) }],
  [7, { load: 70, reads: 260 }],
];

function derived(name: string, expression: string, item: number): RangeMetric {
  const parsed = parseExpression(expression);
  if (!parsed.ok) throw new Error(`${expression} does not parse`);
  const bound = bindExpression(parsed.expression, {
    operand: (operand) => {
      const found = METRICS.find((metric) => metric.name === operand);
      return found ? { descriptor: found.descriptor } : { error: PM_ERR.NAME };
    },
    isDerived: () => false,
  });
  if (!bound.ok) throw new Error(`${expression} does not bind`);
  const program = compileProgram(bound.bound);
  const { pmid } = fakeMetric(name, item);
  const operands = bound.bound.operands.map(({ descriptor }) => descriptor.pmid);
  const descriptor = { pmid, ...program.meta };
  return { name, pmid, descriptor, computed: { pmid, descriptor, program, operands, bytes: 0 } };
}

describe('readRange over recorded samples', () => {
  it('stops after so many samples, marks not counted, and lets go of the source', async () => {
    const archive = new FakeArchive(METRICS, RECORDS);
    const seen = await readAll(rangeOf(archive, [reads], { samples: 3 }));
    expect(seen.map(([sec]) => sec)).toEqual([1, 3, 3.001, 5]);
    expect(archive.openReaders).toBe(0);
    expect(archive.recordsRead).toBe(4);
  });

  it('makes rates over records that do not hold the counter, and none across a mark', async () => {
    const archive = new FakeArchive(METRICS, RECORDS);
    expect(await readAll(rangeOf(archive, [load, reads], { rate: true }))).toEqual([
      [1, 10, undefined],
      [2, 20, undefined],
      [3, 30, 20],
      [3.001, 'mark'],
      [5, 50, undefined],
      [7, 70, 30],
    ]);
  });

  it('passes errors on as data', async () => {
    const archive = new FakeArchive(METRICS, [[1, { load: { error: PM_ERR.AGAIN } }]]);
    expect(await readAll(rangeOf(archive, [load], { rate: true, units: 'count' }))).toEqual([
      [1, { error: PM_ERR.AGAIN }],
    ]);
  });

  it('reads nothing for a window outside of the archive', async () => {
    const archive = new FakeArchive(METRICS, RECORDS);
    expect(await readAll(rangeOf(archive, [load], { start: '200', finish: '300' }))).toEqual([]);
    expect(archive.recordsRead).toBe(0);
  });

  it('reads a record only when it is asked for', async () => {
    const archive = new FakeArchive(METRICS, RECORDS);
    const samples = rangeOf(archive, [load]).batches()[Symbol.asyncIterator]();
    expect(archive.recordsRead).toBe(0);
    await samples.next();
    expect(archive.recordsRead).toBe(1);
    await samples.next();
    expect(archive.recordsRead).toBe(2);
    await samples.return!();
    expect(archive.openReaders).toBe(0);
  });

  it('stops with the reason when the client leaves, and lets go of the source', async () => {
    const archive = new FakeArchive(METRICS, RECORDS);
    const client = new AbortController();
    const reason = new Error('the client left');
    const samples = rangeOf(archive, [load], {}, { signal: client.signal }).batches()[Symbol.asyncIterator]();
    await samples.next();
    client.abort(reason);
    await expect(samples.next()).rejects.toBe(reason);
    expect(archive.openReaders).toBe(0);
  });

  it('refuses to read more values than the limit, and says what would fit', async () => {
    const archive = new FakeArchive(METRICS, RECORDS);
    const limits = { ...DEFAULT_RANGE_LIMITS, values: 3 };
    const error = await readAll(rangeOf(archive, [load], {}, { limits })).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(GatewayError);
    expect(error).toMatchObject({ code: 'LIMIT_EXCEEDED', details: { parameter: 'finish' } });
    expect((error as GatewayError).message).toContain('the 3 samples before 5.000000000 would fit');
    expect(archive.openReaders).toBe(0);
  });

  it('counts values that are computed from nothing, at every record', async () => {
    const constant = derived('constant', '7', 50);
    const archive = new FakeArchive(METRICS, RECORDS);
    const seen = await readAll(rangeOf(archive, [constant]));
    expect(seen.map(([sec]) => sec)).toEqual([1, 2, 3, 3.001, 5, 6, 7]);
    const limits = { ...DEFAULT_RANGE_LIMITS, values: 3 };
    const refused = readAll(rangeOf(new FakeArchive(METRICS, RECORDS), [constant], {}, { limits }));
    await expect(refused).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
  });

  it('keeps values apart when a metric is asked for twice', async () => {
    const archive = new FakeArchive(METRICS, [[1, { bytes: new Map([[0, 1024]]) }]]);
    const again = { ...bytes, name: 'bytes.alias' };
    expect(await readAll(rangeOf(archive, [bytes, again], { units: 'Mbyte' }))).toEqual([[1, { 0: 1 }, { 0: 1 }]]);
  });
});

describe('readRange with an interval', () => {
  const line = (sec: number): Record<string, number> => ({ load: sec * 2, reads: sec * 5 });

  it('says what the values are', () => {
    const archive = new FakeArchive(METRICS, [], line);
    const { metrics } = rangeOf(archive, [load, bytes], { interval: '1', rate: true });
    expect(metrics[0]!.descriptor).toEqual(load.descriptor);
    expect(metrics[1]!.descriptor).toMatchObject({
      type: MetricType.DOUBLE,
      semantics: Semantics.INSTANT,
      units: { dimSpace: 1, scaleSpace: 1, dimTime: -1, scaleTime: 3 },
    });
  });
});

describe('derived metrics in a range', () => {
  it('are computed in time order, each range with its own history', async () => {
    const archive = new FakeArchive(METRICS, RECORDS);
    const delta = derived('step', 'delta(load)', 50);
    const first = rangeOf(archive, [delta]).batches()[Symbol.asyncIterator]();
    await first.next();
    const seen = await readAll(rangeOf(archive, [delta]));
    expect(seen).toEqual(rows([1, undefined], [2, 10], [3, 10], [3.001, 'mark'], [5, undefined], [7, 20]));
    await first.return!();
  });

  it('do not depend on what is asked beside them', async () => {
    const archive = new FakeArchive(METRICS, RECORDS);
    const delta = derived('step', 'delta(reads)', 50);
    const alone = await readAll(rangeOf(archive, [delta]));
    const beside = await readAll(rangeOf(archive, [delta, load, bytes]));
    const times = new Set(alone.map(([sec]) => sec));
    expect(alone).toContainEqual([3, 40]);
    expect(beside.filter(([sec]) => times.has(sec)).map((seen) => seen.slice(0, 2))).toEqual(alone);
  });

  it('are rated as counters when they are some', async () => {
    const archive = new FakeArchive(METRICS, [], (sec) => ({ reads: sec * 5 }));
    const twice = derived('twice', 'reads * 2', 50);
    const seen = await readAll(rangeOf(archive, [twice], { interval: '1', finish: '2', rate: true }));
    expect(seen.map(([, rate]) => rate)).toEqual([undefined, 10, 10]);
  });

  it('have no rate from or to a sample in which no operand has values', async () => {
    const archive = new FakeArchive(METRICS, [], (sec) =>
      sec === 2 ? {} : { bytes: new Map([[0, 1000 + sec], [1, 1000 + sec]]) },
    ); // prettier-ignore
    const total = derived('total', 'sum(bytes)', 50);
    const values = await readAll(rangeOf(archive, [total], { interval: '1', finish: '4' }));
    expect(values.map(([, value]) => value)).toEqual([2000, 2002, 0, 2006, 2008]);
    const rates = await readAll(rangeOf(archive, [total], { interval: '1', finish: '4', rate: true }));
    expect(rates.map(([, rate]) => rate)).toEqual([undefined, 2, undefined, undefined, 2]);
  });

  it('find instances by the names that these have at the moment', async () => {
    const archive = new FakeArchive(METRICS, [
      [1, { bytes: new Map([[0, 1], [1, 2]]) }],
      [2, { bytes: new Map([[0, 3], [1, 4]]) }],
    ]); // prettier-ignore
    archive.instanceNames = rows([0, 'sda'], [1, 'sdb']);
    const one = derived('one', 'matchinst(/sdb/, bytes)', 50);
    expect(await readAll(rangeOf(archive, [one]))).toEqual(rows([1, { 1: 2 }], [2, { 1: 4 }]));
  });
});

describe('readRange from a source that seldom has to be waited for', () => {
  const END_SEC = 40;
  const eol = new PmError(PM_ERR.EOL);

  /** Reads the moments for which `waits` holds in time, the others at once, and has no more than so many. */
  function source(waits: (sec: number) => boolean): FakeArchive {
    const archive = new FakeArchive(METRICS, [], (sec) => ({ load: 10 * sec }));
    const range = archive.range.bind(archive);
    archive.range = (...asked) => {
      const read = range(...asked);
      return (moment, into): void | Promise<void> => {
        if (waits(moment.sec)) return moment.sec > END_SEC ? Promise.reject(eol) : read(moment, into);
        if (moment.sec > END_SEC) throw eol;
        void read(moment, into);
        return undefined;
      };
    };
    return archive;
  }

  it.each([
    ['never', () => false, 1],
    ['for every moment', () => true, END_SEC + 1],
    ['for some moments', (sec: number) => sec % 10 === 3, 5],
    ['for the end', (sec: number) => sec > END_SEC, 1],
  ])('takes as many samples at once as there are: waiting %s', async (_, waits, most) => {
    const turns = new EventLoopTurns(() => 0);
    await turns.own();
    const samples = rangeOf(source(waits), [load], { interval: '1' }, { turns });
    let runs = 0;
    const seen: number[] = [];
    for await (const { length, columns } of samples.batches()) {
      runs++;
      for (let row = 0; row < length; row++) seen.push(columns[0]!.at(row).column.numbers[0]!);
    }
    expect(seen).toEqual(Array.from({ length: END_SEC + 1 }, (__, sec) => 10 * sec));
    expect(runs).toBe(most);
  });

  it('throws what reading throws, and leaves nothing behind unheard when it is given up', async () => {
    const failure = new Error('unreadable');
    const archive = source(() => false);
    const range = archive.range.bind(archive);
    archive.range = (...asked) => {
      const read = range(...asked);
      return (moment, into) => (moment.sec === 2 ? Promise.reject(failure) : read(moment, into));
    };
    const turns = new EventLoopTurns(() => 0);
    const open = (): RangeSamples => rangeOf(archive, [load], { interval: '1' }, { turns });
    await expect(readAll(open())).rejects.toBe(failure);
    for await (const batch of open().batches()) {
      expect(batch).toHaveLength(2);
      break;
    }
    await new Promise((resolve) => setImmediate(resolve));
  });
});

describe('readRange beside other work', () => {
  it('lets the event loop turn when its budget is spent', async () => {
    let nowMs = 0;
    const turns = new EventLoopTurns(() => nowMs);
    const archive = new FakeArchive(METRICS, [], () => {
      nowMs += 1;
      return { load: 1 };
    });
    let turned = 0;
    const timer = setInterval(() => turned++, 0);
    const immediate = (): void => {
      turned++;
      if (turned < 1000) setImmediate(immediate);
    };
    setImmediate(immediate);
    const columns = await collectColumns(rangeOf(archive, [load], { interval: '1' }, { turns }));
    clearInterval(timer);
    expect(columns.length).toBe(101);
    expect(turned).toBeGreaterThanOrEqual(20);
    turned = 1000;
  });
});

describe('readRange over a batch of many samples', () => {
  const SAMPLES = 20_000;
  /** How often it was asked whether a sample has the metric: for holes. */
  let looks = 0;
  const manyAtOnce = (): FakeArchive => {
    const batch = new RowBatch(1, SAMPLES, () => ++looks > 0);
    for (let sec = 0; sec < SAMPLES; sec++) {
      batch.next.timestamp = { sec, nsec: 0 };
      batch.next.resize(1);
      batch.next.sets[0]!.reset(load.pmid, MetricType.U32);
      batch.next.sets[0]!.addNumber(-1, sec);
      batch.push();
    }
    const archive = new FakeArchive([load], []);
    archive.batches = async function* () {
      yield await Promise.resolve(batch);
    };
    return archive;
  };

  it.each([
    ['recorded values', [load]],
    ['steps of derived values', [derived('sums', Array(20).fill('load').join(' + '), 9)]],
  ])('asks for a turn after at most 4,096 %s', async (_, metrics) => {
    const steps = metrics[0]!.computed?.program.steps.length ?? 1;
    let [length, asked, mostLooks] = [0, 0, 0];
    const turns = new EventLoopTurns();
    turns.next = () => {
      asked++;
      mostLooks = Math.max(mostLooks, looks);
      looks = 0;
      return undefined;
    };
    for await (const batch of rangeOf(manyAtOnce(), metrics, {}, { turns, holes: true }).batches()) {
      expect(batch.length * steps).toBeLessThanOrEqual(4096);
      length += batch.length;
    }
    expect(length).toBe(SAMPLES);
    expect(asked).toBeGreaterThanOrEqual((SAMPLES * steps) / 4096);
    expect(mostLooks).toBeLessThanOrEqual(4096);
  });
});

describe('countSeries', () => {
  it('counts one for each singular metric and the instances that the profile lets through', async () => {
    const archive = new FakeArchive(METRICS, []);
    archive.instanceNames = rows([0, 'sda'], [1, 'sdb'], [2, 'sdc']);
    const at = { sec: 1, nsec: 0 };
    expect(await countSeries(archive, new InstanceProfile(), [load, bytes, bytes], at)).toBe(7);
    const profile = new InstanceProfile();
    profile.delete(DISKS, []);
    profile.add(DISKS, [2]);
    expect(await countSeries(archive, profile, [load, bytes], at)).toBe(2);
    const elsewhere = fakeMetric('elsewhere', 9, { indom: 12345 });
    expect(await countSeries(archive, profile, [elsewhere], at)).toBe(1);
  });
});

describe('holes', () => {
  const everySecond = (from: number, to: number, values: Record<string, number>): FakeRecord[] =>
    Array.from({ length: to - from + 1 }, (_, i) => [from + i, values]);
  const holesOf = async (records: readonly FakeRecord[], metrics = [load], more = {}): Promise<unknown[]> => {
    const source = new FakeArchive(METRICS, records);
    const seen = await readAll(rangeOf(source, metrics, more, { holes: true }));
    return seen.filter(([, value]) => value === 'mark').map(([sec]) => sec);
  };

  it('have a mark where nothing was recorded for five times the usual interval, and rates reach across', async () => {
    const records = [
      ...everySecond(0, 4, { load: 1, reads: 7 }),
      [9.5, { load: 1, reads: 18 }] as const,
      ...everySecond(10, 12, { load: 1, reads: 18 }),
    ];
    expect(await holesOf(records, [load, reads])).toEqual([4.001]);
    const range = rangeOf(new FakeArchive(METRICS, records), [reads], { rate: true, start: '4' }, { holes: true });
    expect((await readAll(rangeOf(new FakeArchive(METRICS, records), [load]))).flat()).not.toContain('mark');
    expect((await readAll(range))[1]).toEqual([9.5, 2]);
  });

  it('are not where one of the metrics was recorded as usual, or only now and then', async () => {
    const slow = [0, 20, 40, 60].map((sec): FakeRecord => [sec, { reads: sec }]);
    const records = [...everySecond(0, 4, { load: 1 }), ...slow].sort(([a], [b]) => a - b);
    expect(await holesOf(records, [load])).toEqual([]);
    expect(await holesOf(records, [load, reads])).toEqual([4.001]);
    expect(await holesOf(slow, [reads])).toEqual([]);
  });

  it('are not beside fetches that come between regular samples', async () => {
    const records = [0, 10, 10.5, 20, 20.5, 30, 30.5, 40].map((sec): FakeRecord => [sec, { load: 1 }]);
    expect(await holesOf(records)).toEqual([]);
  });

  it('are between stretches of a few samples, too, until samples are usually as far apart', async () => {
    const values = { load: 1 };
    const short = [0, 20, 40, 60].flatMap((sec) => everySecond(sec, sec + (sec === 0 ? 4 : 1), values));
    expect(await holesOf(short)).toEqual([4.001, 21.001, 41.001]);
    const slower = [...everySecond(0, 4, values), ...[20, 40, 60, 80].map((sec): FakeRecord => [sec, values])];
    expect(await holesOf(slower)).toEqual([4.001, 20.001, 40.001]);
  });

  it('have a mark in the first empty bucket', async () => {
    const records = [...everySecond(0, 19, { load: 1 }), ...everySecond(70, 99, { load: 1 })];
    expect(await holesOf(records, [load], { points: 10 })).toEqual([20]);
  });
});
