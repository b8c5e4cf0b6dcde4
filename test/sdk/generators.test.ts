import { symlink } from 'node:fs/promises';
import path from 'node:path';
import { Api } from '../support/api.js';
import { GeneratedClient, ROUND_TRIP } from '../support/generated-client.js';

/** swagger-typescript-api: a class, which sends JSON as plain text unless it is told otherwise. */
const SWAGGER_TYPESCRIPT_API = `
import { Api } from './api.js';
import type { DerivedCheck, Fetch } from './api.js';

declare const process: { readonly argv: readonly string[] };

const { pmapi, derived } = new Api({ baseUrl: process.argv[2]!, baseApiParams: { format: 'json' } });

const { data: made } = await pmapi.contextPost({ hostspec: 'web1', polltimeout: 20 });
const context: number = made.context;
const { data: metadata } = await pmapi.metricInContext(context, { names: ['kernel.all.load', 'no.such'] });
const { data: fetched } = await pmapi.fetchValuesInContext(context, { names: ['kernel.all.load', 'mem.util.free'] });
if (!('values' in fetched)) throw new Error('a range was not asked for');
const sample: Fetch = fetched;
const { data: chosen } = await pmapi.fetchValues({ names: ['kernel.all.load'], instance: [1, 5] });
const { data: posted } = await pmapi.fetchValuesInContextPost(context, { names: ['kernel.all.load', 'mem.util.free'] });
const { data: indom } = await pmapi.indomInContext(context, { name: 'kernel.all.load', iname: ['1 minute', '5 minute'] });
const { data: children } = await pmapi.childrenInContext(context, { prefix: 'kernel.all' });
const { data: check } = await derived.derivedCheckPost({ expr: '100 * mem.util.free', context });
const report: DerivedCheck = check;
await pmapi.destroyContext(context);
const refusal = await pmapi.describeContext(context).catch((thrown) => thrown.error);

console.log(
  JSON.stringify({
    kind: made.kind,
    types: 'metrics' in metadata && metadata.metrics.map((metric) => ('type' in metric ? metric.type : metric.message)),
    fetched: sample.values.map(({ name, instances }) => [name, instances.map(({ value }) => value)]),
    chosen: 'values' in chosen && chosen.values[0]!.instances.map(({ value }) => value),
    posted: 'values' in posted && posted.values.map(({ name }) => name),
    instances: indom.instances.map(({ name }) => name),
    children: children.leaf,
    check: [report.ok, report.metadata?.units],
    refusal: [refusal.code, refusal.success],
  }),
);
`;

/** openapi-typescript and openapi-fetch, as a new project has them: nothing is said of how lists are sent. */
const OPENAPI_FETCH = `
import createClient from 'openapi-fetch';
import type { paths } from './api.js';

declare const process: { readonly argv: readonly string[] };

const { GET, POST, DELETE } = createClient<paths>({ baseUrl: process.argv[2]! });

/** Ranges can be CSV, a text; everything here is an object. */
function objectIn<T>({ data, error }: { data?: T; error?: { message: string } }): Exclude<T, string | undefined> {
  if (data === undefined || typeof data === 'string') throw new Error(error?.message ?? 'a text');
  return data as Exclude<T, string | undefined>;
}

const made = objectIn(await POST('/pmapi/context', { body: { hostspec: 'web1', polltimeout: 20 } }));
const path = { context: made.context };
const metadata = objectIn(
  await GET('/pmapi/{context}/metric', { params: { path, query: { names: ['kernel.all.load', 'no.such'] } } }),
);
const names = ['kernel.all.load', 'mem.util.free'];
const fetched = objectIn(await GET('/pmapi/{context}/fetch', { params: { path, query: { names } } }));
if (!('values' in fetched)) throw new Error('a range was not asked for');
const chosen = objectIn(
  await GET('/pmapi/fetch', { params: { query: { names: ['kernel.all.load'], instance: [1, 5] } } }),
);
const posted = objectIn(await POST('/pmapi/{context}/fetch', { params: { path }, body: { names } }));
const indom = objectIn(
  await GET('/pmapi/{context}/indom', {
    params: { path, query: { name: 'kernel.all.load', iname: ['1 minute', '5 minute'] } },
  }),
);
const children = objectIn(
  await GET('/pmapi/{context}/children', { params: { path, query: { prefix: 'kernel.all' } } }),
);
const check = objectIn(
  await POST('/derived/check', { body: { expr: '100 * mem.util.free', context: path.context } }),
);
await DELETE('/pmapi/{context}', { params: { path } });
const { error } = await GET('/pmapi/{context}', { params: { path } });

console.log(
  JSON.stringify({
    kind: made.kind,
    types: 'metrics' in metadata && metadata.metrics.map((metric) => ('type' in metric ? metric.type : metric.message)),
    fetched: fetched.values.map(({ name, instances }) => [name, instances.map(({ value }) => value)]),
    chosen: 'values' in chosen && chosen.values[0]!.instances.map(({ value }) => value),
    posted: 'values' in posted && posted.values.map(({ name }) => name),
    instances: indom.instances.map(({ name }) => name),
    children: children.leaf,
    check: [check.ok, check.metadata?.units],
    refusal: [error!.code, error!.success],
  }),
);
`;

const bin = (name: string): string => path.resolve('node_modules/.bin', name);

describe('a generated client', () => {
  let api: Api;
  const clients: GeneratedClient[] = [];
  const begin = async (program: string): Promise<GeneratedClient> => {
    const client = await GeneratedClient.begin(program);
    clients.push(client);
    return client;
  };
  beforeAll(async () => void (api = await Api.start()));
  afterAll(async () => {
    await api.stop();
    await Promise.all(clients.map((client) => client.end()));
  });

  it('of swagger-typescript-api compiles strictly and gets answers', async () => {
    const client = await begin(SWAGGER_TYPESCRIPT_API);
    await client.run(bin('swagger-typescript-api'), 'generate', '-p', 'openapi.yaml', '-o', '.', '-n', 'api.ts');
    expect(await client.compile()).toBe('');
    expect(await client.roundTrip(api.url)).toEqual(ROUND_TRIP);
  });

  it('of openapi-typescript and openapi-fetch compiles strictly and gets answers', async () => {
    const client = await begin(OPENAPI_FETCH);
    await symlink(path.resolve('node_modules'), path.join(client.directory, 'node_modules'));
    await client.run(bin('openapi-typescript'), 'openapi.yaml', '-o', 'api.ts');
    expect(await client.compile()).toBe('');
    expect(await client.roundTrip(api.url)).toEqual(ROUND_TRIP);
  });
});
