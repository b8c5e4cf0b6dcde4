import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * What the round trip of each generator prints: a context that is made, lists asked for with GET and with POST, a dry run, and an error.
 * The values are those of `memoryGateway()`.
 */
export const ROUND_TRIP = {
  kind: 'local',
  types: ['float', 'Unknown metric name'],
  fetched: [
    ['kernel.all.load', [0.51, 0.21, 0.07]],
    ['mem.util.free', [23987772]],
  ],
  chosen: [0.51, 0.21],
  posted: ['kernel.all.load', 'mem.util.free'],
  instances: ['1 minute', '5 minute'],
  children: ['load', 'sysfork'],
  check: [true, 'Kbyte'],
  refusal: ['UNKNOWN_CONTEXT', false],
};

const TSCONFIG = {
  compilerOptions: {
    strict: true,
    target: 'es2022',
    lib: ['es2022', 'dom', 'dom.iterable'],
    module: 'nodenext',
    moduleResolution: 'nodenext',
    types: [],
    skipLibCheck: true,
    rootDir: '.',
    outDir: 'out',
  },
  include: ['**/*.ts'],
};

/** A directory in which a generator makes its client of openapi.yaml, and a program that uses it. */
export class GeneratedClient {
  readonly directory: string;

  private constructor(directory: string) {
    this.directory = directory;
  }

  /** `program` is TypeScript: it is told the address of the gateway, and prints {@link ROUND_TRIP} as JSON. */
  static async begin(program: string): Promise<GeneratedClient> {
    const client = new GeneratedClient(await mkdtemp(path.join(tmpdir(), 'pmgate-sdk-')));
    await copyFile('openapi.yaml', path.join(client.directory, 'openapi.yaml'));
    await client.write('package.json', '{ "type": "module" }');
    await client.write('tsconfig.json', JSON.stringify(TSCONFIG));
    await client.write('round-trip.ts', program);
    return client;
  }

  write(file: string, text: string): Promise<void> {
    return writeFile(path.join(this.directory, file), text);
  }

  /** Run a command in the directory. */
  async run(command: string, ...parameters: readonly string[]): Promise<string> {
    return (await run(command, parameters, { cwd: this.directory })).stdout;
  }

  /** What the compiler complains of, strict as it is. */
  async compile(): Promise<string> {
    // tsc writes what is wrong to its standard output, which only a failure has.
    return this.run(path.resolve('node_modules/.bin/tsc'), '-p', '.').catch((error: unknown) => {
      return (error as { readonly stdout: string }).stdout;
    });
  }

  /** What the program prints. */
  async roundTrip(address: string): Promise<unknown> {
    return JSON.parse(await this.run(process.execPath, 'out/round-trip.js', address));
  }

  end(): Promise<void> {
    return rm(this.directory, { recursive: true });
  }
}
