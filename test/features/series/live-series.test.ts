import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { AccessControl, readAccessFile } from '../../../src/access/index.js';
import { loadConfig } from '../../../src/config/index.js';
import { LiveMemory } from '../../../src/context/range/index.js';
import { Archives } from '../../../src/gateway/targets/archives.js';
import { HostArchives } from '../../../src/gateway/targets/host-archives.js';
import { LiveStores } from '../../../src/features/series/feature.js';
import { makeLabel, makePmid, MetricType, Semantics } from '../../../src/pmapi/index.js';
import { seriesRoutes } from '../../../src/features/series/operations.js';
import { Series } from '../../../src/features/series/series.js';
import { tokenOf, tokensOf } from '../../access/support/tokens.js';
import { Api, type ApiAnswer } from '../../support/api.js';
import { ArchiveBuilder } from '../../support/archive-builder.js';
import { FakeClock } from '../../support/fake-clock.js';
import { descriptor, memoryGateway } from '../../support/memory-gateway.js';
import { remoteRead } from '../../support/remote-read.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { rows } from '../../support/rows.js';

const directory = temporaryDirectory();
const clock = new FakeClock();
const start = clock.now().sec;
const DISKS = 60 * 2 ** 22 + 1;
const READS = makePmid(60, 0, 4);
const LOAD = makePmid(60, 2, 0);

/** What one host says, and what was recorded of it: by other numbers of metrics and instances. */
const content = {
  hostName: 'web1',
  contextLabels: [makeLabel('hostname', 'web1')],
  metrics: [
    {
      name: 'disk.dev.read',
      descriptor: descriptor(READS, { type: MetricType.U32, semantics: Semantics.COUNTER, indom: DISKS }),
      values: ({ sec }: { readonly sec: number }) => new Map(rows([0, sec - start], [1, 1000])),
    },
    {
      name: 'kernel.load',
      descriptor: descriptor(LOAD, { type: MetricType.DOUBLE }),
      values: ({ sec }: { readonly sec: number }) => (sec - start) / 2,
    },
    { name: 'kernel.other', descriptor: descriptor(makePmid(60, 2, 1)), values: 1 },
  ],
  indoms: [
    {
      indom: DISKS,
      instances: rows({ id: 0, name: 'sda' }, { id: 1, name: 'sdb' }),
      instanceLabels: new Map([[1, [makeLabel('spare', true)]]]),
    },
  ],
};
const OTHER = (item: number): number => 100 * 2 ** 22 + item;
const recorded = new ArchiveBuilder({ version: 3, start: [start - 10, 0], hostName: 'web1' });
recorded
  .metric({ pmid: OTHER(1), names: ['kernel.load'], type: 5, semantics: 3 })
  .labels([start - 10, 0], 1, 0xffffffff, [[-1, { hostname: 'web1' }]]);
for (const second of [-10, -5, 0, 1]) {
  recorded.record([start + second, 0], [{ pmid: OTHER(1), values: [[-1, second / 2]] }]);
}
recorded.write(directory.path, 'web1');

const ROLES = {
  all: { permissions: ['read'] },
  host: { permissions: ['read'], hosts: ['web1'] },
  other: { permissions: ['read'], hosts: ['web2'] },
  disks: { permissions: ['read'], metrics: ['disk.*'] },
};
const file = readAccessFile({ tokens: tokensOf(Object.keys(ROLES)), roles: ROLES });

const memory = new LiveMemory(clock, { bytes: 1_000_000, maxAgeMs: 60_000 });
const gateway = memoryGateway({ clock, content, memory });
const archives = new Archives(clock, { ...loadConfig({}).archives, roots: [directory.path] });
let api: Api;

beforeAll(async () => {
  const series = new Series({
    stores: [archives, new LiveStores(gateway.contexts)],
    clock,
    limits: { series: 1000, values: 1000, bytes: 1e8, lookUps: 5e6 },
  });
  const access = new AccessControl({ file, anonymous: { from: 'nowhere', roles: [] }, clock });
  const hostArchives = new HostArchives(archives, () => ({
    identify: (hostspec) => ({ names: [hostspec], archives: [], isLocal: false }),
  }));
  api = await Api.start(gateway, { routes: seriesRoutes(series), archives, hostArchives, access });
  for (let i = 0; i < 4; i++) {
    await get('/pmapi/fetch?hostspec=web1&names=kernel.load,disk.dev.read');
    clock.advance(1000);
  }
});
afterAll(async () => {
  await api.stop();
  await archives.close();
});

const bearer = (role: string) => ({ authorization: `Bearer ${tokenOf(role)}` });
const get = (url: string, role = 'all'): Promise<ApiAnswer> => api.get(url, { headers: bearer(role) });
const query = async (expr: string, role = 'all'): Promise<readonly unknown[]> => {
  const { status, text } = await get(`/series/query?expr=${encodeURIComponent(expr)}`, role);
  expect([status, status === 200 ? '' : text]).toEqual([200, '']);
  return JSON.parse(text) as unknown[];
};
const valuesOf = async (expr: string, role?: string): Promise<readonly unknown[]> =>
  ((await query(expr, role)) as { timestamp: number; value: string }[]).map(({ timestamp, value }) => [
    timestamp / 1000 - start,
    Number(value),
  ]);

describe('series of a live host', () => {
  it('are those that it was asked for', async () => {
    const { text } = await get('/series/metrics');
    expect(JSON.parse(text)).toEqual(['disk.dev.read', 'kernel.load']);
    const [id] = await query('disk.dev.read{spare == "true"}').then(() => query('disk.dev.read'));
    const instances = JSON.parse((await get(`/series/instances?series=${String(id)}`)).text) as object[];
    expect(instances).toMatchObject(rows({ id: 0, name: 'sda' }, { id: 1, name: 'sdb' }));
    const metric = (await get('/pmapi/metric?hostspec=web1&name=disk.dev.read')).json.metrics[0];
    expect(metric).toMatchObject({ series: id });
    expect(JSON.parse((await get('/series/labels?names=hostname')).text)).toEqual({ hostname: ['web1'] });
    expect(JSON.parse((await get('/series/sources?match=*')).text)).toEqual(['web1']);
  });

  it('have what was recorded and what is remembered, each moment once', async () => {
    expect(await query('kernel.load')).toHaveLength(1);
    expect(await valuesOf('kernel.load[samples:0]')).toEqual(
      [-10, -5, 0, 1, 2, 3].map((second) => [second, second / 2]),
    );
    expect(await valuesOf(`kernel.load[start:${start + 1},finish:${start + 2}]`)).toEqual(rows([1, 0.5], [2, 1]));
    expect(await valuesOf('rate(disk.dev.read[samples:2])')).toEqual(rows([3, 1], [3, 0]));
  });

  it('have their newest samples first', async () => {
    expect(await valuesOf('kernel.load[samples:5]')).toEqual([3, 2, 1, 0, -5].map((second) => [second, second / 2]));
    expect(await valuesOf('disk.dev.read[samples:1]')).toEqual(rows([3, 3], [3, 1000]));
  });

  it('are there when no context is open, and grow', async () => {
    clock.advance(6000);
    gateway.contexts.sweep();
    expect(gateway.contexts.size).toBe(0);
    expect(await valuesOf('kernel.load[samples:1]')).toEqual([[3, 1.5]]);
    await get('/pmapi/fetch?hostspec=web1&names=kernel.other');
    clock.advance(1000);
    expect(await valuesOf('kernel.other[samples:1]')).toEqual([[10, 1]]);
  });

  it('are those of Prometheus, too', async () => {
    const matchers = [['__name__', '=~', 'kernel_load|disk_dev_read_total']] as const;
    const asked = { startMs: (start - 20) * 1000, endMs: (start + 3) * 1000, matchers };
    const { results } = await remoteRead(api.port, [asked], { headers: bearer('all') });
    const shown = results[0]!.map(({ labels: { __name__: name, instname = '' }, samples }) => [
      `${name} ${instname}`,
      samples.map(([ms, value]) => [ms / 1000 - start, value]),
    ]);
    expect(Object.fromEntries(shown)).toEqual({
      'kernel_load ': [-10, -5, 0, 1, 2, 3].map((second) => [second, second / 2]),
      'disk_dev_read_total sda': [0, 1, 2, 3].map((second) => [second, second]),
      'disk_dev_read_total sdb': [0, 1, 2, 3].map((second) => [second, 1000]),
    });
  });
});

describe('remote read of named sources', () => {
  it.each([
    ['hostspec=web1', [-10, 3]],
    ['hostspec=web2', []],
    ['hostspec=web2%3Bweb1', [-10, 3]],
    ['archive=web1', [-10, 1]],
    ['archive=web1&hostspec=web2', [-10, 1]],
  ])('%s has samples from %j', async (search, wanted) => {
    const matchers = [['__name__', '=', 'kernel_load']] as const;
    const asked = { startMs: (start - 20) * 1000, endMs: (start + 3) * 1000, matchers };
    const { results } = await remoteRead(api.port, [asked], { headers: bearer('all'), search: `?${search}` });
    const times = results[0]!.flatMap(({ samples }) => samples.map(([ms]) => ms / 1000 - start));
    expect(times.length === 0 ? [] : [times[0], times.at(-1)]).toEqual(wanted);
  });
});

describe('an archive that is removed', () => {
  it('is left out with a warning, until it is not listed any more', async () => {
    const removed = new ArchiveBuilder({ version: 3, start: [start - 20, 0], hostName: 'web1' });
    removed
      .metric({ pmid: OTHER(1), names: ['kernel.load'], type: 5, semantics: 3 })
      .labels([start - 20, 0], 1, 0xffffffff, [[-1, { hostname: 'web1' }]])
      .record([start - 20, 0], [{ pmid: OTHER(1), values: [[-1, 20]] }])
      .write(directory.path, 'removed');
    clock.advance(1000);
    expect(await query('kernel.load')).toHaveLength(1);
    for (const name of readdirSync(directory.path)) {
      if (name.startsWith('removed')) rmSync(path.join(directory.path, name));
    }
    const expr = encodeURIComponent('kernel.load[samples:0]');
    const { status, text, headers } = await get(`/series/query?expr=${expr}`);
    expect([status, JSON.parse(text)]).toMatchObject([200, { length: 6 }]);
    expect(JSON.parse(headers['x-pmgate-warnings']!)).toMatchObject([{ name: 'removed', pmErr: -2 }]);
    clock.advance(1000);
    expect((await get(`/series/query?expr=${expr}`)).headers).not.toHaveProperty('x-pmgate-warnings');
  });
});

describe('a role', () => {
  it('sees series of the hosts and metrics that it covers, and no others', async () => {
    expect(await query('disk.dev.read', 'host')).toHaveLength(1);
    expect(await query('disk.dev.read', 'other')).toEqual([]);
    expect(await query('{metric.name : "*"}', 'disks')).toHaveLength(1);
    expect(await valuesOf('kernel.load[samples:0]', 'other')).toEqual(
      [-10, -5, 0, 1].map((second) => [second, second / 2]),
    );
    expect(await query('kernel.*', 'disks')).toEqual([]);
  });

  it('does not see what was asked for with a password', async () => {
    await get('/pmapi/fetch?hostspec=web3%3Fusername%3Dme%26password%3Dsecret&names=kernel.load');
    clock.advance(1000);
    const names = JSON.parse((await get('/series/sources?match=*')).text) as unknown;
    expect(names).toEqual(['web1']);
    expect(await valuesOf('kernel.load[samples:1]')).toEqual([[3, 1.5]]);
  });
});
