import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import standaloneCode from 'ajv/dist/standalone/index.js';
import { build } from 'esbuild';
import { parse } from 'yaml';

const ROOT = path.resolve(import.meta.dirname, '../..');
const text = (file) => readFileSync(path.join(ROOT, file), 'utf8');

/** What pages have none of: fleets, sockets, hosts, roles, archives to write, files of the package. Whatever calls it throws. */
const ABSENT = [
  '(?:.*/)?node/(?!index\\.ts)',
  'archiving/export-archive',
  'config/load-config',
  'context/range/live-(?:range-source|ring)',
  'features/(?:console|mcp|mmv|push|recorder|series)/feature',
  'http/(?:handing|server|operations/documentation|request/(?:place-call|relay-stream))',
  'http/(?:guards/(?:client-limits|web-pages)|response/writers/arrow-writer)',
  'sources/(?:filtered-source|timeline/timeline-source)',
].map((place) => new RegExp(`/src/${place}[\\w/-]*\\.ts$`));
/** What is Node's own, for which pages have something else. */
const INSTEAD = /[\\/]writers[\\/]number-text\.ts$/;
const INSTEAD_OF_NODE = path.join(ROOT, 'src/viewer/instead-of-node.ts');
/** Names of globals of Node, which must not be in the bundle. */
const GLOBALS = ['Buffer', 'setImmediate'];

/** What serves in pages, besides src/http/reading-routes.ts: operations of features. */
const OF_FEATURES = ['findChanges', 'diagnose', 'searchMetrics'];

/** What openapi.compat.yaml says, and a function that follows references in it. */
function documentOfAll() {
  const json = /COMPAT_JSON: string =\s*("[^]*");/.exec(text('src/http/openapi-document.generated.ts'))[1];
  const document = JSON.parse(JSON.parse(json));
  const resolve = (node) => {
    if (node?.$ref === undefined) return node;
    const steps = node.$ref.slice('#/'.length).split('/');
    return resolve(steps.reduce((target, step) => target[step], document));
  };
  return { document, resolve };
}

/** A function that adds to schemas the number of their check, `x-check`: equal schemas have one. */
function numberChecks() {
  const checks = [];
  return (schema) => {
    const key = JSON.stringify(schema);
    if (!checks.includes(key)) checks.push(key);
    return { ...schema, 'x-check': checks.indexOf(key) };
  };
}

/** What openapi.compat.yaml says, and the schemas of all its parameters, which have the numbers of their checks. */
export function numberedSchemas() {
  const { document, resolve } = documentOfAll();
  const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
  const parameters = operations.flatMap((operation) => operation.parameters ?? []);
  const schemas = [...new Set(parameters.map((parameter) => resolve(resolve(parameter).schema)))];
  const numbered = numberChecks();
  for (const schema of schemas) Object.assign(schema, numbered(schema));
  return { document, schemas };
}

/** What openapi.compat.yaml says of the requests that pages send, without references. */
function documentOfRequests() {
  const { document, resolve } = documentOfAll();
  const served = [...text('src/http/reading-routes.ts').matchAll(/^ {2}(\w+): \{ run/gm)].map(([, name]) => name);
  const ids = new Set([...served, ...OF_FEATURES]);
  const paths = {};
  const checked = numberChecks();
  for (const [path, item] of Object.entries(document.paths)) {
    if (/\/_/.test(path)) continue;
    for (const [method, { operationId, parameters = [], requestBody, ...operation }] of Object.entries(item)) {
      if (!ids.has(operation['x-pmgate-form-of'] ?? operationId)) continue;
      const content = Object.entries(resolve(requestBody)?.content ?? {});
      paths[path] = {
        ...paths[path],
        [method]: {
          operationId,
          'x-pmgate-form-of': operation['x-pmgate-form-of'],
          parameters: parameters
            .map(resolve)
            .map(({ name, in: place, schema }) => ({ name, in: place, schema: checked(resolve(schema)) })),
          ...(requestBody && {
            requestBody: {
              'x-any-type': resolve(requestBody)['x-any-type'],
              content: Object.fromEntries(content.map(([type, rest]) => [type, { ...rest, schema: undefined }])),
            },
          }),
        },
      };
    }
  }
  return { paths };
}

/** What checks as ajv does, without compiling, of schemas with the number of their check: CHECKS, in that order. */
export function checksOf(schemas) {
  const ajv = new Ajv2020({
    ...{ strict: false, meta: false, validateSchema: false, validateFormats: false },
    code: { source: true, esm: true },
  });
  const byName = Object.fromEntries(schemas.map((schema) => [`check${schema['x-check']}`, schema]));
  const names = Object.keys(byName);
  for (const name of names) ajv.addSchema(byName[name], name);
  return `${standaloneCode(ajv, Object.fromEntries(names.map((name) => [name, name])))}
const CHECKS = [${names.join(',')}];`;
}

/** Checks of parameters in a page, whose policy allows no code from texts. */
function checksOfPage() {
  const operations = Object.values(documentOfRequests().paths).flatMap((item) => Object.values(item));
  return `${checksOf(operations.flatMap(({ parameters }) => parameters).map(({ schema }) => schema))}
export const checkOf = (schema) => CHECKS[schema['x-check']];
export const schemaCompiler = () => { throw new Error('pages compile no schemas') };`;
}

/** What of schemas only their checks want, which are compiled. */
const CHECKED = /^(?:(?:min|max)Length|(?:exclusiveM|m)inimum|maximum|pattern|enum|default)$/;

const forPages = {
  name: 'for-pages',
  setup(bundler) {
    const js = (contents) => ({ contents, loader: 'js', resolveDir: ROOT });
    bundler.onResolve({ filter: /^node:crypto$/ }, ({ importer }) =>
      importer.endsWith('series-id.ts') ? { path: INSTEAD_OF_NODE, sideEffects: false } : undefined,
    );
    const ofNode = new RegExp(`^node:|^(?:${builtinModules.join('|')})$`);
    bundler.onResolve({ filter: ofNode }, ({ path: name }) => {
      // Its package says that pages do without.
      if (name === 'stream/web') return undefined;
      return { path: name, namespace: 'node', sideEffects: false };
    });
    bundler.onLoad({ filter: /.*/, namespace: 'node' }, () => js('module.exports = {}'));
    bundler.onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, async ({ path: file }) => {
      if (INSTEAD.test(file)) return js(`export * from ${JSON.stringify(INSTEAD_OF_NODE)}`);
      if (file.endsWith('openapi-document.generated.ts')) {
        const json = JSON.stringify(documentOfRequests(), (key, value) => (CHECKED.test(key) ? undefined : value));
        return js(`export const COMPAT_JSON = ${JSON.stringify(json)}`);
      }
      // Expressions are parsed when they are wanted.
      if (file.endsWith('parsed.generated.ts')) return js("export const PARSED_JSON = '[]'");
      if (file.endsWith('compile-schema.ts')) return js(checksOfPage());
      const source = await readFile(file, 'utf8');
      if (ABSENT.some((place) => place.test(file))) {
        const names = [...source.matchAll(/^export (?:abstract )?(?:async )?(?:function\*?|class|const) (\w+)/gm)].map(
          ([, name]) => name,
        );
        // JSON is YAML.
        const yaml = 'export const parseYaml = (text) => ({ content: JSON.parse(text), faults: [] });';
        const own = names.includes('parseYaml') ? yaml : '';
        const absent = names.filter((name) => name !== 'parseYaml');
        return js(
          own +
            absent.map((name) => `export function ${name}() { throw new Error('pages have no ${name}') }`).join('\n'),
        );
      }
      // The page shows messages, and never what their codes mean in general.
      if (file.endsWith('pmapi/errors.ts')) {
        return { contents: source.replaceAll(/(\[\s*\d{3},\s*)'[^'\\]*'/g, "$1''"), loader: 'ts' };
      }
      const filled = source.replaceAll(/shippedText\(\s*'([^']+)',?\s*\)/g, (_, name) =>
        JSON.stringify(
          name.endsWith('.yaml') ? JSON.stringify(parse(text(name))) : text(name).replaceAll(/^(?:#.*)?\n/gm, ''),
        ),
      );
      return { contents: filled, loader: 'ts' };
    });
  },
};

/** Tables of Unicode's properties are made of those that browsers have, when they are wanted. */
const nativeUnicode = {
  name: 'native-unicode',
  setup(bundler) {
    bundler.onLoad({ filter: /re2js[\\/]build[\\/]index\.js$/ }, async ({ path: file }) => {
      const source = await readFile(file, 'utf8');
      const tables = /(static (CATEGORIES|SCRIPTS) = new LazyMap\(\{)([^]*?)\n\t\}\);/g;
      const contents = source.replaceAll(tables, (_, head, kind, rows) => {
        const names = [...rows.matchAll(/^\t\t(\w+): /gm)].map(([, name]) => name);
        const property = kind === 'SCRIPTS' ? 'Script=' : '';
        return `static ${kind} = new LazyMap(Object.fromEntries("${names.join(' ')}".split(' ').map((name) => [name, () => nativeTable("${property}" + name)])));`;
      });
      const print = /new UnicodeRangeTable\(decodeRanges\("[^"]*", \w+\)\)(?=;\n\t\treturn this\._Print)/;
      // What looks for words before it matches, sets of expressions, and expressions of JavaScript.
      const unused = /^var (RE2Set|TranslateRegExpString|AhoCorasick|PrefilterTree) = class[^]*?^\};/gm;
      const none = 'var $1 = class { static build() { return new Prefilter(Prefilter.Type.NONE); } };';
      const whole = contents
        .replaceAll(unused, none)
        .replace(print, 'nativeTable("L}\\\\p{M}\\\\p{N}\\\\p{P}\\\\p{S")');
      return { contents: `${whole}\n${NATIVE_TABLE}`, loader: 'js' };
    });
  },
};
const NATIVE_TABLE = `function nativeTable(property) {
  const has = new RegExp("^[\\\\p{" + property + "}]$", "u");
  const ranges = [];
  for (let point = 0, start = -1; point <= 0x110000; point++) {
    const isIn = point < 0x110000 && has.test(String.fromCodePoint(point));
    if (isIn && start < 0) start = point;
    if (isIn || start < 0) continue;
    ranges.push(start, point - 1, 1);
    start = -1;
  }
  return new UnicodeRangeTable(Uint32Array.from(ranges));
}`;

const RESOLVED = Symbol('resolved');
/** Our modules only define things: the bundle has no more of them than it uses. */
const withoutUnused = {
  name: 'without-unused',
  setup(bundler) {
    bundler.onResolve({ filter: /^\.\.?\// }, async ({ path: name, pluginData, ...from }) => {
      // It takes the default of a CommonJS module, which depends on what is known of its own place.
      const isPlain = name.endsWith('/decoder-guards.js');
      if (isPlain || pluginData === RESOLVED || !from.importer.includes(`${path.sep}src${path.sep}`)) return undefined;
      const { path: file, errors } = await bundler.resolve(name, { ...from, pluginData: RESOLVED });
      return { path: file, errors, sideEffects: false };
    });
  },
};

/**
 * Bundles src/viewer/worker.ts: the worker of the console's page that answers for the archives that a user opens. Throws for what is Node's.
 * @returns {Promise<string>} the script
 */
export async function bundleWorker(tellInputs) {
  const definitions = readdirSync(path.join(ROOT, 'config/derived')).filter((file) => file.endsWith('.conf'));
  const { outputFiles, metafile } = await build({
    entryPoints: [path.join(ROOT, 'src/viewer/worker.ts')],
    write: false,
    bundle: true,
    metafile: true,
    minify: true,
    platform: 'browser',
    target: ['chrome120', 'firefox120', 'safari17'],
    format: 'iife',
    absWorkingDir: ROOT,
    plugins: [forPages, nativeUnicode, withoutUnused],
    define: Object.fromEntries(GLOBALS.map((name) => [name, `nodes_${name}`])),
    // As a definition, each module would begin with a call for it.
    banner: {
      js: `"use strict";const SHIPPED = ${JSON.stringify({
        version: JSON.parse(text('package.json')).version,
        definitions: definitions
          .sort()
          .map((file) => text(`config/derived/${file}`).replaceAll(/^#(?!control| pmgate:).*\n/gm, '')),
      })};`,
    },
    // Of modules that nothing of the bundle uses.
    logOverride: { 'empty-import-meta': 'silent' },
    logLevel: 'warning',
  });
  const [{ text: script }] = outputFiles;
  const [{ inputs }] = Object.values(metafile.outputs);
  tellInputs?.(
    Object.keys(inputs).filter((name) => inputs[name].bytesInOutput > 0),
    metafile,
  );
  const ofNode = [
    ...Object.keys(inputs).filter((name) => name.startsWith('node:') && inputs[name].bytesInOutput > 0),
    ...GLOBALS.filter((name) => script.includes(`nodes_${name}`)),
  ];
  if (ofNode.length > 0) throw new Error(`the worker of the page has what is Node's: ${ofNode.join(', ')}`);
  return script;
}
