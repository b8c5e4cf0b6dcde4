import type { AddressInfo } from 'node:net';
import { createHttpServer, OverloadGuard } from '../../src/http/index.js';
import { GatewayError } from '../../src/pmapi/index.js';
import { Api } from '../support/api.js';
import { memoryGateway } from '../support/memory-gateway.js';
import { parseOpenMetrics } from '../support/open-metrics-parser.js';
import { PATIENT_OVERLOAD } from '../support/patience.js';
import { rows } from '../support/rows.js';

const DOWN = new GatewayError('SOURCE_UNREACHABLE', 'cannot connect to PMCD: No route to host', { pmErr: -113 });

interface Entry {
  readonly hostspec: string;
  readonly context?: number;
  readonly values?: readonly { readonly name: string }[];
  readonly metrics?: readonly { readonly name: string }[];
  readonly warnings?: readonly { readonly name: string }[];
  readonly error?: { readonly code: string; readonly message: string };
}

const api = Api.serving(memoryGateway({ failures: { down: DOWN, gone: DOWN, bug: new TypeError('oops') } }));

async function hosts(url: string): Promise<readonly Entry[]> {
  const { status, json } = await api.get(url);
  expect(status).toBe(200);
  return (json as unknown as { hosts: readonly Entry[] }).hosts;
}

describe('several hosts', () => {
  it('are fetched from at once: an entry for each, in order, with its own errors', async () => {
    const url = '/pmapi/fetch?hostspec=a;down;b:44321,44322&names=mem.util.free,no.such&client=me';
    const { json } = await api.get(url);
    expect(json).toMatchObject({ client: 'me' });
    const [a, down, b] = await hosts(url);
    for (const [entry, hostspec] of rows([a, 'a'], [b, 'b:44321,44322'])) {
      expect(entry).toMatchObject({
        hostspec,
        values: [{ name: 'mem.util.free', instances: [{ instance: null, value: 23_987_772 }] }],
        warnings: [{ name: 'no.such', code: 'UNKNOWN_METRIC' }],
      });
      expect(entry).not.toHaveProperty('client');
    }
    expect(a!.context).not.toBe(b!.context);
    expect(down).toEqual({
      hostspec: 'down',
      error: { message: DOWN.message, success: false, code: 'SOURCE_UNREACHABLE', pmErr: -113 },
    });
  });

  it('have their metadata told, what is unknown on its own', async () => {
    const [a, b] = await hosts('/pmapi/metric?hostspec=a;down&name=kernel.all');
    expect(a!.metrics!.map(({ name }) => name)).toEqual(['kernel.all.load', 'kernel.all.sysfork']);
    expect(b!.error!.code).toBe('SOURCE_UNREACHABLE');
    const [unknown] = await hosts('/pmapi/metric?hostspec=a;b&name=no.such');
    expect(unknown!.error).toMatchObject({ code: 'UNKNOWN_METRIC', context: expect.any(Number) as number });
  });

  it('are exposed in one text, failing ones as warnings', async () => {
    const { text, headers } = await api.get('/metrics?hostspec=a;down&names=mem.util.free,no.such', {
      headers: { accept: 'application/openmetrics-text' },
    });
    expect(parseOpenMetrics(text)).toHaveLength(1);
    expect(JSON.parse(headers['x-pmgate-warnings']!)).toEqual([
      expect.objectContaining({ hostspec: 'a', name: 'no.such', code: 'UNKNOWN_METRIC' }),
      { hostspec: 'down', message: DOWN.message, code: 'SOURCE_UNREACHABLE', pmErr: -113 },
    ]);
    const { json } = await api.get('/pmapi/metrics?hostspec=a;b&names=mem.util.free', {
      headers: { accept: 'application/json' },
    });
    expect(json.resourceMetrics).toHaveLength(2);
  });

  it('that all fail fail a scrape', async () => {
    const { status, json } = await api.get('/metrics?hostspec=down;gone');
    expect([status, json.code]).toEqual([503, 'SOURCE_UNREACHABLE']);
  });

  it.each(['a;', ';a', 'a;;b', 'a;b;a'])('cannot be listed as %s', async (hostspec) => {
    const { status, json } = await api.get(`/pmapi/fetch?names=mem.util.free&hostspec=${hostspec}`);
    expect([status, json.code]).toEqual([400, 'BAD_PARAMETER']);
  });

  it('cannot be more than a hundred', async () => {
    const list = Array.from({ length: 101 }, (_, i) => `h${i}`).join(';');
    expect((await api.get(`/pmapi/fetch?names=mem.util.free&hostspec=${list}`)).status).toBe(413);
  });

  it('are one where a context is named, and none where several make no sense', async () => {
    const id = await api.context();
    expect((await api.get(`/pmapi/${id}/fetch?names=mem.util.free&hostspec=a;b`)).json.context).toBe(id);
    const { json } = await api.get('/pmapi/fetch?hostspec=a;b');
    expect([json.code, json.message]).toEqual(['BAD_PARAMETER', expect.stringContaining('nothing to fetch')]);
  });

  it('do not hide a defect of the gateway', async () => {
    const { status, json } = await api.get('/pmapi/fetch?hostspec=a;bug&names=mem.util.free');
    expect([status, json.code]).toEqual([500, 'INTERNAL']);
    expect(api.defects.pop()).toEqual(new TypeError('oops'));
  });

  it('share one listener for the end of an exposition: node warns of many', async () => {
    const server = createHttpServer({
      ...api.options,
      guards: { ...api.options.guards, overload: new OverloadGuard(PATIENT_OVERLOAD) },
    });
    let most = 0;
    server.prependListener('request', (_, response) => {
      // Called before the listener is added.
      response.on('newListener', () => (most = Math.max(most, response.listenerCount('close') + 1)));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const list = Array.from({ length: 20 }, (_, i) => `web${i}`).join(';');
    const answer = await fetch(`http://127.0.0.1:${port}/metrics?hostspec=${list}&names=mem.util.free`);
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('mem_util_free')]);
    await new Promise((resolve) => server.close(resolve));
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThan(10);
  });
});
