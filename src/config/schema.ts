import { readFileSync } from 'node:fs';

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

export interface SchemaOption {
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
