import { INDOM_NULL, FetchResult, PM_ERR, PmError } from '../../../src/pmapi/index.js';
import { InstanceProfile } from '../../../src/sources/index.js';
import { PmcdPools, type PmcdSource } from '../../../src/sources/pmcd/index.js';
import { EventRelay, joinEventArrays } from '../../../src/sources/pmcd/event-relay.js';
import { type ResultReply, decodeResult } from '../../../src/sources/pmcd/replies.js';
import { decodeEventRecords, EventFlag } from '../../../src/sources/wire/index.js';
import { FakePmcd } from '../../support/fake-pmcd.js';
import { long, padded, resultPdu, words } from '../../support/pdu-builder.js';

const LOG = 1;
const FINE_LOG = 2;
const NUMBER = 3;
const everything = new InstanceProfile();

/** An event array of records that say one number each. */
function eventArray(numbers: readonly number[], highres = false): Buffer {
  const records = numbers.map((n) =>
    Buffer.concat([
      highres ? Buffer.concat([long(BigInt(n)), long(0n)]) : words(n, 0),
      words(1, 1, 77, 0x06000005),
      padded(String(n % 10)),
    ]),
  );
  return Buffer.concat([words(numbers.length), ...records]);
}

/** The seconds of a metric's records: which record it is. */
function heard(result: FetchResult, i = 0): number[] {
  const set = result.sets[i]!;
  const bytes = set.column.bytes.slice(0, Math.max(0, set.status));
  return bytes.flatMap((array) => decodeEventRecords(array, set.type === 10).map(({ timestamp }) => timestamp.sec));
}

async function fetch(source: PmcdSource, pmids: readonly number[], profile = everything): Promise<FetchResult> {
  const result = new FetchResult();
  await source.fetch(source.prepare(pmids), profile, result);
  return result;
}

describe('event records', () => {
  let fake: FakePmcd;
  let pools: PmcdPools;
  /** What the agent has not handed out yet; it hands everything out once. */
  let queue: number[];

  beforeEach(async () => {
    fake = await FakePmcd.start();
    pools = new PmcdPools();
    queue = [];
    const drain = (highres: boolean) => () =>
      [[-1, { type: highres ? 10 : 9, data: eventArray(queue.splice(0), highres) }]] as const;
    fake.metrics = [
      { name: 'log', descriptor: [LOG, 9, INDOM_NULL, 3, 0], values: drain(false) },
      { name: 'fine', descriptor: [FINE_LOG, 10, INDOM_NULL, 3, 0], values: drain(true) },
      { name: 'number', descriptor: [NUMBER, 1, INDOM_NULL, 3, 0], values: [[-1, 5]] },
    ];
  });

  afterEach(async () => {
    pools.destroy(new Error('the test is over'));
    await fake.stop();
  });

  it.each([
    ['classic', LOG],
    ['high-resolution', FINE_LOG],
  ])('reach every context that reads them, once and in order: %s', async (_, pmid) => {
    const [a, b] = [await pools.open(fake.hostspec), await pools.open(fake.hostspec)];
    await fetch(a, [pmid]);
    await fetch(b, [NUMBER, pmid]);
    queue.push(1, 2);
    expect(heard(await fetch(a, [pmid]))).toEqual([1, 2]);
    queue.push(3);
    expect(heard(await fetch(a, [pmid]))).toEqual([3]);
    queue.push(4);
    expect(heard(await fetch(b, [NUMBER, pmid]), 1)).toEqual([1, 2, 3, 4]);
    expect(heard(await fetch(b, [pmid]))).toEqual([]);
    expect(heard(await fetch(a, [pmid]))).toEqual([4]);
  });

  it('reach callers of one joined fetch once', async () => {
    const [a, b] = [await pools.open(fake.hostspec), await pools.open(fake.hostspec)];
    await Promise.all([fetch(a, [LOG]), fetch(b, [LOG])]);
    queue.push(1);
    const results = await Promise.all([fetch(a, [LOG]), fetch(b, [LOG])]);
    expect(results.map((result) => heard(result))).toEqual([[1], [1]]);
    expect(heard(await fetch(a, [LOG]))).toEqual([]);
  });

  it('are not kept for those who do not read them, or are gone', async () => {
    const [a, b, c] = await Promise.all([1, 2, 3].map(() => pools.open(fake.hostspec)));
    await fetch(a!, [LOG]);
    await fetch(b!, [NUMBER]);
    await fetch(c!, [LOG]);
    c!.destroy(new PmError(PM_ERR.NOCONTEXT));
    queue.push(1);
    expect(heard(await fetch(a!, [LOG]))).toEqual([1]);
    expect(heard(await fetch(b!, [LOG]))).toEqual([]);
  });

  it('are told to be lost when too many wait', async () => {
    const [a, b] = [await pools.open(fake.hostspec), await pools.open(fake.hostspec)];
    await fetch(a, [LOG]);
    await fetch(b, [LOG]);
    const flood = Array.from({ length: 20_000 }, (_, i) => i);
    for (let round = 0; round < 3; round++) {
      queue.push(...flood);
      await fetch(a, [LOG]);
    }
    const result = await fetch(b, [LOG]);
    const records = decodeEventRecords(result.sets[0]!.column.bytes[0]!, false);
    const missed = records.find(({ flags }) => flags === EventFlag.MISSED)!;
    expect(missed.missed).toBeGreaterThan(0);
    expect(records.length - 1 + missed.missed).toBe(60_000);
  });

  it('are joined in turns of the event loop where there are many instances', async () => {
    const COUNT = 50_000;
    const INDOM = 7;
    let record = 0;
    const values = (): readonly (readonly [number, { type: number; data: Buffer }])[] => {
      const data = eventArray([++record]);
      return Array.from({ length: record === 1 ? 3 : COUNT }, (_, i) => [i, { type: 9, data }] as const);
    };
    fake.metrics = [{ name: 'log', descriptor: [LOG, 9, INDOM, 3, 0], values }];
    let rests = 0;
    const resting = new PmcdPools({
      rest: () => {
        rests++;
        return new Promise((resolve) => setImmediate(resolve));
      },
    });
    const a = await resting.open(fake.hostspec);
    const b = await resting.open(fake.hostspec);
    await fetch(a, [LOG]);
    await fetch(b, [LOG]);
    const before = rests;
    expect(before).toBe(3);
    const result = await fetch(a, [LOG]);
    expect(heard(result).slice(0, 5)).toEqual([2, 3, 2, 3, 2]);
    const kept = Math.floor(2 ** 20 / (64 + eventArray([2]).length - 4));
    expect(heard(result)).toHaveLength(COUNT + kept);
    expect(rests - before).toBe(3 + 2);
    resting.destroy(new Error('the test is over'));
  });
});

describe('EventRelay', () => {
  const readers = [{}, {}];
  const replyOf = (metrics: number, instances: number, data = eventArray([1])): ResultReply => {
    const values = Array.from({ length: instances }, (_, i) => [i, { type: 9, data }] as const);
    const sets = Array.from({ length: metrics }, (_, pmid) => ({ pmid, values }));
    return decodeResult(resultPdu(0, 0, sets)).next().value as ResultReply;
  };

  it('decodes no more of one reply than it keeps', () => {
    const relay = new EventRelay();
    const reply = replyOf(3, 10_000);
    const decodePart = reply.decodePart.bind(reply);
    const decoded: number[] = [];
    reply.decodePart = (index, type, set, first, count) => {
      decodePart(index, type, set, first, count);
      decoded.push(set.status);
    };
    for (const reader of readers) for (const pmid of [0, 1, 2]) relay.join(reader, pmid, 9);
    relay.keep(reply, [{ reader: readers[0]! }]);
    expect(decoded).toEqual([10_000, 6_384]);
    expect(relay.take(readers[1]!, 1).size).toBe(6_384);
  });

  it('keeps no more than 16 MiB for all readers of a host', () => {
    const relay = new EventRelay();
    const reply = replyOf(40, 1, Buffer.concat([words(1), Buffer.alloc(900_000)]));
    const join = (): void => {
      for (const reader of readers) for (let pmid = 0; pmid < 40; pmid++) relay.join(reader, pmid, 9);
    };
    const kept = (): number => {
      let bytes = 0;
      for (let pmid = 0; pmid < 40; pmid++) {
        for (const array of relay.take(readers[1]!, pmid).values()) bytes += array.length;
      }
      return bytes;
    };
    join();
    const forgetting = [
      () => relay.leave(readers[1]!),
      () => {
        for (let pmid = 0; pmid < 40; pmid++) relay.join(readers[0]!, pmid, 10);
      },
      kept,
    ];
    for (const forget of forgetting) {
      relay.keep(reply, [{ reader: readers[0]! }]);
      forget();
      join();
    }
    relay.keep(reply, [{ reader: readers[0]! }]);
    expect(kept() / 2 ** 20).toBeCloseTo(15.45, 1);
  });
});

describe('joinEventArrays', () => {
  it('adds the counts', () => {
    const joined = joinEventArrays(eventArray([1]), eventArray([2, 3]));
    expect(decodeEventRecords(joined, false).map(({ timestamp }) => timestamp.sec)).toEqual([1, 2, 3]);
    expect(joinEventArrays(eventArray([1]), Buffer.alloc(0))).toEqual(eventArray([1]));
    expect(joinEventArrays(Buffer.alloc(0), eventArray([1]))).toEqual(eventArray([1]));
  });
});
