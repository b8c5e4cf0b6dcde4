import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readCatalog } from '../../config/tooling/catalog-reader.js';
import { GatewayCounters } from '../../src/gateway/gateway-counters.js';
import { ROWS } from '../../src/gateway/gateway-metrics.generated.js';
import { type GatewayState, gatewayCluster } from '../../src/gateway/gateway-metrics.js';
import { parseIndom } from '../../src/pmapi/index.js';
import { InstanceProfile } from '../../src/sources/profile.js';
import { LocalMetrics, type LocalValues } from '../support/local-metrics.js';
import { rows } from '../support/rows.js';

/** A data file of the gateway, with those of its features. */
function dataFile(name: string): { file: string; text: string } {
  const features = readdirSync('src/features').sort();
  const files = [`src/gateway/gateway-${name}`, ...features.map((feature) => `src/features/${feature}/${name}`)];
  const texts = files.filter((file) => existsSync(file)).map((file) => readFileSync(file, 'utf8'));
  return { file: name, text: texts.join('\n') };
}

/** A gateway that has answered four requests, two of them for one route. */
function gatewayOf(): LocalMetrics {
  const counters = new GatewayCounters();
  counters.answered('fetch', 200, 3);
  counters.answered('derive', 404, 0.2);
  counters.answered('fetch', 503, 9999);
  counters.answered('search', 500, 70);
  counters.fetches = 5;
  counters.fetchTimeMs = 1.2345;
  counters.sourceErrors[1] = 3;
  const state = {
    counters,
    version: '1.2.3',
    memoryBytes: 1600,
    contexts: {
      size: 3,
      limits: { contexts: 77 },
      statistics: { made: 12, expired: 13, destroyed: 14 },
      keptBytes: { kept: 21, programs: 22, metadata: 23, definitions: 24, profiles: 25 },
      definitions: { bytes: 26 },
    },
    streams: { heldBytes: 27, subscribers: 4, groups: 5, statistics: { events: 6, dropped: 7 } },
    overload: { underWay: 8, statistics: { full: 1, late: 2, host: 3, unsent: 4 }, loopDelayMs: 1.5 },
    clients: { refused: 9 },
    connections: () => ({ open: 10, refused: 11 }),
    readings: { 'pmgate.record.samples': () => 31.5 },
    fleet: {
      isAlone: false,
      status: { members: 3 },
      version: 40,
      statistics: { handed: 41, adopted: 42, latencyMs: 0.5 },
    },
  } as unknown as GatewayState;
  return new LocalMetrics('/nowhere', [], { extra: [gatewayCluster(state)] });
}

describe("the gateway's own metrics", () => {
  it('are those of gateway-metrics.txt and gateway-help.txt, each with a reading', async () => {
    expect(ROWS).toEqual(readCatalog(dataFile('metrics.txt'), dataFile('help.txt')));
    const gateway = gatewayOf();
    expect(await gateway.source.traverse('')).toEqual(ROWS.metrics.map(([name]) => name));
    const values = Object.values(await gateway.all());
    expect(values.every((value) => typeof value === 'object' && Object.keys(value).length > 0)).toBe(true);
  });

  it('count what happens', async () => {
    const values = await gatewayOf().all();
    const singular = (name: string): unknown => (values[`pmgate.${name}`] as Record<number, unknown>)[-1];
    expect(singular('version')).toBe('1.2.3');
    const numbers: Record<string, unknown> = {};
    for (const name of Object.keys(EXPECTED)) numbers[name] = singular(name);
    expect(numbers).toEqual(EXPECTED);
  });

  it('have values for routes, classes of status, latencies and failures', async () => {
    const gateway = gatewayOf();
    const value = (name: string): Promise<LocalValues> => gateway.value(`pmgate.${name}`);
    expect(await value('requests.route.count')).toEqual({ 0: 2n, 1: 1n, 2: 1n });
    expect(await value('requests.route.time')).toEqual({ 0: 10_002_000n, 1: 200n, 2: 70_000n });
    expect(await value('requests.status.count')).toEqual({ 1: 0n, 2: 1n, 3: 0n, 4: 1n, 5: 2n });
    expect(Object.values(await value('requests.latency'))).toEqual(
      [1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 3, 4].map(BigInt),
    );
    expect(await value('sources.errors')).toEqual({ 0: 0n, 1: 3n, 2: 0n });
    expect(await gateway.instances('500.0')).toEqual([
      { id: 0, name: 'fetch' },
      { id: 1, name: 'derive' },
      { id: 2, name: 'search' },
    ]);
    expect((await gateway.instances('500.1')).map(({ name }) => name)).toEqual(['1xx', '2xx', '3xx', '4xx', '5xx']);
    const bounds = await gateway.instances('500.2');
    expect([bounds[0], bounds.at(-1)]).toEqual(rows({ id: 0, name: '0.25 millisec' }, { id: 13, name: 'any' }));
    expect((await gateway.instances('500.3'))[2]).toEqual({ id: 2, name: 'SOURCE_TIMEOUT' });
  });

  it('have values for each kind of what is kept', async () => {
    const gateway = gatewayOf();
    const names = (await gateway.instances('500.4')).map(({ name }) => name);
    const ofKinds = async (name: string): Promise<Readonly<Record<string, unknown>>> => {
      const values = (await gateway.value(name)) as Readonly<Record<number, unknown>>;
      return Object.fromEntries(names.map((kind, id) => [kind, values[id]]));
    };
    expect(await ofKinds('pmgate.mem.kept')).toEqual({
      ...{ plans: 21n, programs: 22n, metadata: 23n, definitions: 24n, profiles: 25n },
      ...{ global_definitions: 26n, streams: 27n },
    });
    expect(await ofKinds('pmgate.mem.kept_limit')).toMatchObject({ plans: 400n, streams: 200n });
  });

  it('have values for the instances of the profile only', async () => {
    const profile = new InstanceProfile();
    profile.delete();
    profile.add(parseIndom('500.1'), [2]);
    expect(await gatewayOf().value('pmgate.requests.status.count', profile)).toEqual({ 2: 1n });
  });
});

/** Singular numbers, without those of the process that runs the test. */
const EXPECTED: Readonly<Record<string, number | bigint>> = {
  'eventloop.delay': 1500n,
  'requests.total': 4n,
  'requests.defects': 1n,
  'requests.under_way': 8,
  'requests.shed': 10n,
  'requests.refused': 9n,
  'contexts.open': 3,
  'contexts.limit': 77,
  'contexts.made': 12n,
  'contexts.expired': 13n,
  'contexts.destroyed': 14n,
  connections: 10,
  connections_refused: 11n,
  'fetches.total': 5n,
  'fetches.time': 1234n,
  'fetches.values': 0n,
  'streams.subscribers': 4,
  'streams.groups': 5,
  'streams.events': 6n,
  'streams.dropped': 7n,
  'record.samples': 31n,
};
