import { jest } from '@jest/globals';
import { PmError } from '../../src/pmapi/index.js';
import supertest from 'supertest';
import { createHttpServer } from '../../src/http/index.js';
import { Api } from '../support/api.js';
import { memoryGateway } from '../support/memory-gateway.js';

const basic = (user: string, password: string): { headers: { authorization: string } } => ({
  headers: { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` },
});

let nowMs = 0;
const clock = { now: () => ({ sec: 0, nsec: 0 }), monotonicMs: () => nowMs };
const failures = { down: new PmError(-111, 'cannot connect to PMCD'), bug: new TypeError('oops') };
const api = Api.serving(memoryGateway({ clock, failures, limits: { contexts: 40 } }));
afterEach(() => {
  nowMs += 100_000;
  api.gateway.contexts.sweep();
});

describe('/pmapi/context', () => {
  it('makes a context and says what it is on', async () => {
    const { json } = await api.get('/pmapi/context?hostspec=web7&polltimeout=2.5&client=me');
    expect(json).toEqual({
      context: expect.any(Number) as number,
      client: 'me',
      source: expect.stringMatching(/^[0-9a-f]{40}$/) as string,
      hostspec: 'web1',
      labels: { hostname: 'web1', nodes: ['a', 'b'] },
      kind: 'local',
    });
    expect(api.gateway.contexts.use(json.context).pollTimeoutMs).toBe(2500);
    expect(api.gateway.opened.at(-1)).toEqual({ kind: 'host', hostspec: 'web7' });
  });

  it('lets hostspec win over hostname', async () => {
    await api.get('/pmapi/context?hostname=b&hostspec=a');
    expect(api.gateway.opened.at(-1)).toMatchObject({ hostspec: 'a' });
  });

  it('describes a context that it is given', async () => {
    const made = await api.get('/pmapi/context');
    for (const url of [`/pmapi/${made.json.context}/context`, `/pmapi/context?context=${made.json.context}`]) {
      expect((await api.get(url)).json).toEqual(made.json);
    }
  });

  it('answers the number alone in the underscore form', async () => {
    const { json } = await api.get('/pmapi/_context?client=x');
    expect(json).toEqual({ context: expect.any(Number) as number });
  });

  it.each(['x', '0', '-1', '', '1e400', '100000000'])('refuses the time-out %p', async (polltimeout) => {
    const { status, json } = await api.get(`/pmapi/context?polltimeout=${polltimeout}`);
    expect(status).toBe(400);
    expect(json).toMatchObject({ code: 'BAD_PARAMETER', parameter: 'polltimeout' });
    expect(json.message).toMatch(/^invalid timeout requested in polltime/);
  });

  it('tells why a host cannot be reached, without a context', async () => {
    const { status, json } = await api.get('/pmapi/context?hostspec=down');
    expect(status).toBe(503);
    expect(json).toEqual({
      message: 'cannot connect to PMCD - Connection refused',
      success: false,
      code: 'SOURCE_UNREACHABLE',
      pmErr: -111,
    });
  });

  it('says no more of a defect than that it is one, under an id that the log knows', async () => {
    const { status, json, headers } = await api.get('/pmapi/context?hostspec=bug');
    expect(status).toBe(500);
    expect(json).toEqual({
      message: 'internal error',
      success: false,
      code: 'INTERNAL',
      requestId: headers['x-request-id'],
    });
    expect(api.defects.pop()).toEqual(new TypeError('oops'));
  });

  it('answers 429 when there are too many', async () => {
    const answers = [];
    for (let i = 0; i < 45; i++) answers.push(await api.get('/pmapi/context'));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(5);
    expect(refused[0]).toMatchObject({
      status: 429,
      json: { code: 'TOO_MANY_CONTEXTS' },
      headers: { 'retry-after': '1' },
    });
  });
});

describe('/pmapi/contexts', () => {
  it('tells the numbers of contexts to clients on this machine only', async () => {
    const id = await api.context();
    expect((await api.get('/pmapi/contexts')).json.contexts).toEqual([expect.objectContaining({ context: id })]);
    const server = createHttpServer(api.options);
    server.on('connection', (socket) => Object.defineProperty(socket, 'remoteAddress', { value: '192.0.2.1' }));
    const { body } = await supertest(server).get('/pmapi/contexts');
    expect(body).toEqual({ contexts: [{ hostspec: 'localhost', kind: 'local', polltimeout: 5, shared: false }] });
  });
});

describe('/pmapi/{context}/reconnect', () => {
  it('connects again at once', async () => {
    const id = await api.context();
    let times = 0;
    const reconnect = async (): Promise<void> => {
      await Promise.resolve();
      times++;
    };
    Object.assign(api.gateway.sources.at(-1)!, { reconnect });
    expect((await api.post(`/pmapi/${id}/reconnect`)).json).toEqual({ context: id, success: true });
    expect(times).toBe(1);
    expect((await api.get(`/pmapi/${id}/reconnect`)).status).toBe(405);
    expect((await api.post('/pmapi/1/reconnect')).json).toMatchObject({ code: 'UNKNOWN_CONTEXT', context: 1 });
  });

  it('succeeds at once for a context without a connection, as pmReconnectContext(3) does', async () => {
    const id = await api.context();
    const { status, json } = await api.post(`/pmapi/${id}/reconnect`);
    expect([status, json]).toEqual([200, { context: id, success: true }]);
  });
});

describe('a context', () => {
  it('expires after disuse, and use keeps it', async () => {
    const id = await api.context('?polltimeout=5');
    nowMs += 4000;
    expect((await api.get(`/pmapi/${id}`)).status).toBe(200);
    nowMs += 4000;
    expect((await api.get(`/pmapi/${id}/fetch?names=mem.util.free`)).status).toBe(200);
    nowMs += 6000;
    const { status, json } = await api.get(`/pmapi/${id}`);
    expect(status).toBe(404);
    expect(json).toMatchObject({ code: 'UNKNOWN_CONTEXT', context: id, pmErr: -12376 });
    expect(json.message).toBe(`expired context identifier: ${id}`);
  });

  it.each(['named', 'shared'])('does not expire while metrics are looked up on it (%s)', async (which) => {
    const id = which === 'named' ? await api.context('?polltimeout=5&hostspec=slow') : undefined;
    const where = id === undefined ? 'pmapi' : `pmapi/${id}`;
    if (id === undefined) await api.get('/pmapi/metric?name=mem.util.free&hostspec=slow');
    const source = api.gateway.sources.at(-1)!;
    const { traverse } = source;
    const lookedUp = jest.spyOn(source, 'traverse').mockImplementation(async (prefix) => {
      nowMs += 10_000;
      api.gateway.contexts.sweep();
      return traverse.call(source, prefix);
    });
    const hostspec = id === undefined ? '&hostspec=slow' : '';
    const { status, json } = await api.get(`/${where}/fetch?prefix=kernel.all${hostspec}`);
    expect(lookedUp).toHaveBeenCalled();
    expect([status, json.code]).toEqual([200, undefined]);
  });

  it('can be looked at, listed, copied and destroyed', async () => {
    const id = await api.context('?polltimeout=7&hostspec=web1?container=a');
    const about = { kind: 'local', polltimeout: 7, shared: false };
    expect((await api.get(`/pmapi/${id}?client=c`)).json).toMatchObject({ context: id, client: 'c', ...about });
    const copy = (await api.post(`/pmapi/${id}/dup`)).json.context;
    expect(copy).not.toBe(id);
    expect((await api.get('/pmapi/contexts')).json.contexts).toEqual([
      { context: id, hostspec: 'web1', ...about },
      { context: copy, hostspec: 'web1', ...about },
    ]);
    expect(await api.request('DELETE', `/pmapi/${id}`)).toMatchObject({ json: { context: id, success: true } });
    expect((await api.get(`/pmapi/${id}`)).json.message).toBe(`unknown context identifier: ${id}`);
    expect((await api.get(`/pmapi/${copy}`)).status).toBe(200);
  });

  it('cannot be destroyed or changed when requests without a context share it', async () => {
    const id = (await api.get('/pmapi/fetch?names=mem.util.free')).json.context;
    const refusal = { status: 409, json: { code: 'SHARED_CONTEXT', context: id } };
    expect(await api.request('DELETE', `/pmapi/${id}`)).toMatchObject(refusal);
    expect(await api.get(`/pmapi/${id}/profile?expr=del`)).toMatchObject(refusal);
  });

  it.each(['abc', '-1', '1.5', '99999999999999999999', '%20'])('has a number: %s is none', async (text) => {
    const { status, json } = await api.get(`/pmapi/${text}/fetch?names=x`);
    expect(status).toBe(400);
    expect(json).toMatchObject({ code: 'BAD_PARAMETER', parameter: 'context' });
    expect(json.message).toBe(`invalid context identifier: ${decodeURIComponent(text)}`);
    expect((await api.get(`/pmapi/fetch?names=x&context=${text}`)).json.message).toBe(json.message);
  });
});

describe('credentials', () => {
  it('go to the source, and every later request must bring them', async () => {
    const { json } = await api.get('/pmapi/context', basic('eve', 'pa:ss'));
    expect(api.gateway.opened.at(-1)).toEqual({
      kind: 'host',
      hostspec: 'localhost',
      username: 'eve',
      password: 'pa:ss',
    });
    const url = `/pmapi/${json.context}/fetch?names=mem.util.free`;
    expect((await api.get(url, basic('eve', 'pa:ss'))).status).toBe(200);
    expect(await api.get(url)).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': expect.stringMatching(/^Basic/) as string },
      json: { message: 'authentication required', code: 'AUTHENTICATION_REQUIRED', context: json.context },
    });
    for (const wrong of [basic('eve', 'pa'), basic('adam', 'pa:ss')]) {
      expect(await api.get(url, wrong)).toMatchObject({
        status: 403,
        json: { message: 'authentication failed', code: 'FORBIDDEN' },
      });
    }
  });

  it('are asked for when the hostspec has a user but no password', async () => {
    expect(await api.get('/pmapi/context?hostspec=a?username=eve')).toMatchObject({ status: 401 });
    expect((await api.get('/pmapi/context?hostspec=a?username=eve', basic('eve', 'x'))).status).toBe(200);
    expect((await api.get('/pmapi/context?hostspec=a?username=eve%26password=x')).status).toBe(200);
  });

  it.each(['Basic', 'Basic !!', `Basic ${Buffer.from('nocolon').toString('base64')}`])(
    'must be readable: %s',
    async (authorization) => {
      expect(await api.get('/pmapi/context', { headers: { authorization } })).toMatchObject({ status: 401 });
    },
  );

  it('keep contexts apart that requests without a context share', async () => {
    const one = await api.get('/pmapi/fetch?names=mem.util.free', basic('a', 'x'));
    const other = await api.get('/pmapi/fetch?names=mem.util.free', basic('b', 'x'));
    expect(other.json.context).not.toBe(one.json.context);
  });
});
