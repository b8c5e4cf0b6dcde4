/**
 * Makes what the package runs of what TypeScript made of our modules, for loading hundreds of small files takes twice as long:
 * dist/pmgate-all.cjs, the program and the library as one script, whose compiled form can be kept; dist/pmgate.js (src/start.ts), which runs it;
 * dist/pmgate-library.js and dist/pmgate-client.js. All packages are put in, so that nothing is installed beside them. Modules that are imported only
 * when they are wanted are run only then. `import.meta.url` keeps the meaning that it had in each module, so that files of the package are found.
 * Beside them lie their types (.d.ts), one file for each entry. dist/.inputs.json tells notices.js which packages are in; Swagger UI comes with
 * build-guide.js.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { minify } from '@swc/core';
import { build, transform } from 'esbuild';
import { checksOf, numberedSchemas } from './bundle-viewer.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const DIST = path.join(ROOT, 'dist');

/** What `import.meta.url` is in a script. */
const MODULE_URL = 'const MODULE_URL=require("node:url").pathToFileURL(__filename).href;';

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

/** Of the types of files, which Express brings all with it, those that we serve. */
const fewTypes = {
  name: 'few-types',
  setup(bundler) {
    bundler.onLoad({ filter: /\/mime-db\/db\.json$/ }, async ({ path: file }) => {
      const types = Object.entries(JSON.parse(await readFile(file, 'utf8')));
      const ours = types.filter(([type]) => /^(text|image|font)\/|^application\/(json|yaml|octet-stream)$/.test(type));
      return { contents: JSON.stringify(Object.fromEntries(ours)), loader: 'json' };
    });
  },
};

/** Checks of parameters are compiled here: ajv would take some 20 ms for those of the first request. */
const compiledChecks = {
  name: 'compiled-checks',
  setup(bundler) {
    const { document, schemas } = numberedSchemas();
    bundler.onLoad({ filter: /[\\/]openapi-document\.generated\.js$/ }, () => ({
      contents: `export const COMPAT_JSON = ${JSON.stringify(JSON.stringify(document))}`,
    }));
    bundler.onLoad({ filter: /[\\/]compile-schema\.js$/ }, async ({ path: file }) => {
      const [before, after, ...more] = (await readFile(file, 'utf8')).split('parameterCompiler().compile(schema)');
      if (after === undefined || more.length > 0) throw new Error(`${file} compiles schemas elsewhere than here`);
      return { contents: `${before}CHECKS[schema['x-check']]${after}\n${checksOf(schemas)}`, loader: 'js' };
    });
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
  target: 'node20',
  absWorkingDir: ROOT,
  logLevel: 'warning',
};

// Those of the last build.
for (const file of readdirSync(DIST)) {
  if (/^pmgate.*\.c?js$/.test(file)) rmSync(path.join(DIST, file));
}

const program = await build({
  ...COMMON,
  // esbuild would keep names by defining the property of each function when it starts: a tenth of that time, and 2 MB.
  keepNames: false,
  minifyIdentifiers: false,
  platform: 'node',
  format: 'cjs',
  write: false,
  stdin: {
    contents: `export const program = () => import('./main.js'); export const library = () => require('./index.js');`,
    resolveDir: DIST,
  },
  define: { 'import.meta.url': 'MODULE_URL' },
  banner: { js: MODULE_URL },
  plugins: [compiledChecks, keepModuleUrls, withoutBodies, fewTypes],
});
const mangled = await minify(program.outputFiles[0].text, {
  compress: false,
  mangle: { keep_fnames: true, keep_classnames: true },
  module: false,
});
const { code } = await transform(mangled.code, {
  minifyWhitespace: true,
  lineLimit: COMMON.lineLimit,
  target: COMMON.target,
});
// Regular expressions are left as they were written: V8 needs twice the memory for a file with any character beyond Latin-1.
const script = code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
writeFileSync(path.join(DIST, 'pmgate-all.cjs'), script);
await build({
  ...COMMON,
  platform: 'node',
  format: 'esm',
  entryPoints: [path.join(DIST, 'start.js')],
  outfile: path.join(DIST, 'pmgate.js'),
  define: { BUILD: JSON.stringify(createHash('sha256').update(script).digest('hex').slice(0, 16)) },
});
const names = Object.keys(await import(path.join(DIST, 'index.js')));
writeFileSync(
  path.join(DIST, 'pmgate-library.js'),
  `import all from './pmgate-all.cjs';\nexport const { ${names.join(', ')} } = all.library();\n`,
);
// For browsers, too: nothing of Node.
const client = await build({
  ...COMMON,
  platform: 'neutral',
  format: 'esm',
  entryPoints: [path.join(DIST, 'client/index.js')],
  outfile: path.join(DIST, 'pmgate-client.js'),
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
