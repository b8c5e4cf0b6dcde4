import {
  FetchResult,
  GatewayError,
  INDOM_NULL,
  makePmid,
  MetricType,
  PM_ERR,
  PmError,
} from '../../../src/pmapi/index.js';
import { InstanceProfile } from '../../../src/sources/index.js';
import { ConnectionPool, POOL_DEFAULTS, type PoolOptions } from '../../../src/sources/pmcd/connection-pool.js';
import { FetchBatcher } from '../../../src/sources/pmcd/fetch-batcher.js';
import { parseHostspec } from '../../../src/sources/pmcd/hostspec.js';
import { PmcdSource } from '../../../src/sources/pmcd/pmcd-source.js';
import { FakePmcd } from '../../support/fake-pmcd.js';
import { ManualTimers } from '../../support/manual-timers.js';
import { errorPdu, long, namesPdu, textPdu } from '../../support/pdu-builder.js';
import { rows } from '../../support/rows.js';

const INDOM = 0x0f000001;
const FETCH = 0x7014;
const PROFILE = 0x7002;
const DESC_REQ = 0x7004;
const NAMES_OF = 0x700d;
const TEXT_REQ = 0x7008;
const LABEL_REQ = 0x7012;
const TRAVERSE = 0x7010;
const everything = new InstanceProfile();

let fake: FakePmcd;
let timers: ManualTimers;
let pool: ConnectionPool;
const pools: ConnectionPool[] = [];

beforeEach(async () => {
  fake = await FakePmcd.start();
  timers = new ManualTimers();
  fake.indoms.set(INDOM, rows([1, 'one'], [2, 'two'], [3, 'three']));
  fake.metrics = [
    { name: 'a.number', descriptor: [1, 1, INDOM_NULL, 3, 0], values: [[-1, 42]], oneline: 'a number' },
    {
      name: 'a.list',
      descriptor: [2, 0, INDOM, 3, 0],
      values: rows([1, 10], [2, 20], [3, -30]),
    },
    { name: 'a.wide', descriptor: [3, 3, INDOM_NULL, 1, 0], values: [[-1, { type: 3, data: long((1n << 63n) + 1n) }]] },
    { name: 'b.text', descriptor: [4, 6, INDOM_NULL, 4, 0], values: [[-1, { type: 6, data: Buffer.from('hullo\0') }]] },
    { name: 'b.broken', descriptor: [5, 1, INDOM_NULL, 4, 0], values: -12389 },
  ];
  pool = makePool();
});

afterEach(async () => {
  for (const each of pools.splice(0)) each.destroy(new Error('the test is over'));
  await fake.stop();
});

function makePool(options: Partial<PoolOptions> = {}, hostspec = fake.hostspec): ConnectionPool {
  const made = new ConnectionPool(parseHostspec(hostspec), undefined, {
    ...POOL_DEFAULTS,
    timers,
    random: () => 1,
    ...options,
  });
  pools.push(made);
  return made;
}

function makeSource(on = pool, batcher = new FetchBatcher(on)): PmcdSource {
  return new PmcdSource({ pool: on, batcher, release: () => undefined });
}

/** Sources that share one batcher, as the contexts on one host do. */
function makeSources(count: number, maxPmids?: number): PmcdSource[] {
  const batcher = new FetchBatcher(pool, maxPmids);
  return Array.from({ length: count }, () => makeSource(pool, batcher));
}

async function fetch(source: PmcdSource, pmids: readonly number[], profile = everything): Promise<FetchResult> {
  const result = new FetchResult();
  await source.fetch(source.prepare(pmids), profile, result);
  return result;
}

const numbersOf = (result: FetchResult, i = 0): number[] => [
  ...result.sets[i]!.column.numbers.subarray(0, Math.max(0, result.sets[i]!.status)),
];

const asked = (): number[][] =>
  fake
    .requestsOf(FETCH)
    .map(({ bytes }) => Array.from({ length: bytes.readInt32BE(24) }, (_, i) => bytes.readInt32BE(28 + 4 * i)));

const idle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A pool that counts how often it lets others have a turn of the event loop. */
function restingPool(): { readonly pool: ConnectionPool; readonly rests: () => number } {
  let count = 0;
  const rest = (): Promise<void> => {
    count++;
    return idle();
  };
  return { pool: makePool({ rest }), rests: () => count };
}

describe('PmcdSource and long replies', () => {
  const COUNT = 30_000;
  const list = Array.from({ length: COUNT }, (_, i) => `a.long.name.of.a.metric.${i}`);

  it('decodes lists in turns of the event loop', async () => {
    fake.intercept = ({ type }) => (type === TRAVERSE ? namesPdu(list) : undefined);
    fake.indoms.set(
      INDOM,
      list.map((name, id) => [id, name]),
    );
    const { pool: resting, rests } = restingPool();
    const source = makeSource(resting);
    await source.lookupNames(['a.number']);
    expect(rests()).toBe(0);
    const [names, others] = await Promise.all([source.traverse(''), source.traverse('')]);
    expect(names).toEqual(list);
    expect(others).toEqual(list);
    expect(rests()).toBeGreaterThanOrEqual(2 * Math.floor((COUNT * 28) / 65536));
    const before = rests();
    expect((await source.instances(INDOM)).instances).toHaveLength(COUNT);
    expect(rests() - before).toBeGreaterThanOrEqual(Math.floor((COUNT * 32) / 65536));
  });

  it('reads nothing more while it decodes one', async () => {
    fake.intercept = ({ type }) => (type === TRAVERSE ? namesPdu(list) : undefined);
    let decoding = 0;
    let most = 0;
    const rest = async (): Promise<void> => {
      most = Math.max(most, ++decoding);
      await idle();
      decoding--;
    };
    const source = makeSource(makePool({ rest, connections: 1 }));
    await Promise.all(Array.from({ length: 8 }, () => source.traverse('')));
    expect(most).toBe(1);
  });

  it('ends the connection when a list turns out to be none after many turns', async () => {
    const broken = namesPdu(list);
    broken.writeInt32BE(0x7fffffff, broken.length - 4 * Math.ceil(list.at(-1)!.length / 4) - 4);
    fake.intercept = ({ type }) => (type === TRAVERSE ? broken : undefined);
    await expect(makeSource().traverse('')).rejects.toMatchObject({ code: 'SOURCE_FAILED' });
    fake.intercept = undefined;
    expect(await makeSource(makePool()).traverse('a')).toHaveLength(3);
  });

  it('decodes many values in turns of the event loop, also those of one metric', async () => {
    const values = Array.from({ length: COUNT }, (_, i) => [i, i] as const);
    const text = { type: 6, data: Buffer.from('hullo\0') };
    const texts = Array.from({ length: COUNT }, (_, i) => [i, text] as const);
    fake.metrics = [1, 2, 3].map((pmid) => ({ name: `a.x${pmid}`, descriptor: [pmid, 0, INDOM, 3, 0], values }));
    fake.metrics.push({ name: 'a.text', descriptor: [4, 6, INDOM, 3, 0], values: texts });
    const { pool: resting, rests } = restingPool();
    const result = await fetch(makeSource(resting), [1, 2, 3, 4]);
    for (const i of [0, 1, 2]) expect(numbersOf(result, i)).toEqual(values.map(([, value]) => value));
    expect(result.sets[3]!.status).toBe(COUNT);
    expect(result.sets[3]!.column.texts[COUNT - 1]).toBe('hullo');
    expect(rests()).toBe(8);
    fake.metrics = [{ name: 'a.x1', descriptor: [1, 0, INDOM, 3, 0], values: values.slice(0, 20_000) }];
    await fetch(makeSource(resting), [1]);
    expect(rests()).toBe(8);
  });

  it('checks the value pointers of a long result in turns of the event loop', async () => {
    const count = 140_000;
    const value = { type: 3, data: long(7n) };
    const values = Array.from({ length: count }, (_, i) => [i, value] as const);
    fake.metrics = [{ name: 'a.x1', descriptor: [1, 3, INDOM, 3, 0], values }];
    const { pool: resting, rests } = restingPool();
    expect((await fetch(makeSource(resting), [1])).sets[0]!.status).toBe(count);
    const ofDecoding = count / 20_000;
    expect(rests() - ofDecoding).toBe(Math.floor(count / 65_536));
  });

  it('fails a value set of many values as a whole when one of them is of another type', async () => {
    const values = Array.from(
      { length: COUNT },
      (_, i) => [i, { type: i === 25_000 ? 7 : 3, data: i === 25_000 ? Buffer.from('x') : long(1n) }] as const,
    );
    fake.metrics = [{ name: 'a.x1', descriptor: [1, 3, INDOM, 3, 0], values }];
    expect((await fetch(makeSource(), [1])).sets[0]!.status).toBe(PM_ERR.CONV);
  });
});

describe('PmcdSource metadata', () => {
  it('looks names up, and tells why a name in a list is none', async () => {
    const source = makeSource();
    expect(await source.lookupNames(['a.wide', 'a', 'nope', 'b.text', ''])).toEqual([
      3,
      PM_ERR.NONLEAF,
      PM_ERR.NAME,
      4,
      PM_ERR.NAME,
    ]);
    expect(await source.lookupNames(['a'])).toEqual([PM_ERR.NONLEAF]);
    expect(await source.lookupNames(['a.number'])).toEqual([1]);
    expect(await source.lookupNames([])).toEqual([]);
  });

  it('asks for more names than one PDU holds', async () => {
    fake.metrics = Array.from({ length: 4000 }, (_, i) => ({
      name: `long.name.of.a.metric.with.number_${i}`,
      descriptor: [i + 1, 1, INDOM_NULL, 3, 0] as const,
      values: [[-1, i]] as const,
    }));
    const names = fake.metrics.map(({ name }) => name);
    expect(await makeSource().lookupNames(names)).toEqual(fake.metrics.map(({ descriptor }) => descriptor[0]));
    expect(fake.requestsOf(0x700e).length).toBeGreaterThan(1);
  });

  it('does not bother pmcd with names that cannot be', async () => {
    const source = makeSource();
    expect(await source.lookupNames(['x'.repeat(70_000), 'a\0b'])).toEqual([PM_ERR.NAME, PM_ERR.NAME]);
    await expect(source.children('x'.repeat(70_000))).rejects.toMatchObject({ pmErr: PM_ERR.NAME });
    await expect(source.traverse('a\0')).rejects.toMatchObject({ pmErr: PM_ERR.NAME });
    expect(fake.requests.filter(({ type }) => type !== 0x700c)).toEqual([]);
  });

  it('walks the name space', async () => {
    const source = makeSource();
    expect(await source.children('')).toEqual({ leaf: [], nonleaf: ['a', 'b'] });
    expect(await source.children('a')).toEqual({ leaf: ['number', 'list', 'wide'], nonleaf: [] });
    expect(await source.children('a.wide')).toEqual({ leaf: [], nonleaf: [] });
    expect(await source.traverse('b')).toEqual(['b.text', 'b.broken']);
    expect(await source.namesOf(3)).toEqual(['a.wide']);
    await expect(source.namesOf(99)).rejects.toMatchObject({ pmErr: PM_ERR.PMID });
    await expect(source.children('nope')).rejects.toMatchObject({ pmErr: PM_ERR.NAME });
    await expect(source.traverse('nope')).rejects.toMatchObject({ pmErr: PM_ERR.NAME });
  });

  it.each([
    ['in bulk', 0x0e44],
    ['one by one, where pmcd knows no other way', 0x0644],
  ])('describes metrics %s', async (_, features) => {
    fake.features = features;
    const [wide, unknown, list] = await makeSource().describe([3, 99, 2]);
    expect(wide).toMatchObject({ pmid: 3, type: MetricType.U64 });
    expect(unknown).toBe(PM_ERR.PMID);
    expect(list).toMatchObject({ pmid: 2, indom: INDOM });
    expect(await makeSource().describe([99])).toEqual([PM_ERR.PMID]);
  });

  it('finds instances, labels and help', async () => {
    const source = makeSource();
    expect((await source.instances(INDOM)).instances.map(({ name }) => name)).toEqual(['one', 'two', 'three']);
    await expect(source.instances(5)).rejects.toMatchObject({ pmErr: PM_ERR.INDOM });
    expect(await source.labels({ kind: 'context' })).toEqual([
      { instance: -1, labels: [{ name: 'hostname', json: '"fake"' }] },
    ]);
    expect(await source.labels({ kind: 'indom', indom: INDOM })).toEqual([]);
    expect(await source.helpText({ kind: 'metric', pmid: 1 }, 'oneline')).toBe('a number');
    expect(await source.helpText({ kind: 'metric', pmid: 2 }, 'help')).toBeUndefined();
  });

  it('takes the one line for the help where an agent has nothing more', async () => {
    fake.intercept = ({ type, bytes }) =>
      type === 0x7008 && (bytes.readInt32BE(16) & 2) !== 0 ? textPdu(1, '') : undefined;
    expect(await makeSource().helpText({ kind: 'metric', pmid: 1 }, 'help')).toBe('a number');
    expect(await makeSource().helpText({ kind: 'metric', pmid: 2 }, 'help')).toBeUndefined();
  });

  // Agents of pmcd 7.2.1 say so by different codes, and some by none that fits.
  it.each([PM_ERR.TEXT, PM_ERR.INDOM, PM_ERR.PMID, PM_ERR.GENERIC, PM_ERR.NOAGENT, -22])(
    'has no help and no labels where pmcd answers %i',
    async (code) => {
      fake.intercept = ({ type }) => (type === TEXT_REQ || type === LABEL_REQ ? errorPdu(code) : undefined);
      const source = makeSource();
      for (const level of ['oneline', 'help'] as const) {
        expect(await source.helpText({ kind: 'indom', indom: INDOM }, level)).toBeUndefined();
        expect(await source.helpText({ kind: 'metric', pmid: 1 }, level)).toBeUndefined();
      }
      expect(await source.labels({ kind: 'instances', indom: INDOM })).toEqual([]);
    },
  );

  it('has no metric of the domain of derived metrics, for which no pmcd has an agent', async () => {
    fake.intercept = ({ type }) => (type === DESC_REQ || type === NAMES_OF ? errorPdu(PM_ERR.NOAGENT) : undefined);
    const [derived, remapped, other] = [makePmid(511, 0, 1), makePmid(511, 2048, 1), makePmid(400, 0, 1)];
    expect(await makeSource().describe([derived])).toEqual([PM_ERR.PMID]);
    expect(await makeSource().describe([derived, 1, remapped, other])).toMatchObject([
      PM_ERR.PMID,
      { pmid: 1 },
      PM_ERR.PMID,
      PM_ERR.NOAGENT,
    ]);
    await expect(makeSource().namesOf(derived)).rejects.toMatchObject({ pmErr: PM_ERR.PMID });
  });

  it('does not take a lost connection, or a pmcd that breaks the protocol, for help that there is not', async () => {
    fake.intercept = ({ type }) =>
      type === TEXT_REQ || type === LABEL_REQ ? textPdu(1, 'x').subarray(0, 13) : undefined;
    fake.cutReplyAt = ({ type }) => (type === TEXT_REQ || type === LABEL_REQ ? 5 : undefined);
    const source = makeSource();
    await expect(source.helpText({ kind: 'metric', pmid: 1 }, 'help')).rejects.toThrow(GatewayError);
    await expect(source.labels({ kind: 'context' })).rejects.toThrow(GatewayError);
  });

  it('has no labels where pmcd has none', async () => {
    fake.features = 0;
    expect(await makeSource().labels({ kind: 'context' })).toEqual([]);
    fake.features = 0x0e44;
    fake.intercept = ({ type }) => (type === 0x7012 ? errorPdu(PM_ERR.NOLABELS) : undefined);
    expect(await makeSource(makePool()).labels({ kind: 'context' })).toEqual([]);
  });

  it('tells what the host says of itself, and its address when it says nothing', async () => {
    expect(await makeSource().info()).toEqual({ kind: 'host', hostName: '127.0.0.1' });
    const text = (value: string) => [[-1, { type: 6, data: Buffer.from(`${value}\0`) }]] as const;
    fake.metrics.push(
      { name: 'pmcd.hostname', descriptor: [21, 6, INDOM_NULL, 4, 0], values: text('web1') },
      { name: 'pmcd.timezone', descriptor: [22, 6, INDOM_NULL, 4, 0], values: text('AEST-10') },
    );
    expect(await makeSource().info()).toEqual({ kind: 'host', hostName: 'web1', timezone: 'AEST-10' });
  });
});

describe('PmcdSource.fetch', () => {
  it('fills value sets of every kind, in order', async () => {
    const result = await fetch(makeSource(), [4, 3, 99, 2, 5, 1]);
    expect(result.timestamp).toEqual({ sec: 1_700_000_001, nsec: 5 });
    expect(result.sets.map(({ pmid }) => pmid)).toEqual([4, 3, 99, 2, 5, 1]);
    expect(result.sets.map(({ status }) => status)).toEqual([1, 1, PM_ERR.PMID, 3, -12389, 1]);
    expect(result.sets[0]!.column.texts).toEqual(['hullo']);
    expect(result.sets[1]!.column.integerAt(0)).toBe((1n << 63n) + 1n);
    expect(numbersOf(result, 3)).toEqual([10, 20, -30]);
    expect([...result.sets[3]!.instances.subarray(0, 3)]).toEqual([1, 2, 3]);
  });

  it('has microseconds from a pmcd without high resolution', async () => {
    fake.features = 0x0a44;
    fake.now = { sec: 100, nsec: 7_000_999 };
    expect((await fetch(makeSource(), [1])).timestamp).toEqual({ sec: 101, nsec: 7_000_000 });
  });

  it('asks for descriptors once', async () => {
    const [first, second] = makeSources(2);
    const prepared = first!.prepare([1, 2]);
    const result = new FetchResult();
    await first!.fetch(prepared, everything, result);
    await first!.fetch(prepared, everything, result);
    await fetch(second!, [2]);
    expect(fake.requestsOf(0x7016)).toHaveLength(1);
    expect(fake.requestsOf(0x7004)).toHaveLength(0);
  });

  it('answers no metrics for none', async () => {
    const result = await fetch(makeSource(), []);
    expect(result.sets).toEqual([]);
    expect(Math.abs(result.timestamp.sec - Date.now() / 1000)).toBeLessThan(60);
    expect(fake.connections).toBe(0);
  });

  it('takes the same metric twice', async () => {
    const result = await fetch(makeSource(), [1, 2, 1]);
    expect(numbersOf(result, 0)).toEqual([42]);
    expect(numbersOf(result, 2)).toEqual([42]);
  });

  it('limits values to the instances of the profile, singular metrics excepted', async () => {
    const profile = new InstanceProfile();
    profile.delete();
    profile.add(INDOM, [2]);
    const result = await fetch(makeSource(), [2, 1], profile);
    expect(numbersOf(result, 0)).toEqual([20]);
    expect(numbersOf(result, 1)).toEqual([42]);
    profile.add(INDOM, [3]);
    expect(numbersOf(await fetch(makeSource(), [2], profile))).toEqual([20, -30]);
  });

  it('tells pmcd each profile once', async () => {
    const [source] = makeSources(1);
    const profile = new InstanceProfile();
    profile.add(INDOM, [1]);
    for (let i = 0; i < 3; i++) {
      await fetch(source!, [2]);
      await fetch(source!, [2], profile);
    }
    expect(fake.requestsOf(PROFILE)).toHaveLength(2);
  });

  it('keeps many profiles apart in few slots', async () => {
    const sources = makeSources(100);
    const profiles = sources.map((_, i) => {
      const profile = new InstanceProfile();
      profile.delete();
      profile.add(INDOM, [1 + (i % 3), 1000 + i]);
      return profile;
    });
    for (let round = 0; round < 3; round++) {
      const results = await Promise.all(sources.map((source, i) => fetch(source, [2], profiles[i])));
      expect(results.map((result) => numbersOf(result))).toEqual(profiles.map((_, i) => [[10, 20, -30][i % 3]]));
    }
    for (const { bytes } of fake.requestsOf(PROFILE)) expect(bytes.readInt32BE(12)).toBeLessThan(64);
    expect(fake.connections).toBeLessThanOrEqual(2);
  });

  it('refuses a result that does not answer the question', async () => {
    await fetch(makeSource(), [1, 2]);
    fake.intercept = ({ type }) => (type === FETCH ? Buffer.concat([fakeAnswer([2, 1])]) : undefined);
    const [source] = makeSources(1);
    await expect(fetch(source!, [1, 2])).rejects.toMatchObject({ code: 'SOURCE_FAILED' });
    fake.intercept = ({ type }) => (type === FETCH ? fakeAnswer([1]) : undefined);
    timers.advance(60_000);
    await expect(fetch(source!, [1, 2])).rejects.toMatchObject({ code: 'SOURCE_FAILED' });
    fake.intercept = undefined;
    timers.advance(60_000);
    expect(numbersOf(await fetch(source!, [1]))).toEqual([42]);
  });

  function fakeAnswer(pmids: readonly number[]): Buffer {
    const body = Buffer.concat([
      Buffer.from([0, 0, 0, pmids.length]),
      Buffer.alloc(16),
      ...pmids.map((pmid) => Buffer.from([0, 0, 0, pmid, 0, 0, 0, 0])),
    ]);
    const head = Buffer.alloc(12);
    head.writeInt32BE(12 + body.length, 0);
    head.writeInt32BE(0x7015, 4);
    return Buffer.concat([head, body]);
  }
});

describe('FetchBatcher', () => {
  it('joins fetches that come while one is in flight, into the union of their metrics', async () => {
    const sources = makeSources(5);
    await Promise.all(sources.map((source) => fetch(source, [1, 2, 3, 4, 5])));
    fake.requests.length = 0;
    fake.hold();
    const first = fetch(sources[0]!, [1]);
    await fake.arrived(FETCH, 1);
    const others = [
      fetch(sources[1]!, [2, 3]),
      fetch(sources[2]!, [3, 4]),
      fetch(sources[3]!, [1]),
      fetch(sources[4]!, [4, 2]),
    ];
    await idle();
    expect(asked()).toEqual([[1]]);
    fake.release();
    const results = await Promise.all([first, ...others]);
    expect(asked()).toEqual([[1], [2, 3, 4, 1]]);
    expect(results.map((result) => result.sets.map(({ pmid }) => pmid))).toEqual([[1], [2, 3], [3, 4], [1], [4, 2]]);
    expect(results[4]!.sets[0]!.column.texts).toEqual(['hullo']);
    expect(numbersOf(results[4]!, 1)).toEqual([10, 20, -30]);
  });

  it('gives each caller a sample that was taken after it asked', async () => {
    const sources = makeSources(2);
    fake.hold();
    const first = fetch(sources[0]!, [1]);
    await fake.arrived(FETCH, 1);
    const takenBefore = fake.now.sec;
    const second = fetch(sources[1]!, [1]);
    fake.release();
    expect((await first).timestamp.sec).toBe(takenBefore);
    expect((await second).timestamp.sec).toBeGreaterThan(takenBefore);
  });

  it('joins callers that ask at once, and shares one connection among all', async () => {
    const sources = makeSources(64);
    await Promise.all(sources.map((source) => fetch(source, [1, 2])));
    expect(asked()).toEqual([[1, 2]]);
    expect(fake.connections).toBeLessThanOrEqual(2);
  });

  it('lets one profile not wait for another', async () => {
    const [source, other] = makeSources(2);
    const profile = new InstanceProfile();
    profile.add(INDOM, [1]);
    fake.hold();
    const both = [fetch(source!, [2]), fetch(other!, [2], profile)];
    await fake.arrived(FETCH, 2);
    fake.release();
    expect((await Promise.all(both)).map((result) => numbersOf(result))).toEqual([[10, 20, -30], [10]]);
  });

  it('keeps callers whole when the union is too large for a PDU', async () => {
    const sources = makeSources(3, 4);
    const results = await Promise.all([
      fetch(sources[0]!, [1, 2, 3]),
      fetch(sources[1]!, [4, 5, 1]),
      fetch(sources[2]!, [4]),
    ]);
    expect(asked()).toEqual(rows([1, 2, 3], [4, 5, 1]));
    expect(results.map((result) => result.sets.map(({ pmid }) => pmid))).toEqual([[1, 2, 3], [4, 5, 1], [4]]);
  });

  it('splits a list that is too long by itself', async () => {
    const [source] = makeSources(1, 2);
    const result = await fetch(source!, [1, 2, 3, 4, 5]);
    expect(asked()).toEqual([[1, 2], [3, 4], [5]]);
    expect(result.sets.map(({ pmid }) => pmid)).toEqual([1, 2, 3, 4, 5]);
    expect(result.timestamp.sec).toBe(1_700_000_001);
  });

  it('keeps one PDU below what pmcd takes', async () => {
    const pmids = Array.from({ length: 20_000 }, (_, i) => i + 1000);
    const result = await fetch(makeSource(), pmids);
    expect(result.sets).toHaveLength(20_000);
    for (const { bytes } of fake.requestsOf(FETCH)) expect(bytes.length).toBeLessThanOrEqual(65_536);
  });

  it.each([
    [16_377, [16_377], 1_700_000_001],
    [16_378, [16_377, 1], 1_700_000_001],
  ])('asks for %i metrics in PDUs of %j, and tells the time of the first', async (count, sizes, sec) => {
    const pmids = Array.from({ length: count }, (_, i) => i + 1000);
    const result = await fetch(makeSource(), pmids);
    expect(asked().map((part) => part.length)).toEqual(sizes);
    expect(result.timestamp.sec).toBe(sec);
  });

  it('does not let others suffer for a fetch that pmcd refuses', async () => {
    fake.intercept = ({ type, bytes }) => {
      const poisoned = type === FETCH && bytes.includes(Buffer.from([0, 0, 0, 99]), 28);
      return poisoned ? errorPdu(PM_ERR.TOOBIG) : undefined;
    };
    const sources = makeSources(3);
    const results = await Promise.allSettled([
      fetch(sources[0]!, [1]),
      fetch(sources[1]!, [99]),
      fetch(sources[2]!, [2]),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(results[1]).toMatchObject({ reason: { pmErr: PM_ERR.TOOBIG } });
  });
});

describe('generation', () => {
  it('moves with a state-change notice, and descriptors are asked for anew', async () => {
    const source = makeSource();
    const prepared = source.prepare([1]);
    const result = new FetchResult();
    await source.fetch(prepared, everything, result);
    const before = source.generation;
    fake.metrics[0] = { ...fake.metrics[0]!, descriptor: [1, 0, INDOM_NULL, 3, 0], values: [[-1, -42]] };
    fake.stateChange = 2;
    await source.fetch(prepared, everything, result);
    expect(source.generation).toBeGreaterThan(before);
    expect(source.reconnects).toBe(0);
    await source.fetch(prepared, everything, result);
    expect(numbersOf(result)).toEqual([-42]);
  });

  it('moves with a reconnection, and the reconnection is counted', async () => {
    const source = makeSource();
    await fetch(source, [1]);
    const before = source.generation;
    fake.cut();
    await fake.drained();
    expect(numbersOf(await fetch(source, [1]))).toEqual([42]);
    expect(source.generation).toBeGreaterThan(before);
    expect(source.reconnects).toBe(1);
    expect(fake.requestsOf(PROFILE)).toHaveLength(2);
  });
});

describe('a lost pmcd', () => {
  it('is found again in the middle of a fetch', async () => {
    const source = makeSource();
    await fetch(source, [1]);
    let cuts = 0;
    fake.intercept = ({ type, socket }) => {
      if (type !== FETCH || cuts++ > 0) return undefined;
      socket.destroy();
      return 'nothing';
    };
    expect(numbersOf(await fetch(source, [1]))).toEqual([42]);
    expect(source.reconnects).toBe(1);
  });

  it('is asked over the connection that there is when it takes no second one', async () => {
    const source = makeSource();
    await pool.fetching(() => Promise.resolve());
    fake.challenge = errorPdu(PM_ERR.CONNLIMIT);
    expect(await source.namesOf(1)).toEqual(['a.number']);
    expect(await source.namesOf(1)).toEqual(['a.number']);
    expect(fake.connections).toBe(2);
    fake.cut();
    await fake.drained();
    await expect(source.namesOf(1)).rejects.toMatchObject({ code: 'SOURCE_UNREACHABLE' });
  });

  it('is found again wherever in a reply it was lost, by fetches and metadata alike', async () => {
    const source = makeSource();
    await fetch(source, [1]);
    await source.namesOf(1);
    // The fetch's reply has 52 bytes, that with the names 36.
    for (let at = 0; at < 52; at++) {
      const cut = new Set<number>();
      fake.cutReplyAt = ({ type }) => {
        if (cut.has(type) || (type !== FETCH && type !== 0x700d)) return undefined;
        cut.add(type);
        return type === FETCH ? at : Math.min(at, 35);
      };
      const [result, names] = await Promise.all([fetch(source, [1]), source.namesOf(1)]);
      expect([numbersOf(result), names]).toEqual([[42], ['a.number']]);
    }
    expect(source.reconnects).toBe(52);
    expect(fake.openConnections).toBeLessThanOrEqual(2);
  });

  it('fails fast while it is gone, and is asked again after the back-off', async () => {
    const source = makeSource();
    await fetch(source, [1]);
    await fake.stop();
    await expect(fetch(source, [1])).rejects.toMatchObject({ code: 'SOURCE_UNREACHABLE' });
    expect(pool.isBackedOff).toBe(true);
    await expect(fetch(source, [1])).rejects.toMatchObject({ code: 'SOURCE_UNREACHABLE' });
    timers.advance(POOL_DEFAULTS.backoffMs[0]!);
    expect(pool.isBackedOff).toBe(false);
    await expect(fetch(source, [1])).rejects.toMatchObject({ code: 'SOURCE_UNREACHABLE' });
    timers.advance(POOL_DEFAULTS.backoffMs[0]!);
    expect(pool.isBackedOff).toBe(true);
  });

  it('is asked at once when somebody wants to reconnect', async () => {
    const source = makeSource();
    fake.challenge = errorPdu(0);
    await expect(fetch(source, [1])).rejects.toMatchObject({ code: 'SOURCE_FAILED' });
    fake.challenge = undefined;
    await expect(fetch(source, [1])).rejects.toMatchObject({ code: 'SOURCE_FAILED' });
    await source.reconnect();
    expect(numbersOf(await fetch(source, [1]))).toEqual([42]);
  });

  it('does not see a store twice', async () => {
    const source = makeSource();
    const values = await fetch(source, [1]);
    fake.intercept = ({ type, socket }) => {
      if (type !== 0x7001) return undefined;
      socket.destroy();
      return 'nothing';
    };
    await expect(source.store(1, values)).rejects.toMatchObject({ code: 'SOURCE_UNREACHABLE' });
    expect(fake.requestsOf(0x7001)).toHaveLength(1);
  });

  it('is left alone when it shakes hands but never answers', async () => {
    const source = makeSource();
    fake.intercept = ({ type }) => (type === 0x700c ? undefined : 'nothing');
    const failing = expect(fetch(source, [1])).rejects.toMatchObject({ code: 'SOURCE_TIMEOUT' });
    await fake.arrived(FETCH, 1);
    timers.advance(POOL_DEFAULTS.replyTimeoutMs);
    await failing;
    const { connections } = fake;
    await expect(fetch(source, [1])).rejects.toMatchObject({ code: 'SOURCE_TIMEOUT' });
    expect(fake.connections).toBe(connections);
    expect(pool.isBackedOff).toBe(true);
  });

  it('is left alone when it hangs up on every request', async () => {
    const source = makeSource();
    fake.intercept = ({ type, socket }) => {
      if (type === 0x700c) return undefined;
      socket.destroy();
      return 'nothing';
    };
    await expect(fetch(source, [1])).rejects.toMatchObject({ code: 'SOURCE_UNREACHABLE' });
    expect(pool.isBackedOff).toBe(true);
    expect(fake.connections).toBe(1);
  });

  it('backs off for longer and longer', async () => {
    const source = makeSource();
    fake.challenge = errorPdu(0);
    const waits: number[] = [];
    for (let i = 0; i < 8; i++) {
      await expect(fetch(source, [1])).rejects.toBeInstanceOf(GatewayError);
      let waited = 0;
      for (; pool.isBackedOff; waited += 500) timers.advance(500);
      waits.push(waited);
    }
    expect(waits).toEqual([500, 1_000, 2_000, 5_000, 10_000, 30_000, 30_000, 30_000]);
  });

  it('is tried again a little earlier than at worst, so that hosts do not come back at one moment', async () => {
    const early = makePool({ random: () => 0 });
    const source = makeSource(early);
    fake.challenge = errorPdu(0);
    await expect(fetch(source, [1])).rejects.toBeInstanceOf(GatewayError);
    timers.advance(374);
    expect(early.isBackedOff).toBe(true);
    timers.advance(1);
    expect(early.isBackedOff).toBe(false);
    await early.close();
  });
});

describe('PmcdSource.close and destroy', () => {
  it('lets what is under way finish, and takes nothing more', async () => {
    let released = 0;
    const source = new PmcdSource({ pool, batcher: new FetchBatcher(pool), release: () => released++ });
    fake.hold();
    const answer = fetch(source, [1]);
    await fake.arrived(FETCH, 1);
    const closing = source.close();
    await expect(source.namesOf(1)).rejects.toMatchObject({ pmErr: PM_ERR.NOCONTEXT });
    expect(released).toBe(0);
    fake.release();
    expect(numbersOf(await answer)).toEqual([42]);
    await closing;
    await source.close();
    expect(released).toBe(1);
  });

  it('fails what is under way at once, and nobody else', async () => {
    let released = 0;
    const batcher = new FetchBatcher(pool);
    const source = new PmcdSource({ pool, batcher, release: () => released++ });
    const other = makeSource(pool, batcher);
    fake.hold();
    const failing = fetch(source, [1]).catch((error: unknown) => error);
    const answer = fetch(other, [1]);
    await fake.arrived(FETCH, 1);
    const reason = new PmError(PM_ERR.NOCONTEXT);
    source.destroy(reason);
    source.destroy(reason);
    expect(await failing).toBe(reason);
    expect(released).toBe(1);
    fake.release();
    expect(numbersOf(await answer)).toEqual([42]);
  });
});

describe('what a pmcd must not say', () => {
  const fetchOf = async (...pmids: number[]): Promise<FetchResult> => {
    const source = makeSource();
    const into = new FetchResult();
    await source.fetch(source.prepare(pmids), everything, into);
    return into;
  };

  it.each<[string, [number, number][]]>([
    ['-1', [[-1, 10]]],
    ['twice one instance', rows([1, 10], [2, 20], [1, 30])],
  ])('of a metric with instances: %s', async (_, values) => {
    fake.metrics = [{ name: 'a.list', descriptor: [2, 0, INDOM, 3, 0], values }];
    expect((await fetchOf(2)).sets[0]).toMatchObject({ status: PM_ERR.INST });
  });

  it.each<[string, [number, number][]]>([
    ['an instance', [[7, 10]]],
    ['several values', rows([-1, 10], [-1, 20])],
  ])('of a metric without instances: %s', async (_, values) => {
    fake.metrics = [{ name: 'a.number', descriptor: [1, 1, INDOM_NULL, 3, 0], values }];
    expect((await fetchOf(1)).sets[0]).toMatchObject({ status: PM_ERR.INST });
  });

  it('takes instances in any order', async () => {
    fake.metrics = [
      {
        name: 'a.list',
        descriptor: [2, 0, INDOM, 3, 0],
        values: rows([3, 1], [1, 1], [2, 1]),
      },
    ];
    expect((await fetchOf(2)).sets[0]).toMatchObject({ status: 3 });
  });

  it.each([[[1]], [[1, 2]]])('a descriptor of another metric than was asked for: %j', async (pmids) => {
    fake.garbleReply = (reply, { type }) => {
      if (type === 0x7004) reply.writeUInt32BE(99, 12);
      if (type === 0x7016) reply.writeUInt32BE(99, 16);
      return reply;
    };
    await expect(makeSource().describe(pmids)).rejects.toMatchObject({
      code: 'SOURCE_FAILED',
      message: expect.stringContaining('a descriptor of 0.0.99 in answer to a request for 0.0.1'),
    });
  });

  it('a time before the epoch', async () => {
    fake.now.sec = -10;
    await expect(fetchOf(1)).rejects.toMatchObject({ code: 'SOURCE_FAILED' });
  });

  it('a time in the future, or before the last one, without a warning', async () => {
    const source = makeSource();
    expect((await fetch(source, [1])).warning).toBeUndefined();
    fake.now.sec += 1_000_000_000;
    expect((await fetch(source, [1])).warning?.message).toMatch(/the host's clock is \d+ seconds ahead/);
    fake.now.sec = 1_700_000_000;
    expect((await fetch(source, [1])).warning?.message).toMatch(/the host's clock was set back by \d+ seconds/);
    expect((await fetch(source, [1])).warning).toBeUndefined();
  });

  it('more than it was asked for: each later request is answered over a new connection', async () => {
    fake.garbleReply = (reply, { type }) => (type === FETCH ? Buffer.concat([reply, reply]) : reply);
    for (let i = 0; i < 4; i++) {
      expect((await fetchOf(1)).sets[0]).toMatchObject({ status: 1 });
      while (pool.openConnections > 1) await new Promise((resolve) => setImmediate(resolve));
    }
  });
});
