import { listOperations, openapiDocument } from '../../src/http/request/openapi.js';
import { openRegistry } from '../support/derived-api.js';
import { Api } from '../support/api.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

/** Parameters with which each route answers something else than an error. */
const PARAMETERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '/pmapi/fetch': { names: 'mem.util.free' },
  '/pmapi/metric': { names: 'mem.util.free' },
  '/pmapi/indom': { name: 'disk.dev.read_bytes' },
  '/pmapi/profile': { expr: 'add' },
  '/pmapi/derive': { name: 'my.one', expr: '1' },
  '/pmapi/store': { name: 'mem.util.free', value: '1' },
  '/derived/check': { expr: '1' },
  '/derived': { name: 'our.one', expr: '1' },
  '/derived/{name}': { expr: '1' },
  '/search': { q: 'free' },
  '/search/text': { query: 'free' },
  '/search/suggest': { query: 'mem' },
  '/search/indom': { query: '60.1' },
};
/** What does not answer JSON, answers an array, or does not end; the underscore forms, which answer as pmwebd did; and /series, which has tests of its own. */
const OTHERS = /^\/(?:series\/\w+|metrics|pmapi\/(?:metrics|\{context\}\/metrics)|.*\/_\w+|.*stream|.*records)$/;

const ECHOED = listOperations(openapiDocument()).filter(({ path, parameters }) => {
  return parameters.some(({ name }) => name === 'client') && !OTHERS.test(path);
});

const q = (parameters: Readonly<Record<string, string>>): string => new URLSearchParams(parameters).toString();

describe('client=', () => {
  let api: Api;
  const directory = temporaryDirectory().path;
  beforeAll(async () => {
    const derived = await openRegistry(directory);
    api = await Api.start(undefined, { derived, store: { enabled: true, allowGet: true } });
  });
  afterAll(async () => {
    await api.stop();
  });

  const CLIENT = 'graph "1", ü';

  it('is a parameter of the routes that this is about', () => {
    const ids = ECHOED.map(({ operationId }) => operationId);
    expect(ids).toEqual(
      expect.arrayContaining(['fetchValues', 'changeProfile', 'deriveMetrics', 'storeValue', 'reconnectContext']),
    );
  });

  it.each(ECHOED.map((operation) => [operation.method, operation.path] as const))(
    'is repeated by %s %s, in its answer and in its errors',
    async (method, path) => {
      const context = await api.context();
      const url = path.replace('{context}', String(context)).replace('{name}', 'our.other');
      const parameters = PARAMETERS[path.replace('/{context}', '')] ?? {};
      const ask = async (more: Readonly<Record<string, string>>): Promise<{ status: number; json: unknown }> => {
        const query = q({ ...parameters, client: CLIENT, ...more });
        return api.request(method.toUpperCase(), `${url}?${query}`);
      };
      // An error of the parameters, and one of what they ask for.
      expect(await ask({ colour: 'red' })).toMatchObject({ status: 400, json: { client: CLIENT, success: false } });
      expect(await ask({ context: '4711' })).toMatchObject({ json: { client: CLIENT } });
      expect(await ask({})).toMatchObject({ json: { client: CLIENT } });
    },
  );

  it.each([
    ['a form', { type: 'form', body: q({ client: CLIENT, colour: 'red' }) }],
    ['JSON', { body: { client: CLIENT, colour: 'red' } }],
  ])('is repeated from a body that is %s', async (_, request) => {
    expect(await api.post('/pmapi/fetch', request)).toMatchObject({ status: 400, json: { client: CLIENT } });
  });

  it.each([
    ['too long', q({ client: 'x'.repeat(1025) })],
    ['not encoded properly', 'client=%ff'],
  ])('is not repeated where it is %s', async (_, query) => {
    const { status, json } = await api.get(`/pmapi/fetch?${query}`);
    expect(status).toBe(400);
    expect(json).not.toHaveProperty('client');
  });

  it('is repeated by each entry of a batch that has one', async () => {
    const { json } = await api.post('/pmapi/batch', {
      body: [{ path: '/pmapi/fetch?name=no.such&client=a' }, { path: '/pmapi/fetch?name=no.such' }],
    });
    const { responses } = json as unknown as { responses: readonly { readonly body: object }[] };
    expect(responses[0]!.body).toMatchObject({ client: 'a' });
    expect(responses[1]!.body).not.toHaveProperty('client');
  });
});
