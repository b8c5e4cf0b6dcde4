import { symlink } from 'node:fs/promises';
import path from 'node:path';
import { Api } from '../support/api.js';
import { GeneratedClient, ROUND_TRIP } from '../support/generated-client.js';

/** swagger-typescript-api: a class, which sends JSON as plain text unless it is told otherwise; named enumerations are enums. */
const SWAGGER_TYPESCRIPT_API = `
import { Api, ProfileChange } from './api.js';

const { pmapi, derived } = new Api({ baseUrl: process.argv[2]!, baseApiParams: { format: 'json' } });
const data = <Query, T>(call: (query: Query) => Promise<{ data: T }>) => async (query: Query) => (await call(query)).data;
type Change = NonNullable<Parameters<typeof pmapi.changeProfile>[0]>;
const api = {
  createContext: data(pmapi.createContext),
  describeMetrics: data(pmapi.describeMetrics),
  fetchValues: data(pmapi.fetchValues),
  listInstances: data(pmapi.listInstances),
  listChildren: data(pmapi.listChildren),
  checkExpression: data(derived.checkExpression),
  deriveMetrics: data(pmapi.deriveMetrics),
  changeProfile: (query: Omit<Change, 'expr'> & { readonly expr: string }) =>
    pmapi.changeProfile({ ...query, expr: ProfileChange.Add }),
  deleteContext: (context: number) => pmapi.deleteContext(context),
  refusalOf: (context: number) => pmapi.getContext(context).then(() => undefined!, (thrown) => thrown.error),
};
`;

/** openapi-typescript and openapi-fetch, as a new project has them: nothing is said of how lists are sent. */
const OPENAPI_FETCH = `
import createClient from 'openapi-fetch';
import type { operations, paths } from './api.js';

const { GET, POST, DELETE } = createClient<paths>({ baseUrl: process.argv[2]! });
type Query<Id extends keyof operations> = NonNullable<operations[Id]['parameters']['query']>;
const dataOf = async <T>(answer: Promise<{ data?: T; error?: { message: string } }>): Promise<T> => {
  const { data, error } = await answer;
  if (data === undefined) throw new Error(error?.message);
  return data;
};
const api = {
  createContext: (query: Query<'createContext'>) => dataOf(GET('/pmapi/context', { params: { query } })),
  describeMetrics: (query: Query<'describeMetrics'>) => dataOf(GET('/pmapi/metric', { params: { query } })),
  fetchValues: (query: Query<'fetchValues'>) => dataOf(GET('/pmapi/fetch', { params: { query } })),
  listInstances: (query: Query<'listInstances'>) => dataOf(GET('/pmapi/indom', { params: { query } })),
  listChildren: (query: Query<'listChildren'>) => dataOf(GET('/pmapi/children', { params: { query } })),
  checkExpression: (query: Query<'checkExpression'>) => dataOf(GET('/derived/check', { params: { query } })),
  deriveMetrics: (query: Query<'deriveMetrics'>) => dataOf(POST('/pmapi/derive', { params: { query } })),
  changeProfile: (query: Query<'changeProfile'>) => dataOf(GET('/pmapi/profile', { params: { query } })),
  deleteContext: (context: number) => dataOf(DELETE('/pmapi/{context}', { params: { path: { context } } })),
  refusalOf: async (context: number) => (await GET('/pmapi/{context}', { params: { path: { context } } })).error!,
};
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
