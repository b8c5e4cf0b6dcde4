import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { Api } from '../support/api.js';

/**
 * What a user of another generator writes, here of swagger-typescript-api: its own class of what openapi.yaml describes. It prints
 * what it got as JSON.
 */
const ROUND_TRIP = `
import { Api } from './api.js';
import type { DerivedCheck, Fetch } from './api.js';

declare const process: { readonly argv: readonly string[] };

const { pmapi, derived } = new Api({
  baseUrl: process.argv[2]!,
  baseApiParams: { format: 'json', headers: { 'Content-Type': 'application/json' } },
});

const { data: made } = await pmapi.contextPost({ hostspec: 'web1', polltimeout: 20 });
const context: number = made.context;
const { data: metadata } = await pmapi.metricInContext(context, { prefix: 'kernel.all.load,no.such' });
const { data: fetched } = await pmapi.fetchInContextPost(context, { names: ['kernel.all.load', 'mem.util.free'] });
if (!('values' in fetched)) throw new Error('a range was not asked for');
const sample: Fetch = fetched;
const { data: children } = await pmapi.childrenInContext(context, { prefix: 'kernel.all' });
const { data: check } = await derived.derivedCheckPost({ expr: '100 * mem.util.free', context });
const report: DerivedCheck = check;
await pmapi.destroyContext(context);
const refusal = await pmapi.describeContext(context).catch((thrown) => thrown.error);

const { log } = (globalThis as unknown as { console: { log(text: string): void } }).console;
log(
  JSON.stringify({
    kind: made.kind,
    types: metadata.metrics.map((metric) => ('type' in metric ? metric.type : metric.message)),
    values: sample.values.map(({ name, instances }) => [name, instances.map(({ value }) => value)]),
    children: children.leaf,
    check: [report.ok, report.metadata?.units],
    refusal: [refusal.code, refusal.success],
  }),
);
`;

const TSCONFIG = {
  compilerOptions: {
    strict: true,
    target: 'es2022',
    lib: ['es2022', 'dom', 'dom.iterable'],
    module: 'nodenext',
    moduleResolution: 'nodenext',
    types: [],
    skipLibCheck: true,
    outDir: 'out',
  },
  include: ['*.ts'],
};

const run = promisify(execFile);
const bin = (name: string): string => path.resolve('node_modules/.bin', name);

describe('another generator', () => {
  let api: Api;
  let directory: string;
  beforeAll(async () => {
    api = await Api.start();
    directory = await mkdtemp(path.join(tmpdir(), 'pmgate-sdk-'));
  });
  afterAll(async () => {
    await api.stop();
    await rm(directory, { recursive: true });
  });

  it('makes a client of openapi.yaml that compiles strictly and gets answers', async () => {
    const inside = { cwd: directory };
    await copyFile('openapi.yaml', path.join(directory, 'openapi.yaml'));
    await writeFile(path.join(directory, 'package.json'), '{ "type": "module" }');
    await writeFile(path.join(directory, 'tsconfig.json'), JSON.stringify(TSCONFIG));
    await writeFile(path.join(directory, 'round-trip.ts'), ROUND_TRIP);
    await run(bin('swagger-typescript-api'), ['generate', '-p', 'openapi.yaml', '-o', '.', '-n', 'api.ts'], inside);
    // tsc writes what is wrong to its standard output, which only a failure has.
    const { stdout: problems } = await run(bin('tsc'), ['-p', '.'], inside).catch((error: unknown) => {
      return error as { stdout: string };
    });
    expect(problems).toBe('');
    const { stdout } = await run(process.execPath, ['out/round-trip.js', api.url], inside);
    expect(JSON.parse(stdout)).toEqual({
      kind: 'local',
      types: ['float', 'Unknown metric name'],
      values: [
        ['kernel.all.load', [0.51, 0.21, 0.07]],
        ['mem.util.free', [23987772]],
      ],
      children: ['load', 'sysfork'],
      check: [true, 'Kbyte'],
      refusal: ['UNKNOWN_CONTEXT', false],
    });
    // Three programs run one after another; on a busy machine they take their time.
  }, 60_000);
});
