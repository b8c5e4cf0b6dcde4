import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { openRegistry } from '../support/derived-api.js';
import { Api } from '../support/api.js';
import { type ArchiveApi, archiveApi } from '../support/archive-gateway.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const run = promisify(execFile);
const README = path.resolve('src/client/README.md');

/** Runs the samples one after another, and prints what each of them printed. */
const RUNNER = `
import { formatWithOptions } from 'node:util';

const printed: string[][] = [];
console.log = (...parts: unknown[]) => {
  printed.at(-1)!.push(formatWithOptions({ breakLength: Infinity }, ...parts));
};
for (const sample of process.argv.slice(2)) {
  printed.push([]);
  await import(sample);
}
process.stdout.write(JSON.stringify(printed));
`;

/** A sample of the README, and what its comments say that it prints. */
interface Sample {
  readonly code: string;
  readonly prints: string;
}

async function samples(): Promise<readonly Sample[]> {
  const text = await readFile(README, 'utf8');
  return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => ({
    code,
    prints: [...code.matchAll(/console\.log\(.*\)[;,] \/\/ (.*)$/gm)].map(([, comment]) => comment).join(', '),
  }));
}

describe('src/client/README.md', () => {
  let served: ArchiveApi;
  let api: Api;
  const directory = temporaryDirectory().path;
  beforeAll(async () => {
    const derived = await openRegistry(directory);
    served = await archiveApi({ definitions: derived.store });
    const { gateway, options } = served.api;
    api = await Api.start(gateway, { ...options.directories, derived });
  });
  afterAll(async () => {
    expect(api.defects).toEqual([]);
    await api.stop();
    await served.stop();
  });

  it('has samples that compile and print what they say', async () => {
    const written = await samples();
    expect(written.length).toBeGreaterThan(6);
    const client = path.resolve('src/client/index.js');
    const files = written.map((_, i) => path.join(directory, `sample-${i}.ts`));
    for (const [i, { code }] of written.entries()) {
      expect(code).toContain("from 'pmgate/client'");
      const here = code.replace("'pmgate/client'", `'${client}'`).replace('http://localhost:44322', api.url);
      await writeFile(files[i]!, here);
    }
    await writeFile(path.join(directory, 'run.ts'), RUNNER);
    await writeFile(path.join(directory, 'package.json'), '{ "type": "module" }');
    const tsconfig = {
      extends: path.resolve('tsconfig.json'),
      compilerOptions: { types: ['node'], typeRoots: [path.resolve('node_modules/@types')] },
      include: ['*.ts'],
    };
    await writeFile(path.join(directory, 'tsconfig.json'), JSON.stringify(tsconfig));
    const { stdout: problems } = await run(path.resolve('node_modules/.bin/tsc'), ['-p', directory]).catch(
      (error: unknown) => error as { stdout: string },
    );
    expect(problems).toBe('');
    const { stdout } = await run(path.resolve('node_modules/.bin/tsx'), [path.join(directory, 'run.ts'), ...files]);
    const printed = JSON.parse(stdout) as readonly (readonly string[])[];
    expect(printed.map((lines) => lines.join(', '))).toEqual(written.map(({ prints }) => prints));
    // Two programs run one after another; on a busy machine they take their time.
  });
});
