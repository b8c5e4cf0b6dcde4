import { CLIENT_ERROR_CODES, createPmgateClient, PmgateError } from '../../src/client/index.js';
import type { PmgateClientOptions } from '../../src/client/index.js';
import { ManualTimers } from '../support/manual-timers.js';
import { errorResponse, jsonResponse, PushedBody, refused, ScriptedFetch, settled } from './support/scripted-fetch.js';
import { deafBody, silence, textStep } from './support/scripted-fetch.js';
import type { Step } from './support/scripted-fetch.js';

const fetched: Step = () => jsonResponse({ context: 1, timestamp: 1, values: [] });
const busy = (headers?: Record<string, string>): Step => {
  return () => errorResponse(503, 'UNAVAILABLE', headers);
};

function over(steps: readonly Step[], options: PmgateClientOptions = {}) {
  const timers = new ManualTimers();
  const server = new ScriptedFetch(...steps);
  const client = createPmgateClient('http://gateway/base/', { fetch: server.fetch, timers, ...options });
  return { timers, server, client };
}

const errorOf = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('what a client sends', () => {
  it('goes below the base URL, with lists joined by commas', async () => {
    const { client, server } = over([fetched]);
    await client.fetch({ names: ['a.b', 'c d'], instance: [1, 5], rate: true, hostspec: 'web1', units: undefined });
    expect(server.requests.map(({ method, url }) => [method, url.href])).toEqual([
      ['GET', 'http://gateway/base/pmapi/fetch?names=a.b%2Cc%20d&instance=1%2C5&rate=true&hostspec=web1'],
    ]);
  });

  it('goes into a body when it is too long for a URL, or a name has a comma', async () => {
    const { client, server } = over([fetched]);
    const names = Array.from({ length: 200 }, (_, i) => `some.metric.number_${i}`);
    await client.fetch(names);
    await client.fetch('proc.psinfo.cmd', { iname: ['1 init, the first'], instance: [1] });
    expect(
      server.requests.map(({ method, url, body }) => [method, url.href, JSON.parse(body ?? '') as unknown]),
    ).toEqual([
      ['POST', 'http://gateway/base/pmapi/fetch', { names }],
      [
        'POST',
        'http://gateway/base/pmapi/fetch',
        { names: 'proc.psinfo.cmd', iname: ['1 init, the first'], instance: [1] },
      ],
    ]);
    expect(server.requests[0]?.headers.get('content-type')).toBe('application/json');
  });

  it('has the headers that the options ask for', async () => {
    const tokens = ['first', 'second'];
    const asked: [PmgateClientOptions, Record<string, string>][] = [
      [{ headers: { 'X-Team': 'red' } }, { 'x-team': 'red' }],
      [
        { headers: () => ({ 'X-Team': 'blue' }), token: 'secret' },
        { 'x-team': 'blue', authorization: 'Bearer secret' },
      ],
      [{ token: () => tokens.shift()! }, { authorization: 'Bearer first' }],
      [
        { credentials: { username: 'zoë', password: 'p:w' } },
        { authorization: `Basic ${Buffer.from('zoë:p:w').toString('base64')}` },
      ],
    ];
    for (const [options, headers] of asked) {
      const { client, server } = over([fetched], options);
      await client.fetch('a');
      expect(Object.fromEntries(server.requests[0]!.headers)).toEqual(headers);
    }
  });

  it('says moments as texts, also in a body', async () => {
    const { client, server } = over([() => jsonResponse({ context: 1, times: [], metrics: [] })]);
    await client.columns({ names: 'a', start: 5, finish: 10.5, interval: 1, iname: ['a,b'] });
    expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({
      names: 'a',
      start: '5',
      finish: '10.5',
      interval: '1',
      iname: ['a,b'],
      format: 'columns',
    });
  });
});

describe('an error', () => {
  it('has what the gateway said, and the id of the request', async () => {
    const body = { message: 'no', success: false, code: 'BAD_PARAMETER', parameter: 'names', expected: 'names' };
    const { client } = over([() => jsonResponse(body, 400, { 'X-Request-Id': 'r1' })]);
    const error = await errorOf(client.fetch('a'));
    expect(error).toBeInstanceOf(PmgateError);
    expect(error).toMatchObject({ name: 'PmgateError', code: 'BAD_PARAMETER', status: 400, message: 'no' });
    expect(error).toMatchObject({ requestId: 'r1', details: body });
  });

  it.each([
    ['a page of a proxy', () => new Response('<h1>Bad gateway</h1>', { status: 502 }), 'UNEXPECTED_ANSWER', 502],
    ['a page instead of JSON', textStep('<h1>Welcome</h1>'), 'UNEXPECTED_ANSWER', 200],
    ['JSON of something else', () => jsonResponse({ hello: 'world' }), 'UNEXPECTED_ANSWER', 0],
    ['an array', () => jsonResponse([1]), 'UNEXPECTED_ANSWER', 0],
    ['the answer of several hosts', () => jsonResponse({ hosts: [] }), 'UNEXPECTED_ANSWER', 0],
    ['a refused connection', refused, 'NETWORK', 0],
  ])('stands for %s', async (_, step, code, status) => {
    const { client, timers } = over([step]);
    expect(await errorOf(client.fetch('a'))).toMatchObject({ code, status });
    expect(CLIENT_ERROR_CODES).toHaveProperty(code);
    expect(timers.pending).toBe(0);
  });

  it('tells why a connection failed', async () => {
    const error = await errorOf(over([refused]).client.fetch('a'));
    expect((error as PmgateError).message).toContain('connect ECONNREFUSED 127.0.0.1:1');
    expect((error as PmgateError).cause).toBeInstanceOf(TypeError);
  });
});

describe('time', () => {
  it('is up after timeoutMs, that of the call before that of the client', async () => {
    const { client, timers } = over([silence], { timeoutMs: ({ path, parameters }) => (path === '/pmapi/fetch' && parameters!['names'] === 'a' ? 1000 : 1) }); // prettier-ignore
    const failures = [errorOf(client.fetch('a')), errorOf(client.fetch('a', { timeoutMs: 500 }))];
    await settled();
    timers.advance(500);
    expect(await failures[1]).toMatchObject({
      code: 'TIMEOUT',
      message: 'GET /pmapi/fetch: no response within 500 ms',
    });
    expect(timers.pending).toBe(1);
    timers.advance(500);
    expect(await failures[0]).toMatchObject({ code: 'TIMEOUT' });
  });

  it('is not limited by 0', async () => {
    const { client, timers } = over([fetched], { timeoutMs: 0 });
    const answer = client.fetch('a');
    expect(timers.pending).toBe(0);
    await answer;
  });

  it('does not matter to a range that has begun', async () => {
    const body = new PushedBody();
    const { client, timers } = over([body.step], { timeoutMs: 1000 });
    const samples = client.range('a');
    const first = samples.next();
    await settled();
    timers.advance(60_000);
    body.push('{"timestamp":1,"values":[]}\n');
    expect((await first).value).toEqual({ timestamp: 1, values: [] });
    await samples.return();
    expect(body.isCancelled).toBe(true);
  });

  it('is waited when the gateway says 503 and for how long, so many times', async () => {
    const { client, timers, server } = over([busy({ 'Retry-After': '2' }), busy({ 'Retry-After': '1' }), fetched]);
    const answer = client.fetch('a');
    await settled();
    timers.advance(1999);
    await settled();
    expect(server.requests).toHaveLength(1);
    timers.advance(1);
    await settled();
    timers.advance(1000);
    expect(await answer).toMatchObject({ timestamp: 1 });
    expect([server.requests.length, timers.pending]).toEqual([3, 0]);
  });

  it.each([
    ['it does not say for how long', [busy()], 1],
    ['that is too long', [busy({ 'Retry-After': '11' })], 1],
    ['no retries are wanted', [busy({ 'Retry-After': '0' })], 1, { retries: 0 }],
    ['it goes on saying so', [busy({ 'Retry-After': '0' })], 3],
  ])('is not waited when %s', async (_, steps, requests, options: PmgateClientOptions = {}) => {
    const { client, timers, server } = over(steps, options);
    const error = errorOf(client.fetch('a'));
    for (let i = 0; i < 4; i++) {
      await settled();
      timers.advance(0);
    }
    expect(await error).toMatchObject({ code: 'UNAVAILABLE', status: 503 });
    expect(server.requests).toHaveLength(requests);
  });

  it('is not waited by what changes something', async () => {
    const { client, server } = over([busy({ 'Retry-After': '0' })]);
    expect(await errorOf(client.derived.register('a.b', '1'))).toMatchObject({ code: 'UNAVAILABLE' });
    expect(server.requests).toHaveLength(1);
  });

  it('ends with the reason of the signal, whatever is waited for', async () => {
    const reason = new Error('enough');
    for (const step of [silence, busy({ 'Retry-After': '5' }), new PushedBody().step, deafBody('{')]) {
      const giveUp = new AbortController();
      const { client, timers } = over([step]);
      const error = errorOf(client.fetch('a', { signal: giveUp.signal }));
      await settled();
      giveUp.abort(reason);
      expect(await error).toBe(reason);
      expect(timers.pending).toBe(0);
    }
    expect(await errorOf(over([fetched]).client.fetch('a', { signal: AbortSignal.abort(reason) }))).toBe(reason);
  });
});

describe('a range', () => {
  const collect = async (steps: readonly Step[]): Promise<unknown[]> => {
    const seen: unknown[] = [];
    const { client } = over(steps);
    try {
      const onWarnings = (warnings: unknown): void => void seen.push(warnings);
      for await (const { timestamp } of client.range('a', { onWarnings })) seen.push(timestamp);
    } catch (error) {
      seen.push((error as PmgateError).code);
    }
    return seen;
  };
  const line = (timestamp: number): string => `{"timestamp":${timestamp},"values":[]}\n`;

  it('ends with the error that its last line is', async () => {
    const last = '{"message":"torn","success":false,"code":"BAD_ARCHIVE"}\n';
    expect(await collect([textStep(line(1) + line(2) + last)])).toEqual([1, 2, 'BAD_ARCHIVE']);
  });

  it('is an error when it is cut short', async () => {
    expect(await collect([textStep(line(1) + line(2).slice(0, -1))])).toEqual([1, 'UNEXPECTED_ANSWER']);
  });

  it('is an error when the connection breaks', async () => {
    const body = new PushedBody();
    const seen = collect([body.step]);
    await settled();
    body.push(line(1));
    await settled();
    body.fail(new TypeError('terminated'));
    expect(await seen).toEqual([1, 'NETWORK']);
  });

  it('tells warnings before its samples', async () => {
    const warnings = [{ name: 'b', message: 'Unknown metric name', code: 'UNKNOWN_METRIC' }];
    const headers = { 'X-Pmgate-Warnings': JSON.stringify(warnings) };
    expect(await collect([textStep(line(1), headers)])).toEqual([warnings, 1]);
  });

  it('ends with the reason of the signal, whatever of it is there already', async () => {
    const reason = new Error('enough');
    const giveUp = new AbortController();
    const { client, timers } = over([deafBody(line(1) + line(2))]);
    const samples = client.range('a', { signal: giveUp.signal });
    expect((await samples.next()).value).toMatchObject({ timestamp: 1 });
    giveUp.abort(reason);
    expect((await samples.next()).value).toMatchObject({ timestamp: 2 });
    expect(await errorOf(samples.next())).toBe(reason);
    expect(timers.pending).toBe(0);
  });

  it('does not ask before it is read', async () => {
    const { client, server } = over([textStep('')]);
    const samples = client.range('a');
    expect(server.requests).toHaveLength(0);
    await samples.next();
    expect(server.requests).toHaveLength(1);
  });
});

describe('fetchHosts', () => {
  it('asks several hosts with one call, and one as it is', async () => {
    const { client, server } = over([
      () => jsonResponse({ hosts: [] }),
      fetched,
      () => errorResponse(503, 'SOURCE_UNREACHABLE'),
    ]);
    expect(await client.fetchHosts([], 'a')).toEqual({ hosts: [] });
    expect(server.requests).toHaveLength(0);
    await client.fetchHosts(['x', 'y'], 'a');
    expect(server.requests[0]?.url.search).toBe('?names=a&hostspec=x%3By');
    expect((await client.fetchHosts(['x'], 'a')).hosts).toEqual([
      { hostspec: 'x', context: 1, timestamp: 1, values: [] },
    ]);
    expect((await client.fetchHosts(['x'], 'a')).hosts).toMatchObject([
      { hostspec: 'x', error: { code: 'SOURCE_UNREACHABLE' } },
    ]);
  });
});
