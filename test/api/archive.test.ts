import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { sourceId } from '../../src/http/index.js';
import { makeLabel } from '../../src/pmapi/index.js';
import { BUILT_START, buildArchive, counterAt, servedArchives } from '../support/archive-gateway.js';
import type { RowsJson, SampleJson, Schemas } from '../support/api.js';
import { rows } from '../support/rows.js';

const served = servedArchives({
  defined: { 'test.double': 'test.counter * 2', 'test.growth': 'delta(test.counter)', 'test.constant': '7' },
});
const { api } = served;

const values = async (url: string): Promise<unknown[]> =>
  (await api.ok<SampleJson>(url)).values.map(({ instances }) => instances.map(({ value }) => value));

const archives = async (query = ''): Promise<Schemas['Archives']['archives']> =>
  (await api.ok<Schemas['Archives']>(`/archives${query}`)).archives;

describe('archive=', () => {
  it('makes a context that tells the label of the archive', async () => {
    const answer = await api.get('/pmapi/context?archive=built');
    expect(answer.json).toMatchObject({
      hostspec: 'recorded.example',
      kind: 'archive',
      archive: 'built',
      version: 3,
      timezone: 'UTC',
      start: BUILT_START,
      end: BUILT_START + 9,
      mode: 'forward',
      position: BUILT_START,
      labels: { hostname: 'recorded.example', era: 'second' },
    });
    const described = await api.get(`/pmapi/${answer.json.context}`);
    expect(described.json).toMatchObject({ archive: 'built', polltimeout: 60, shared: false });
  });

  it('has one identifier for a metric, whichever moment its labels are asked for', async () => {
    const seriesAt = async (more: string): Promise<{ labels: Record<string, unknown>; series: string }> => {
      const { json } = await api.get(`/pmapi/metric?archive=built&name=test.counter${more}`);
      return json.metrics[0] as unknown as { labels: Record<string, unknown>; series: string };
    };
    const [first, last] = [await seriesAt(`&at=${BUILT_START}`), await seriesAt('&scope=archive')];
    expect(first.labels).not.toEqual(last.labels);
    expect(first.series).toBe(last.series);
    const { json } = await api.get('/pmapi/context?archive=built');
    const labels = [makeLabel('era', 'second'), makeLabel('hostname', 'recorded.example')];
    expect(json).toMatchObject({ source: sourceId(labels) });
  });

  it.each([
    'built',
    'built.meta',
    'built.0',
    'recorded/live-v2',
    'recorded/packed-v3',
    'recorded/live-v3,recorded/later-v3',
  ])('opens %s', async (name) => {
    const answer = await api.get(`/pmapi/context?archive=${name}`);
    expect(answer.json).toMatchObject({ kind: 'archive', archive: name });
  });

  it('reads record by record to the end, which is an error of its own', async () => {
    const context = await api.context('?archive=built');
    const seen: unknown[] = [];
    for (let i = 0; i < 9; i++) seen.push((await values(`/pmapi/${context}/fetch?names=test.counter`))[0]);
    expect(seen).toEqual([0, 1, 2, 3, 4, 6, 7, 8, 9].map((second) => [counterAt(second)]));
    const end = await api.get(`/pmapi/${context}/fetch?names=test.counter`);
    expect([end.status, end.json]).toMatchObject([416, { code: 'END_OF_ARCHIVE', pmErr: -12370, context }]);
  });

  it('passes over records that hold nothing of what is asked, operands counting', async () => {
    const context = await api.context('?archive=built');
    expect(await values(`/pmapi/${context}/fetch?names=test.text`)).toEqual([['text, "0"']]);
    expect(await values(`/pmapi/${context}/fetch?names=test.text`)).toEqual([['text, "3"']]);
    expect(await values(`/pmapi/${context}/fetch?names=test.double`)).toEqual([[counterAt(4) * 2]]);
    expect(await values(`/pmapi/${context}/fetch?names=test.growth`)).toEqual([[]]);
    expect(await values(`/pmapi/${context}/fetch?names=test.growth`)).toEqual([[10]]);
  });

  it('gives a derived metric without operands at every record', async () => {
    const context = await api.context('?archive=built');
    expect(await values(`/pmapi/${context}/fetch?names=test.constant`)).toEqual([[7]]);
    expect(await values(`/pmapi/${context}/fetch?names=test.constant`)).toEqual([[7]]);
    expect(await values(`/pmapi/${context}/fetch?names=test.constant,test.counter`)).toEqual([[7], [counterAt(2)]]);
    const range = '/pmapi/fetch?archive=built&names=test.constant&start=2sec&finish=4sec';
    const { samples } = await api.ok<RowsJson>(range);
    // With the mark at 5.
    expect([...new Set(samples.map(({ timestamp }) => timestamp - BUILT_START))]).toEqual([2, 3, 4, 5, 6]);
    const interpolated = await api.get(
      '/pmapi/fetch?archive=built&names=test.constant&start=2sec&finish=2sec&interval=1sec&format=columns',
    );
    expect(interpolated.json).toMatchObject({ metrics: [{ series: [{ values: [7, 7, 7] }] }] });
  });

  it('begins at the start with every request without a context', async () => {
    for (let i = 0; i < 2; i++) {
      expect(await values('/pmapi/fetch?archive=built&names=test.counter')).toEqual([[counterAt(0)]]);
    }
  });

  it('answers every other question about an archive', async () => {
    expect((await api.get('/pmapi/children?archive=built&prefix=test')).json).toMatchObject({ name: 'test' });
    expect((await api.get('/pmapi/metric?archive=built&names=test.counter')).json).toMatchObject({
      metrics: [
        { name: 'test.counter', units: 'byte', 'text-oneline': 'bytes that were counted', labels: { era: 'second' } },
      ],
    });
    expect((await api.get('/pmapi/metrics?archive=built&names=test.counter')).text).toContain('test_counter');
    expect((await api.get('/metrics?archive=built&names=test.gauge')).text).toContain('red');
    for (const route of ['_context', '_fetch?names=test.text', '_metric?name=test.text', '_indom?name=test.gauge']) {
      const url = `/pmapi/${route}${route.includes('?') ? '&' : '?'}archive=built`;
      expect([url, (await api.get(url)).status]).toEqual([url, 200]);
    }
  });

  it('knows instances by name wherever the context stands', async () => {
    const context = await api.context('?archive=recorded/live-v3');
    const profile = await api.get(`/pmapi/${context}/profile?expr=add&name=kernel.all.load&iname=5%20minute`);
    expect([profile.status, profile.text]).toMatchObject([200, /"success":true/]);
    const { text } = await api.get(`/pmapi/${context}/metrics?names=kernel.all.load`);
    expect(text).toContain('instname="5 minute"');
    expect(text).toContain('hostname="vm"');
    expect(text).not.toContain('instname="15 minute');
  });

  it('cannot be combined with a host', async () => {
    for (const other of ['hostspec=web1', 'hostname=web1', 'hostspec=web1;web2']) {
      const answer = await api.get(`/pmapi/fetch?archive=built&names=test.counter&${other}`);
      expect([answer.status, answer.json]).toMatchObject([400, { code: 'BAD_PARAMETER', parameter: 'archive' }]);
    }
  });

  it('refuses damaged archives with their code, without telling where they are', async () => {
    const files = buildArchive().files();
    files.get('meta')!.writeUInt32BE(0x50052609, 4);
    for (const [suffix, bytes] of files) writeFileSync(path.join(served.root, `damaged.${suffix}`), bytes);
    const answer = await api.get('/pmapi/context?archive=damaged');
    expect([answer.status, answer.json]).toMatchObject([422, { code: 'BAD_ARCHIVE', pmErr: -12372 }]);
    expect(answer.text).not.toContain(served.root);
    expect((await archives()).find(({ name }) => name === 'damaged')).toMatchObject({ error: { code: 'BAD_ARCHIVE' } });
  });
});

describe('archive roots', () => {
  it.each(['../outside', '../root/built', 'link', 'linked/outside', 'no-such', '.'])('keep %s out', async (name) => {
    const outside = path.join(served.root, '..', 'outside');
    buildArchive().write(path.join(served.root, '..'), 'outside');
    for (const suffix of ['meta', 'index', '0']) link(`${outside}.${suffix}`, path.join(served.root, `link.${suffix}`));
    link(path.join(served.root, '..'), path.join(served.root, 'linked'));
    const answer = await api.get(`/pmapi/context?archive=${name}`);
    expect([answer.status, answer.json]).toMatchObject([404, { code: 'UNKNOWN_ARCHIVE', parameter: 'archive' }]);
    expect(answer.text).not.toContain(served.root);
  });

  it.each(['built%00', 'built,,', 'x'.repeat(5000)])('refuse %s as a name', async (name) => {
    const answer = await api.post('/pmapi/context', { type: 'form', body: `archive=${name}` });
    expect([answer.status, answer.json]).toMatchObject([400, { code: 'BAD_PARAMETER', parameter: 'archive' }]);
  });
});

function link(target: string, place: string): void {
  try {
    symlinkSync(target, place);
  } catch {
    // It is there from the case before.
  }
}

describe('GET /archives', () => {
  it('lists what the roots hold, and notices new files', async () => {
    const before = await archives();
    expect(before.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['built', 'recorded/live-v3', 'recorded/packed-v3']),
    );
    expect(before.find(({ name }) => name === 'built')).toMatchObject({
      hostspec: 'recorded.example',
      start: BUILT_START,
      end: BUILT_START + 9,
      version: 3,
      metrics: 3,
      timezone: 'UTC',
    });
    mkdirSync(path.join(served.root, 'later'));
    buildArchive().write(path.join(served.root, 'later'), 'new');
    expect((await archives()).map(({ name }) => name)).toContain('later/new');
  });
});

describe('GET /archives with filters', () => {
  const names = async (query: string): Promise<readonly string[]> =>
    (await archives(`?${query}`)).map(({ name }) => name);

  it('lists those of a host', async () => {
    expect(await names('hostspec=recorded.example')).toContain('built');
    expect(await names('hostspec=elsewhere')).toEqual([]);
  });

  it('lists those that overlap a window, ends included', async () => {
    const [start, end] = [BUILT_START, BUILT_START + 9];
    expect(await names(`start=${end}&finish=${end + 1}`)).toContain('built');
    expect(await names(`finish=${start}`)).toContain('built');
    expect(await names(`start=${end + 0.5}&finish=${end + 1}`)).toEqual([]);
    expect(await names(`finish=${start - 0.5}`)).toEqual([]);
  });

  it('lists so many, those that end last', async () => {
    const latest = await names('limit=1');
    expect(latest).toHaveLength(1);
    expect(latest).not.toContain('built');
    expect((await api.get('/archives?limit=0')).status).toBe(400);
  });
});

describe('metadata of archives', () => {
  const names = async (url: string): Promise<unknown> =>
    (await api.ok<Schemas['Indom']>(url)).instances.map(({ name }) => name);

  it('is that of the position', async () => {
    const context = await api.context('?archive=built');
    expect(await names(`/pmapi/${context}/indom?name=test.gauge`)).toEqual(['red', 'green']);
    for (let i = 0; i < 6; i++) await values(`/pmapi/${context}/fetch?names=test.gauge`);
    expect(await names(`/pmapi/${context}/indom?name=test.gauge`)).toEqual(['green', 'blue "and" more']);
  });

  it('is that of a moment with at', async () => {
    const context = await api.context('?archive=built');
    for (const [at, expected] of [
      [String(BUILT_START + 2), ['red', 'green']],
      ['7sec', ['green', 'blue "and" more']],
      ['-1sec', ['green', 'blue "and" more']],
      ['1970-01-12T13:46:42Z', ['red', 'green']],
      ['1970-01-12T14:46:42&zone=CET-1', ['red', 'green']],
    ] as const) {
      expect([at, await names(`/pmapi/${context}/indom?name=test.gauge&at=${at}`)]).toEqual([at, expected]);
    }
    const early = await api.get(`/pmapi/metric?archive=built&name=test.counter&at=1sec`);
    expect(early.json.metrics[0]).toMatchObject({ labels: { era: 'first' } });
  });

  it('is that of the whole archive with scope, and without a context', async () => {
    const context = await api.context('?archive=built');
    const all = ['red', 'green', 'blue "and" more'];
    expect(await names(`/pmapi/${context}/indom?name=test.gauge&scope=archive`)).toEqual(all);
    expect(await names('/pmapi/indom?archive=built&name=test.gauge')).toEqual(all);
    expect(await names(`/pmapi/${context}/indom?name=test.gauge&scope=position`)).toEqual(['red', 'green']);
  });

  it.each([
    ['at=yesterdayish', 'at', 'BAD_PARAMETER'],
    ['at=5sec&scope=archive', 'scope', 'BAD_PARAMETER'],
    ['at=5sec&zone=Nowhere/None', 'zone', 'BAD_PARAMETER'],
    ['zone=UTC', 'zone', 'BAD_PARAMETER'],
    ['scope=everything', 'scope', 'BAD_PARAMETER'],
  ])('refuses %s', async (query, parameter, code) => {
    const answer = await api.get(`/pmapi/indom?archive=built&name=test.gauge&${query}`);
    expect([answer.status, answer.json]).toMatchObject([400, { code, parameter }]);
  });

  it('is not for live hosts', async () => {
    const answer = await api.get('/pmapi/indom?name=kernel.all.load&at=5sec');
    expect([answer.status, answer.json]).toMatchObject([400, { code: 'WRONG_CONTEXT', pmErr: -12374 }]);
  });
});

describe('POST /pmapi/{context}/dup', () => {
  it.each([
    [{ mode: 'forward' }, [2, 3]],
    [{ mode: 'backward', time: String(BUILT_START + 9) }, [7, 6]],
    [{ mode: 'interp', time: String(BUILT_START), interval: '0.5' }, [1, 1.5]],
  ])('makes a copy that stands where the original does, and goes on by itself: %j', async (body, next) => {
    const { context } = (await api.get('/pmapi/context?archive=built')).json;
    expect((await api.post(`/pmapi/${context}/mode`, { body })).status).toBe(200);
    const fetchTwice = async (id: number): Promise<number[]> => {
      const times: number[] = [];
      for (let i = 0; i < 2; i++) {
        const { timestamp } = (await api.get(`/pmapi/${id}/fetch?names=test.counter`)).json;
        times.push((timestamp as number) - BUILT_START);
      }
      return times;
    };
    await fetchTwice(context);
    const copy = (await api.post(`/pmapi/${context}/dup`)).json.context;
    expect(await fetchTwice(copy)).toEqual(next);
    expect(await fetchTwice(context)).toEqual(next);
  });
});

describe('POST /pmapi/{context}/mode', () => {
  const set = async (context: number, body: object): Promise<unknown> => {
    const answer = await api.post(`/pmapi/${context}/mode`, { body });
    expect([answer.status, answer.status === 200 ? '' : answer.text]).toEqual([200, '']);
    return answer.json;
  };

  it('reads backward, from the end', async () => {
    const context = await api.context('?archive=built');
    expect(await set(context, { mode: 'backward', time: '-0sec' })).toEqual({
      context,
      mode: 'backward',
      position: BUILT_START + 9,
      interval: 0,
    });
    const url = `/pmapi/${context}/fetch?names=test.counter`;
    for (const second of [9, 8, 7, 6, 4, 3, 2, 1, 0]) expect(await values(url)).toEqual([[counterAt(second)]]);
    expect((await api.get(url)).json).toMatchObject({ code: 'END_OF_ARCHIVE' });
    await set(context, { mode: 'forward' });
  });

  it('interpolates, and moves on by the interval in either direction', async () => {
    const context = await api.context('?archive=built');
    const url = `/pmapi/${context}/fetch?names=test.counter`;
    await set(context, { mode: 'interp', time: '1.5sec', interval: '500msec' });
    expect(await values(url)).toEqual([[115]]);
    expect(await values(url)).toEqual([[120]]);
    await set(context, { interval: '-1', time: String(BUILT_START + 3) });
    expect(await values(url)).toEqual([[130]]);
    expect(await values(url)).toEqual([[120]]);
    expect((await api.get(`/pmapi/${context}`)).json).toMatchObject({ mode: 'interp', position: BUILT_START + 1 });
  });

  it('starts derived metrics over', async () => {
    const context = await api.context('?archive=built');
    const url = `/pmapi/${context}/fetch?names=test.growth`;
    await values(url);
    expect(await values(url)).toEqual([[10]]);
    await set(context, { time: '0sec' });
    expect(await values(url)).toEqual([[]]);
    expect(await values(url)).toEqual([[10]]);
  });

  it('so does a reconnection, which leaves the position', async () => {
    const context = await api.context('?archive=built');
    const url = `/pmapi/${context}/fetch?names=test.growth`;
    await values(url);
    expect(await values(url)).toEqual([[10]]);
    expect((await api.post(`/pmapi/${context}/reconnect`)).status).toBe(200);
    expect(await values(url)).toEqual([[]]);
    expect(await values(url)).toEqual([[10]]);
    expect((await api.get(`/pmapi/${context}`)).json).toMatchObject({ position: BUILT_START + 3 });
  });

  it.each([
    [{ mode: 'sideways' }, 'mode'],
    [{ mode: 'interp' }, 'interval'],
    [{ interval: 'soon' }, 'interval'],
    [{ time: 'whenever' }, 'time'],
    [{ time: '5sec', zone: 'Nowhere/None' }, 'zone'],
    [{ mode: 'forward', zone: 'UTC' }, 'zone'],
  ])('refuses %j', async (body, parameter) => {
    const context = await api.context('?archive=built');
    const answer = await api.post(`/pmapi/${context}/mode`, { body });
    expect([answer.status, answer.json]).toMatchObject([400, { code: 'BAD_PARAMETER', parameter }]);
  });

  it('is for archives alone, and not for a context that all share', async () => {
    const live = await api.context();
    const wrong = await api.post(`/pmapi/${live}/mode`, { body: { mode: 'forward' } });
    expect([wrong.status, wrong.json]).toMatchObject([400, { code: 'WRONG_CONTEXT', pmErr: -12374 }]);
    const { context } = (await api.get('/pmapi/fetch?archive=built&names=test.counter')).json;
    const shared = await api.post(`/pmapi/${context}/mode`, { body: { mode: 'backward' } });
    expect([shared.status, shared.json]).toMatchObject([409, { code: 'SHARED_CONTEXT' }]);
  });
});

describe('GET /pmapi/{context}/records', () => {
  const lines = (text: string): unknown[] =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as unknown);

  it('writes every record with all that it holds, marks included', async () => {
    const context = await api.context('?archive=built');
    const answer = await api.get(`/pmapi/${context}/records`);
    expect(answer.headers['content-type']).toBe('application/x-ndjson');
    const records = lines(answer.text);
    expect(records).toHaveLength(10);
    expect(records[0]).toMatchObject({
      timestamp: BUILT_START,
      values: [
        { name: 'test.counter', instances: [{ instance: null, value: 100 }] },
        {
          name: 'test.gauge',
          instances: rows({ instance: 0, value: 0 }, { instance: 1, value: 0 }),
        },
        { name: 'test.text', instances: [{ instance: null, value: 'text, "0"' }] },
      ],
    });
    expect(records[5]).toEqual({ timestamp: BUILT_START + 5, mark: true });
    const end = await api.get(`/pmapi/${context}/records`);
    expect([end.status, end.json]).toMatchObject([416, { code: 'END_OF_ARCHIVE', pmErr: -12370 }]);
  });

  it('writes so many and moves on', async () => {
    const context = await api.context('?archive=built');
    const stamps = async (): Promise<unknown> =>
      lines((await api.get(`/pmapi/${context}/records?samples=3`)).text).map(
        (record) => (record as { timestamp: number }).timestamp - BUILT_START,
      );
    expect(await stamps()).toEqual([0, 1, 2]);
    expect(await stamps()).toEqual([3, 4, 5]);
    await api.request('HEAD', `/pmapi/${context}/records`);
    expect(await stamps()).toEqual([6, 7, 8]);
    await api.post(`/pmapi/${context}/mode`, { body: { mode: 'backward' } });
    expect(await stamps()).toEqual([8, 7, 6]);
  });

  it('is not moved along by HEAD, of whatever', async () => {
    const context = await api.context('?archive=built');
    for (const path of ['fetch?names=test.counter', 'metrics?names=test.counter', '_fetch?names=test.counter']) {
      expect((await api.request('HEAD', `/pmapi/${context}/${path}`)).status).toBe(200);
    }
    expect((await api.request('HEAD', `/pmapi/fetch?context=${context}&names=test.counter`)).status).toBe(200);
    expect((await api.get(`/pmapi/${context}/fetch?names=test.counter`)).json.timestamp).toBe(BUILT_START);
  });

  it('is not for live hosts, shared contexts and interpolation', async () => {
    expect((await api.get(`/pmapi/${await api.context()}/records`)).json).toMatchObject({ code: 'WRONG_CONTEXT' });
    const { context } = (await api.get('/pmapi/fetch?archive=built&names=test.counter')).json;
    expect((await api.get(`/pmapi/${context}/records`)).json).toMatchObject({ code: 'SHARED_CONTEXT' });
    const own = await api.context('?archive=built');
    await api.post(`/pmapi/${own}/mode`, { body: { mode: 'interp', interval: '1' } });
    expect((await api.get(`/pmapi/${own}/records`)).json).toMatchObject({ code: 'WRONG_CONTEXT', pmErr: -12371 });
  });
});
