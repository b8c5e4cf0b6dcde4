/**
 * The generated files that are committed, and how each is made: add a row to make another one.
 * Without arguments this fails when a file is stale; with `--write` it writes them.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { tsImport } from 'tsx/esm/api';
import { parse, stringify } from 'yaml';
import { compatDocument, forRequests } from './openapi-forms.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const OPENAPI_HEADER = '// Generated from openapi.yaml by `npm run generate`. Do not edit.\n';

const COMPAT_HEADER =
  '# Generated from openapi.yaml and src/http/compat-operations.yaml by `npm run generate`. Do not edit.\n';

/** A YAML file as a plain object. */
async function yamlOf(file) {
  return parse(await readFile(path.join(ROOT, file), 'utf8'));
}

const lean = await yamlOf('openapi.yaml');
const compat = compatDocument(lean, await yamlOf('src/http/compat-operations.yaml'));

const generatedFiles = [
  {
    file: 'config/openapi.compat.yaml',
    make: () => COMPAT_HEADER + stringify(compat, { aliasDuplicateObjects: false, lineWidth: 0 }),
  },
  {
    file: 'src/config/OPTIONS.md',
    make: async () => pageWith('src/config/OPTIONS.md', 'configuration', await configurationTable()),
  },
  {
    file: 'config/pmgate.yaml',
    make: () => configurationFile(),
  },
  {
    file: 'src/config/config.generated.ts',
    make: () => configType(),
  },
  {
    file: 'src/pmapi/ERRORS.md',
    make: async () => pageWith('src/pmapi/ERRORS.md', 'errors', await errorsTable()),
  },
  ...['src/derived/language', 'src/features/series/language']
    .filter((folder) => existsSync(path.join(ROOT, folder)))
    .map((folder) => ({
      file: `${folder}/grammar.generated.ts`,
      make: async () =>
        execFileSync(path.join(ROOT, 'node_modules/.bin/nearleyc'), ['grammar.ne'], {
          cwd: path.join(ROOT, folder),
          encoding: 'utf8',
        }),
    })),
  {
    file: 'src/derived/language/parsed.generated.ts',
    make: async () =>
      '// Generated from config/derived by `npm run generate`. Do not edit.\n' +
      jsonConstant(
        'Each expression of config/derived, and what parseExpression() returns for it.',
        'PARSED_JSON',
        await parsedExpressions(),
      ),
  },
  {
    file: 'src/client/openapi.generated.ts',
    make: async () => OPENAPI_HEADER + astToString(await openapiTypescript(structuredClone(lean))),
  },
  {
    file: 'src/http/openapi-document.generated.ts',
    make: () =>
      [
        OPENAPI_HEADER,
        jsonConstant(
          'What openapi.compat.yaml says of requests, as JSON text: parsing the YAML at each start would cost 100 ms.',
          'COMPAT_JSON',
          forRequests(compat),
        ),
      ].join(''),
  },
  {
    file: 'src/sources/linux/catalog/rows.generated.ts',
    make: () =>
      catalogRows(['src/sources/linux/catalog/metrics.txt'], ['src/sources/linux/catalog/help.txt'], './catalog.js'),
  },
  {
    file: 'src/gateway/gateway-metrics.generated.ts',
    make: () => gatewayRows(),
  },
];

/** The expressions of the definitions that ship, each with its tree. */
async function parsedExpressions() {
  const { parseDefinitionFile } = await tsImport('../../src/derived/language/definition-file.ts', import.meta.url);
  const { lexExpression } = await tsImport('../../src/derived/language/lexer.ts', import.meta.url);
  const { parseTokens } = await tsImport('../../src/derived/language/parse.ts', import.meta.url);
  const files = (await readdir(path.join(ROOT, 'config/derived'))).sort();
  const texts = await Promise.all(files.map((file) => readFile(path.join(ROOT, 'config/derived', file), 'utf8')));
  const definitions = texts
    .flatMap((text) => parseDefinitionFile(text, {}))
    .filter(({ kind }) => kind === 'definition');
  return definitions.map(({ expression: text }) => {
    const [expression] = parseTokens(lexExpression(text, Infinity).tokens).trees;
    if (!expression) throw new Error(`config/derived: ${text} is no expression`);
    return [text, { ok: true, expression }];
  });
}

/** The gateway's own metrics, and those of its features, which stand in their directories. */
async function gatewayRows() {
  const features = (await readdir(path.join(ROOT, 'src/features'))).sort().map((name) => `src/features/${name}`);
  const theirs = features.filter((directory) => existsSync(path.join(ROOT, directory, 'metrics.txt')));
  const rows = await catalogRows(
    ['src/gateway/gateway-metrics.txt', ...theirs.map((directory) => `${directory}/metrics.txt`)],
    ['src/gateway/gateway-help.txt', ...theirs.map((directory) => `${directory}/help.txt`)],
    '../sources/linux/index.js',
  );
  const tables = await Promise.all(
    theirs.map((directory) => readFile(path.join(ROOT, directory, 'metrics.txt'), 'utf8')),
  );
  const names = tables.flatMap((text) => text.match(/^pmgate\.\S+/gm) ?? []);
  const list = names.map((name) => `  '${name}',\n`).join('');
  return `${rows}\n/** The metrics that features have readings for. */\nexport const FEATURE_METRICS: readonly string[] = [\n${list}];\n`;
}

function jsonConstant(comment, name, value) {
  return `/** ${comment} */\nexport const ${name}: string = ${JSON.stringify(JSON.stringify(value))};\n`;
}

/** The data files of a catalog of metrics, checked, as rows: reading and checking them at each start would cost time. */
async function catalogRows(tables, helps, types) {
  const { readCatalog } = await tsImport('./catalog-reader.ts', import.meta.url);
  const [table] = tables;
  const [help] = helps;
  const dataFile = async (files) => {
    const texts = await Promise.all(files.map((file) => readFile(path.join(ROOT, file), 'utf8')));
    return { file: files.join(' + '), text: texts.join('\n') };
  };
  const { indoms, metrics } = readCatalog(await dataFile(tables), await dataFile(helps));
  const list = (rows) => `[\n${rows.map((row) => `    ${JSON.stringify(row)},\n`).join('')}  ]`;
  return [
    `// Generated from ${path.basename(table)} and ${path.basename(help)} by \`npm run generate\`. Do not edit.`,
    `import type { CatalogRows } from '${types}';`,
    '',
    `/** ${path.basename(table)} and ${path.basename(help)} as rows. */`,
    `export const ROWS: CatalogRows = {\n  indoms: ${list(indoms)},\n  metrics: ${list(metrics)},\n};\n`,
  ].join('\n');
}

/** A page with its part between two markers replaced by a table. */
async function pageWith(file, name, table) {
  const text = await readFile(path.join(ROOT, file), 'utf8');
  const begin = `<!-- generated: ${name} -->`;
  const end = '<!-- end generated -->';
  const from = text.indexOf(begin);
  const to = text.indexOf(end, from);
  if (from === -1 || to === -1) throw new Error(`${file} has no part ${begin} … ${end}`);
  return `${text.slice(0, from + begin.length)}\n${table}${text.slice(to)}`;
}

/** config/pmgate.schema.json. */
async function configurationSchema() {
  return JSON.parse(await readFile(path.join(ROOT, 'config/pmgate.schema.json'), 'utf8'));
}

/** The type of a configuration that has its defaults: every member of the schema is there. */
async function configType() {
  const typeOf = (node, indent) => {
    if (node.enum) return node.enum.map((value) => `'${value}'`).join(' | ');
    if (Array.isArray(node.type)) return node.type.map((type) => typeOf({ ...node, type }, indent)).join(' | ');
    if (node.properties && node.type === 'object') return `{\n${membersOf(node, `${indent}  `)}${indent}}`;
    if (node.type === 'object') return `Readonly<Record<string, ${typeOf(node.additionalProperties, indent)}>>`;
    if (node.type === 'array') return `readonly ${typeOf(node.items, indent)}[]`;
    return node.type === 'integer' ? 'number' : node.type;
  };
  const membersOf = (node, indent) =>
    Object.entries(node.properties)
      .map(([name, inner]) => {
        const comment = `${indent}/** ${inner.description.replaceAll('*/', '*\\/')} */\n`;
        return `${comment}${indent}readonly ${name}: ${typeOf(inner, indent)};\n`;
      })
      .join('');
  return [
    '// Generated from config/pmgate.schema.json by `npm run generate`. Do not edit.',
    '/** The configuration as the gateway sees it: complete, validated and frozen. */',
    `export interface Config {\n${membersOf(await configurationSchema(), '  ')}}\n`,
    '/** The SHA-256 of config/pmgate.yaml, which changes nothing. */',
    `export const SHIPPED_FILE = '${createHash('sha256')
      .update(await configurationFile())
      .digest('hex')}';\n`,
  ].join('\n');
}

/** Longer lists are written with an element per line. */
const FEW_ELEMENTS = 5;

/** config/pmgate.yaml: each option with its default, below a comment that says what it does. */
async function configurationFile() {
  const write = (node, indent) =>
    Object.entries(node.properties).flatMap(([name, inner]) => {
      const comment = commentLines(whatItDoes(inner), indent);
      if (inner.properties) return ['', ...comment, `${name}:`, ...write(inner, '  ')];
      if (Array.isArray(inner.default) && inner.default.length > FEW_ELEMENTS) {
        const elements = inner.default.map((element) => `${indent}  - ${element}`);
        return [...comment, `${indent}${name}:`, ...elements];
      }
      const value = stringify(inner.default, {
        collectionStyle: 'flow',
        flowCollectionPadding: false,
        singleQuote: true,
      }).trim();
      return [...comment, `${indent}${name}: ${value}`];
    });
  const lines = [
    '# The configuration of pmgate: all options with their defaults, so this file changes nothing.',
    '# Flags take precedence over the environment (PMGATE_LISTEN_PORT=4711), and the environment over this file.',
    '# Unknown options are errors. `npm start -- --config my.yaml` reads another file instead.',
    '# Generated from pmgate.schema.json by `npm run generate`.',
    ...write(await configurationSchema(), ''),
  ];
  return `${lines.join('\n')}\n`;
}

const COMMENT_WIDTH = 110;

/** A text as comment lines. */
function commentLines(text, indent) {
  const lines = [];
  for (const word of text.split(' ')) {
    if (lines.length === 0 || `${lines.at(-1)} ${word}`.length > COMMENT_WIDTH) lines.push(`${indent}# ${word}`);
    else lines.push(`${lines.pop()} ${word}`);
  }
  return lines;
}

/** The description of an option, and whether it takes a restart to change it. */
function whatItDoes(option) {
  return `${option.description}${option['x-restart'] ? ' Requires a restart.' : ''}`;
}

/** The options of config/pmgate.schema.json as a table. */
async function configurationTable() {
  const schema = await configurationSchema();
  const rows = [];
  const walk = (node, at) => {
    for (const [name, inner] of Object.entries(node.properties ?? {})) {
      if (inner.properties) walk(inner, [...at, name]);
      else
        rows.push(`| \`${[...at, name].join('.')}\` | \`${JSON.stringify(inner.default)}\` | ${whatItDoes(inner)} |\n`);
    }
  };
  walk(schema, []);
  return `| option | default | what it does |\n|---|---|---|\n${rows.join('')}`;
}

/** The error catalogue as a table. */
async function errorsTable() {
  const { ERROR_CATALOGUE } = await tsImport('../../src/pmapi/errors.ts', import.meta.url);
  const rows = Object.entries(ERROR_CATALOGUE).map(
    ([code, { status, meaning }]) => `| \`${code}\` | ${status} | ${meaning} |\n`,
  );
  return `| code | status | meaning |\n|---|---|---|\n${rows.join('')}`;
}

const write = process.argv.includes('--write');
let stale = 0;
for (const { file, make } of generatedFiles) {
  const fresh = await make();
  const target = path.join(ROOT, file);
  const committed = await readFile(target, 'utf8').catch(() => undefined);
  if (committed === fresh) continue;
  if (write) {
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, fresh);
    console.log(`${file}: written`);
  } else {
    stale++;
    console.error(`${file}: stale; run \`npm run generate\``);
  }
}
process.exitCode = stale > 0 ? 1 : 0;
