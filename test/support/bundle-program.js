/**
 * bundle-program.js DIRECTORY ENTRY: make a script in DIRECTORY of a module and all that it imports. It starts in a third of the time that loading
 * each module takes, which counts for suites that start it many times. A script of its own, as esbuild does not run inside jest.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const keepModuleUrls = {
  name: 'keep-module-urls',
  setup(bundler) {
    bundler.onLoad({ filter: /\/src\/.*\.ts$/ }, async ({ path: file }) => {
      const text = await readFile(file, 'utf8');
      return { contents: text.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(file).href)), loader: 'ts' };
    });
  },
};

await build({
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  splitting: true,
  entryPoints: [process.argv[3]],
  outdir: path.resolve(process.argv[2]),
  // For packages that are CommonJS.
  banner: {
    js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);",
  },
  plugins: [keepModuleUrls],
  logLevel: 'warning',
});
