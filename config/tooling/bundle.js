/**
 * Makes the program of what TypeScript made of our modules, for loading hundreds of small files takes twice as long: dist/pmgate.js and
 * dist/pmgate-*.js, which hold what is imported only when it is wanted. Packages are put in as well, but for those that find files of
 * their own at run time, or start threads with them. `import.meta.url` keeps the meaning that it had in each module, so that files of the
 * package are found from either.
 */
import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'esbuild';

const DIST = path.resolve(import.meta.dirname, '../../dist');

/** Packages that stay outside. */
const OUTSIDE = ['pino', 'pino-pretty', 'swagger-ui-dist'];

/** What packages that are CommonJS take for granted. */
const REQUIRE =
  "import { createRequire as createRequireHere } from 'node:module'; const require = createRequireHere(import.meta.url);";

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

// Names hold a hash of the content: those of the last build would stay.
for (const file of await readdir(DIST)) {
  if (/^pmgate-.*\.js$/.test(file)) await rm(path.join(DIST, file));
}

await build({
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  splitting: true,
  entryPoints: { pmgate: path.join(DIST, 'main.js') },
  outdir: DIST,
  chunkNames: 'pmgate-[hash]',
  banner: { js: REQUIRE },
  external: OUTSIDE,
  plugins: [keepModuleUrls],
  logLevel: 'warning',
});
