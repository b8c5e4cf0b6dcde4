import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { rows } from './rows.js';

const run = promisify(execFile);

/**
 * Twelve calls, by the functions of `api`: one for each operation, which takes the parameters of the query, or the context where that is in
 * the path. A generator's program defines `api` before.
 */
const TWELVE_CALLS = `
const made = await api.createContext({ hostspec: 'web1', polltimeout: 20 });
if (!('kind' in made)) throw new Error('no context');
const { context } = made;
const metadata = await api.describeMetrics({ context, names: ['kernel.all.load', 'no.such'] });
const valuesOf = async (query: Parameters<typeof api.fetchValues>[0]) => {
  const answer = await api.fetchValues(query);
  if (typeof answer !== 'object' || !('values' in answer)) throw new Error('a range was not asked for');
  return answer.values.map(({ name, instances }) => [name, instances.map(({ value }) => value)]);
};
const fetched = await valuesOf({ context, names: ['kernel.all.load', 'mem.util.free'] });
const chosen = await valuesOf({ names: ['kernel.all.load'], instance: [1, 5] });
const indom = await api.listInstances({ context, name: 'kernel.all.load', iname: ['1 minute', '5 minute'] });
const children = await api.listChildren({ context, prefix: 'kernel.all' });
const check = await api.checkExpression({ expr: '100 * mem.util.free', context });
const defined = await api.deriveMetrics({ context, name: 'my.free', expr: '2 * mem.util.free' });
await api.changeProfile({ context, expr: 'add', name: 'kernel.all.load', instance: [15] });
const changed = await valuesOf({ context, names: ['my.free', 'kernel.all.load'] });
await api.deleteContext(context);
const { code, success } = await api.refusalOf(context);

console.log(
  JSON.stringify({
    kind: made.kind,
    types: 'metrics' in metadata && metadata.metrics.map((metric) => ('type' in metric ? metric.type : metric.message)),
    fetched,
    chosen,
    instances: 'instances' in indom && indom.instances.map(({ name }) => name),
    children: 'leaf' in children && children.leaf,
    check: 'ok' in check && [check.ok, check.metadata?.units],
    derived: 'success' in defined && defined.success,
    changed,
    refusal: [code, success],
  }),
);
`;

/** What the twelve calls print. The values are those of `memoryGateway()`. */
export const ROUND_TRIP = {
  kind: 'local',
  types: ['float', 'Unknown metric name'],
  fetched: rows(['kernel.all.load', [0.51, 0.21, 0.07]], ['mem.util.free', [23987772]]),
  chosen: [['kernel.all.load', [0.51, 0.21]]],
  instances: ['1 minute', '5 minute'],
  children: ['load', 'sysfork'],
  check: [true, 'Kbyte'],
  derived: true,
  changed: rows(['my.free', [47975544]], ['kernel.all.load', [0.07]]),
  refusal: ['UNKNOWN_CONTEXT', false],
};

const TSCONFIG = {
  compilerOptions: {
    strict: true,
    target: 'es2022',
    lib: ['es2022', 'dom', 'dom.iterable'],
    module: 'esnext',
    // Some generators write imports with `.ts`, or without any extension.
    moduleResolution: 'bundler',
    allowImportingTsExtensions: true,
    types: [],
    skipLibCheck: true,
    noEmit: true,
  },
  include: ['**/*.ts'],
};

/** A directory in which a generator makes its client of openapi.yaml, and a program that uses it. */
export class GeneratedClient {
  readonly directory: string;

  private constructor(directory: string) {
    this.directory = directory;
  }

  /** @param api the TypeScript that defines `api`: it is told the address of the gateway in `process.argv` */
  static async begin(api: string): Promise<GeneratedClient> {
    const client = new GeneratedClient(await mkdtemp(path.join(tmpdir(), 'pmgate-sdk-')));
    await copyFile('openapi.yaml', path.join(client.directory, 'openapi.yaml'));
    await client.write('package.json', '{ "type": "module" }');
    await client.write('tsconfig.json', JSON.stringify(TSCONFIG));
    await client.write(
      'round-trip.ts',
      `declare const process: { readonly argv: readonly string[] };\n${api}${TWELVE_CALLS}`,
    );
    return client;
  }

  write(file: string, text: string): Promise<void> {
    return writeFile(path.join(this.directory, file), text);
  }

  async run(command: string, ...parameters: readonly string[]): Promise<string> {
    return (await run(command, parameters, { cwd: this.directory })).stdout;
  }

  async compile(): Promise<string> {
    // tsc writes what is wrong to its standard output, which only a failure has.
    return this.run(path.resolve('node_modules/.bin/tsc'), '-p', '.').catch((error: unknown) => {
      return (error as { readonly stdout: string }).stdout;
    });
  }

  async roundTrip(address: string): Promise<unknown> {
    return JSON.parse(await this.run(path.resolve('node_modules/.bin/tsx'), 'round-trip.ts', address));
  }

  end(): Promise<void> {
    return rm(this.directory, { recursive: true });
  }
}
