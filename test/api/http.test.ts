import net from 'node:net';
import { Api, checkAnswer } from '../support/api.js';
import { type RequestRecord, createHttpServer } from '../../src/http/index.js';
import { memoryGateway } from '../support/memory-gateway.js';

const records: RequestRecord[] = [];
const api = Api.serving(memoryGateway(), { observer: { answered: (_, record) => records.push(record()) } });

/** Send bytes and read until the server closes or an answer is complete. */
function raw(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(api.port, '127.0.0.1', () => socket.write(bytes, 'latin1'));
    let text = '';
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => {
      text += chunk;
      const head = /^HTTP[^]*?\r\n\r\n/.exec(text)?.[0];
      const length = Number(/content-length: (\d+)/i.exec(head ?? '')?.[1] ?? Number.NaN);
      if (head && text.length >= head.length + length) socket.end();
    });
    socket.on('close', () => resolve(text));
    socket.on('error', reject);
  });
}

/** The status and JSON body of an answer read from a socket, held against openapi.yaml. */
function parseRaw(text: string): { status: number; json: { code: string } } {
  const [head = '', body = ''] = text.split(/\r\n\r\n([^]*)/);
  const status = Number(head.split(' ')[1]);
  const headers = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body, 'latin1')) };
  expect(head.toLowerCase()).toContain(`content-length: ${headers['content-length']}`);
  checkAnswer('GET', '/nowhere', { status, headers, text: body });
  return { status, json: JSON.parse(body) as { code: string } };
}

describe('paths and methods', () => {
  it.each([
    '/',
    '/pmapi',
    '/pmapi/ping',
    '/pmapi/1/2/3',
    '/PMAPI/fetch',
    '/metricsfoo',
    '/pmapi//fetch',
    '/pmapi/__proto__',
  ])('answers 404 for %s', async (path) => {
    expect(await api.get(path)).toMatchObject({ status: 404, json: { code: 'NOT_FOUND', success: false } });
  });

  it('accepts a slash at the end, as pmproxy does', async () => {
    expect(await api.request('OPTIONS', '/pmapi/context/')).toMatchObject({ status: 204 });
    expect((await api.request('OPTIONS', '/pmapi/contexts/')).headers.allow).toBe('GET, HEAD, OPTIONS');
  });

  it('refuses TRACE', async () => {
    expect(parseRaw(await raw('TRACE /metrics HTTP/1.1\r\nHost: a\r\n\r\n'))).toMatchObject({
      status: 405,
      json: { code: 'METHOD_NOT_ALLOWED', expected: 'GET, POST, HEAD, OPTIONS' },
    });
  });

  it('makes no context for HEAD', async () => {
    const before = api.gateway.contexts.size;
    expect((await api.request('HEAD', '/pmapi/context')).status).toBe(200);
    expect((await api.request('HEAD', '/pmapi/context?polltimeout=x')).status).toBe(400);
    expect(api.gateway.contexts.size).toBe(before);
  });
});

describe('parameters', () => {
  it.each([
    ['/pmapi/fetch?names=a&nmaes=b', 'UNKNOWN_PARAMETER', 'nmaes'],
    ['/pmapi/fetch?__proto__=b', 'UNKNOWN_PARAMETER', '__proto__'],
    ['/healthz?x', 'UNKNOWN_PARAMETER', 'x'],
    ['/healthz?_=1', 'UNKNOWN_PARAMETER', '_'],
    ['/derived?exclusive=1', 'UNKNOWN_PARAMETER', 'exclusive'],
    ['/pmapi/%ff/fetch?names=a', 'BAD_REQUEST', undefined],
    ['/metrics?times=yes', 'BAD_PARAMETER', 'times'],
  ])('refuses %s', async (url, code, parameter) => {
    const { status, json } = await api.get(url);
    expect(status).toBe(400);
    expect(json).toMatchObject({ code, ...(parameter === undefined ? {} : { parameter }) });
  });

  it.each([
    '/pmapi/context?exclusive=1&_=1700000000000',
    '/pmapi/_fetch?names=mem.util.free&_=1700000000000',
    '/metrics?names=mem.util.free&_=1700000000000',
    '/search?q=free&_=1700000000000',
  ])('takes what clients of pmproxy send along: %s', async (url) => {
    expect((await api.get(url)).status).toBe(200);
  });

  it('says what would have been accepted', async () => {
    const { json } = await api.get('/pmapi/children?prefx=a');
    expect(json).toEqual({
      message:
        "unknown parameter 'prefx': did you mean 'prefix'? (known: prefix, name, context, hostspec, archive, hostname, polltimeout, client)",
      success: false,
      code: 'UNKNOWN_PARAMETER',
      parameter: 'prefx',
      expected: 'prefix, name, context, hostspec, archive, hostname, polltimeout, client',
    });
  });

  it('tells the context that a request names, even when its parameters are wrong', async () => {
    for (const url of [
      '/pmapi/7/fetch?x=1',
      '/pmapi/fetch?x=1&context=7',
      '/pmapi/7/fetch',
      '/pmapi/8/fetch?context=7&x',
    ]) {
      expect((await api.get(url)).json.context).toBe(7);
    }
    expect((await api.get('/pmapi/fetch?x=1')).json).not.toHaveProperty('context');
  });

  it.each([
    ['text that is JSON', 'text/plain;charset=UTF-8', ' {"names":["kernel.all.load"]}'],
    ['text that is a form', 'text/plain', 'names=kernel.all.load&client=x'],
    ['a form that repeats a list', 'form', 'names=kernel.all.load&names=kernel.all.load'],
  ])('takes a body that is %s: generated clients send it', async (_, type, body) => {
    const { status, json } = await api.post('/pmapi/fetch', { type, body });
    expect([status, json.values[0]!.name]).toEqual([200, 'kernel.all.load']);
  });

  it.each([
    ['not JSON', 'application/json', '{"names":', 400, 'BAD_BODY'],
    ['no object', 'application/json', '["a"]', 400, 'BAD_BODY'],
    ['null', 'application/json', 'null', 400, 'BAD_BODY'],
    ['a list of objects', 'application/json', '{"names":[{}]}', 400, 'BAD_PARAMETER'],
    ['null for a list', 'application/json', '{"names":null}', 400, 'BAD_PARAMETER'],
    ['a number for a list', 'application/json', '{"names":1}', 400, 'BAD_PARAMETER'],
    ['an unknown member', 'application/json', '{"__proto__":1}', 400, 'UNKNOWN_PARAMETER'],
    ['a form that is encoded badly', 'application/x-www-form-urlencoded', 'names=%', 400, 'BAD_BODY'],
    ['XML', 'text/xml', '<names>a</names>', 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['text that begins as JSON does', 'text/plain', '{"names":', 400, 'BAD_BODY'],
    ['text that is no form', 'text/plain', 'kernel.all.load', 400, 'UNKNOWN_PARAMETER'],
    ['another charset', 'application/json; charset=utf-16', '{"names":"a"}', 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['something too large', 'application/x-www-form-urlencoded', `names=${'a'.repeat(9000)}`, 413, 'BODY_TOO_LARGE'],
    ['too many names', 'application/x-www-form-urlencoded', `names=${'a,'.repeat(200)}`, 413, 'TOO_MANY_NAMES'],
  ])('refuses a body that is %s', async (_, type, body, status, code) => {
    expect(await api.post('/pmapi/fetch', { type, body })).toMatchObject({ status, json: { code } });
  });

  it('refuses a compressed body and one that is not UTF-8', async () => {
    const headers = { 'content-encoding': 'gzip' };
    const compressed = await api.post('/pmapi/fetch', { headers, body: { names: 'a' } });
    expect([compressed.status, compressed.json.message]).toEqual([
      415,
      expect.stringContaining(
        'the body is application/json, gzip; expected application/json or application/x-www-form',
      ),
    ]);
    const head = 'POST /pmapi/fetch HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n';
    expect(parseRaw(await raw(`${head}Content-Length: 2\r\n\r\n"\xff`))).toMatchObject({ json: { code: 'BAD_BODY' } });
    const chunks = `2000\r\n${'a'.repeat(0x2000)}\r\n1\r\nb\r\n0\r\n\r\n`;
    expect(parseRaw(await raw(`${head}Transfer-Encoding: chunked\r\n\r\n${chunks}`)).status).toBe(413);
  });

  it('says what it was given for a type, as far as that is worth showing', async () => {
    const untyped = parseRaw(await raw('POST /pmapi/batch HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx'));
    expect(untyped.json).toMatchObject({ message: expect.stringMatching(/^the body has no Content-Type; expected/) });
    const { json } = await api.post('/pmapi/fetch', { type: `text/xml; a="${'b'.repeat(2000)}"`, body: 'x' });
    expect(json.message.length).toBeLessThan(400);
  });

  it('answers 414 for a URL beyond the limit, whoever notices', async () => {
    const refusal = { status: 414, json: { code: 'URL_TOO_LONG' } };
    expect(await api.get(`/pmapi/fetch?names=${'a'.repeat(4096)}`)).toMatchObject(refusal);
    expect(await api.get(`/nowhere?${'a'.repeat(5000)}`)).toMatchObject(refusal);
    expect(parseRaw(await raw(`GET /${'a'.repeat(30_000)} HTTP/1.1\r\nHost: a\r\n\r\n`))).toMatchObject(refusal);
  });
});

describe('requests that do not parse', () => {
  it.each([
    ['no HTTP at all', 'hello\r\n\r\n', 400, 'BAD_REQUEST'],
    ['a bad header', 'GET / HTTP/1.1\r\nHost: a\r\nb c: d\r\n\r\n', 400, 'BAD_REQUEST'],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', 400, 'BAD_REQUEST'],
    [
      'headers that are too large',
      `GET / HTTP/1.1\r\nHost: a\r\nb: ${'c'.repeat(40_000)}\r\n\r\n`,
      431,
      'HEADERS_TOO_LARGE',
    ],
  ])('get a JSON error, and count: %s', async (_, bytes, status, code) => {
    records.length = 0;
    expect(parseRaw(await raw(bytes))).toMatchObject({ status, json: { code, success: false } });
    expect(records).toMatchObject([
      {
        method: '',
        route: 'unmatched',
        url: '',
        status,
        remoteAddress: '127.0.0.1',
        problem: expect.any(String) as string,
      },
    ]);
  });

  it('count for whoever looks on by then', async () => {
    const server = createHttpServer(api.options);
    const seen: (string | undefined)[] = [];
    server.reload({ ...api.options, observer: { answered: (_, record) => seen.push(record().problem) } });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    records.length = 0;
    const socket = net.connect((server.address() as net.AddressInfo).port, '127.0.0.1', () =>
      socket.end('hello\r\n\r\n'),
    );
    await new Promise((resolve) => socket.resume().on('close', resolve));
    await new Promise((resolve) => server.close(resolve));
    expect(seen).toEqual([expect.stringContaining('the request is not valid HTTP')]);
    expect(records).toEqual([]);
  });

  it('are served when they merely expect what is not understood', async () => {
    const text = await raw('GET /healthz HTTP/1.1\r\nHost: a\r\nExpect: miracles\r\n\r\n');
    expect(text).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe('pages of other origins', () => {
  it('do not include those that may read answers, and the gateway itself', async () => {
    for (const origin of ['http://localhost:3000', 'https://grafana.example.com', api.url]) {
      expect((await api.get('/pmapi/context', { headers: { origin } })).status).toBe(200);
    }
  });
});

describe('CORS', () => {
  const origins = ['http://localhost:3000', 'https://127.0.0.1', 'http://[::1]:8080', 'https://grafana.example.com'];

  it.each(origins)('lets in %s', async (origin) => {
    for (const url of ['/pmapi/fetch?names=mem.util.free', '/pmapi/fetch', '/nowhere']) {
      expect((await api.get(url, { headers: { origin } })).headers).toMatchObject({
        'access-control-allow-origin': origin,
        'access-control-allow-credentials': 'true',
        vary: 'Origin',
      });
    }
    const preflight = await api.request('OPTIONS', '/pmapi/fetch', {
      headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' },
    });
    expect(preflight).toMatchObject({
      status: 204,
      text: '',
      headers: {
        'access-control-allow-origin': origin,
        'access-control-allow-methods': 'GET, POST, HEAD, OPTIONS',
        'access-control-allow-headers': expect.stringMatching(/Content-Type.*Authorization/) as string,
        'access-control-max-age': '86400',
      },
    });
  });

  it.each([
    'https://evil.example',
    'http://localhost.evil.example',
    'http://127.0.0.1.evil.example',
    'null',
    'https://grafana.example.com:444',
  ])('keeps out %s', async (origin) => {
    const answer = await api.get('/pmapi/fetch?names=mem.util.free', { headers: { origin } });
    expect(answer.status).toBe(403);
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
    const preflight = await api.request('OPTIONS', '/pmapi/fetch', { headers: { origin } });
    expect(preflight.headers).not.toHaveProperty('access-control-allow-methods');
  });

  it('tells the methods of a path, and of the server', async () => {
    expect((await api.request('OPTIONS', '/pmapi/5')).headers).toMatchObject({ allow: 'GET, DELETE, HEAD, OPTIONS' });
    expect(await raw('OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')).toMatch(/^HTTP\/1\.1 204 /);
  });
});

describe('request ids', () => {
  it("come back with every answer, the client's own if it is harmless", async () => {
    const id = async (url: string, value?: string): Promise<string> =>
      (await api.get(url, value === undefined ? {} : { headers: { 'x-request-id': value } })).headers['x-request-id']!;
    const urls = ['/healthz', '/nowhere', '/pmapi/fetch?names=mem.util.free', '/pmapi/metric?names=mem.util.free'];
    const made: string[] = [];
    for (const url of urls) {
      expect(await id(url, 'abc-1.2:3')).toBe('abc-1.2:3');
      made.push(await id(url), await id(url, 'a b'), await id(url, 'a'.repeat(65)));
    }
    for (const value of made) expect(value).toMatch(/^[0-9a-f]{12}-[0-9a-z]+$/);
    expect(new Set(made).size).toBe(made.length);
    expect((await api.request('OPTIONS', '/healthz')).headers['x-request-id']).toMatch(/^[0-9a-f]{12}-/);
    expect(await raw('GET\r\n\r\n')).toMatch(/\r\nX-Request-Id: [0-9a-f]{12}-/);
  });
});

describe('traces', () => {
  const [traceId, spanId] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];

  it('are told to the observer, with the request id', async () => {
    records.length = 0;
    await api.get('/healthz', { headers: { traceparent: `00-${traceId}-${spanId}-01`, 'x-request-id': 'mine' } });
    expect(records).toMatchObject([{ traceId, spanId, requestId: 'mine' }]);
  });

  it.each([
    ['another version', `01-${traceId}-${spanId}-01`],
    ['capitals', `00-${traceId.toUpperCase()}-${spanId}-01`],
    ['no trace', `00-${'0'.repeat(32)}-${spanId}-01`],
    ['no span', `00-${traceId}-${'0'.repeat(16)}-01`],
    ['something behind it', `00-${traceId}-${spanId}-01-x`],
    ['two of them', `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`],
    ['nothing', ''],
  ])('are passed over when the header has %s', async (_, traceparent) => {
    records.length = 0;
    expect((await api.get('/healthz', { headers: { traceparent } })).status).toBe(200);
    expect(records).toMatchObject([{ traceId: undefined, spanId: undefined }]);
  });
});

describe('the observer', () => {
  it('hears of every answer, by the path as openapi.yaml writes it', async () => {
    records.length = 0;
    await api.get('/pmapi/77/fetch?names=x');
    await api.get('/nowhere');
    await api.get('/healthz');
    expect(records).toEqual([
      {
        method: 'GET',
        route: '/pmapi/{context}/fetch',
        url: '/pmapi/77/fetch?names=x',
        status: 404,
        durationMs: expect.any(Number) as number,
        sizeBytes: expect.any(Number) as number,
        remoteAddress: '127.0.0.1',
        requestId: expect.any(String) as string,
      },
      expect.objectContaining({ route: 'unmatched', status: 404 }),
      expect.objectContaining({ route: '/healthz', status: 200, sizeBytes: 32 }),
    ]);
  });

  it('hears of questions for the methods that there are, such as those of browsers before a request', async () => {
    records.length = 0;
    await api.request('OPTIONS', '/pmapi/fetch', { headers: { origin: 'http://localhost:3000' } });
    await raw('OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    expect(records).toMatchObject([
      { method: 'OPTIONS', route: '/pmapi/fetch', url: '/pmapi/fetch', status: 204, sizeBytes: 0 },
      { method: 'OPTIONS', route: 'unmatched', url: '*', status: 204, sizeBytes: 0 },
    ]);
  });
});

describe('the application', () => {
  it('serves by itself as on the grafted server', async () => {
    const plain = Api.plain();
    expect((await plain.get('/pmapi/fetch?names=mem.util.free')).json).toMatchObject({ values: [{ pmid: '60.1.2' }] });
    expect(await plain.get('/pmapi/fetch?x')).toMatchObject({ status: 400, json: { code: 'UNKNOWN_PARAMETER' } });
    expect((await plain.get('/nowhere')).status).toBe(404);
    await plain.stop();
  });

  it('can be replaced while the server runs', async () => {
    const server = createHttpServer(api.options);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as net.AddressInfo).port}/pmapi/fetch?names=mem.util.free,mem.util.free`;
    expect((await fetch(url)).status).toBe(200);
    server.reload({ ...api.options, limits: { ...api.options.limits, names: 1 } });
    expect((await fetch(url)).status).toBe(413);
    await new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  });
});
