import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ErrorObject } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { SHIPPED_FILE, type Config } from './config.generated.js';
import { isMap, isScalar, LineCounter, parseDocument, visit, type Document } from 'yaml';

export interface SchemaNode {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  /** Whether a change takes effect only after a restart. */
  readonly 'x-restart'?: boolean;
}

interface SchemaOption {
  readonly path: readonly string[];
  readonly node: SchemaNode;
}

/** The schema that ships with the package, read from `config/pmgate.schema.json`. */
export function readSchema(): SchemaNode {
  return JSON.parse(readFileSync(new URL('../../config/pmgate.schema.json', import.meta.url), 'utf8')) as SchemaNode;
}

/** Every option of a schema, in its order. */
export function optionsOf(schema: SchemaNode, path: readonly string[] = []): readonly SchemaOption[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, node]) =>
    node.properties ? optionsOf(node, [...path, name]) : [{ path: [...path, name], node }],
  );
}

/** The options that require a restart, as `listen.port`. */
export function restartOnlyOptions(): readonly string[] {
  return optionsOf(readSchema()).flatMap(({ path, node }) => (node['x-restart'] === true ? [path.join('.')] : []));
}

/** The environment variable of an option: `listen.port` is PMGATE_LISTEN_PORT, `limits.urlBytes` PMGATE_LIMITS_URL_BYTES. */
export function environmentName(path: readonly string[]): string {
  return ['PMGATE', ...path.map((part) => part.replace(/[A-Z]/g, (c) => `_${c}`).toUpperCase())].join('_');
}

export type { Config } from './config.generated.js';

export type LogLevel = Config['log']['level'];

/** The origins of the configuration, from the weakest to the strongest. */
export interface ConfigInputs {
  readonly file?: string | undefined;
  /** The environment; variables that begin with PMGATE_ are options, and unknown ones are errors. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Options from the command line by dotted path, as text or as the value itself. */
  readonly flags?: Readonly<Record<string, string | undefined>>;
  /** Checks by the rooms that use the options, for a configuration that satisfies the schema. */
  readonly check?: (config: Config) => readonly OptionFault[];
}

interface Tree {
  [name: string]: unknown;
}

/** Environment variables with our prefix that are not options, and not errors either. */
export const OTHER_VARIABLES: ReadonlySet<string> = new Set([
  'PMGATE_CONFIG',
  // Variables that the sub-commands read: they may be set for the gateway as well.
  'PMGATE_URL',
  'PMGATE_TOKEN',
  'PMGATE_USER',
]);

/** Merges defaults, file, environment and flags, in this order. Throws one ConfigError with all problems, their origins and options. */
export function loadConfig(inputs: ConfigInputs): Config {
  const schema = readSchema();
  const problems: ConfigProblem[] = [];
  const origin = new Map<string, string>();
  const { tree, lineOf } = readFile(inputs.file, problems);

  const options = optionsOf(schema);
  applyEnvironment(tree, options, inputs.environment ?? {}, problems, origin);
  for (const [dotted, text] of Object.entries(inputs.flags ?? {})) {
    const option = options.find((o) => o.path.join('.') === dotted);
    if (text === undefined || !option) continue;
    setOption(tree, option.path, valueOf(text, option.node));
    // Flags have the names of their options; `listen` is omitted.
    origin.set(dotted, `--${option.path.filter((name) => name !== 'listen').join('-')}`);
  }

  const sourceOf = (option: string): string => originOf(origin, option) ?? inputs.file ?? 'configuration';
  for (const fault of check(tree, schema)) problems.push({ source: sourceOf(fault.option), ...fault });
  if (problems.length === 0) {
    const config = tree as unknown as Config;
    for (const fault of [...checkBetweenOptions(config), ...(inputs.check?.(config) ?? [])]) {
      problems.push({ source: sourceOf(fault.option), ...fault });
    }
  }
  if (problems.length > 0) throw new ConfigError(problems.map((problem) => withLine(problem, inputs.file, lineOf)));
  return deepFreeze(tree) as unknown as Config;
}

/** The options of a file, and their lines. */
interface FileContent {
  readonly tree: Tree;
  /** The line of an option, or of the nearest enclosing one that exists. */
  readonly lineOf: (option: string) => number | undefined;
}

const NOTHING: () => FileContent = () => ({ tree: {}, lineOf: () => undefined });

function readFile(file: string | undefined, problems: ConfigProblem[]): FileContent {
  if (file === undefined) return NOTHING();
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    problems.push({ source: file, option: '', message: `cannot be read: ${(error as Error).message}` });
    return NOTHING();
  }
  // Parsing what ships would take longer than reading all other options.
  if (createHash('sha256').update(text).digest('hex') === SHIPPED_FILE)
    return { tree: {}, lineOf: (option) => lineOfOption(parseYaml(text), option) };
  const yaml = parseYaml(text);
  for (const fault of yaml.faults) problems.push({ source: file, option: '', ...fault });
  const { content } = yaml;
  if (content === null || content === undefined) return NOTHING();
  if (typeof content === 'object' && !Array.isArray(content)) {
    return { tree: content as Tree, lineOf: (option) => lineOfOption(yaml, option) };
  }
  problems.push({ source: file, option: '', message: 'must contain options in the form `name: value`' });
  return NOTHING();
}

function withLine(problem: ConfigProblem, file: string | undefined, lineOf: FileContent['lineOf']): ConfigProblem {
  const line = problem.source === file && problem.option !== '' ? lineOf(problem.option) : undefined;
  return line === undefined ? problem : { ...problem, line };
}

function applyEnvironment(
  tree: Tree,
  options: readonly SchemaOption[],
  environment: Readonly<Record<string, string | undefined>>,
  problems: ConfigProblem[],
  origin: Map<string, string>,
): void {
  const byName = new Map(options.map((option) => [environmentName(option.path), option]));
  for (const [name, text] of Object.entries(environment)) {
    if (!name.startsWith('PMGATE_') || OTHER_VARIABLES.has(name) || text === undefined) continue;
    const option = byName.get(name);
    if (option) {
      setOption(tree, option.path, valueOf(text, option.node));
      origin.set(option.path.join('.'), name);
    } else {
      problems.push({ source: name, option: '', message: `unknown option (known: ${[...byName.keys()].join(', ')})` });
    }
  }
}

/** The text of a flag or variable as the schema's type; invalid text stays text, which the schema rejects. */
function valueOf(text: string, node: SchemaNode): unknown {
  const types = typeof node.type === 'string' ? [node.type] : (node.type ?? []);
  if (types.includes('array')) return text === '' ? [] : text.split(',').map((part) => part.trim());
  if (types.includes('object')) return jsonOrText(text);
  if (types.includes('null') && text === '') return null;
  if (types.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true';
  if ((types.includes('integer') || types.includes('number')) && text.trim() !== '' && Number.isFinite(Number(text))) {
    return Number(text);
  }
  return text;
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function setOption(tree: Tree, path: readonly string[], value: unknown): void {
  let node = tree;
  for (const name of path.slice(0, -1)) {
    const next = node[name];
    if (isTree(next)) node = next;
    else if (next === undefined || next === null) node = node[name] = {} as Tree;
    else return; // the file has another type here, which the schema rejects with its path
  }
  const last = path.at(-1);
  if (last !== undefined) node[last] = value;
}

/** The variable or flag of an option, or of the list that it is an element of. */
function originOf(origin: ReadonlyMap<string, string>, option: string): string | undefined {
  const path = option.split('.');
  return path.map((_, i) => origin.get(path.slice(0, path.length - i).join('.'))).find((name) => name !== undefined);
}

/** What a schema error says about an option; undefined if another error says it better. */
function describeFault(error: ErrorObject, schema: SchemaNode): OptionFault | undefined {
  const parent = error.instancePath.split('/').slice(1);
  // The error that says why a name is invalid is reported as well.
  if (error.keyword === 'propertyNames') return undefined;
  if (error.keyword === 'additionalProperties') {
    const unknown = (error.params as { additionalProperty: string }).additionalProperty;
    const known = Object.keys(nodeAt(schema, parent)?.properties ?? {});
    return { option: [...parent, unknown].join('.'), message: `unknown option (known: ${known.join(', ')})` };
  }
  const option = parent.join('.');
  const allowed = (error.params as { allowedValues?: readonly unknown[] }).allowedValues;
  const message = allowed ? `must be one of ${allowed.join(', ')}` : (error.message ?? error.keyword);
  const { propertyName } = error;
  return { option, message: propertyName === undefined ? message : `the name '${propertyName}' ${message}` };
}

function nodeAt(schema: SchemaNode, path: readonly string[]): SchemaNode | undefined {
  let node: SchemaNode | undefined = schema;
  for (const name of path) node = node?.properties?.[name];
  return node;
}

/** What a schema cannot express: options that must agree with one another. */
function checkBetweenOptions({
  contexts: { pollTimeoutSec, maxPollTimeoutSec },
  cluster,
}: Config): readonly OptionFault[] {
  const faults: OptionFault[] = [];
  if (pollTimeoutSec > maxPollTimeoutSec) {
    const message = `must be at most contexts.maxPollTimeoutSec, which is ${maxPollTimeoutSec}`;
    faults.push({ option: 'contexts.pollTimeoutSec', message });
  }
  if (cluster.url !== null && cluster.sentinels.length > 0) {
    faults.push({
      option: 'cluster.sentinels',
      message: 'must be empty if cluster.url is set: Sentinels know the server',
    });
  }
  return faults;
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const child of Object.values(value)) deepFreeze(child);
    Object.freeze(value);
  }
  return value;
}

/** How the configuration's schema is compiled: all errors are found, and missing members of maps get their defaults. */
const AJV_OPTIONS = {
  allErrors: true,
  useDefaults: true,
  strict: false,
  // The schema is ours and tested: checking it here as well would take longer than everything else.
  meta: false,
  validateSchema: false,
  // Compiling for speed does not pay for a schema that is used once.
  code: { optimize: false },
} as const;

/** Checks a configuration by the schema, and fills in its defaults. */
function check(tree: Tree, schema: SchemaNode): readonly OptionFault[] {
  const part = partToCheck(schema, tree);
  const validate = part && new Ajv2020(AJV_OPTIONS).compile(part);
  if (validate && !validate(tree))
    return (validate.errors ?? []).flatMap((error) => describeFault(error, schema) ?? []);
  fillDefaults(tree, schema);
  return [];
}

/** The part of a schema that says something of a value; undefined if it is the default: compiling all of it took a tenth of the start. */
function partToCheck(node: SchemaNode, value: unknown): SchemaNode | undefined {
  const { properties } = node;
  if (!properties || !isTree(value)) return JSON.stringify(value) === JSON.stringify(node.default) ? undefined : node;
  const parts: Record<string, SchemaNode> = {};
  let isDefault = true;
  for (const [name, inner] of Object.entries(value)) {
    const child = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const part = child && partToCheck(child, inner);
    if (!child || part) isDefault = false;
    if (child) parts[name] = part ?? {};
  }
  return isDefault ? undefined : { ...node, properties: parts };
}

function fillDefaults(tree: Tree, { properties = {} }: SchemaNode): void {
  for (const [name, node] of Object.entries(properties)) {
    if (!Object.hasOwn(tree, name)) tree[name] = node.default;
    if (node.properties) fillDefaults(tree[name] as Tree, node);
  }
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export interface ConfigProblem {
  /** The origin of the value: the file's path, the name of the environment variable, or the flag. */
  readonly source: string;
  readonly option: string;
  readonly line?: number;
  readonly message: string;
}

/** One problem of an option; the caller knows the origin of its value unless it is given. */
export type OptionFault = Omit<ConfigProblem, 'source'> & Partial<Pick<ConfigProblem, 'source'>>;

/** The configuration is invalid; `problems` has all problems, not only the first. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(readonly problems: readonly ConfigProblem[]) {
    super(problems.map((p) => `${placeOf(p)}: ${p.message}`).join('\n'));
  }
}

/** The location of a problem: `pmgate.yaml:12: listen.port`, `PMGATE_LISTEN_PORT: listen.port`. */
export function placeOf({ source, line, option }: ConfigProblem): string {
  const place = line === undefined ? source : `${source}:${line}`;
  return option === '' ? place : `${place}: ${option}`;
}

const MAX_ALIASES = 100;

/** A problem of a YAML text, and its line if known. */
interface YamlFault {
  readonly message: string;
  readonly line?: number;
}

interface YamlText {
  readonly content: unknown;
  readonly document: Document;
  readonly lines: LineCounter;
  readonly faults: readonly YamlFault[];
}

/** Parses a YAML text. Never throws for its content. */
export function parseYaml(text: string): YamlText {
  const lines = new LineCounter();
  const document = parseDocument(text, { uniqueKeys: true, lineCounter: lines });
  const faults = document.errors.map(({ message, linePos }): YamlFault => {
    const line = linePos?.[0].line;
    // The parser's message ends with the location and the lines around it.
    return { message: message.replace(/ at line \d+, column \d+:[^]*/, ''), ...(line === undefined ? {} : { line }) };
  });
  if (faults.length === 0) faults.push(...idleAliases(document, lines));
  let content: unknown;
  if (faults.length === 0) {
    try {
      content = document.toJS({ maxAliasCount: MAX_ALIASES });
    } catch (error) {
      faults.push({ message: (error as Error).message });
    }
  }
  return { content, document, lines, faults };
}

/** The line of an option (`users.alice.password`), or of the nearest enclosing one. Names may contain dots. */
export function lineOfOption({ document, lines }: YamlText, option: string): number | undefined {
  let node: unknown = document.contents;
  let offset: number | undefined;
  let rest = option;
  while (isMap(node)) {
    const names = node.items.map(({ key }) => (isScalar(key) ? String(key.value) : ''));
    const found = names.findIndex((name) => name !== '' && (rest === name || rest.startsWith(`${name}.`)));
    const pair = node.items[found];
    if (!pair || !isScalar(pair.key)) break;
    offset = pair.key.range?.[0];
    node = pair.value;
    rest = rest.slice(names[found]!.length + 1);
  }
  return offset === undefined ? undefined : lines.linePos(offset).line;
}

/** Globs without quotes: in YAML, `*.example.com` is an alias for an anchor `&.example.com`. */
function idleAliases(document: Document, lines: LineCounter): YamlFault[] {
  const faults: YamlFault[] = [];
  const anchors = new Set<string>();
  visit(document, {
    Node: (_, { anchor }) => {
      if (anchor !== undefined) anchors.add(anchor);
    },
    Alias: (_, { source, range }) => {
      if (anchors.has(source)) return;
      const message = `*${source} is an alias of the undefined anchor &${source} in YAML: quote strings that begin with *`;
      faults.push({ message, ...(range ? { line: lines.linePos(range[0]).line } : {}) });
    },
  });
  return faults;
}
