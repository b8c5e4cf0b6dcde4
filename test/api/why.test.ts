import { ContextManager } from '../../src/context/index.js';
import { LiveMemory } from '../../src/context/range/index.js';
import { DefinitionStore } from '../../src/derived/index.js';
import type { components } from '../../src/client/index.js';
import { makeIndom, makePmid, makeUnits, MetricType, Semantics } from '../../src/pmapi/index.js';
import { asRecorded, recompute } from '../context/why/recompute.js';
import { Api } from '../support/api.js';
import { ArchiveBuilder } from '../support/archive-builder.js';
import { type OpenedArchives, archiveFactory } from '../support/archive-gateway.js';
import { FakeClock } from '../support/fake-clock.js';
import { descriptor } from '../support/memory-gateway.js';
import { type MemoryContent, MemorySource } from '../support/memory-source.js';
import { rows } from '../support/rows.js';

type Why = components['schemas']['Why'];
type Values = components['schemas']['ValueSets'];

const START = 3_000_000;
const DISKS = makeIndom(60, 1);
const READ = makePmid(60, 0, 4);
const PACKETS = makePmid(60, 3, 1);
const LOAD = makePmid(60, 2, 0);
const TEMPERATURE = makePmid(60, 4, 0);
const RELEASE = makePmid(60, 5, 0);
const BUSY = makePmid(60, 6, 0);
const BYTES = makeUnits({ dimSpace: 1 });
const COUNT = makeUnits({ dimCount: 1 });
const MSEC = makeUnits({ dimTime: 1, scaleTime: 2 });
const INSTANCES = rows({ id: 0, name: 'sda' }, { id: 1, name: 'sdb' }, { id: 2, name: 'nvme0n1' });

/** Values at so many seconds: counters beyond 2^53, one that wraps, floats, texts, and an instance that comes later. */
const read = (seconds: number): [number, bigint][] =>
  INSTANCES.filter(({ id }) => id < 2 || seconds >= 20).map(({ id }) => [
    id,
    (id === 1 ? 2n ** 60n : 5n) + BigInt(Math.round(1000 * (id + 1) * seconds * (1 + 0.1 * Math.sin(seconds)))),
  ]);
const packets = (seconds: number): number => (2 ** 32 - 300 + Math.round(11 * seconds)) % 2 ** 32;
const load = (seconds: number): number => Math.fround(1.7 + Math.sin(seconds));
const temperature = (seconds: number): number => 290 + Math.cos(seconds / 7);
const busy = (seconds: number): number => Math.round(613 * seconds);

const content = (start: number): MemoryContent => {
  const since = ({ sec, nsec }: { sec: number; nsec: number }): number => sec + nsec / 1e9 - start;
  const counter = { semantics: Semantics.COUNTER, type: MetricType.U64 };
  return {
    metrics: [
      {
        name: 'disk.read',
        descriptor: descriptor(READ, { ...counter, indom: DISKS, units: BYTES }),
        values: (now) => new Map(read(since(now))),
      },
      {
        name: 'net.packets',
        descriptor: descriptor(PACKETS, { semantics: Semantics.COUNTER, units: COUNT }),
        values: (now) => packets(since(now)),
      },
      { name: 'load', descriptor: descriptor(LOAD, { type: MetricType.FLOAT }), values: (now) => load(since(now)) },
      {
        name: 'temperature',
        descriptor: descriptor(TEMPERATURE, { type: MetricType.DOUBLE }),
        values: (now) => temperature(since(now)),
      },
      {
        name: 'release',
        descriptor: descriptor(RELEASE, { type: MetricType.STRING, semantics: Semantics.DISCRETE }),
        values: (now) => (since(now) < 30 ? '6.1' : '6.2'),
      },
      { name: 'busy', descriptor: descriptor(BUSY, { ...counter, units: MSEC }), values: (now) => busy(since(now)) },
    ],
    indoms: [{ indom: DISKS, instances: INSTANCES }],
  };
};

/** A minute, at uneven intervals; a mark at 40 seconds. */
function buildArchive(): ArchiveBuilder {
  const builder = new ArchiveBuilder({ version: 3, start: [START, 123_456_789], hostName: 'web1' });
  builder
    .metric({ pmid: READ, names: ['disk.read'], type: 3, semantics: 1, indom: DISKS, units: 0x10000000 })
    .metric({ pmid: PACKETS, names: ['net.packets'], type: 1, semantics: 1, units: 0x00100000 })
    .metric({ pmid: LOAD, names: ['load'], type: 4, semantics: 3 })
    .metric({ pmid: TEMPERATURE, names: ['temperature'], type: 5, semantics: 3 })
    .metric({ pmid: RELEASE, names: ['release'], type: 6, semantics: 4 })
    .metric({ pmid: BUSY, names: ['busy'], type: 3, semantics: 1, units: 0x01002000 })
    .indom(
      [START, 123_456_789],
      DISKS,
      INSTANCES.map(({ id, name }) => [id, name]),
    );
  builder.indexEntry([START, 123_456_789]);
  for (let i = 0; i < 18; i++) {
    const nsec = (123_456_789 + 377_000_001 * i) % 1_000_000_000;
    const sec = START + Math.floor(0.123_456_789 + 3.377_000_001 * i);
    if (i === 12) {
      builder.mark([sec, nsec]);
      continue;
    }
    const seconds = sec - START + nsec / 1e9;
    const sets = [
      { pmid: READ, values: read(seconds) },
      { pmid: PACKETS, values: [[-1, packets(seconds)] as const] },
      { pmid: LOAD, values: [[-1, load(seconds)] as const] },
      { pmid: TEMPERATURE, values: [[-1, temperature(seconds)] as const] },
      { pmid: BUSY, values: [[-1, BigInt(busy(seconds))] as const] },
    ];
    const release = { pmid: RELEASE, values: [[-1, seconds < 30 ? '6.1' : '6.2'] as const] };
    builder.record([sec, nsec], i % 3 === 0 ? [...sets, release] : sets);
  }
  return builder;
}

const DERIVED: readonly (readonly [string, string])[] = [
  ['my.rate', 'rate(disk.read)'],
  ['my.sum', 'sum(disk.read)'],
  ['my.mixed', '100 * rate(busy) + delta(busy) / 7'],
  ['my.one', 'disk.read[sdb] - disk.read[sda]'],
  ['my.share', 'disk.read / sum(disk.read)'],
  ['my.warm', 'temperature > 290 ? load * 3 : -temperature'],
  ['my.kilo', 'rescale(disk.read, "Kbyte")'],
  ['my.like', 'matchinst(/^sd/, disk.read)'],
  ['my.avg', 'avg(disk.read) + max(disk.read)'],
];
const PLAIN = ['disk.read', 'net.packets', 'load', 'temperature', 'release', 'busy'];
const ALL = [...PLAIN, ...DERIVED.map(([name]) => name)].join(',');

let archives: OpenedArchives;
let api: Api;
let clock: FakeClock;
let compared = 0;

beforeAll(async () => {
  archives = archiveFactory();
  buildArchive().write(archives.root, 'uneven');
});

beforeEach(async () => {
  clock = new FakeClock((START + 0.25) * 1000);
  const definitions = new DefinitionStore();
  for (const [name, expression] of DERIVED) definitions.register(name, expression);
  definitions.load('\n\nmy.filed = 2 * temperature\n', { file: '/etc/shop.conf', origin: 'file' });
  definitions.register('my.hers', 'temperature', 'api', { by: 'user alice' });
  const contexts = new ContextManager({
    sources: {
      open: async (spec) =>
        spec.kind === 'archive' ? archives.open(spec.archive) : new MemorySource(content(START), clock),
    },
    clock,
    limits: { contexts: 20, pollTimeoutMs: 600_000, maxPollTimeoutMs: 600_000 },
    memory: new LiveMemory(clock),
    definitions,
  });
  api = await Api.start({ contexts, opened: [], sources: [] }, { archives: archives.archives });
});

afterEach(async () => {
  await api.stop();
});

afterAll(async () => {
  await archives.close();
});

interface Explained {
  readonly timestamp: string;
  readonly values: Values;
  readonly why: Why;
}

async function get<T>(path: string, query: Readonly<Record<string, string>>): Promise<T> {
  const answer = await api.get(`${path}?${new URLSearchParams(query).toString()}`);
  expect([query, answer.status, answer.status === 200 ? '' : answer.text]).toEqual([query, 200, '']);
  return answer.json as unknown as T;
}

/** A fetch, or a range of which the last sample counts, with its explanation; every value is recomputed from that alone. */
async function explain(query: Readonly<Record<string, string>>, path = '/pmapi/fetch'): Promise<Explained> {
  const asked = { names: ALL, numbers: 'exact', times: 'iso', why: 'true', ...query };
  const answer = await get<Explained & { readonly samples?: readonly Explained[] }>(path, asked);
  const { values } = answer.samples?.at(-1) ?? answer;
  const { why } = answer;
  expect(why.metrics.map(({ name }) => name)).toEqual(values.map(({ name }) => name));
  for (const [m, { name, instances }] of values.entries()) {
    const metric = why.metrics[m]!;
    const type = (metric.values[0]?.rate ?? metric.units) ? 'DOUBLE' : metric.metadata.type;
    const answered = instances.map(({ instance, value }) => [instance, asRecorded(value, type)] as const);
    const again = recompute(metric);
    expect([name, answered.map(([instance]) => [instance, again.get(instance)])]).toEqual([name, answered]);
    compared += answered.length;
  }
  return { ...answer, values, why };
}

const metricOf = ({ why }: Explained, name: string): Why['metrics'][number] =>
  why.metrics.find((metric) => metric.name === name)!;

describe('why=true', () => {
  it('explains live samples', async () => {
    await explain({});
    clock.advance(2500);
    const explained = await explain({});
    expect(explained.why.source).toEqual({ kind: 'local', host: expect.any(String) as string });
    const [packets] = metricOf(explained, 'net.packets').values;
    expect(packets!.from).toMatchObject({ rule: 'exact', sample: { timestamp: explained.timestamp, age: 0 } });
  });

  it('explains rates and units of live samples', async () => {
    await explain({ rate: 'true' });
    clock.advance(30_000);
    const explained = await explain({ rate: 'true', wrap: 'true' });
    expect(metricOf(explained, 'net.packets').values[0]!.rate).toMatchObject({
      wraps: 1,
      wrapsBy: 2 ** 32,
      elapsed: 30,
      before: { from: { rule: 'exact', sample: { age: 30 } } },
    });
    clock.advance(1000);
    await explain({ names: 'disk.read,my.rate', rate: 'true', units: 'Kbyte/sec' });
    const { rate } = metricOf(await explain({ names: 'busy', rate: 'true' }), 'busy').values[0]!;
    expect(rate!.factor).toBe(0.001);
  });

  it('explains recent samples, as they are and between them', async () => {
    for (let i = 0; i < 6; i++) {
      await get('/pmapi/fetch', { names: ALL });
      clock.advance(1700);
    }
    const recorded = await explain({ format: 'rows' });
    expect(recorded.why.source.remembered).toBe(true);
    const explained = await explain({
      start: `@${START + 1}`,
      finish: String(START + 7.123),
      interval: '0.7',
      rate: 'true',
    });
    expect(metricOf(explained, 'net.packets').values[0]!.from!.rule).toBe('line');
  });

  it('explains recorded samples: each by the record that it is in', async () => {
    const explained = await explain({ archive: 'uneven', format: 'rows', finish: String(START + 20), rate: 'true' });
    const { from } = metricOf(explained, 'busy').values[0]!;
    expect(from).toMatchObject({ rule: 'exact', sample: { archive: 'uneven', volume: 0 } });
    const first = await explain({ archive: 'uneven', format: 'rows', samples: '1' });
    expect(metricOf(first, 'busy').values[0]!.from!.sample!.offset).toBe(808);
    expect(from!.sample!.offset).toBeGreaterThan(808);
  });

  it('explains values between records', async () => {
    for (let moment = 2; moment < 36; moment += 3) {
      const window = { start: String(START + moment), finish: String(START + moment + 1.7), interval: '1.7' };
      const explained = await explain({
        archive: 'uneven',
        ...window,
        ...(moment % 2 ? { rate: 'true', wrap: 'true' } : {}),
      });
      const { from } = metricOf(explained, 'net.packets').values[0]!;
      expect(from).toMatchObject({ rule: 'line', low: { archive: 'uneven' }, high: { archive: 'uneven' } });
    }
    const release = metricOf(
      await explain({ archive: 'uneven', start: String(START + 8), samples: '1', interval: '1' }),
      'release',
    );
    expect(release.values[0]!.from).toMatchObject({ rule: 'earlier', low: { value: '6.1' } });
  });

  it('explains single fetches of an archive', async () => {
    const { context } = await get<{ context: number }>('/pmapi/context', { archive: 'uneven' });
    for (let i = 0; i < 4; i++) await explain({}, `/pmapi/${context}/fetch`);
    const mode = await api.post(`/pmapi/${context}/mode?mode=interp&time=${START + 5}&interval=2.2`);
    expect(mode.status).toBe(200);
    for (let i = 0; i < 4; i++) await explain({ rate: 'true' }, `/pmapi/${context}/fetch`);
  });

  it('had 200 values to compare', () => {
    expect(compared).toBeGreaterThan(200);
  });
});

describe('what is missing', () => {
  it('is said with the node that lost it', async () => {
    const first = await explain({});
    expect(metricOf(first, 'my.rate').missing).toEqual([
      { node: 'rate(disk.read)', reason: 'rate() needs a second sample' },
    ]);
    clock.advance(20_000);
    const second = await explain({});
    expect(metricOf(second, 'my.rate').missing).toEqual([
      {
        instance: 2,
        name: 'nvme0n1',
        node: 'rate(disk.read)',
        reason: 'rate() needs a second sample of instance nvme0n1',
      },
    ]);
  });

  it('is said of instances that are selected and are not there', async () => {
    const { context } = await get<{ context: number }>('/pmapi/context', {});
    await get(`/pmapi/${context}/derive`, { name: 'own.gone', expr: 'disk.read[nvme0n1] + disk.read[sda]' });
    const explained = await explain({ names: 'own.gone' }, `/pmapi/${context}/fetch`);
    expect(metricOf(explained, 'own.gone').missing).toEqual([
      { node: 'disk.read[nvme0n1]', reason: 'instance nvme0n1 is not in disk.read' },
    ]);
  });

  it('is said of rates that are not there', async () => {
    await explain({ rate: 'true' });
    clock.advance(30_000);
    const explained = await explain({ rate: 'true' });
    expect(metricOf(explained, 'net.packets').missing).toEqual([
      { reason: expect.stringMatching(/^the counter went down from 429\d+ to 3\d: there is no rate$/) as string },
    ]);
  });

  it('is said of the gap at a mark', async () => {
    const explained = await explain({ archive: 'uneven', start: String(START + 40), samples: '1', interval: '1' });
    expect(metricOf(explained, 'temperature').missing).toEqual([
      { reason: 'the recording was interrupted after this moment' },
    ]);
  });
});

describe('what a name means', () => {
  it('and what it masks', async () => {
    const { context } = await get<{ context: number }>('/pmapi/context', {});
    await get(`/pmapi/${context}/derive`, { name: 'my.sum', expr: 'sum(disk.read) * 2' });
    const explained = await explain({ names: 'my.sum,my.avg,load' }, `/pmapi/${context}/fetch`);
    expect(explained.why.metrics.map(({ meaning }) => meaning)).toEqual([
      {
        scope: 'context',
        definition: { expression: 'sum(disk.read) * 2', origin: 'context' },
        masks: [{ scope: 'global', definition: { expression: 'sum(disk.read)', origin: 'api' } }],
      },
      { scope: 'global', definition: { expression: 'avg(disk.read) + max(disk.read)', origin: 'api' }, masks: [] },
      { scope: 'source', masks: [] },
    ]);
  });
});

describe('where a name was defined', () => {
  const places = async (): Promise<unknown[]> => {
    const { why } = await explain({ names: 'my.filed,my.hers' });
    return why.metrics.map(({ meaning: { definition } }) => definition);
  };

  it('is shown on the machine of the gateway', async () => {
    expect(await places()).toEqual([
      { expression: '2 * temperature', origin: 'file', file: '/etc/shop.conf', line: 3 },
      { expression: 'temperature', origin: 'api', by: 'user alice' },
    ]);
  });
});

describe('a sample that was answered before', () => {
  it('is explained as far as that is still known', async () => {
    await explain({});
    clock.advance(1000);
    await explain({ names: 'my.rate' });
    const again = await get<Explained>('/pmapi/fetch', { names: 'my.rate,my.sum', why: 'true' });
    expect(again.why.metrics.map(({ repeated }) => repeated)).toEqual([true, undefined]);
  });
});

describe('what cannot be explained', () => {
  it.each([
    [{ hostspec: 'a;b', names: 'load' }, 'BAD_PARAMETER', 'why'],
    [{ names: 'load', format: 'csv' }, 'BAD_PARAMETER', 'format'],
    [{ names: 'load', format: 'rows', points: '3' }, 'BAD_PARAMETER', 'points'],
  ])('is refused: %j', async (query, code, parameter) => {
    const answer = await api.get(
      `/pmapi/fetch?${new URLSearchParams({ ...query, why: 'true' } as Record<string, string>).toString()}`,
    );
    expect([answer.status, answer.json]).toMatchObject([400, { code, parameter }]);
  });
});
