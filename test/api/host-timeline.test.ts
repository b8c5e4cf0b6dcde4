import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { AccessControl, readAccessFile } from '../../src/access/index.js';
import { loadConfig } from '../../src/config/index.js';
import { LiveMemory } from '../../src/context/range/index.js';
import { StreamHub } from '../../src/context/stream/index.js';
import { DefinitionStore } from '../../src/derived/index.js';
import { Archives } from '../../src/gateway/targets/archives.js';
import type { SourceResolver } from '../../src/gateway/targets/source-resolver.js';
import { HostArchives } from '../../src/gateway/targets/host-archives.js';
import { GatewayError, makePmid } from '../../src/pmapi/index.js';
import { tokenOf, tokensOf } from '../access/support/tokens.js';
import { Api, type RowsJson, type Schemas } from '../support/api.js';
import { ArchiveBuilder } from '../support/archive-builder.js';
import { FakeClock } from '../support/fake-clock.js';
import { memoryGateway } from '../support/memory-gateway.js';
import { openStream } from '../support/sse-reader.js';
import { STREAM_LIMITS } from '../support/patience.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const FREE = makePmid(7, 7, 7);
const clock = new FakeClock();
const now = clock.now().sec;
const unreachable = new GatewayError('SOURCE_UNREACHABLE', 'no route to host');

/** When recording stopped and went on again, in the middle of the oldest archive. */
const MARK = -43_200;

/** An archive of mem.util.free, whose values are the seconds before now, and of metrics that the host does not have any more. */
function build(
  from: number,
  to: number,
  step: number,
  hostName = 'web1',
  units = 0x10010000,
  counted = 1_000_000,
): ArchiveBuilder {
  const builder = new ArchiveBuilder({ version: 3, start: [now + from, 0], hostName });
  builder.metric({ pmid: FREE, names: ['mem.util.free'], type: 3, semantics: 3, units });
  builder.metric({ pmid: FREE + 1, names: ['gone.counter'], type: 1, semantics: 1 });
  builder.metric({ pmid: FREE + 2, names: ['gone.level'], type: 1, semantics: 3 });
  for (let sec = from; sec <= to; sec += step) {
    const sets = [
      { pmid: FREE, values: [[-1, BigInt(-sec)]] as const },
      { pmid: FREE + 1, values: [[-1, counted + sec]] as const },
      { pmid: FREE + 2, values: [[-1, sec < -600 ? 10 : 1000]] as const },
    ];
    builder.record([now + sec, 0], sets);
    if (sec === MARK) builder.mark([now + sec, 1_000_000]);
  }
  return builder;
}

/** An archive of two groups of metrics, which are both recorded every 10 seconds, the second one a little later, as by a recorder. */
function buildGroups(from: number, to: number): ArchiveBuilder {
  const builder = new ArchiveBuilder({ version: 3, start: [now + from, 0], hostName: 'groups' });
  builder.metric({ pmid: FREE, names: ['mem.util.free'], type: 3, semantics: 3, units: 0x10010000 });
  builder.metric({ pmid: FREE + 2, names: ['gone.level'], type: 1, semantics: 3 });
  for (let sec = from; sec <= to; sec += 10) {
    builder.record([now + sec, 0], [{ pmid: FREE, values: [[-1, BigInt(-sec)]] }]);
    builder.record([now + sec, 200_000_000], [{ pmid: FREE + 2, values: [[-1, 10]] }]);
  }
  return builder;
}

/** How often it was tried to reach the host that is down. */
let attempts = 0;

const directory = temporaryDirectory().path;
let archives: Archives;
let api: Api;

beforeAll(async () => {
  for (const name of ['web1', 'recorded', 'other']) mkdirSync(path.join(directory, name));
  build(-86_400, -7200, 600).write(path.join(directory, 'web1'), 'old');
  build(-3600, -600, 60, 'WEB1.example.com').write(directory, 'labelled');
  build(-1200, -300, 10).write(path.join(directory, 'recorded'), 'today');
  build(-3600, -600, 1, 'db1').write(path.join(directory, 'other'), 'db1');
  for (const [id, from, to] of [
    ['a', -3600, -600],
    ['b', -3000, -300],
  ] as const) {
    const twin = build(from, to, 60, 'twin');
    twin
      .labels([now + from, 0], 1, 0xffffffff, [[-1, { hostname: 'twin', machineid: id }]])
      .write(directory, `twin-${id}`);
  }
  build(-6000, -4000, 60, 'twin').write(directory, 'twin-unlabelled');
  buildGroups(-3600, -2400).write(directory, 'groups-a');
  buildGroups(-2390, -1200).write(directory, 'groups-b');
  build(-3600, -600, 60, 'same').write(directory, 'same-a');
  build(-3000, -300, 20, 'same').write(directory, 'same-b');
  build(-3600, -600, 60, 'pair').write(directory, 'pair-a');
  build(-3000, -300, 60, 'pair', undefined, 5_000_000).write(directory, 'pair-b');
  writeFileSync(path.join(directory, 'web1', 'broken.meta'), 'nothing');
  writeFileSync(path.join(directory, 'web1', 'broken.0'), 'nothing');
  archives = new Archives(clock, { ...loadConfig({}).archives, roots: [directory] });
  const identify: SourceResolver['identify'] = (hostspec) =>
    ['twin', 'same', 'pair', 'groups'].includes(hostspec)
      ? { names: [hostspec], archives: [], isLocal: false }
      : hostspec === 'web2'
        ? undefined
        : { names: ['web1'], archives: ['web1/*'], isLocal: false };
  const memory = new LiveMemory(clock, { bytes: 1_000_000, maxAgeMs: 3_600_000 });
  const definitions = new DefinitionStore();
  definitions.register('test.twice', 'mem.util.free * 2');
  const failures = {
    twin: unreachable,
    same: unreachable,
    pair: unreachable,
    groups: unreachable,
    get down(): GatewayError {
      attempts++;
      return unreachable;
    },
  };
  const gateway = memoryGateway({
    clock,
    memory,
    definitions,
    failures,
    openArchive: (archive) => archives.open({ archive }),
  });
  api = await Api.start(gateway, {
    archives,
    hostArchives: new HostArchives(archives, () => ({ identify })),
    streams: new StreamHub({ clock, limits: STREAM_LIMITS }),
  });
});
afterAll(async () => {
  await api.stop();
  await archives.close();
});

const rows = (query: string): Promise<RowsJson> => api.ok(`/pmapi/fetch?${query}`);
const moments = ({ samples }: RowsJson): (number | string)[] =>
  samples.map(({ timestamp, mark }) => (mark ? 'mark' : Math.round(timestamp - now)));

describe('two machines with one host name', () => {
  it('are not one timeline: the archives of the other one are left out, and named', async () => {
    const answer = await rows('hostspec=twin&names=gone.counter&start=-2hours');
    expect(answer.warnings).toEqual([
      expect.objectContaining({ name: 'twin-a', message: expect.stringContaining('another machine') as string }),
    ]);
    const seconds = moments(answer).filter((moment) => typeof moment === 'number');
    expect([seconds[0], seconds.at(-1)]).toEqual([-6000, -300]);
    expect(seconds.filter((second) => second > -3600 && second < -3000)).toEqual([]);
    const own = moments(await rows(`archive=twin-a&names=gone.counter&start=-2hours`));
    expect([own[0], own.at(-1), own.length]).toEqual([-3600, -600, 51]);
  });

  it('nor are those whose counters contradict each other, where nothing says which machine they are of', async () => {
    const answer = await rows('hostspec=pair&names=gone.counter&start=-2hours');
    expect(answer.warnings).toEqual([
      expect.objectContaining({ name: 'pair-a', message: expect.stringContaining('contradict') as string }),
    ]);
    expect(moments(answer).slice(0, 1)).toEqual([-3000]);
    const same = await rows('hostspec=same&names=gone.counter&start=-2hours');
    expect(same).not.toHaveProperty('warnings');
    expect(moments(same).slice(0, 1)).toEqual([-3600]);
  });
});

describe('a range over a host', () => {
  it('reads archives, then what is remembered', async () => {
    for (let i = 0; i < 3; i++) {
      await api.get('/pmapi/fetch?hostspec=web1&names=mem.util.free');
      clock.advance(1000);
    }
    const answer = await rows('hostspec=web1&names=mem.util.free&start=-1day');
    const seconds = moments(answer).filter((moment) => typeof moment === 'number');
    expect(seconds).toEqual([...seconds].sort((a, b) => a - b));
    expect(new Set(seconds).size).toBe(seconds.length);
    // Hourly ones, those of a minute until the finer recording begins, those of ten seconds, those of now.
    expect(seconds.filter((sec) => sec < -3600)).toHaveLength(132);
    expect(seconds.filter((sec) => sec >= -3600 && sec < -1200)).toHaveLength(40);
    expect(seconds.filter((sec) => sec >= -1200 && sec <= -300)).toHaveLength(91);
    expect(seconds.slice(-3)).toEqual([0, 1, 2]);
    const values = answer.samples.flatMap(({ values = [] }) => (values[0]?.instances ?? []).map(({ value }) => value));
    expect(values.slice(0, 3)).toEqual([85_800, 85_200, 84_600]);
    expect(answer.warnings).toEqual([
      expect.objectContaining({ name: 'web1/broken', message: expect.stringContaining('is left out') as string }),
    ]);
  });

  it('computes derived metrics and rates, decimates and writes tables over all of it', async () => {
    const window = `hostspec=web1&start=${now - 1800}&finish=${now - 600}`;
    const doubled = await rows(`${window}&names=test.twice,mem.util.free&interval=5min`);
    expect(doubled.samples.map(({ values }) => values.map(({ instances }) => instances[0]?.value))).toEqual(
      [1800, 1500, 1200, 900, 600].map((sec) => [2 * sec, sec]),
    );
    for (const format of ['columns', 'ndjson', 'csv']) {
      const answer = await api.get(
        `/pmapi/fetch?${window}&names=test.twice,gone.counter&format=${format}&rate=true&points=10`,
      );
      expect([format, answer.status]).toEqual([format, 200]);
      expect(answer.text).toContain('gone.counter');
    }
  });

  it('tells the joint of two archives from a mark', async () => {
    const window = `hostspec=web1&names=gone.counter&start=${now - 7800}&finish=${now - 1100}&format=columns`;
    const joint = { row: expect.any(Number) as number, from: now - 7200, to: now - 3600, reason: 'joint' };
    expect((await api.get(`/pmapi/fetch?${window}`)).json).toMatchObject({ marks: [joint] });
    // With an iname, which metrics without instances do not mind, and in parts shorter than the distance of samples.
    expect((await api.get(`/pmapi/fetch?${window}&iname=x&points=60`)).json).toMatchObject({
      marks: [{ reason: 'joint' }],
    });
  });

  it('has rates from one archive to the next, and none across a gap', async () => {
    const answer = await rows(`hostspec=web1&names=gone.counter&start=${now - 7800}&finish=${now - 1100}&rate=true`);
    const at = (sec: number): unknown =>
      answer.samples.find(({ timestamp }) => timestamp === now + sec)?.values[0]?.instances[0]?.value;
    expect([at(-7200), at(-3600), at(-3540), at(-1260), at(-1200), at(-1190)]).toEqual([1, undefined, 1, 1, 1, 1]);
  });

  it('answers for a host that is down', async () => {
    const answer = await rows('hostspec=down&names=mem.util.free&start=-20min&finish=-15min');
    expect(moments(answer)).toEqual(expect.arrayContaining([-1190, -1000, -900]) as number[]);
    expect((await api.get('/pmapi/fetch?hostspec=down&names=mem.util.free')).status).toBe(503);
  });

  it('explains which records of which archive a value was made from', async () => {
    const why = async (query: string): Promise<unknown> => {
      const { why: explained } = await api.ok<Schemas['Fetch']>(`/pmapi/fetch?${query}&names=mem.util.free&why=true`);
      const { source, metrics } = explained!;
      const { low, high, sample } = metrics[0]!.values[0]!.from!;
      return [source.remembered, ...[low, high, sample].map((one) => one && [one.value, one.archive])];
    };
    const moment = `start=${now - 1004}&finish=${now - 1004}&samples=1&interval=1`;
    const between = [undefined, [1010, 'recorded/today'], [1000, 'recorded/today'], undefined];
    expect(await why(`hostspec=web1&${moment}`)).toEqual(between);
    const { context } = (await api.get('/pmapi/context?hostspec=web1')).json;
    expect(await why(`context=${context}&${moment}`)).toEqual(between);
    const remembered = `hostspec=web1&start=${now}&finish=${now + 1}`;
    expect(await why(remembered)).toEqual([undefined, undefined, undefined, [expect.anything(), undefined]]);
  });

  it('reads it for a context of the client, with its own derived metrics', async () => {
    const { context } = (await api.get('/pmapi/context?hostspec=web1')).json;
    await api.get(`/pmapi/${context}/derive?name=my.half&expr=mem.util.free/2`);
    const answer = await rows(`context=${context}&names=my.half&start=${now - 1100}&finish=${now - 1090}`);
    expect(answer.samples.map(({ values }) => values[0]?.instances[0]?.value)).toEqual([550, 545]);
  });

  it('has the values of an expression and its parts at a moment', async () => {
    const check = async (where: string, expr: string, sec: number): Promise<unknown> => {
      const url = `/derived/check?${where}&expr=${expr}&at=${now + sec}`;
      const { tree, sample } = await api.ok<Schemas['DerivedCheck']>(url);
      return [tree, tree!.children[0]].map((node) => node?.sample?.instances[0]?.value).concat(sample!.timestamp - now);
    };
    expect(await check('hostspec=web1', 'delta(gone.counter)', -900)).toEqual([10, 1_000_000 - 900, -900]);
    // The moment is in one archive, the record before it in another.
    expect(await check('hostspec=web1', 'delta(gone.counter)', -1200)).toEqual([60, 1_000_000 - 1200, -1200]);
    expect(await check('hostspec=down', 'delta(gone.counter)', -900)).toEqual([10, 1_000_000 - 900, -900]);
    const { context } = (await api.get('/pmapi/context?hostspec=web1')).json;
    expect(await check(`context=${context}`, 'instant(mem.util.free)', -1004)).toEqual([1000, 1000, -1004]);
    expect(await check('hostspec=web1', 'instant(mem.util.free)', 1)).toEqual([23_987_772, 23_987_772, 1]);
    expect(await check('hostspec=web2', 'instant(mem.util.free)', -5000)).toEqual([undefined, undefined, -5000]);
  });

  it('is as before where nothing is recorded, and without a start', async () => {
    expect(moments(await rows('hostspec=web2&names=mem.util.free&start=-1day'))).toEqual([]);
    expect(moments(await rows('hostspec=web1&names=mem.util.free&format=rows'))).toEqual([0, 1, 2]);
  });

  it('does not let a client use what was put together for a range', async () => {
    const answer = await api.get('/pmapi/fetch?hostspec=down&names=mem.util.free&start=-20min&interval=5min');
    const { context } = answer.json;
    expect((await api.get(`/pmapi/fetch?context=${context}&names=mem.util.free`)).status).toBe(404);
    const listed = (await api.get('/pmapi/contexts')).json.contexts as readonly { readonly hostspec: string }[];
    expect(listed.map(({ hostspec }) => hostspec)).not.toContainEqual(expect.stringContaining('['));
  });
});

describe('GET /timeline', () => {
  const timeline = (query: string): Promise<Schemas['Timeline']> => api.ok(`/timeline?${query}`);
  const told = ({ segments, gaps }: Schemas['Timeline']): unknown => ({
    segments: segments.map(({ from, to, origin, archive, resolution }) => [
      Math.round(from - now),
      Math.round(to - now),
      archive ?? origin,
      resolution,
    ]),
    gaps: gaps.map(({ from, to }) => [Math.round(from - now), Math.round(to - now)]),
  });

  it.each(['start=2099-01-01', 'start=1960-01-01&finish=1961-01-01', 'start=2098-01-01&finish=2099-01-01'])(
    'says that nothing is recorded of a time before or after all samples, in a window that does not end before it starts: %s',
    async (window) => {
      const { start, finish, segments, gaps, warnings } = await timeline(`hostspec=web1&${window}`);
      expect({ length: finish - start, segments, gaps, warnings }).toEqual({
        ...{ length: 0, segments: [], gaps: [] },
        warnings: [expect.objectContaining({ message: 'nothing is recorded or remembered of this time' })],
      });
    },
  );

  it('tells which archive holds what time, and the gaps', async () => {
    const answer = await timeline('hostspec=web1');
    expect(answer.live).toBe(true);
    expect(told(answer)).toEqual({
      segments: [
        [-86_400, MARK, 'web1/old', 600],
        [MARK + 600, -7200, 'web1/old', 600],
        [-3600, -1200, 'labelled', 60],
        [-1200, -300, 'recorded/today', 10],
        [0, 2, 'memory', 1],
      ],
      gaps: [
        [MARK, MARK + 600],
        [-7200, -3600],
        [-300, 0],
      ],
    });
    expect(answer.warnings).toEqual([expect.objectContaining({ name: 'web1/broken' })]);
  });

  it('tells it of single metrics, in a window, and of a host that is down', async () => {
    expect(told(await timeline(`hostspec=web1&names=gone.counter&start=${now - 2000}&finish=${now - 1000}`))).toEqual({
      segments: [
        [-2000, -1200, 'labelled', 60],
        [-1200, -1000, 'recorded/today', 10],
      ],
      gaps: [],
    });
    const down = await timeline(`hostspec=down&start=${now - 1000}`);
    expect([down.live, told(down)]).toEqual([
      false,
      { segments: [[-1000, -300, 'recorded/today', 10]], gaps: [[-300, 3]] },
    ]);
    expect(told(await timeline('hostspec=web2'))).toEqual({ segments: [], gaps: [] });
  });

  it('takes for the resolution that of a metric, not the time between groups of metrics', async () => {
    expect(told(await timeline('hostspec=groups'))).toEqual({
      segments: [
        [-3600, -2400, 'groups-a', 10],
        [-2390, -1200, 'groups-b', 10],
      ],
      gaps: [[-1200, 3]],
    });
    const unknown = await timeline('hostspec=web1&names=no.such');
    expect(unknown.warnings).toContainEqual(expect.objectContaining({ name: 'no.such' }));
  });
});

describe('GET /changes of a host', () => {
  const changes = (query: string): Promise<Schemas['Changes']> => api.ok(`/changes?${query}`);

  it.each(['web1', 'down'])('compares windows of its past (%s)', async (host) => {
    const answer = await changes(`hostspec=${host}&after=-10min,-5min&names=gone.counter,gone.level`);
    const told = [answer.before, answer.after].map(({ start, finish }) => [start, finish].map((at) => at - now));
    const passed = clock.now().sec - now;
    expect(told).toEqual([
      [passed - 1800, expect.closeTo(passed - 600, 6)],
      [passed - 600, passed - 300],
    ]);
    expect(answer.findings.map(({ name }) => name)).toEqual(['gone.level']);
    expect(answer.compared).toBe(2);
    const chart = await rows(answer.findings[0]!.href.split('?')[1]!.replace('format=columns', 'format=rows'));
    expect(chart.samples.length).toBeGreaterThan(50);
  });

  it('looks up metadata of a moment in what is recorded', async () => {
    const named = (query: string): ReturnType<Api['get']> => api.get(`/pmapi/metric?name=gone.counter&${query}`);
    for (const host of ['web1', 'down']) {
      const answer = await named(`hostspec=${host}&at=-10min`);
      expect(answer.json).toMatchObject({ metrics: [{ name: 'gone.counter', type: 'u32' }] });
    }
    expect((await named('hostspec=web1&at=yesterdayish')).json).toMatchObject({
      code: 'BAD_PARAMETER',
      parameter: 'at',
    });
    expect((await named('hostspec=web2&at=-10min')).json).toMatchObject({ code: 'WRONG_CONTEXT' });
    expect((await named('hostspec=web1')).status).toBe(404);
  });

  it('uses the derived metrics of a context that is named', async () => {
    const { context } = (await api.get('/pmapi/context?hostspec=web1')).json;
    const expr = encodeURIComponent('mem.util.free < 600 ? mem.util.free * 100 : mem.util.free');
    await api.get(`/pmapi/${context}/derive?name=my.jump&expr=${expr}`);
    const { findings } = await changes(`context=${context}&names=my.jump&after=-10min,-5min`);
    expect(findings.map(({ name }) => name)).toEqual(['my.jump']);
  });

  it('compares hosts with one another', async () => {
    const same = await changes('hostspec=web1&against=down&after=-10min,-5min');
    expect([same.compared, same.findings]).toEqual([4, []]);
    const other = await changes('hostspec=web1&against=down;web2&after=-10min,-5min');
    expect(other.warnings).toContainEqual(expect.objectContaining({ name: 'web2' }));
  });

  it('names archives that are left out, and windows in which there is nothing', async () => {
    const { warnings } = await changes('hostspec=web1&names=mem.util.free&after=-20hour,-19hour');
    expect(warnings).toEqual([expect.objectContaining({ name: 'web1/broken' })]);
    const refused = await api.get('/changes?hostspec=web1&after=@2001-01-01,@2001-01-02');
    expect(refused.json).toMatchObject({ code: 'BAD_PARAMETER', parameter: 'after' });
  });
});

describe('a stream of a host', () => {
  it('begins in the past, repeats nothing and goes on with what is there now', async () => {
    const stream = await openStream(
      `${api.url}/pmapi/stream?hostspec=web1&names=mem.util.free&start=${now - 400}&interval=5`,
    );
    const events = await stream.until(14);
    await stream.close();
    const samples = events.filter(({ event }) => event === 'message');
    expect([...new Set(events.map(({ event }) => event))]).toEqual(['metrics', 'message', 'gap']);
    const ids = samples.map(({ id }) => Number(id) - now);
    expect(ids.slice(0, 11)).toEqual([-400, -390, -380, -370, -360, -350, -340, -330, -320, -310, -300]);
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
    expect(ids.at(-1)).toBeGreaterThanOrEqual(0);
  });
});

describe('a role', () => {
  const ROLES = {
    host: { permissions: ['read'], hosts: ['web1'] },
    recordings: { permissions: ['read'], hosts: ['web1'], archives: ['recorded'] },
    memory: { permissions: ['read'], hosts: ['web1'], archives: ['nothing'] },
    few: { permissions: ['read'], metrics: ['gone.*'] },
    stranger: { permissions: ['read'], hosts: ['db1'] },
  };
  const file = readAccessFile({ tokens: tokensOf(Object.keys(ROLES)), roles: ROLES });
  let guarded: Api;
  beforeAll(async () => {
    const access = new AccessControl({ file, anonymous: { from: 'nowhere', roles: [] }, clock });
    const hostArchives = new HostArchives(archives, () => ({
      identify: () => ({ names: ['web1'], archives: ['web1/*'], isLocal: false }),
    }));
    guarded = await Api.start(memoryGateway({ clock }), { access, archives, hostArchives });
  });
  afterAll(() => guarded.stop());

  const ask = (role: string, url: string): ReturnType<Api['get']> =>
    guarded.get(url, { headers: { authorization: `Bearer ${tokenOf(role)}` } });
  const archivesOf = async (role: string): Promise<(string | undefined)[]> => {
    const { json } = await ask(role, '/timeline?hostspec=web1');
    const { segments, warnings = [] } = json as unknown as Schemas['Timeline'];
    return [...segments.map(({ archive }) => archive), ...warnings.map(({ name }) => name)];
  };

  it('sees of a host what it may see of each archive', async () => {
    expect(new Set(await archivesOf('host'))).toEqual(new Set(['web1/old', 'labelled', 'web1/broken']));
    expect(await archivesOf('recordings')).toEqual(['recorded/today']);
    expect(await archivesOf('memory')).toEqual([]);
    expect((await ask('stranger', '/timeline?hostspec=web1')).status).toBe(403);
    expect((await ask('stranger', '/pmapi/fetch?hostspec=web1&names=gone.counter&start=-1day')).status).toBe(403);
    const { json } = await ask('recordings', '/pmapi/fetch?hostspec=web1&names=gone.counter&start=-1day');
    expect(Math.min(...(json as unknown as RowsJson).samples.map(({ timestamp }) => timestamp - now))).toBe(-1200);
  });

  it('compares windows of what it may see', async () => {
    const compare = async (role: string, query: string): Promise<unknown> =>
      (await ask(role, `/changes?hostspec=web1&names=gone.counter&${query}`)).json;
    const recent = 'after=-10min,-5min';
    // Before -600 seconds is an archive that either may see, behind it the recording.
    expect(await compare('recordings', recent)).toMatchObject({ compared: 1 });
    expect(await compare('host', 'after=-55min,-40min')).toMatchObject({ compared: 1 });
    expect(await compare('recordings', 'after=-55min,-40min')).toMatchObject({ code: 'UNKNOWN_METRIC' });
    expect(await compare('memory', recent)).toMatchObject({ code: 'UNKNOWN_METRIC' });
    expect(await compare('stranger', recent)).toMatchObject({ code: 'FORBIDDEN' });
    expect(await compare('stranger', 'against=db1')).toMatchObject({ code: 'FORBIDDEN' });
    const against = await ask('recordings', `/changes?hostspec=web1&against=db1&names=gone.counter&${recent}`);
    expect(against.json).toMatchObject({ code: 'FORBIDDEN' });
    expect((await ask('few', `/changes?hostspec=web1&${recent}`)).json).toMatchObject({ compared: 2 });
    const named = await ask('few', `/changes?hostspec=web1&names=gone.counter,mem.util.free&${recent}`);
    expect(named.json).toMatchObject({ compared: 1, warnings: [{ name: 'mem.util.free' }, { name: 'web1/broken' }] });
  });

  it('sees none of the metrics that are hidden from it', async () => {
    const answer = await ask('few', '/pmapi/fetch?hostspec=web1&names=gone.counter,mem.util.free&start=-1day');
    const { samples, warnings } = answer.json as unknown as RowsJson;
    expect(samples[0]!.values).toHaveLength(1);
    expect(warnings).toContainEqual(expect.objectContaining({ name: 'mem.util.free' }));
  });
});

describe('a host that is down', () => {
  it('is not tried again for ten seconds when archives answer', async () => {
    const past = 'hostspec=down&names=mem.util.free&start=-20min&finish=-15min';
    clock.advance(10_000);
    const before = attempts;
    for (let i = 0; i < 5; i++) await rows(past);
    expect(attempts - before).toBe(1);
    expect((await api.get('/timeline?hostspec=down')).json).toMatchObject({ live: false });
    expect(attempts - before).toBe(1);
    // What only the host can answer is asked of it.
    expect((await api.get('/pmapi/fetch?hostspec=down&names=mem.util.free')).status).toBe(503);
    expect((await api.get('/pmapi/fetch?hostspec=down&names=mem.util.free&start=-10s')).status).toBe(503);
    expect(attempts - before).toBe(3);
    clock.advance(10_000);
    await rows(past);
    expect(attempts - before).toBe(4);
  });
});
