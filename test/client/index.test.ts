import { type GatewayClient, createGatewayClient } from '../../src/client/index.js';
import { Api } from '../support/api.js';

const api = Api.serving();
let gateway: GatewayClient;
beforeAll(() => void (gateway = createGatewayClient(api.url)));

describe('createGatewayClient', () => {
  it('makes a context, fetches on it by a list of names, and lets go of it', async () => {
    const made = await gateway.GET('/pmapi/context', { params: { query: { polltimeout: 10, client: 'test' } } });
    const context = made.data!.context;
    expect(made.data).toMatchObject({ client: 'test', hostspec: 'web1' });
    const fetched = await gateway.GET('/pmapi/fetch', {
      params: { query: { context, names: ['kernel.all.load', 'mem.util.free'] } },
    });
    const { data } = fetched;
    if (typeof data !== 'object' || !('values' in data)) throw new Error('the answer is that of a range');
    expect(data.values.map(({ name, instances }) => [name, instances.length])).toEqual([
      ['kernel.all.load', 3],
      ['mem.util.free', 1],
    ]);
    const gone = await gateway.DELETE('/pmapi/{context}', { params: { path: { context } } });
    expect(gone.data?.success).toBe(true);
    const { error, response } = await gateway.GET('/pmapi/{context}', { params: { path: { context } } });
    expect(response.status).toBe(404);
    expect(error).toMatchObject({ code: 'UNKNOWN_CONTEXT', message: `unknown context identifier: ${context}` });
  });

  it('leaves every digit to those who ask for text', async () => {
    const { data } = await gateway.GET('/pmapi/fetch', {
      params: { query: { names: ['disk.all.total_bytes'] } },
      parseAs: 'text',
    });
    expect(data).toContain('18446744073709551615');
  });
});
