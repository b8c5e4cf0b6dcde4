import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import vm from 'node:vm';
import { build } from 'esbuild';
import { blobFile } from '../../../src/features/viewer/index.js';
import { answersAbout, type openGiven } from './page-program.js';
import { ArchiveBench } from '../../sources/archive/support.js';

const ARCHIVES = path.resolve('test/fixtures/archives');

/** The engine as a script of a page; fails to be built where it wants a module of Node. */
async function bundled(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [path.resolve('test/features/viewer/page-program.ts')],
    bundle: true,
    write: false,
    minify: true,
    platform: 'browser',
    format: 'iife',
    globalName: 'engine',
    logLevel: 'silent',
  });
  return outputFiles[0]!.text;
}

/** What pages have that the language does not: nothing of Node. */
const PAGE = {
  AbortController,
  crypto,
  MessageChannel,
  performance,
  queueMicrotask,
  setTimeout,
  TextDecoder,
  TextEncoder,
};

interface Engine {
  readonly openGiven: typeof openGiven;
  readonly answersAbout: typeof answersAbout;
}

function filesOf(...bases: readonly string[]): Map<string, Uint8Array> {
  const names = readdirSync(ARCHIVES).filter((name) =>
    bases.some((base) => new RegExp(`^${base}\\.(?!probe)`).test(name)),
  );
  return new Map(names.map((name) => [name, Uint8Array.from(readFileSync(path.join(ARCHIVES, name)))]));
}

describe('the engine in a page', () => {
  let engine: Engine;
  beforeAll(async () => {
    const page = vm.createContext({ ...PAGE });
    vm.runInContext(await bundled(), page);
    expect(vm.runInContext('[typeof Buffer, typeof process, typeof require, typeof setImmediate].join()', page)).toBe(
      'undefined,undefined,undefined,undefined',
    );
    engine = (page as { readonly engine: Engine }).engine;
  });

  it.each([[['live-v2']], [['live-v3']], [['live-v3', 'later-v3']]])(
    'says of %j in memory what it says in Node of the files',
    async (bases) => {
      const bench = new ArchiveBench();
      const expected = await answersAbout(await bench.open(...bases.map((base) => path.join(ARCHIVES, base))));
      const answers = await engine.answersAbout(await engine.openGiven(filesOf(...bases)));
      expect(answers.split('\n')).toEqual(expected.split('\n'));
      expect(expected).toContain('given.busy');
      expect(expected.length).toBeGreaterThan(10_000);
    },
  );
});

describe('a file that is opened in a page', () => {
  it('is read where bytes are wanted', async () => {
    const file = blobFile('a', new Blob([Uint8Array.of(1, 2, 3), Uint8Array.of(4)]));
    expect([file.name, file.size]).toEqual(['a', 4]);
    expect(await file.read(1, 2)).toEqual(Uint8Array.of(2, 3));
    expect(await file.read(3, 10)).toEqual(Uint8Array.of(4));
  });

  it('has been replaced when the browser cannot read it any more', async () => {
    const gone = { size: 4, slice: () => ({ arrayBuffer: () => Promise.reject(new Error('NotReadableError')) }) };
    await expect(blobFile('a', gone as unknown as Blob).read(0, 4)).rejects.toMatchObject({ pmErr: -116 });
  });
});
