/**
 * Clients of the generators that need a newer Node than the gateway: loaded from the registry, made of openapi.yaml, compiled and used.
 * NODE_RELEASES is a directory with further releases of Node, `RELEASE/bin/node` each; .ci/run makes it.
 */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { Api } from '../support/api.js';
import { GeneratedClient, ROUND_TRIP } from '../support/generated-client.js';

const run = promisify(execFile);

/** The generators want 22.18 or later. */
const OLDEST_RELEASE = 24;

/** A node that runs the generators: this one, or the first that is new enough among the further releases. */
async function newerNode(): Promise<string | undefined> {
  if (Number.parseInt(process.versions.node, 10) >= OLDEST_RELEASE) return process.execPath;
  const directory = process.env.NODE_RELEASES;
  const releases = directory === undefined ? [] : await readdir(directory);
  const release = releases.sort().find((each) => Number(each) >= OLDEST_RELEASE);
  return release === undefined ? undefined : path.join(directory!, release, 'bin/node');
}

const node = await newerNode();

const NAMES = [
  ...['createContext', 'describeMetrics', 'fetchValues', 'listInstances', 'listChildren', 'checkExpression'],
  ...['deriveMetrics', 'changeProfile'],
];
/** The members of `api` of a generator that makes one function for each operation. */
const members = (of: (name: string) => string): string => NAMES.map((name) => `  ${name}: ${of(name)},\n`).join('');

/** orval: functions, whose address is settled when they are made. */
const ORVAL = `
import * as pmgate from './pmgate.js';

// Answers are a union by status.
const data = <Query, A extends { status: number; data: unknown }>(call: (query: Query) => Promise<A>) => async (query: Query) =>
  (await call(query)).data as Extract<A, { status: 200 }>['data'];
const api = {
${members((name) => `data(pmgate.${name})`)}
  deleteContext: (context: number) => pmgate.deleteContext(context),
  refusalOf: async (context: number) => (await pmgate.getContext(context)).data as { code?: string; success: boolean },
};
`;

/** @hey-api/openapi-ts: functions that take the parts of a request by name, and repeat lists in a query. */
const HEY_API = `
import * as pmgate from './sdk/index.js';
import { client } from './sdk/client.gen.js';

client.setConfig({ baseUrl: process.argv[2]!, throwOnError: true });
const api = {
${members((name) => {
  const type = `pmgate.${name[0]!.toUpperCase()}${name.slice(1)}Data['query']`;
  return `async (query: ${type}) => (await pmgate.${name}<true>({ query: query! })).data`;
})}
  deleteContext: (context: number) => pmgate.deleteContext<true>({ path: { context } }),
  refusalOf: async (context: number) => (await pmgate.getContext({ path: { context }, throwOnError: false })).error!,
};
`;

/** oazapfts: functions that take the path's parameters first; lists are repeated. */
const OAZAPFTS = `
import * as pmgate from './api.js';

pmgate.defaults.baseUrl = process.argv[2]!;
// Answers are a union by status.
const data = <Query, A extends { status: number; data: unknown }>(call: (query: Query) => Promise<A>) => async (query: Query) =>
  (await call(query)).data as Extract<A, { status: 200 }>['data'];
const api = {
${members((name) => `data(pmgate.${name})`)}
  deleteContext: (context: number) => pmgate.deleteContext(context),
  refusalOf: async (context: number) => (await pmgate.getContext(context)).data as { code?: string; success: boolean },
};
`;

/** openapi-typescript-codegen: classes by tag; answers that are errors are thrown. */
const CODEGEN = `
import { ContextsService, DerivedService, MetricsService, OpenAPI, ProfileChange } from './sdk/index.js';

type Change = NonNullable<Parameters<typeof ContextsService.changeProfile>[0]>;

OpenAPI.BASE = process.argv[2]!;
const api = {
${members((name) => {
  const service = /Context|Profile/.test(name) ? 'Contexts' : /Expression|derive/.test(name) ? 'Derived' : 'Metrics';
  return name === 'changeProfile'
    ? `(query: Omit<Change, 'expr'> & { readonly expr: string }) => ContextsService.changeProfile({ ...query, expr: ProfileChange.ADD })`
    : `${service}Service.${name}`;
})}
  deleteContext: (context: number) => ContextsService.deleteContext({ context }),
  refusalOf: (context: number) => ContextsService.getContext({ context }).then(() => undefined!, (thrown) => thrown.body),
};
`;

/** kubb: functions; its own client answers errors as it answers values. */
const KUBB = `
import * as pmgate from './gen/index.ts';

const api = {
${members((name) => `pmgate.${name}`)}
  deleteContext: (context: number) => pmgate.deleteContext(context),
  refusalOf: async (context: number) => (await pmgate.getContext(context)) as unknown as { code: string; success: boolean },
};
`;

/** openapi-zod-client: one object, which holds every answer against its schema. */
const ZOD = `
import { createApiClient } from './api.js';

// axios writes lists as names[]=a unless it is told otherwise.
const client = createApiClient(process.argv[2]!, { axiosConfig: { paramsSerializer: { indexes: null } } });
const api = {
${members((name) => {
  const type = `NonNullable<Parameters<typeof client.${name}>[NUMBER]>['queries']`;
  return name === 'deriveMetrics'
    ? `(queries: ${type.replace('NUMBER', '1')}) => client.${name}(undefined, { queries: queries! })`
    : `(queries: ${type.replace('NUMBER', '0')}) => client.${name}({ queries: queries! })`;
})}
  deleteContext: (context: number) => client.deleteContext(undefined, { params: { context } }),
  refusalOf: (context: number) => client.getContext({ params: { context } }).then(() => undefined!, (thrown) => thrown.response.data),
};
`;

const ORVAL_SETTINGS = {
  pmgate: { input: './openapi.yaml', output: { target: './pmgate.ts', client: 'fetch', baseUrl: 'ADDRESS' } },
};
const KUBB_SETTINGS = `
import { defineConfig } from '@kubb/core';
import { pluginOas } from '@kubb/plugin-oas';
import { pluginTs } from '@kubb/plugin-ts';
import { pluginClient } from '@kubb/plugin-client';

export default defineConfig({
  input: { path: './openapi.yaml' },
  output: { path: './gen', format: false },
  plugins: [pluginOas(), pluginTs(), pluginClient({ client: 'fetch', baseURL: 'ADDRESS' })],
});
`;

if (node === undefined) console.warn(`Not tried: generators that want Node ${OLDEST_RELEASE}, without NODE_RELEASES`);

(node === undefined ? describe.skip : describe)('a generated client', () => {
  let api: Api;
  let tools: string;
  const clients: GeneratedClient[] = [];
  const begin = async (program: string): Promise<GeneratedClient> => {
    const client = await GeneratedClient.begin(program);
    clients.push(client);
    return client;
  };
  beforeAll(async () => {
    api = await Api.start();
    tools = await mkdtemp(path.join(tmpdir(), 'pmgate-generators-'));
    await cp('test/install/generators', tools, { recursive: true });
    // npm goes by the Node that it runs on; the generators run on another one.
    await run('npm', ['ci', '--engine-strict=false', '--ignore-scripts'], { cwd: tools });
  });
  afterAll(async () => {
    await api.stop();
    await Promise.all([rm(tools, { recursive: true }), ...clients.map((client) => client.end())]);
  });

  const cases: readonly {
    readonly name: string;
    readonly program: string;
    /** The directory of its packages, whose commands run on the newer Node, too. */
    readonly files: Readonly<Record<string, string>>;
    readonly command: readonly string[];
  }[] = [
    {
      name: 'orval',
      program: ORVAL,
      files: { 'orval.config.mjs': `export default ${JSON.stringify(ORVAL_SETTINGS)};\n` },
      command: ['orval', '--config', 'orval.config.mjs'],
    },
    {
      name: 'orval 7',
      program: ORVAL,
      files: { 'orval.config.cjs': `module.exports = ${JSON.stringify(ORVAL_SETTINGS)};\n` },
      command: ['../orval-7/dist/bin/orval.js', '--config', 'orval.config.cjs'],
    },
    {
      name: '@hey-api/openapi-ts',
      program: HEY_API,
      // Node wants whole file names in imports.
      files: {
        'openapi-ts.config.mjs': `export default { input: './openapi.yaml', output: { path: './sdk', module: { extension: '.js' } } };\n`,
      },
      command: ['openapi-ts', '-f', 'openapi-ts.config.mjs'],
    },
    { name: 'oazapfts', program: OAZAPFTS, files: {}, command: ['oazapfts', 'openapi.yaml', 'api.ts'] },
    {
      name: 'openapi-typescript-codegen',
      program: CODEGEN,
      files: {},
      command: ['openapi', '--input', 'openapi.yaml', '--output', 'sdk', '--useOptions'],
    },
    {
      name: 'kubb',
      program: KUBB,
      files: { 'kubb.config.mjs': KUBB_SETTINGS },
      command: ['kubb', 'generate', '--config', 'kubb.config.mjs'],
    },
    {
      name: 'openapi-zod-client',
      program: ZOD,
      files: {},
      command: ['openapi-zod-client', 'openapi.yaml', '-o', 'api.ts'],
    },
  ];

  it.each(cases)(
    'of $name compiles strictly and gets answers',
    async ({ program, files, command: [tool, ...parameters] }) => {
      const client = await begin(program);
      await symlink(path.join(tools, 'node_modules'), path.join(client.directory, 'node_modules'));
      for (const [file, text] of Object.entries(files)) await client.write(file, text.replaceAll('ADDRESS', api.url));
      await client.run(node!, path.join(tools, 'node_modules/.bin', tool!), ...parameters);
      expect(await client.compile()).toBe('');
      expect(await client.roundTrip(api.url)).toEqual(ROUND_TRIP);
    },
  );
});
