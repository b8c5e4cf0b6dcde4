import fc from '../support/properties.js';
import { OverloadGuard } from '../../src/http/index.js';
import { Api } from '../support/api.js';
import { memoryGateway } from '../support/memory-gateway.js';
import { PATIENT_OVERLOAD } from '../support/patience.js';
import { rows } from '../support/rows.js';
import { until } from '../support/until.js';

interface BatchAnswer {
  readonly id?: string;
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Record<string, unknown> & { readonly context: number };
}

const api = Api.serving(memoryGateway(), { batch: 20, batchBytes: 100_000 });

async function batch(requests: unknown, on = api): Promise<readonly BatchAnswer[]> {
  const { status, json } = await on.post('/pmapi/batch', { body: requests as object });
  expect(status).toBe(200);
  return (json as unknown as { responses: BatchAnswer[] }).responses;
}

describe('POST /pmapi/batch', () => {
  it('answers each request with its own status, in order', async () => {
    const answers = await batch([
      { id: 'first', path: '/pmapi/fetch?names=mem.util.free' },
      { path: '/pmapi/fetch?name=no.such' },
      { path: '/nowhere' },
      {
        id: 'type',
        method: 'POST',
        path: '/pmapi/fetch',
        body: 'names=mem.util.free',
        headers: { 'content-type': 'text/xml' },
      },
      { method: 'DELETE', path: '/pmapi/fetch' },
      { path: '/pmapi/metric?nmae=x' },
      { path: '/pmapi/%ff/fetch?names=a' },
    ]);
    expect(answers.map(({ id, status, body }) => [id, status, body.code])).toEqual([
      ['first', 200, undefined],
      [undefined, 404, 'UNKNOWN_METRIC'],
      [undefined, 404, 'NOT_FOUND'],
      ['type', 415, 'UNSUPPORTED_MEDIA_TYPE'],
      [undefined, 405, 'METHOD_NOT_ALLOWED'],
      [undefined, 400, 'UNKNOWN_PARAMETER'],
      [undefined, 400, 'BAD_REQUEST'],
    ]);
    expect(answers[0]!.headers).toEqual({ 'content-type': 'application/json' });
  });

  it('takes bodies as JSON, as forms and as text', async () => {
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const answers = await batch({
      requests: [
        { method: 'POST', path: '/pmapi/fetch', body: { names: ['mem.util.free'] } },
        { method: 'POST', path: '/pmapi/fetch', headers: form, body: 'names=mem.util.free' },
        { path: '/pmapi/fetch', body: {} },
        { path: '/metrics?names=mem.util.free', headers: { accept: 'application/openmetrics-text' } },
      ],
    });
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 400, 200]);
    expect(answers[1]!.body.values).toHaveLength(1);
    expect(answers[2]!.body).toMatchObject({ code: 'BAD_PARAMETER', parameter: 'body' });
    expect(answers[3]!.body).toMatch(/# EOF\n$/);
    expect(answers[3]!.headers['content-type']).toMatch(/^application\/openmetrics-text/);
  });

  it('lets an entry use what an earlier one answered', async () => {
    const [made, byPlace, byId, indom] = await batch([
      { id: 'made', path: '/pmapi/context' },
      { path: '/pmapi/{$0.context}/metric?names=kernel.all.load' },
      { path: '/pmapi/fetch?names=mem.util.free&context={$made.context}' },
      { path: '/pmapi/indom?indom={$1.metrics.0.indom}' },
    ]);
    expect([byPlace, byId].map((answer) => [answer!.status, answer!.body.context])).toEqual(
      Array.from({ length: 2 }, () => [200, made!.body.context]),
    );
    expect(indom!.status).toBe(200);
  });

  it.each([
    ['{$1.context}', 'BAD_PARAMETER', 'does not name an earlier entry'],
    ['{$7.context}', 'BAD_PARAMETER', 'does not name an earlier entry'],
    ['{$other.context}', 'BAD_PARAMETER', 'does not name an earlier entry'],
    ['{$0.constructor}', 'BAD_PARAMETER', "points to 'constructor'"],
    ['{$0.values}', 'BAD_PARAMETER', 'does not point to a string or a number'],
    ['{$0}', 'BAD_PARAMETER', 'is malformed'],
    ['{$}', 'BAD_PARAMETER', 'is malformed'],
  ])('refuses the reference %s', async (reference, code, message) => {
    const [, answer] = await batch([
      { path: '/pmapi/fetch?names=mem.util.free' },
      { path: `/pmapi/${reference}/fetch?names=mem.util.free` },
    ]);
    expect(answer).toMatchObject({
      status: 400,
      body: { code, parameter: 'path', message: expect.stringContaining(message) as string },
    });
  });

  it('does not run an entry that refers to one that failed', async () => {
    const answers = await batch([
      { path: '/pmapi/context?polltimeout=x' },
      { path: '/pmapi/{$0.context}/fetch?names=mem.util.free' },
      { path: '/pmapi/{$1.context}/fetch?names=mem.util.free' },
    ]);
    expect(answers.map(({ status }) => status)).toEqual([400, 424, 424]);
    expect(answers[1]!.body.code).toBe('FAILED_DEPENDENCY');
  });

  it('encodes what a reference leads to, so that it cannot become another parameter', async () => {
    const [, answer] = await batch([
      { path: '/pmapi/fetch?names=mem.util.free&client=a%26name%3Db%2F' },
      { path: '/pmapi/fetch?names=mem.util.free&client={$0.client}' },
    ]);
    expect(answer!.body.client).toBe('a&name=b/');
  });

  it('lets changes come in their turn', async () => {
    const [made] = await batch([{ path: '/pmapi/context' }]);
    const { context } = made!.body;
    const instances = (answer: BatchAnswer): number =>
      (answer.body.values as { instances: unknown[] }[])[0]!.instances.length;
    const fetch = { path: `/pmapi/${context}/fetch?names=kernel.all.load` };
    const answers = await batch([
      fetch,
      { path: `/pmapi/${context}/profile?name=kernel.all.load&expr=del` },
      fetch,
      { path: `/pmapi/${context}/profile?name=kernel.all.load&expr=add` },
      fetch,
      { method: 'DELETE', path: `/pmapi/${context}` },
      fetch,
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200, 404]);
    const all = instances(answers[0]!);
    expect(all).toBeGreaterThan(0);
    expect([answers[2]!, answers[4]!].map(instances)).toEqual([0, all]);
  });

  it.each([
    ['/pmapi/batch', 'POST'],
    ['/openapi.json', 'GET'],
    ['/docs', 'GET'],
    ['/console', 'GET'],
    ['/docs/start.js', 'GET'],
    ['/docs/guide', 'GET'],
    ['/pmapi/1/stream?names=a', 'GET'],
  ])('refuses %s as an entry', async (path, method) => {
    expect(await batch([{ path, method }])).toMatchObject([
      { status: 400, body: { code: 'BAD_PARAMETER', parameter: 'path' } },
    ]);
  });

  it('refuses headers that are not for entries, and URLs that are too long', async () => {
    const answers = await batch([
      { path: '/healthz', headers: { authorization: 'Basic eA==' } },
      { path: `/pmapi/fetch?names=${'a'.repeat(4096)}` },
    ]);
    expect(answers).toMatchObject([
      { status: 400, body: { code: 'BAD_PARAMETER', parameter: 'headers' } },
      { status: 414, body: { code: 'URL_TOO_LONG' } },
    ]);
  });

  it.each([
    ['no list', {}, 400, 'BAD_BODY'],
    ['null', 'null', 400, 'BAD_BODY'],
    ['an empty list', [], 400, 'BAD_BODY'],
    ['an entry without a path', [{ path: '/healthz' }, {}], 400, 'BAD_BODY'],
    ['a path that is a whole URL', [{ path: 'http://other/healthz' }], 400, 'BAD_BODY'],
    ['a path with a blank', [{ path: '/healthz x' }], 400, 'BAD_BODY'],
    ['a member that is none', [{ path: '/healthz', url: '/' }], 400, 'BAD_BODY'],
    ['a method that is none', [{ path: '/healthz', method: 'TRACE' }], 400, 'BAD_BODY'],
    ['a list for a body', [{ path: '/pmapi/fetch', method: 'POST', body: [] }], 400, 'BAD_BODY'],
    ['an id that is a number', [{ path: '/healthz', id: '7' }], 400, 'BAD_BODY'],
    ['an id that stands twice', rows({ path: '/healthz', id: 'a' }, { path: '/healthz', id: 'a' }), 400, 'BAD_BODY'],
    ['more entries than may be', Array.from({ length: 21 }, () => ({ path: '/healthz' })), 413, 'LIMIT_EXCEEDED'],
  ])('refuses a batch that is %s', async (_, body, status, code) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const answer = await api.post('/pmapi/batch', { type: 'application/json', body: text });
    expect(answer).toMatchObject({ status, json: { code } });
  });

  it('says where it is malformed', async () => {
    const message = async (body: object): Promise<string> => (await api.post('/pmapi/batch', { body })).json.message;
    const requests = [{ path: '/healthz' }, { path: 5 }];
    expect(await message(requests)).toBe('invalid batch at /1/path: must be string');
    expect(await message({ requests })).toBe('invalid batch at /requests/1/path: must be string');
    expect(await message({ requests: [requests[0]], more: 1 })).toContain("unknown members besides 'requests'");
    expect(await message([{ path: '/healthz', method: 'HEAD' }])).toContain(
      'at /0/method: one of GET, POST, PUT, DELETE',
    );
    expect(await message([{ path: '/healthz', body: null }])).toContain('at /0/body: must be object or string');
  });

  it('bounds its answers together', async () => {
    const entries = Array.from({ length: 20 }, () => ({ path: '/pmapi/metric' }));
    const answers = await batch(entries);
    const sizes = answers.map(({ status, body }) => (status === 200 ? JSON.stringify(body).length : 0));
    const small = await Api.start(memoryGateway(), { batch: 20, batchBytes: sizes[0]! * 3 });
    const bounded = await batch(entries, small);
    await small.stop();
    expect(sizes.every((size) => size > 0)).toBe(true);
    expect(bounded.map(({ status }) => status)).toContain(200);
    expect(bounded.filter(({ status }) => status === 413).length).toBeGreaterThanOrEqual(17);
    expect(bounded.at(-1)!.body.code).toBe('LIMIT_EXCEEDED');
  });

  it('takes up one place for ranges for as long as each of them takes, be it in vain', async () => {
    const overload = new OverloadGuard({
      requests: 100,
      ranges: 1,
      hostRequests: 10,
      loopDelayMs: 60_000,
      unsentBytes: 1e8,
    });
    const narrow = await Api.start(undefined, { overload });
    // Nothing is remembered of the source.
    const path = '/pmapi/fetch?names=mem.util.free&samples=1';
    const answers = await batch([{ path }, { path }, { path }], narrow);
    expect(answers.map(({ body }) => body.code)).toEqual(['WRONG_CONTEXT', 'WRONG_CONTEXT', 'WRONG_CONTEXT']);
    await narrow.stop();
  });

  it('takes one of two places for as long as it takes if its expressions are long', async () => {
    const overload = new OverloadGuard(PATIENT_OVERLOAD);
    const guarded = await Api.start(undefined, { overload });
    const [short, long] = [10, 4000].map((length) => {
      const expr = `mem.util.free${'+1'.repeat(length / 10)}`;
      return Array.from({ length: 4 }, () => ({ path: `/derived/check?expr=${encodeURIComponent(expr)}` }));
    });
    const leaves = await Promise.all([overload.longBatches.enter(), overload.longBatches.enter()]);
    const statuses = async (entries: object[]): Promise<Set<number>> =>
      new Set((await batch(entries, guarded)).map(({ status }) => status));
    expect(await statuses(short!)).toEqual(new Set([200]));
    const answer = statuses(long!);
    await until(() => overload.longBatches.waiting === 1);
    leaves[0]();
    expect(await answer).toEqual(new Set([200]));
    expect(overload.longBatches.inside).toBe(1);
    leaves[1]();
    await guarded.stop();
  });

  it('lets pages of foreign origins do no more than by single requests', async () => {
    const body = [{ path: '/pmapi/context' }, { path: '/pmapi/fetch?names=mem.util.free' }];
    const { json } = await api.post('/pmapi/batch', { body, headers: { origin: 'https://evil.example.com' } });
    const { responses } = json as unknown as { responses: BatchAnswer[] };
    expect(responses.map(({ status }) => status)).toEqual([403, 403]);
    // A browser would tell where a batch comes from, for it is sent with POST.
    const agent = { 'user-agent': 'Mozilla/5.0 (Windows NT; Windows NT 10.0) WindowsPowerShell/5.1' };
    const script = await api.post('/pmapi/batch', { body, headers: agent });
    expect(
      (script.json as unknown as typeof json & { responses: BatchAnswer[] }).responses.map(({ status }) => status),
    ).toEqual([200, 200]);
  });

  it('answers every entry as a request of its own is answered', async () => {
    const path = fc.constantFrom(
      '/pmapi/metric?names=mem.util.free',
      '/pmapi/metric?names=kernel.all.load,no.such',
      '/pmapi/children?prefix=mem',
      '/pmapi/children?prefix=no.such',
      '/pmapi/children/',
      '/pmapi/indom?name=kernel.all.load',
      '/pmapi/indom?indom=60.2&x=%ff',
      '/pmapi/4711/metric?names=a',
      '/pmapi/47%311/metric?names=a',
      '/pmapi/abc',
      '/pmapi/abc/fetch',
      '/derived',
      '/derived/no.such',
      '/PMAPI/metric',
      '/pmapi//metric',
      '/archives?x',
      '/healthz',
      '/healthz/',
      '/healthz//',
      '/openapi.jso',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(path, { minLength: 1, maxLength: 20 }), async (paths) => {
        const answers = await batch(paths.map((text) => ({ path: text })));
        for (const [i, text] of paths.entries()) {
          const single = await fetch(api.url + text);
          expect([text, answers[i]!.status, answers[i]!.body]).toEqual([text, single.status, await single.json()]);
        }
      }),
      { numRuns: 20 },
    );
  });
});
