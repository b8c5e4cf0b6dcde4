/**
 * Makes what the package runs of what TypeScript made of our modules, for loading hundreds of small files takes twice as long:
 * dist/pmgate.js (the program), dist/pmgate-library.js and dist/pmgate-client.js, and dist/pmgate-*.js, which hold what is imported only
 * when it is wanted. All packages are put in, so that nothing is installed beside them. `import.meta.url` keeps the meaning that it had in
 * each module, so that files of the package are found from either. Beside them lie their types (.d.ts), one file for each entry.
 * dist/.inputs.json tells notices.js which packages are in; Swagger UI comes with build-guide.js.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'esbuild';

const ROOT = path.resolve(import.meta.dirname, '../..');
const DIST = path.join(ROOT, 'dist');

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

/** Parts of Express that we never call: they are half a megabyte of character sets. */
const withoutBodies = {
  name: 'without-bodies',
  setup(bundler) {
    bundler.onResolve({ filter: /^(body-parser|serve-static)$/ }, ({ path: name }) => ({
      path: name,
      namespace: 'unused',
    }));
    bundler.onLoad({ filter: /.*/, namespace: 'unused' }, () => ({ contents: 'module.exports = {}' }));
  },
};

const COMMON = {
  bundle: true,
  metafile: true,
  // Names stay, and lines are short, for the traces of errors: Node shows the line that threw.
  minifySyntax: true,
  minifyWhitespace: true,
  minifyIdentifiers: true,
  keepNames: true,
  lineLimit: 160,
  format: 'esm',
  target: 'node20',
  outdir: DIST,
  absWorkingDir: ROOT,
  logLevel: 'warning',
};

// Names hold a hash of the content: those of the last build would stay.
for (const file of readdirSync(DIST)) {
  if (/^pmgate-.*\.js$/.test(file)) rmSync(path.join(DIST, file));
}

const program = await build({
  ...COMMON,
  platform: 'node',
  splitting: true,
  entryPoints: { pmgate: path.join(DIST, 'main.js'), 'pmgate-library': path.join(DIST, 'index.js') },
  chunkNames: 'pmgate-[hash]',
  banner: { js: REQUIRE },
  plugins: [keepModuleUrls, withoutBodies],
});
// For browsers, too: nothing of Node.
const client = await build({
  ...COMMON,
  platform: 'neutral',
  entryPoints: { 'pmgate-client': path.join(DIST, 'client/index.js') },
});

for (const [entry, types, inlined] of [
  ['index', 'pmgate-library', []],
  ['client/index', 'pmgate-client', ['--external-inlines', 'openapi-fetch', 'openapi-typescript-helpers']],
]) {
  execFileSync(
    path.join(ROOT, 'node_modules/.bin/dts-bundle-generator'),
    [
      ...['--silent', '--no-check', '--no-banner', '--export-referenced-types', 'false'],
      ...['--project', 'config/tooling/tsconfig.build.json'],
      ...[...inlined, '-o', `dist/${types}.d.ts`, `dist/${entry}.d.ts`],
    ],
    { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] },
  );
}

const EXPLORER = ['swagger-ui-bundle.js', 'swagger-ui.css'].map((file) => `node_modules/swagger-ui-dist/${file}`);

const inputs = [program, client].flatMap(({ metafile }) => Object.keys(metafile.inputs));
writeFileSync(path.join(DIST, '.inputs.json'), JSON.stringify([...inputs, ...EXPLORER]));
