import http from 'node:http';
import net from 'node:net';
import zlib, { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { createHttpServer } from '../../src/http/index.js';
import { routeOf } from '../../src/http/operation-directory.js';
import { CORE_ROUTES } from '../../src/http/routes.js';
import { OPENAPI } from '../support/api.js';
import { servedArchives } from '../support/archive-gateway.js';

const { api } = servedArchives();

interface RawAnswer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Ask without anybody who decodes or follows. */
function ask(method: string, url: string, headers: http.OutgoingHttpHeaders = {}): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const request = http.request(api.url + url, { method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(chunks) }),
      );
      response.on('error', reject);
    });
    request.on('error', reject).end();
  });
}

const METADATA = [
  '/pmapi/metric?names=mem.util.free',
  '/pmapi/metric',
  '/pmapi/children?prefix=mem',
  '/pmapi/indom?name=kernel.all.load',
  '/derived',
  '/archives',
  '/openapi.json',
  '/openapi.yaml',
  '/docs',
  '/docs/start.js',
  '/docs/swagger-ui.css',
  '/docs/guide',
  '/docs/guide/api',
  '/docs/guide.css',
];
const SAMPLES = ['/pmapi/fetch?names=mem.util.free', '/metrics', '/healthz', '/pmapi/contexts'];
const RANGE = '/pmapi/fetch?archive=built&names=test.counter&start=@1000000&interval=10msec&samples=400';

describe('entity tags', () => {
  it.each(METADATA)('save sending %s again', async (url) => {
    for (const encoding of ['identity', 'gzip', 'br', ...('zstdCompress' in zlib ? ['zstd'] : [])]) {
      const first = await ask('GET', url, { 'accept-encoding': encoding });
      const { etag, 'cache-control': cacheControl } = first.headers;
      expect([first.status, etag]).toEqual([200, expect.stringMatching(/^"[\w-]+"$/)]);
      expect(cacheControl).toBe(/openapi|docs/.test(url) ? 'public, max-age=3600' : 'no-cache');
      for (const held of [etag!, `W/${etag!}`, `"other", ${etag!}`]) {
        const again = await ask('GET', url, { 'accept-encoding': encoding, 'if-none-match': held });
        expect(again).toMatchObject({
          status: 304,
          headers: { etag, 'cache-control': cacheControl, vary: first.headers.vary },
        });
        expect(again.body).toHaveLength(0);
        expect(again.headers).not.toHaveProperty('content-encoding');
      }
      expect((await ask('HEAD', url, { 'accept-encoding': encoding, 'if-none-match': '*' })).status).toBe(304);
      expect((await ask('GET', url, { 'accept-encoding': encoding, 'if-none-match': '"other"' })).status).toBe(200);
    }
  });

  it('differ when the bytes do, be it by their coding alone', async () => {
    const tag = async (url: string, encoding: string): Promise<string> =>
      (await ask('GET', url, { 'accept-encoding': encoding })).headers.etag!;
    const tags = [
      await tag('/openapi.json', 'identity'),
      await tag('/openapi.json', 'gzip'),
      await tag('/openapi.json', 'br'),
      await tag('/pmapi/metric?names=mem.util.free', 'identity'),
      await tag('/pmapi/metric?names=kernel.all.load', 'identity'),
    ];
    expect(new Set(tags).size).toBe(tags.length);
  });

  it('have no place with samples, with errors and with POST', async () => {
    for (const url of [...SAMPLES, '/pmapi/metric?names=no.such', '/nowhere']) {
      const { headers } = await ask('GET', url, { 'if-none-match': '*' });
      expect([url, headers.etag, headers['cache-control']]).toEqual([url, undefined, 'no-store']);
    }
    const posted = await ask('POST', '/pmapi/metric?names=mem.util.free', { 'if-none-match': '*' });
    expect([posted.status, posted.headers.etag]).toEqual([200, undefined]);
  });

  it('are for the client alone when it comes with credentials', async () => {
    const { headers } = await ask('GET', METADATA[0]!, { authorization: 'Bearer x' });
    expect(headers['cache-control']).toBe('private, no-cache');
  });
});

describe('compression', () => {
  const decode = ({ headers, body }: RawAnswer): string => {
    switch (headers['content-encoding']) {
      case 'gzip':
        return gunzipSync(body).toString();
      case 'br':
        return brotliDecompressSync(body).toString();
      case 'zstd':
        return (zlib as unknown as { zstdDecompressSync(bytes: Buffer): Buffer }).zstdDecompressSync(body).toString();
      default:
        return body.toString();
    }
  };

  it.each(['/pmapi/metric', '/openapi.json', '/docs/swagger-ui.css', RANGE])(
    'of %s is what the client asks for',
    async (url) => {
      const plain = await ask('GET', url);
      expect(plain.headers).not.toHaveProperty('content-encoding');
      for (const [accept, expected] of [
        ['gzip', 'gzip'],
        ['zstd', 'zstdCompress' in zlib ? 'zstd' : undefined],
        ['br', 'br'],
        ['gzip, deflate, br', 'br'],
        ['br;q=0.5, gzip', 'gzip'],
        ['*', 'br'],
        ['identity;q=0, gzip;q=0.1', 'gzip'],
        ['br;q=0, gzip;q=0', undefined],
        ['deflate', undefined],
        ['', undefined],
      ] as const) {
        const answer = await ask('GET', url, { 'accept-encoding': accept });
        expect([accept, answer.headers['content-encoding']]).toEqual([accept, expected]);
        expect(decode(answer)).toBe(plain.body.toString());
        if (expected === undefined) continue;
        expect(answer.headers.vary).toContain('Accept-Encoding');
        expect(answer.body.length).toBeLessThan(plain.body.length / 2);
        const length = answer.headers['content-length'];
        if (length !== undefined) expect(Number(length)).toBe(answer.body.length);
      }
    },
  );

  it('does not pay for small bodies, but is done for who takes nothing else', async () => {
    const small = await ask('GET', '/healthz', { 'accept-encoding': 'gzip' });
    expect(small.headers).not.toHaveProperty('content-encoding');
    const forced = await ask('GET', '/healthz', { 'accept-encoding': 'gzip, identity;q=0' });
    expect(decode(forced)).toBe(small.body.toString());
    expect(forced.headers['content-encoding']).toBe('gzip');
  });

  it('is left alone where the client says so', async () => {
    const headers = { 'accept-encoding': 'gzip', 'cache-control': 'no-transform' };
    expect((await ask('GET', '/pmapi/metric', headers)).headers).not.toHaveProperty('content-encoding');
  });

  it('answers 406, readable all the same, to who takes nothing at all', async () => {
    for (const accept of ['*;q=0', 'identity;q=0', 'identity;q=0, deflate']) {
      const answer = await ask('GET', '/healthz', { 'accept-encoding': accept });
      expect(answer.status).toBe(406);
      expect(JSON.parse(answer.body.toString())).toMatchObject({ code: 'NOT_ACCEPTABLE' });
    }
  });
});

/** A path of openapi.yaml with something in the place of its parameters. */
const fill = (path: string): string =>
  path
    .replace('{context}', '4711')
    .replace('{file}', 'start.js')
    .replace(/\{\w+\}/, 'x');

describe.each(Object.entries(OPENAPI.paths).map(([path, item]) => [path, Object.keys(item)] as const))(
  '%s',
  (path, keys) => {
    const methods = keys.filter((key) => key !== 'parameters').map((key) => key.toUpperCase());
    const expected = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'];

    it('tells its methods, to pages too, and refuses others', async () => {
      const options = await ask('OPTIONS', fill(path), {
        origin: 'http://localhost:3000',
        'access-control-request-method': 'GET',
      });
      expect(options).toMatchObject({
        status: 204,
        headers: { allow: expected.join(', '), 'access-control-allow-methods': expected.join(', ') },
      });
      expect(options.headers['access-control-allow-headers']).toMatch(/If-None-Match.*Traceparent/);
      expect(options.body).toHaveLength(0);
      const other = ['PATCH', 'PUT'].find((method) => !expected.includes(method))!;
      const refused = await ask(other, fill(path));
      expect(refused).toMatchObject({ status: 405, headers: { allow: expected.join(', ') } });
      const detail = { code: 'METHOD_NOT_ALLOWED', expected: expected.join(', ') };
      expect(JSON.parse(refused.body.toString())).toMatchObject(detail);
    });

    it('answers HEAD as GET, without a body', async () => {
      const url = fill(path);
      const head = await ask('HEAD', url);
      expect(head.body).toHaveLength(0);
      expect(head.headers['x-request-id']).toMatch(/^\S+$/);
      if (!methods.includes('GET')) {
        expect(head.status).toBe(405);
        return;
      }
      // Of what would change something HEAD tells only that it may be asked.
      const { operationId, 'x-pmgate-form-of': formOf = operationId } = OPENAPI.paths[path]!.get!;
      const { effect = 'reads' } = routeOf({ ...CORE_ROUTES, ...api.options.routes }, { formOf, path })!;
      if (effect !== 'reads') {
        expect(head.status).toBeLessThan(500);
        return;
      }
      const get = await ask('GET', url);
      // Two moments, and two requests.
      const alike = ({ status, headers }: RawAnswer): unknown => ({
        status,
        ...headers,
        date: undefined,
        'x-request-id': undefined,
      });
      expect(alike(head)).toEqual(alike(get));
    });
  },
);

describe('timeouts', () => {
  it('are told to a client that does not send its request', async () => {
    const timeouts = { headersMs: 1, requestMs: 1, keepAliveMs: 1, writeMs: 0 };
    const server = createHttpServer({ ...api.options, limits: { ...api.options.limits, timeouts } });
    expect([server.headersTimeout, server.requestTimeout, server.keepAliveTimeout]).toEqual([1, 1, 1]);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const socket = net.connect((server.address() as net.AddressInfo).port, '127.0.0.1');
    socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\n');
    let text = '';
    for await (const chunk of socket.setEncoding('latin1')) text += chunk as string;
    expect(text).toMatch(
      /^HTTP\/1\.1 408 [^]*\r\nConnection: close\r\n\r\n\{"message":"the request did not arrive in time"/,
    );
    await new Promise((resolve) => server.close(resolve));
  });
});
