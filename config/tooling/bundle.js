/**
 * Makes the program of what TypeScript made of our modules: loading three hundred small files takes longer than everything else at the
 * start. dist/pmgate.js and dist/pmgate-*.js hold dist/main.js and the sub-commands; what is imported only when it is wanted has files of
 * its own. What serves is dist/pmgate-serve-*.cjs, beside it what V8 makes of that file, which V8 would make anew at each start.
 * Packages are put in as well, but for those that find files of their own at run time, or start threads with them. `import.meta.url`
 * keeps the meaning that it had in each module, so that files of the package are found from either.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import v8 from 'node:v8';
import { Script } from 'node:vm';
import { Ajv2020 } from 'ajv/dist/2020.js';
import standaloneCode from 'ajv/dist/standalone/index.js';
import { build } from 'esbuild';
import { AJV_OPTIONS } from '../../dist/config/schema-validator.js';

const DIST = path.resolve(import.meta.dirname, '../../dist');
/** What loads the code that serves: the one file that is not of dist/, and belongs there. */
const LOADER = path.join(import.meta.dirname, 'load-compiled.js');
const SCHEMA = path.resolve(import.meta.dirname, '../pmgate.schema.json');

/** Packages that stay outside. */
const OUTSIDE = ['pino', 'pino-pretty', 'swagger-ui-dist'];

const COMMON = { bundle: true, platform: 'node', target: 'node20', external: OUTSIDE, logLevel: 'warning' };

/** What packages that are CommonJS take for granted. */
const REQUIRE =
  "import { createRequire as createRequireHere } from 'node:module'; const require = createRequireHere(import.meta.url);";

/** @param here the expression for the URL of the file that the modules are put into */
const keepModuleUrls = (here) => ({
  name: 'keep-module-urls',
  setup(bundler) {
    bundler.onLoad({ filter: /\.js$/ }, async ({ path: file }) => {
      if (file === LOADER) return undefined;
      const text = await readFile(file, 'utf8');
      const place = JSON.stringify(`./${path.relative(DIST, file)}`);
      return { contents: text.replaceAll('import.meta.url', `new URL(${place}, ${here}).href`), loader: 'js' };
    });
  },
});

/** The check of the configuration as code: making it anew takes a tenth of the start. */
const compiledConfigCheck = {
  name: 'compiled-config-check',
  setup(bundler) {
    bundler.onLoad({ filter: /[/\\]dist[/\\]config[/\\]schema-validator\.js$/ }, async ({ path: file }) => {
      const ajv = new Ajv2020({ ...AJV_OPTIONS, code: { ...AJV_OPTIONS.code, source: true, esm: true } });
      const code = standaloneCode.default(ajv, ajv.compile(JSON.parse(await readFile(SCHEMA, 'utf8'))));
      const contents = `${code}\nexport const schemaValidator = () => validate;\n`;
      return { contents, loader: 'js', resolveDir: path.dirname(file) };
    });
  },
};

/** Express loads its parsers of bodies, and they half a megabyte of tables; http/read-body.ts reads all bodies here. */
const withoutBodyParsers = {
  name: 'without-body-parsers',
  setup(bundler) {
    bundler.onLoad({ filter: /[/\\]node_modules[/\\]body-parser[/\\]index\.js$/ }, () => ({ contents: '' }));
  },
};

/** What serves, and what V8 makes of it: the names of both files, which hold a hash as V8 looks only at the length of what it was made of. */
async function bundleServing() {
  const {
    outputFiles: [{ text }],
  } = await build({
    ...COMMON,
    stdin: {
      contents: "export * from './serve.js'; export { checkConfig, configFile, placeOf } from './read-config.js';",
      resolveDir: DIST,
    },
    write: false,
    format: 'cjs',
    plugins: [compiledConfigCheck, withoutBodyParsers, keepModuleUrls('moduleUrl')],
  });
  const moduleUrl = "const moduleUrl = require('node:url').pathToFileURL(__filename).href;";
  const code = `(function (exports, require, module, __filename, __dirname) {${moduleUrl}${text}\n})`;
  const name = `pmgate-serve-${createHash('sha256').update(code).digest('hex').slice(0, 8).toUpperCase()}`;
  await writeFile(path.join(DIST, `${name}.cjs`), code);
  await writeFile(path.join(DIST, `${name}.cache`), compiled(code));
  return { CODE_FILE: JSON.stringify(`./${name}.cjs`), CACHE_FILE: JSON.stringify(`./${name}.cache`) };
}

/** All of the code as V8 wants it, not only what is run at once. */
function compiled(code) {
  v8.setFlagsFromString('--no-lazy');
  const script = new Script(code);
  // What it is made for says which flags were set.
  v8.setFlagsFromString('--lazy');
  return script.createCachedData();
}

/** The modules that serve are those of {@link bundleServing}. */
const loadServing = {
  name: 'load-serving',
  setup(bundler) {
    bundler.onResolve({ filter: /^\.\/(serve|read-config)\.js$/ }, () => ({ path: LOADER }));
  },
};

// Names hold a hash of the content: those of the last build would stay.
for (const file of await readdir(DIST)) {
  if (/^pmgate-.*\.(js|cjs|cache)$/.test(file)) await rm(path.join(DIST, file));
}

const define = await bundleServing();
await build({
  ...COMMON,
  entryPoints: { pmgate: path.join(DIST, 'main.js') },
  outdir: DIST,
  chunkNames: 'pmgate-[hash]',
  splitting: true,
  format: 'esm',
  banner: { js: REQUIRE },
  define,
  plugins: [loadServing, keepModuleUrls('import.meta.url')],
});
