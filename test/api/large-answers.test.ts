import http from 'node:http';
import type { IncomingMessage } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { contentHash } from '../../src/http/response/representation.js';
import { OverloadGuard } from '../../src/http/guards/overload/overload-guard.js';
import { makeIndom, makeLabel, makePmid, MetricType, Semantics } from '../../src/pmapi/index.js';
import { Api } from '../support/api.js';
import { descriptor, memoryGateway } from '../support/memory-gateway.js';
import type { MemoryContent } from '../support/memory-source.js';
import { OVERLOAD_LIMITS } from '../support/patience.js';

const INDOM = makeIndom(29, 1);
const INSTANCES = 5000;

/** One metric of many instances, and many metrics that have none. */
const content: MemoryContent = {
  hostName: 'large',
  metrics: [
    {
      name: 'large.wide',
      descriptor: descriptor(makePmid(29, 0, 0), { indom: INDOM, semantics: Semantics.COUNTER }),
      values: new Map(Array.from({ length: INSTANCES }, (_, i) => [i, 3 * i])),
    },
    ...Array.from({ length: 1000 }, (_, i) => ({
      name: `large.many.m${i}`,
      descriptor: descriptor(makePmid(29, 1, i), { type: MetricType.DOUBLE }),
      oneline: `metric ${i}`,
      help: `what is to be said of metric ${i}`.repeat(8),
      values: i / 2,
    })),
  ],
  indoms: [
    {
      indom: INDOM,
      instances: Array.from({ length: INSTANCES }, (_, id) => ({
        id,
        name: `instance ${id} with a name of some length`,
      })),
      instanceLabels: new Map(Array.from({ length: INSTANCES }, (_, id) => [id, [makeLabel('own', id)]])),
    },
  ],
};
const FETCH = '/pmapi/fetch?names=large.wide';

const limits = { urlBytes: 4096, bodyBytes: 65_536, names: 10_000 };
// A shared context that ended between two requests would have another number in the second answer.
const api = Api.serving(memoryGateway({ content, limits: { pollTimeoutMs: 3_600_000 } }), { limits });

const wide = ({ values }: { values: readonly { instances: readonly object[] }[] }): readonly object[] =>
  values[0]!.instances;

describe('an answer of many values', () => {
  it('is written in pieces, while a small one is sent whole', async () => {
    const large = await api.get(FETCH);
    expect(large.headers['transfer-encoding']).toBe('chunked');
    expect(large.text.endsWith('}\r\n')).toBe(true);
    const instances = wide(large.json);
    expect(instances).toHaveLength(INSTANCES);
    expect(instances.at(-1)).toEqual({ instance: INSTANCES - 1, value: 3 * (INSTANCES - 1) });
    const small = await api.get('/pmapi/fetch?names=large.many.m1');
    expect(Number(small.headers['content-length'])).toBe(small.text.length);
  });

  it('holds what it would hold alone, however many are written at once', async () => {
    const urls = [FETCH, `${FETCH}&iname=instance 7 with a name of some length`, FETCH, `${FETCH}&top=4500`];
    const answers = await Promise.all([...urls, ...urls].map(async (url) => wide((await api.get(url)).json).length));
    expect(answers).toEqual([...[5000, 1, 5000, 4500], ...[5000, 1, 5000, 4500]]);
  });

  it('has the values of derived metrics, too', async () => {
    const context = await api.context();
    await api.get(`/pmapi/${context}/derive?name=twice.wide&expr=large.wide*2`);
    const fetches = ['twice.wide', 'large.wide'].map((name) => api.get(`/pmapi/${context}/fetch?names=${name}`));
    const [twice, once] = await Promise.all(fetches);
    expect(wide(twice!.json).at(-1)).toEqual({ instance: INSTANCES - 1, value: 6 * (INSTANCES - 1) });
    expect(wide(once!.json).at(-1)).toEqual({ instance: INSTANCES - 1, value: 3 * (INSTANCES - 1) });
  });

  it('is given in every form of exposition', async () => {
    const of = (accept: string) => api.get('/pmapi/metrics', { headers: { accept } });
    const openMetrics = await of('application/openmetrics-text');
    expect(openMetrics.headers['transfer-encoding']).toBe('chunked');
    const lines = openMetrics.text.split('\n');
    expect(lines.filter((line) => line.startsWith('# TYPE '))).toHaveLength(1001);
    expect(lines.filter((line) => /^large_wide_total\{.*\} \d+$/.test(line))).toHaveLength(INSTANCES);
    expect(lines.slice(-2)).toEqual(['# EOF', '']);
    const { resourceMetrics } = (await of('application/json')).json;
    expect(resourceMetrics[0]!.scopeMetrics[0]!.metrics).toHaveLength(1001);
    const text = (await of('text/plain')).text.split('\n');
    expect(text.filter((line) => /^large_wide\{.*\} \d+$/.test(line))).toHaveLength(INSTANCES);
  });

  it('stands in the answers of several hosts and of batches as by itself', async () => {
    const listed = (await api.get(`${FETCH}&hostspec=a;b`)).json as unknown as {
      hosts: { hostspec: string; values: { instances: object[] }[] }[];
    };
    expect(listed.hosts.map((host) => [host.hostspec, wide(host).length])).toEqual([
      ['a', INSTANCES],
      ['b', INSTANCES],
    ]);
    const batch = await api.post('/pmapi/batch', { body: [{ path: FETCH }, { path: FETCH }] });
    const { responses } = batch.json as unknown as { responses: { body: { values: { instances: object[] }[] } }[] };
    expect(responses.map(({ body }) => wide(body).length)).toEqual([INSTANCES, INSTANCES]);
  });

  it('is compressed on its way', async () => {
    const response = await open(api, FETCH, { 'accept-encoding': 'gzip' });
    expect(response.headers['content-encoding']).toBe('gzip');
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    expect(wide(JSON.parse(gunzipSync(Buffer.concat(chunks)).toString()) as never)).toHaveLength(INSTANCES);
  });

  it('is stopped when its client goes, and counts as one that waits for its client until then', async () => {
    const overload = new OverloadGuard({ ...OVERLOAD_LIMITS, unsentBytes: 500_000 });
    const bounded = await Api.start(memoryGateway({ content }), { limits, overload });
    const many = `/pmapi/fetch?names=${Array(100).fill('large.wide').join(',')}`;
    const reader = await open(bounded, many);
    reader.pause();
    const refused = await bounded.get(many);
    expect([refused.status, refused.json.code]).toEqual([503, 'OVERLOADED']);
    expect(overload.statistics.unsent).toBe(1);
    reader.destroy();
    while (overload.unsentBytes > 0) await new Promise((resolve) => setImmediate(resolve));
    expect((await bounded.get(many)).status).toBe(200);
    await bounded.stop();
  });
});

describe('a large answer of metadata', () => {
  const urls = ['/pmapi/metric', '/pmapi/indom?name=large.wide', '/pmapi/metric?hostspec=a;b'];

  it.each(urls)('has the entity tag and the length of its text: %s', async (url) => {
    const { headers, text } = await api.get(url);
    expect(text.length).toBeGreaterThan(262_144);
    expect(headers.etag).toBe(`"${contentHash(text)}"`);
    expect(Number(headers['content-length'])).toBe(Buffer.byteLength(text));
    const head = await api.request('HEAD', url);
    expect([head.headers.etag, head.headers['content-length']]).toEqual([headers.etag, headers['content-length']]);
    const response = await open(api, url, { 'if-none-match': headers.etag! });
    expect(response.statusCode).toBe(304);
    response.resume();
  });

  it('holds all of it, in order', async () => {
    const { metrics } = (await api.get('/pmapi/metric')).json;
    expect(metrics.map(({ name }) => name)).toEqual(content.metrics.map(({ name }) => name));
    const { instances } = (await api.get('/pmapi/indom?name=large.wide')).json;
    expect(instances.map(({ instance }) => instance)).toEqual(Array.from({ length: INSTANCES }, (_, i) => i));
  });
});

function open({ url }: Api, path: string, headers: Record<string, string> = {}): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    http.get(url + path, { headers, agent: false }, resolve).on('error', reject);
  });
}
