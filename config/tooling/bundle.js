/**
 * Puts dist/main.js and all modules of ours that it imports into one file, dist/pmgate.js: loading three hundred small
 * files takes longer than everything else at the start. Packages stay outside. `import.meta.url` keeps the meaning that it
 * had in each module, so that files of the package are found from either.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'esbuild';

const DIST = path.resolve(import.meta.dirname, '../../dist');

const keepModuleUrls = {
  name: 'keep-module-urls',
  setup(bundler) {
    bundler.onLoad({ filter: /\.js$/ }, async ({ path: file }) => {
      const text = await readFile(file, 'utf8');
      const place = JSON.stringify(`./${path.relative(DIST, file)}`);
      return { contents: text.replaceAll('import.meta.url', `new URL(${place}, import.meta.url).href`), loader: 'js' };
    });
  },
};

await build({
  entryPoints: [path.join(DIST, 'main.js')],
  outfile: path.join(DIST, 'pmgate.js'),
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  packages: 'external',
  plugins: [keepModuleUrls],
  logLevel: 'warning',
});
