import fc, { tries } from '../support/properties.js';
import http from 'node:http';
import net from 'node:net';
import { Api, checkAnswer, OPENAPI } from '../support/api.js';
import { listOperations, openapiDocument } from '../../src/http/request/openapi.js';
import { memoryGateway } from '../support/memory-gateway.js';

const agent = new http.Agent({ keepAlive: true, maxSockets: 4 });
afterAll(() => agent.destroy());
const api = Api.serving(memoryGateway({ limits: { contexts: 5000 } }));

interface Wild {
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** Send a request as it is, without the tidying that fetch does. */
function send({ method, url, headers, body }: Wild): Promise<Parameters<typeof checkAnswer>[2]> {
  return new Promise((resolve, reject) => {
    const options = { agent, port: api.port, host: '127.0.0.1', method, path: url, headers };
    const request = http.request(options, (response) => {
      const chunks: Buffer[] = [];
      const answer = (text: string): void =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers as Record<string, string>, text });
      const textSoFar = (): string => Buffer.concat(chunks).toString('utf8');
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        if (response.headers['content-type'] !== 'text/event-stream') return;
        // A stream has no end: its first events will do.
        const events = /^(?:.*\n\n)/s.exec(textSoFar())?.[0];
        if (events === undefined) return;
        answer(events);
        request.destroy();
      });
      response.on('end', () => answer(textSoFar()));
    });
    request.on('error', reject);
    request.end(body);
  });
}

const paths = Object.keys(OPENAPI.paths);
const parameterNames = [
  ...['names', 'name', 'pmids', 'pmid', 'prefix', 'context', 'hostspec', 'hostname', 'polltimeout', 'client', 'expr'],
  ...['indom', 'iname', 'instance', 'match', 'times', 'filter', 'target', 'labels', 'top', 'rate', 'units', 'numbers'],
  ...['interval', 'start', 'finish', 'samples', 'format', 'changed', 'q', 'query'],
];
const goodValues = [
  ...[
    'kernel.all.load',
    'mem.util.free,no.such',
    'test',
    'kernel',
    '60.2.0',
    '0xf000002',
    '60.2',
    '1,5',
    '1 minute',
    '0',
  ],
  ...['glob', 'regex', 'exact', 'add', 'del', 'true', 'false', '5', '0.001', '*', '(', '', ',', 'localhost', 'null'],
  ...['columns', 'csv', '1s', '-1hour', '3', 'iso', 'exact', 'Mbyte', 'agent="linux"'],
];
const anyText = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...goodValues) },
  { weight: 2, arbitrary: fc.string() },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 40 }) },
);
const printable = fc.stringMatching(/^[!-~]{0,30}$/);
const segment = fc.oneof(
  fc.constantFrom('0', '1', '-1', 'abc', '9'.repeat(30), '%00', '%2e%2e', '%zz', '%C3'),
  fc.nat().map(String),
);
const path = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(fc.constantFrom(...paths), segment).map(([p, s]) => p.replace(/\{\w+\}/, s)) },
  { weight: 1, arbitrary: printable.map((text) => `/${text.replace(/[?#]/g, '')}`) },
);
const pair = fc.tuple(
  fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...parameterNames) }, { weight: 1, arbitrary: printable }),
  anyText,
);
const pairs = fc.array(pair, { maxLength: 4 });
const encode = (list: readonly (readonly [string, string])[]): string =>
  list.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&');
const query = fc.oneof({ weight: 5, arbitrary: pairs.map(encode) }, { weight: 1, arbitrary: printable });
const headers = fc.record(
  {
    accept: fc.oneof(fc.constantFrom('application/openmetrics-text', 'application/json', '*/*'), printable),
    origin: fc.constantFrom('http://localhost', 'https://evil.example', 'null'),
    authorization: fc.oneof(fc.constantFrom('Basic YTpi', 'Basic', 'Bearer x'), printable),
    'x-request-id': printable,
    'content-type': fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom('application/json', 'application/x-www-form-urlencoded') },
      { weight: 1, arbitrary: printable },
    ),
    'content-encoding': fc.constantFrom('identity', 'gzip'),
  },
  { requiredKeys: [] },
);
const body = fc.oneof(
  fc.json(),
  pairs.map((list) => JSON.stringify(Object.fromEntries(list))),
  fc
    .array(fc.tuple(fc.constantFrom(...parameterNames), fc.jsonValue()))
    .map((list) => JSON.stringify(Object.fromEntries(list))),
  query,
  fc.string({ unit: 'binary' }),
);
const method = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('GET', 'POST') },
  { weight: 1, arbitrary: fc.constantFrom('HEAD', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'QUERY') },
);
const wild: fc.Arbitrary<Wild> = fc
  .record({ method, path, query, headers, body })
  .map(({ path: p, query: q, ...rest }) => {
    const text = ['GET', 'HEAD', 'DELETE', 'TRACE'].includes(rest.method) ? '' : rest.body;
    return { ...rest, url: q === '' ? p : `${p}?${q}`, body: text };
  });

/** Requests that are right, or nearly: parameters that the route has, each once, with values that make sense for some. */
const tame: fc.Arbitrary<Wild> = fc
  .constantFrom(...listOperations(openapiDocument()))
  .chain(({ method: verb, path: template, parameters, hasBody }) => {
    const names = parameters.filter((one) => one.in === 'query' && one.name !== 'context').map(({ name }) => name);
    const list = fc.uniqueArray(fc.tuple(fc.constantFrom(...names, 'client'), fc.constantFrom(...goodValues)), {
      selector: ([name]) => name,
      maxLength: 3,
    });
    return fc.tuple(list, fc.nat(99)).map(([chosen, id]) => {
      const text = encode(names.length === 0 ? [] : chosen);
      return {
        method: verb.toUpperCase(),
        url: template.replace(/\{\w+\}/, String(id)) + (hasBody || text === '' ? '' : `?${text}`),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: hasBody ? text : '',
      };
    });
  });

describe('whatever is asked', () => {
  it('is answered as openapi.yaml says, and never with 500', async () => {
    let successes = 0;
    await fc.assert(
      fc.asyncProperty(fc.oneof(tame, wild), async (request) => {
        // A number in the path stands for one of the contexts that there are.
        const contexts = api.gateway.contexts.list();
        const id = contexts[Number(/^\/pmapi\/(\d{1,3})\b/.exec(request.url)?.[1]) % contexts.length]?.id;
        if (id !== undefined) request = { ...request, url: request.url.replace(/^\/pmapi\/\d+/, `/pmapi/${id}`) };
        const answer = await send(request);
        checkAnswer(request.method, request.url, answer);
        expect(answer.status).not.toBe(500);
        expect(api.defects).toEqual([]);
        if (answer.status === 200) successes++;
      }),
      { numRuns: tries(400) },
    );
    // Requests that all fail would prove little.
    expect(successes).toBeGreaterThan(tries(400) / 10);
  });

  it('is answered in JSON or not at all when it is not even HTTP', async () => {
    const piece = fc.oneof(
      fc.constantFrom(
        'GET',
        ' ',
        '/pmapi/fetch',
        ' HTTP/1.1',
        '\r\n',
        'Host: a',
        'Content-Length: ',
        '5',
        'Transfer-Encoding: chunked',
        '\r\n\r\n',
        'POST /metrics HTTP/1.1\r\nHost: a\r\n',
      ),
      fc.string({ unit: 'binary-ascii', maxLength: 10 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async (pieces) => {
        const text = await new Promise<string>((resolve) => {
          const socket = net.connect(api.port, '127.0.0.1', () => socket.end(`${pieces.join('')}\r\n\r\n`));
          let received = '';
          socket.on('data', (chunk) => (received += chunk.toString('latin1')));
          socket.on('close', () => resolve(received));
          socket.on('error', () => undefined);
        });
        for (const part of text.split(/(?=HTTP\/1\.1 \d{3} )/)) {
          if (part === '') continue;
          expect(part).toMatch(
            /^HTTP\/1\.1 (2|4)\d\d .*\r\nContent-Type: (application\/json|text\/plain)|^HTTP\/1\.1 204 /s,
          );
        }
      }),
      { numRuns: tries(200) },
    );
    expect((await api.get('/healthz')).status).toBe(200);
  });
});
