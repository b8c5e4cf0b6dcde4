/** The addresses behind "See:": a person opens them in the console, and finds the same source, metrics and time. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import supertest from 'supertest';
import { consoleRoutes, readConsoleFiles } from '../../../src/features/console/operations.js';
import { SCREENS, type Screen, type View, decodeView } from '../../../src/features/console/page/state/url-state.js';
import { ClientLimits } from '../../../src/http/guards/client-limits.js';
import { systemClock } from '../../../src/pmapi/index.js';
import { Assistant, type Told } from './support/assistant.js';
import { type Served, serve } from './support/served.js';
import { archiveOf, START, WINDOW } from './support/strange-archives.js';

const page = mkdtempSync(path.join(tmpdir(), 'pmgate-mcp-console-'));
writeFileSync(path.join(page, 'index.html'), '<!DOCTYPE html>');
const routes = consoleRoutes(() => readConsoleFiles(page));
const BOUNDS = { requestsPerSec: 0, requests: 0, contexts: 0, streams: 0, connections: 0 };
const clients = new ClientLimits({ ...BOUNDS, exempt: ['127.0.0.0/8'] }, systemClock);

/** An hour before the other: a host with two archives. */
const EARLIER = START - 3600;
let served: Served;
beforeAll(async () => {
  served = await serve(
    (root) => {
      archiveOf('web', 4, 3, ['disk', 'disk two']).write(root, 'later');
      archiveOf('web', 4, 3, ['disk', 'disk two'], EARLIER).write(root, 'earlier');
      archiveOf('other', 4, 3, ['disk', 'disk two']).write(root, 'other');
    },
    { routes, clients },
  );
});
afterAll(() => served.stop());

const web = { host: 'web', ...WINDOW };
const CALLS: readonly (readonly [string, Record<string, unknown>, Partial<View>])[] = [
  ['pcp_hosts', {}, { screen: 'hosts' }],
  ['pcp_hosts', { host: 'web' }, { screen: 'archives', words: 'web' }],
  ['pcp_hosts', { host: 'localhost' }, { screen: 'hosts', on: ['localhost'] }],
  ['pcp_diagnose', web, { screen: '', on: ['archive:later'], time: fixed(START, START + 600) }],
  ['pcp_diagnose', { host: 'web', start: isoOf(EARLIER), finish: isoOf(EARLIER + 500) }, { on: ['archive:earlier'] }],
  ['pcp_changes', { host: 'web', start: isoOf(START + 480), finish: WINDOW.finish, prefix: 'app.group0' }, changed()],
  ['pcp_changes', { ...web, against: 'other' }, { screen: 'changes', on: ['archive:later', 'archive:other'] }],
  ['pcp_find', { host: 'web', words: 'metric & more' }, { screen: 'find', words: 'metric & more' }],
  ['pcp_find', { words: 'load' }, { screen: 'find', on: ['localhost'], words: 'load' }],
  ['pcp_query', { ...web, names: ['app.group0.metric0', 'app.group1.metric1'], top: 2 }, { on: ['archive:later'] }],
  ['pcp_query', { ...web, names: ['app.group0.metric0'], instance: 'disk two 1', top: 20 }, {}],
  [
    'pcp_query',
    { host: 'web', names: ['app.group0.metric0'], start: isoOf(EARLIER), finish: isoOf(EARLIER + 300) },
    {},
  ],
  ['pcp_query', { ...web, expr: 'app.group0.metric0 + 1' }, {}],
  ['pcp_why', { host: 'web', names: ['app.group0.metric0'], at: isoOf(START + 105) }, { cursor: START + 105 }],
  ['pcp_why', { host: 'web', names: ['app.group0.metric0'], instance: 'disk two 1' }, { cursor: START + 600 }],
  ['pcp_why', { host: 'web', names: ['app.group0.metric0'], instance: '#1', at: isoOf(EARLIER + 9) }, {}],
  ['pcp_why', { names: ['kernel.all.load'] }, { screen: 'explain', words: 'kernel.all.load' }],
  ['pcp_check_expression', { host: 'web', expr: 'app.group0.metric0 * 2' }, { time: fixed(START, START + 600) }],
  ['pcp_check_expression', { expr: 'kernel.all.load / 2' }, { screen: 'derive' }],
];

function isoOf(sec: number): string {
  return new Date(sec * 1000).toISOString().replace('.000Z', 'Z');
}

function fixed(start: number, end: number): View['time'] {
  return { kind: 'fixed', start, end };
}

function changed(): Partial<View> {
  return {
    words: 'app.group0',
    after: { start: START + 480, end: START + 600 },
    before: { start: START, end: START + 480 },
  };
}

/** The view of an address below a root. */
function viewOf(address: string, root: string): View {
  expect(address.slice(0, root.length + 9)).toBe(`${root}/console/`);
  const [screen = '', query = ''] = address.slice(root.length + 9).split('?');
  expect(SCREENS).toContain(screen);
  const view = decodeView(screen as Screen, query);
  expect([address, view.unknown]).toEqual([address, []]);
  return view;
}

/** Ask for the values that a screen of lanes draws: least and greatest of each series. */
async function drawn({ on, lanes, time, definitions }: View): Promise<unknown> {
  const { api } = served;
  const { start, end } = time as { start: number; end: number };
  const where = new URLSearchParams(whereOf(on[0]!)).toString();
  const { context } = (await api.get(`/pmapi/context?${where}`)).json;
  for (const { name, expression } of definitions) {
    const body = new URLSearchParams({ context: String(context), name, expr: expression }).toString();
    expect((await api.post('/pmapi/derive', { body, type: 'application/x-www-form-urlencoded' })).status).toBe(200);
  }
  const names = lanes.flatMap(({ metrics }) => metrics).join(',');
  const query = `names=${names}&start=${start}&finish=${end}&points=24&format=columns&decimation=envelope&rate=true`;
  const answer = await api.get(`/pmapi/${context}/fetch?${query}`);
  expect([answer.status, answer.text.slice(0, 300)]).toEqual([200, expect.any(String)]);
  return answer.json;
}

async function tell(told: Told, root: string, expected: Partial<View>): Promise<View> {
  expect([told.text, told.isError]).toEqual([told.text, false]);
  expect(told.text).toContain(`\nSee: ${told.address}`);
  const view = viewOf(told.address!, root);
  expect(view).toMatchObject(expected);
  return view;
}

describe('the addresses of answers', () => {
  it.each(CALLS)('%s %j open where the numbers are', async (tool, given, expected) => {
    const { api } = served;
    const assistant = await Assistant.connect(api.url);
    const told = await assistant.call(tool, given);
    const view = await tell(told, api.url, expected);
    expect((await fetch(told.address!)).status).toBe(200);
    for (const source of view.on) {
      const where = new URLSearchParams(whereOf(source)).toString();
      expect((await api.get(`/pmapi/context?${where}`)).status).toBe(200);
    }
    if (view.lanes.length > 0 && given.host === 'web') {
      const { metrics } = (await drawn(view)) as {
        metrics: { series: { name: string; min: number[]; max: number[] }[] }[];
      };
      const all = metrics.flatMap(({ series }) => series);
      for (const { instance, min, max } of told.items) {
        const shown = all.filter(({ name }) => name === instance);
        const extremes = shown.map((one) => [Math.min(...one.min), Math.max(...one.max)].map(rounded));
        expect(extremes).toContainEqual([min, max]);
      }
      for (const { instances } of view.lanes) if (given.instance !== undefined) expect(instances).toBe(given.instance);
    }
    if (tool === 'pcp_why' && given.host === 'web') {
      const [metric = '', instance] = view.words.split('[');
      const where = new URLSearchParams(whereOf(view.on[0]!)).toString();
      const moment = `start=${view.cursor! - 1}&finish=${view.cursor!}&interval=1sec&why=true`;
      const { text } = await api.get(`/pmapi/fetch?${where}&names=${metric}&${moment}`);
      const [item] = told.items;
      expect(text).toContain(
        `"name":"${instance?.slice(0, -1) ?? (item!.instance as string)}","value":${item!.value as number}`,
      );
    }
    await assistant.client.close();
  });

  it.each([
    [{}, {}, undefined],
    [{ host: 'gw.example' }, {}, 'http://gw.example'],
    [{ host: 'gw.example', 'x-forwarded-proto': 'https' }, {}, 'https://gw.example'],
    [
      { host: 'in:1', 'x-forwarded-host': 'gw.example:8443, proxy', 'x-forwarded-prefix': '/pm/gate/' },
      {},
      'http://gw.example:8443/pm/gate',
    ],
    [{ host: 'gw.example', 'x-forwarded-prefix': '/a/../b' }, {}, 'http://gw.example'],
    [{ host: 'gw.example', 'x-forwarded-host': 'evil.example/"<b>' }, {}, ''],
    [{}, { basePath: '/pmgate' }, 'http://127.0.0.1:PORT/pmgate'],
    [{ host: 'gw.example', 'x-forwarded-host': 'evil.example' }, { exempt: [] }, 'http://gw.example'],
  ] as const)(
    'begin as the client sees the gateway: %j, %j',
    async (headers, { basePath, exempt }: { basePath?: string; exempt?: readonly string[] }, root) => {
      const trusting = exempt ? new ClientLimits({ ...BOUNDS, exempt }, systemClock) : clients;
      const other = await serve(() => undefined, {
        routes,
        clients: trusting,
        ...(basePath === undefined ? {} : { basePath }),
      });
      const body = {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'pcp_find', arguments: { words: 'load' } },
      };
      const asked = supertest(other.api.url)
        .post(`${basePath ?? ''}/mcp`)
        .set(headers);
      const answer = await asked.send(body).expect(200);
      const { result } = answer.body as { result: { structuredContent: { address?: string } } };
      const { address } = result.structuredContent;
      if (root === '') expect(address).toBeUndefined();
      else {
        const base = (root ?? other.api.url).replace('PORT', String(other.api.port));
        expect(viewOf(address!, base)).toMatchObject({ screen: 'find', words: 'load' });
        const inner = `${other.api.url}${basePath ?? ''}${address!.slice(base.length)}`;
        expect((await fetch(inner)).status).toBe(200);
      }
      await other.stop();
    },
  );

  it('are left out rather than cut', async () => {
    const assistant = await Assistant.connect(served.api.url);
    const { address, isError } = await assistant.call('pcp_check_expression', { expr: `1${'+1'.repeat(900)}` });
    expect([isError, address]).toEqual([false, undefined]);
    await assistant.client.close();
  });
});

/** As the page asks for a source. */
function whereOf(source: string): Record<string, string> {
  return source.startsWith('archive:') ? { archive: source.slice(8) } : { hostspec: source };
}

function rounded(value: number): number {
  return Number(value.toPrecision(4));
}
