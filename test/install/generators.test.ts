/**
 * Clients of the generators that need a newer Node than the gateway: loaded from the registry, made of openapi.yaml, compiled and used.
 * NODE_RELEASES is a directory with further releases of Node, `RELEASE/bin/node` each; .ci/run makes it.
 */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
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

/** orval: functions, whose address is settled when they are made. */
const ORVAL = `
import * as pmgate from './pmgate.js';

const { data: made } = await pmgate.contextPost({ hostspec: 'web1', polltimeout: 20 });
if (!('kind' in made)) throw new Error(made.message);
const { context } = made;
const { data: metadata } = await pmgate.metricInContext(context, { names: ['kernel.all.load', 'no.such'] });
const names = ['kernel.all.load', 'mem.util.free'];
const { data: fetched } = await pmgate.fetchValuesInContext(context, { names });
if (typeof fetched === 'string' || !('values' in fetched)) throw new Error('a range was not asked for');
const { data: chosen } = await pmgate.fetchValues({ names: ['kernel.all.load'], instance: [1, 5] });
const { data: posted } = await pmgate.fetchValuesInContextPost(context, { names });
const { data: indom } = await pmgate.indomInContext(context, { name: 'kernel.all.load', iname: ['1 minute', '5 minute'] });
const { data: children } = await pmgate.childrenInContext(context, { prefix: 'kernel.all' });
const { data: check } = await pmgate.derivedCheckPost({ expr: '100 * mem.util.free', context });
await pmgate.destroyContext(context);
const { data: refusal } = await pmgate.describeContext(context);

console.log(
  JSON.stringify({
    kind: made.kind,
    types: 'metrics' in metadata && metadata.metrics.map((metric) => ('type' in metric ? metric.type : metric.message)),
    fetched: fetched.values.map(({ name, instances }) => [name, instances.map(({ value }) => value)]),
    chosen: typeof chosen === 'object' && 'values' in chosen && chosen.values[0]!.instances.map(({ value }) => value),
    posted: typeof posted === 'object' && 'values' in posted && posted.values.map(({ name }) => name),
    instances: 'instances' in indom && indom.instances.map(({ name }) => name),
    children: 'leaf' in children && children.leaf,
    check: 'ok' in check && [check.ok, check.metadata?.units],
    refusal: 'code' in refusal && [refusal.code, refusal.success],
  }),
);
`;

/** @hey-api/openapi-ts: functions that take the parts of a request by name, and repeat lists in a query. */
const HEY_API = `
import * as pmgate from './sdk/index.js';
import { client } from './sdk/client.gen.js';

declare const process: { readonly argv: readonly string[] };

client.setConfig({ baseUrl: process.argv[2]!, throwOnError: true });

const { data: made } = await pmgate.contextPost<true>({ body: { hostspec: 'web1', polltimeout: 20 } });
const path = { context: made.context };
const { data: metadata } = await pmgate.metricInContext<true>({ path, query: { names: ['kernel.all.load', 'no.such'] } });
const names = ['kernel.all.load', 'mem.util.free'];
const { data: fetched } = await pmgate.fetchValuesInContext<true>({ path, query: { names } });
if (typeof fetched === 'string' || !('values' in fetched)) throw new Error('a range was not asked for');
const { data: chosen } = await pmgate.fetchValues<true>({ query: { names: ['kernel.all.load'], instance: [1, 5] } });
const { data: posted } = await pmgate.fetchValuesInContextPost<true>({ path, body: { names } });
const { data: indom } = await pmgate.indomInContext<true>({
  path,
  query: { name: 'kernel.all.load', iname: ['1 minute', '5 minute'] },
});
const { data: children } = await pmgate.childrenInContext<true>({ path, query: { prefix: 'kernel.all' } });
const { data: check } = await pmgate.derivedCheckPost<true>({ body: { expr: '100 * mem.util.free', ...path } });
await pmgate.destroyContext<true>({ path });
const { error: refusal } = await pmgate.describeContext({ path, throwOnError: false });

console.log(
  JSON.stringify({
    kind: made.kind,
    types: 'metrics' in metadata && metadata.metrics.map((metric) => ('type' in metric ? metric.type : metric.message)),
    fetched: fetched.values.map(({ name, instances }) => [name, instances.map(({ value }) => value)]),
    chosen: typeof chosen === 'object' && 'values' in chosen && chosen.values[0]!.instances.map(({ value }) => value),
    posted: typeof posted === 'object' && 'values' in posted && posted.values.map(({ name }) => name),
    instances: indom.instances.map(({ name }) => name),
    children: children.leaf,
    check: [check.ok, check.metadata?.units],
    refusal: [refusal!.code, refusal!.success],
  }),
);
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

  it('of orval compiles strictly and gets answers', async () => {
    const client = await begin(ORVAL);
    const output = { target: './pmgate.ts', client: 'fetch', baseUrl: api.url };
    const settings = { pmgate: { input: './openapi.yaml', output } };
    await client.write('orval.config.mjs', `export default ${JSON.stringify(settings)};\n`);
    await client.run(node!, path.join(tools, 'node_modules/.bin/orval'), '--config', 'orval.config.mjs');
    expect(await client.compile()).toBe('');
    expect(await client.roundTrip(api.url)).toEqual(ROUND_TRIP);
  });

  it('of @hey-api/openapi-ts compiles strictly and gets answers', async () => {
    const client = await begin(HEY_API);
    // Node wants whole file names in imports.
    const settings = { input: './openapi.yaml', output: { path: './sdk', module: { extension: '.js' } } };
    await client.write('openapi-ts.config.mjs', `export default ${JSON.stringify(settings)};\n`);
    await client.run(node!, path.join(tools, 'node_modules/.bin/openapi-ts'), '-f', 'openapi-ts.config.mjs');
    expect(await client.compile()).toBe('');
    expect(await client.roundTrip(api.url)).toEqual(ROUND_TRIP);
  });
});
