import http from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import net from 'node:net';
import type { AddressInfo } from 'node:net';
import { GatewayError } from '../../../src/pmapi/index.js';
import type { StreamedAnswer } from '../../../src/http/contracts.js';
import { CorsPolicy } from '../../../src/http/guards/web-pages.js';
import { beginExchange, WriteCoalescer } from '../../../src/http/request/exchange.js';
import type { RequestRecord } from '../../../src/http/options.js';
import { FakeClock } from '../../support/fake-clock.js';
import { OverloadGuard } from '../../../src/http/guards/overload/overload-guard.js';
import { respondAny, respondStream } from '../../../src/http/response/respond.js';
import { OVERLOAD_LIMITS, PATIENT_OVERLOAD } from '../../support/patience.js';
import { systemTimers } from '../../../src/kit/index.js';

interface Streaming {
  readonly server: Server;
  readonly url: string;
  readonly answered: RequestRecord[];
  readonly defects: unknown[];
  /** What respondStream gave: undefined, or what it threw. */
  readonly outcome: Promise<unknown>;
}

const BASIS = {
  timers: systemTimers,
  cors: new CorsPolicy([]),
  coalescer: new WriteCoalescer(),
  overload: new OverloadGuard(PATIENT_OVERLOAD),
  strictTransport: undefined,
  fleet: undefined,
  writeTimeoutMs: 0,
};

async function serve(answer: Omit<StreamedAnswer, 'contentType'>): Promise<Streaming> {
  const answered: RequestRecord[] = [];
  const defects: unknown[] = [];
  let settle: (outcome: unknown) => void = () => undefined;
  const outcome = new Promise<unknown>((resolve) => (settle = resolve));
  const server = http.createServer((req, res) => {
    const observer = {
      answered: (_: unknown, record: () => RequestRecord) => void answered.push(record()),
      defect: ({ error }: { error: unknown }) => void defects.push(error),
    };
    const exchange = beginExchange({ ...BASIS, clock: new FakeClock(), observer }, req, res, '/test');
    respondStream(exchange, { contentType: 'text/plain', ...answer }).then(settle, (error: unknown) => {
      settle(error);
      res.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { server, url: `http://127.0.0.1:${port}/`, answered, defects, outcome };
}

const open = (url: string, method = 'GET', headers: Record<string, string> = {}): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => http.request(url, { method, headers }, resolve).on('error', reject).end());

async function read(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk as string;
  return text;
}

async function* failingAfter(pieces: readonly string[], error: Error): AsyncGenerator<string> {
  for (const piece of pieces) yield await Promise.resolve(piece);
  throw error;
}

describe('respondStream', () => {
  let streaming: Streaming;
  afterEach(() => {
    streaming.server.closeAllConnections();
    return new Promise((resolve) => streaming.server.close(resolve));
  });

  it('sends the pieces and tells how large the answer was', async () => {
    async function* pieces(): AsyncGenerator<string> {
      for (let i = 0; i < 3; i++) yield await Promise.resolve(`${'ü'.repeat(10_000)}\n`);
    }
    streaming = await serve({ pieces: pieces() });
    expect((await read(await open(streaming.url))).length).toBe(30_003);
    await streaming.outcome;
    expect(streaming.answered).toMatchObject([{ status: 200, sizeBytes: 60_003 }]);
  });

  it('asks for no more than its client takes, and closes the iterator when the client goes', async () => {
    let asked = 0;
    let closed = false;
    async function* endless(): AsyncGenerator<string> {
      try {
        for (;;) {
          asked++;
          yield await Promise.resolve('x'.repeat(100_000));
        }
      } finally {
        closed = true;
      }
    }
    streaming = await serve({ pieces: endless() });
    const response = await open(streaming.url);
    response.pause();
    // Until it stands still: the buffers of both sockets are full then.
    for (let [still, before] = [0, -1]; still < 50; [still, before] = [asked === before ? still + 1 : 0, asked]) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(asked).toBeLessThan(500);
    expect(closed).toBe(false);
    response.destroy();
    expect(await streaming.outcome).toBeUndefined();
    expect(closed).toBe(true);
  });

  it('throws what fails before the first piece, with nothing sent', async () => {
    const error = new GatewayError('LIMIT_EXCEEDED', 'too much');
    streaming = await serve({ pieces: failingAfter([], error) });
    await open(streaming.url).catch(() => undefined);
    expect(await streaming.outcome).toBe(error);
    expect(streaming.answered).toEqual([]);
  });

  it.each([
    ['as it is', {}],
    ['compressed', { 'accept-encoding': 'gzip' }],
  ])('throws what fails after the first piece, as long as nothing has been sent: %s', async (_, headers) => {
    const error = new GatewayError('BAD_ARCHIVE', 'the second record is damaged');
    streaming = await serve({ pieces: failingAfter(['{"samples":[', '{"values":[]}'], error) });
    await open(streaming.url, 'GET', headers).catch(() => undefined);
    expect(await streaming.outcome).toBe(error);
    expect([streaming.answered, streaming.defects]).toEqual([[], []]);
  });

  it('ends with its last words when something fails later', async () => {
    const error = new GatewayError('BAD_ARCHIVE', 'half of it is missing');
    streaming = await serve({ pieces: failingAfter(['one\n'], error), lastWords: (e) => `${(e as Error).message}\n` });
    expect(await read(await open(streaming.url))).toBe('one\nhalf of it is missing\n');
    expect(streaming.defects).toEqual([]);
  });

  it('breaks the connection off when there are none, and tells defects', async () => {
    const error = new TypeError('a defect');
    streaming = await serve({ pieces: failingAfter(['x'.repeat(70_000)], error) });
    // Newer releases of Node take the head back with what follows it.
    await expect(open(streaming.url).then(read)).rejects.toThrow(/^(aborted|socket hang up)$/);
    expect(streaming.defects).toEqual([error]);
  });

  it('sends the head alone to HEAD', async () => {
    let closed = false;
    async function* pieces(): AsyncGenerator<string> {
      try {
        yield await Promise.resolve('one');
      } finally {
        closed = true;
      }
    }
    streaming = await serve({ pieces: pieces() });
    expect(await read(await open(streaming.url, 'HEAD'))).toBe('');
    await streaming.outcome;
    expect(closed).toBe(true);
  });
});

describe('an answer that is gone through for its entity tag first', () => {
  it('counts as one that waits for its client already, and is let go when that leaves', async () => {
    const overload = new OverloadGuard({ ...OVERLOAD_LIMITS });
    const basis = { ...BASIS, clock: new FakeClock(), observer: {}, overload };
    const held: number[] = [];
    let isClosed = false;
    const pieces = {
      async *[Symbol.asyncIterator](): AsyncGenerator<string> {
        try {
          for (let i = 0; i < 1000; i++) {
            held.push(overload.unsentBytes);
            yield 'x';
            if (i > 0) continue;
            client.destroy();
            while (overload.unsentBytes > 0) await new Promise((resolve) => setImmediate(resolve));
          }
        } finally {
          isClosed = true;
        }
      },
    };
    let settle: () => void = () => undefined;
    const done = new Promise<void>((resolve) => (settle = resolve));
    const server = http.createServer((req, res) => {
      const exchange = beginExchange(basis, req, res, '/test', true);
      const answer = { contentType: 'text/plain', pieces, heldBytes: 5000, isRepeatable: true };
      Promise.resolve(respondAny(exchange, answer)).then(settle, settle);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const client = net.connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await done;
    expect(held).toEqual([5000, 0]);
    expect(isClosed).toBe(true);
    await new Promise((resolve) => server.close(resolve));
  });
});
