import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { AccessControl, readAccessFile } from '../../../src/access/index.js';
import { type InProcessGateway, serveArchives } from '../../../src/cli/in-process-gateway.js';
import { systemClock } from '../../../src/pmapi/index.js';
import { Api } from '../../support/api.js';
import { shell } from '../../shell/fake-terminal.js';
import { Assistant } from './support/assistant.js';
import { serveOffline } from './support/served.js';
import { archiveOf, INJECTIONS, START, WINDOW } from './support/strange-archives.js';

const TOOLS = ['pcp_hosts', 'pcp_diagnose', 'pcp_changes', 'pcp_find', 'pcp_query', 'pcp_why', 'pcp_check_expression'];
const URL_HERE = 'http://localhost';
/** Hosts with archives of different sizes. */
const SHAPES = [
  ['small', 2, 1],
  ['wide', 3, 60],
  ['tall', 60, 2],
  ['large', 20, 15],
  ['evil', 10, 20],
] as const;

let directory: string;
let gateway: InProcessGateway;
let assistant: Assistant;

beforeAll(async () => {
  directory = mkdtempSync(path.join(tmpdir(), 'pmgate-mcp-'));
  const archives = path.join(directory, 'archives');
  mkdirSync(archives);
  for (const [host, metrics, instances] of SHAPES) {
    archiveOf(host, metrics, instances, host === 'evil' ? INJECTIONS : ['instance', 'other']).write(archives, host);
  }
  for (const name of ['one', 'two']) archiveOf('double', 1, 2, ['instance', 'other']).write(archives, name);
  archiveOf('changed', 1, 2, ['after']).write(archives, 'after');
  archiveOf('changed', 1, 2, ['before'], START - 3600, 0x10000000).write(archives, 'before');
  gateway = await serveOffline(archives);
  assistant = await Assistant.connect(URL_HERE, { fetch: gateway.fetch });
});

afterAll(async () => {
  await assistant.client.close();
  await gateway.close();
  rmSync(directory, { recursive: true });
});

describe('the protocol', () => {
  it('lists seven tools that only read, in at most 1,500 tokens', async () => {
    const { tools } = await assistant.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(TOOLS);
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true);
    expect(Buffer.byteLength(JSON.stringify(tools)) / 4).toBeLessThanOrEqual(1500);
  });

  it('is that of 2026, and those of 2025', async () => {
    expect(assistant.client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
    const legacy = await Assistant.connect(URL_HERE, { fetch: gateway.fetch, version: 'legacy' });
    expect(legacy.client.getNegotiatedProtocolVersion()).toMatch(/^2025-/);
    const told = await Promise.all([assistant, legacy].map((one) => one.call('pcp_query', query('wide'))));
    expect(told[0]).toEqual(told[1]);
    await legacy.client.close();
  });

  it('has a prompt, and refuses what there is not', async () => {
    expect((await assistant.client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['investigate']);
    const given = { name: 'investigate', arguments: { host: 'web1"\nobey', time: '10:00' } };
    const { messages } = await assistant.client.getPrompt(given);
    expect(JSON.stringify(messages)).toContain(String.raw`web1\\\"\\nobey`);
    await expect(assistant.client.getPrompt({ name: 'other' })).rejects.toThrow('no such prompt');
    await expect(assistant.client.callTool({ name: 'other', arguments: {} })).rejects.toThrow('no such tool');
    await expect(assistant.client.readResource({ uri: 'pmgate://guide/../x' })).rejects.toThrow('no such resource');
    expect((await assistant.client.listResources()).resources).toBeInstanceOf(Array);
  });

  it('comes over standard input and output, for archives in this process', async () => {
    const messages = [
      {
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } },
      },
      { method: 'notifications/initialized' },
      { id: 2, method: 'tools/call', params: { name: 'pcp_hosts', arguments: {} } },
      { id: 3, method: 'no/such' },
    ];
    const input = messages.map((message) => JSON.stringify({ jsonrpc: '2.0', ...message })).join('\n');
    const { stdout, code } = await shell(['mcp', path.join(directory, 'archives')], { input: `${input}\nnot JSON\n` });
    const answers = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: number | null; error?: object });
    expect(code).toBe(0);
    expect(answers.map(({ id }) => id).sort()).toEqual([null, 1, 2, 3].sort());
    expect(stdout).toContain('1970-01-24T03:33:20Z to 1970-01-24T03:43:20Z');
    expect(
      answers
        .filter(({ error }) => error)
        .map(({ id }) => id)
        .sort(),
    ).toEqual([null, 3].sort());
  });
});

describe('pmgate mcp FILE', () => {
  it.each([
    ['archives/small', ['small']],
    ['archives/wide.meta', ['wide']],
    ['archives', [...SHAPES.map(([host]) => host), 'changed', 'double']],
  ])('serves %s, and nothing beside it', async (file, expected) => {
    const alone = await serveArchives(path.join(directory, file));
    const asked = await Assistant.connect(URL_HERE, { fetch: alone.fetch });
    const { items } = await asked.call('pcp_hosts');
    // This machine is listed too: it cannot be reached.
    expect(items.map(({ host }) => host).sort()).toEqual(['localhost', ...expected].sort());
    expect((await asked.call('pcp_query', query('tall'))).isError).toBe(!expected.includes('tall'));
    await asked.client.close();
    await alone.close();
  });
});

const query = (host: string, ...names: string[]): Record<string, unknown> => ({
  host,
  ...WINDOW,
  names: names.length === 0 ? ['app.group0.metric0', 'app.group1.metric1'] : names,
});

describe('the tools', () => {
  it('list hosts with their time ranges', async () => {
    const { text, items } = await assistant.call('pcp_hosts');
    expect(text).toContain('"wide": 1970-01-24T03:33:20Z to 1970-01-24T03:43:20Z, not live');
    expect(items).toContainEqual({ host: 'wide', start: START, finish: START + 600, live: false, gaps: 0 });
  });

  it('say that there is no diagnosis, and what to call instead', async () => {
    const { text, isError } = await assistant.call('pcp_diagnose', { host: 'wide', ...WINDOW });
    expect(isError).toBe(false);
    if (text.includes('not available')) expect(text).toContain('pcp_changes {"host":"wide"');
  });

  it('say what changed', async () => {
    const given = { host: 'small', start: '1970-01-24T03:41:20Z', finish: WINDOW.finish };
    const { text, items } = await assistant.call('pcp_changes', given);
    expect(text).toMatch(/app\.group0\.metric0 .*rose from 1(\.\d+)? to \d+/);
    expect(items[0]).toMatchObject({ since: START + 480 });
  });

  it('read archives of a host that overlap, or that cannot be read together', async () => {
    const asked = query('double', 'app.group0.metric0');
    expect((await assistant.call('pcp_query', asked)).items[0]).toMatchObject({ instance: 'other 1' });
    const changed = query('changed', 'app.group0.metric0');
    const { items } = await assistant.call('pcp_query', {
      ...changed,
      finish: '1970-01-24T02:43:20Z',
      start: '1970-01-24T02:33:20Z',
    });
    expect(items[0]).toMatchObject({ instance: 'before 1' });
    expect((await assistant.call('pcp_find', { host: 'changed', words: 'app' })).isError).toBe(false);
  });

  it('find metrics, with units', async () => {
    const { text } = await assistant.call('pcp_find', { words: 'metric0', host: 'small' });
    expect(text).toContain('app.group0.metric0, with instances: "instance"');
  });

  it('query values with four digits, and the top instances', async () => {
    const { text, items } = await assistant.call('pcp_query', query('wide', 'app.group0.metric0'));
    expect(items).toHaveLength(5);
    expect(items[0]).toMatchObject({ name: 'app.group0.metric0', instance: 'other 59', min: 60, max: 2408 });
    expect(text).toContain('Cut: 5 of 60 shown; narrower: pcp_query {');
    expect(text).toMatch(/[▁▂▃▄▅▆▇█]{20,24}/);
    expect(text).not.toMatch(/\d\.\d{4}/);
  });

  it('evaluate an expression, and leave no context behind', async () => {
    const { items } = await assistant.call('pcp_query', {
      ...query('small'),
      names: undefined,
      expr: 'app.group0.metric0 * 2',
    });
    expect(items).toMatchObject([{ name: 'expr', min: 2 }]);
  });

  it('explain a value', async () => {
    const given = { host: 'small', names: ['app.group0.metric0'], at: '1970-01-24T03:35:05Z' };
    const { text } = await assistant.call('pcp_why', given);
    expect(text).toMatch(/app\.group0\.metric0\["instance 0"\] = 1\.1; sampled: 1\.1 at /);
  });

  it('check an expression, with the repair as a call', async () => {
    const { text } = await assistant.call('pcp_check_expression', { host: 'small', expr: 'app.group0.metric9 + 1' });
    expect(text).toContain('repair: pcp_check_expression {"expr":"app.group0.metric0');
  });

  it('refuse arguments by name', async () => {
    const wrong = [
      ['pcp_find', {}],
      ['pcp_find', { words: 1 }],
      ['pcp_hosts', { hots: 'x' }],
      ['pcp_hosts', { constructor: 'x' }],
      ['pcp_query', { names: 'x' }],
      ['pcp_query', { names: ['x'], top: 51 }],
    ] as const;
    for (const [name, given] of wrong) {
      const { text, isError } = await assistant.call(name, given);
      expect([isError, text]).toEqual([true, expect.stringMatching(/^BAD_PARAMETER: "/)]);
    }
    expect((await assistant.call('pcp_query', query('nowhere'))).text).toContain('Hosts with data: pcp_hosts {}');
  });
});

describe('a limited role', () => {
  const tokenOf = (name: string): string => name.repeat(3);
  const sha256 = (name: string): string => createHash('sha256').update(tokenOf(name)).digest('hex');
  const file = readAccessFile({
    tokens: { reader: { sha256: sha256('reader'), roles: ['read'] }, web: { sha256: sha256('web'), roles: ['web'] } },
    roles: { web: { permissions: ['read'], metrics: ['kernel.*'], hosts: ['*'] } },
  });
  let api: Api;

  beforeAll(async () => {
    const access = new AccessControl({ file, anonymous: { from: 'nowhere', roles: ['read'] }, clock: systemClock });
    api = await Api.start(undefined, { access });
  });
  afterAll(() => api.stop());

  it('sees no hidden name, and cannot tell one from a name that does not exist', async () => {
    const [limited, reader] = await Promise.all(
      ['web', 'reader'].map((name) => Assistant.connect(api.url, { token: tokenOf(name) })),
    );
    const calls: [string, Record<string, unknown>][] = [
      ['pcp_hosts', {}],
      ['pcp_find', { words: 'free', limit: 50 }],
      ['pcp_find', { words: 'memory', limit: 50 }],
      ['pcp_find', { words: 'disk', limit: 50 }],
      ['pcp_check_expression', { expr: 'mem.util.fre' }],
      ['pcp_changes', { start: '-1min' }],
    ];
    for (const [name, given] of calls) {
      const { text } = await limited!.call(name, given);
      expect([name, text.replaceAll('mem.util.fre ', '')]).toEqual([
        name,
        expect.not.stringMatching(/mem\.util\.free|disk\.all/),
      ]);
    }
    expect((await reader!.call('pcp_find', { words: 'free', limit: 50 })).text).toContain('mem.util.free');
    for (const tool of ['pcp_why', 'pcp_query']) {
      const asked = async (name: string): Promise<string> =>
        (await limited!.call(tool, { names: [name] })).text.replaceAll(name, 'NAME').replace(/ at [\d-]+T.*/, '');
      expect(await asked('mem.util.free')).toBe(await asked('mem.util.frog'));
    }
    expect((await limited!.call('pcp_query', { expr: 'kernel.all.load' })).text).toMatch(/^FORBIDDEN/);
    expect(api.defects).toEqual([]);
  });

  it('is asked for its credentials', async () => {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    expect((await api.post('/mcp', { body })).status).toBe(401);
    const headers = { authorization: `Bearer ${tokenOf('web')}` };
    expect((await api.post('/mcp', { body, headers })).status).toBe(200);
    expect((await api.post('/mcp', { body: [body, body], headers })).json.code).toBe('BAD_BODY');
    expect(
      (await api.post('/mcp', { body: { jsonrpc: '2.0', method: 'notifications/initialized' }, headers })).status,
    ).toBe(202);
    expect((await api.post('/mcp', { body: { nothing: 1 }, headers })).status).toBe(400);
    expect((await api.get('/mcp', { headers })).status).toBe(405);
  });
});
