import type { ErrorObject } from 'ajv/dist/2020.js';
import { getOrMake } from '../../kit/index.js';
import { badParameter, GatewayError, nearestNames } from '../../pmapi/index.js';
import { checkOf } from './compile-schema.js';
import { openapiDocument, resolveRef, type OperationDescription, type Schema, type TextParameter } from './openapi.js';

const SHOWN_VALUE_LENGTH = 80;

/** Paths with pmproxy's rules: unknown parameters are ignored, the first of repeated ones counts, the URL's before the body's. */
const LENIENT_PATH = /^\/series\//;
/** The routes that pmproxy has, too. */
const PMPROXY_PATH = /^\/(?:pmapi|metrics|search)(?:\/|$)/;
/** Parameters that pmproxy ignores: jQuery's way around caches, and a flag of Vector's for contexts. */
const IGNORED_PARAMETERS = ['_', 'exclusive'] as const;

function kindOf(schema: Schema): ParameterKind {
  const types = [schema.type ?? []].flat();
  if (types.includes('array')) return schema.items?.type === 'integer' ? 'integers' : 'list';
  const known = (['integer', 'number', 'boolean'] as const).find((type) => types.includes(type));
  return known ?? 'string';
}

export interface RawParameters {
  readonly query: string;
  readonly path: Readonly<Record<string, string | string[]>>;
  /** The body, if any: the text of a form, the object of a JSON body, or plain text. */
  readonly body?: { readonly form: string } | { readonly json: object } | { readonly text: string };
}

export interface Parameters {
  readonly path: Readonly<Record<string, ParameterValue>>;
  /** From query and body together. */
  readonly query: Readonly<ParameterValues>;
}

const validators = new Map<string, ParameterValidator>();

/** The validator of an operation, created at first use and cached forever. */
export function validatorOf(operation: OperationDescription): ParameterValidator {
  return getOrMake(validators, operation.operationId, () => new ParameterValidator(operation));
}

export class ParameterValidator {
  readonly #querySchemas = new Map<string, Schema>();
  readonly #pathSchemas = new Map<string, Schema>();
  readonly #queryKinds: Map<string, ParameterKind>;
  readonly #textParameter: TextParameter | undefined;
  readonly #isLenient: boolean;

  constructor(operation: OperationDescription) {
    this.#textParameter = operation.textParameter;
    this.#isLenient = LENIENT_PATH.test(operation.path);
    this.#queryKinds = this.#isLenient ? new LenientKinds() : new Map<string, ParameterKind>();
    for (const { name, in: place, schema: written } of operation.parameters) {
      const schema = resolveRef<Schema>(openapiDocument(), written);
      (place === 'path' ? this.#pathSchemas : this.#querySchemas).set(name, schema);
      if (place === 'query') this.#queryKinds.set(name, kindOf(schema));
    }
    if (PMPROXY_PATH.test(operation.path)) {
      for (const name of IGNORED_PARAMETERS) this.#queryKinds.set(name, 'ignored');
    }
  }

  /** Throws BAD_PARAMETER, UNKNOWN_PARAMETER, BAD_REQUEST or BAD_BODY with the parameter, and TOO_MANY_NAMES above `mostElements`. */
  read(raw: RawParameters, mostElements: number): Parameters {
    const query = readEncodedParameters(this.#asCounted(raw.query), this.#queryKinds, 'query');
    if (raw.body) {
      const body = this.#readBody(raw.body);
      if (this.#isLenient) Object.assign(query, { ...body, ...query });
      else joinParameters(query, body);
    }
    for (const name in query) limitList(name, query[name]!, mostElements);
    for (const name in query) requireValid(name, query[name]!, this.#querySchemas.get(name)!);

    const path: ParameterValues = {};
    for (const [name, schema] of this.#pathSchemas) {
      path[name] = coerce(String(raw.path[name]), kindOf(schema));
      requireValid(name, path[name], schema);
    }
    return { path, query };
  }

  /** The part of encoded parameters that counts. */
  #asCounted(text: string): string {
    return this.#isLenient ? firstOfEach(text) : text;
  }

  #readBody(body: NonNullable<RawParameters['body']>): ParameterValues {
    if ('json' in body) return readJsonParameters(body.json, this.#queryKinds);
    if ('form' in body) return readEncodedParameters(this.#asCounted(body.form), this.#queryKinds, 'body');
    if (this.#textParameter === undefined) return {};
    return readJsonParameters({ [this.#textParameter.name]: body.text }, this.#queryKinds);
  }
}

class LenientKinds extends Map<string, ParameterKind> {
  override get(name: string): ParameterKind {
    return super.get(name) ?? 'ignored';
  }
}

function firstOfEach(text: string): string {
  const seen = new Set<string>();
  return text
    .split('&')
    .filter((part) => {
      const name = part.replace(/=.*$/s, '');
      if (seen.has(name)) return false;
      seen.add(name);
      return true;
    })
    .join('&');
}

function requireValid(name: string, value: ParameterValue, schema: Schema): void {
  const check = checkOf(schema);
  if (check(value)) return;
  const error = check.errors?.[0];
  let refused: unknown = value;
  for (const step of (error?.instancePath ?? '').split('/').slice(1))
    refused = (refused as Record<string, unknown>)[step];
  const shown = (typeof refused === 'string' ? refused : JSON.stringify(refused)).slice(0, SHOWN_VALUE_LENGTH);
  const expected = expectation(error);
  const message = schema['x-message']?.replace('{value}', () => shown);
  throw badParameter(name, message ?? `invalid value '${shown}' of '${name}': ${expected}`, expected);
}

export function expectation(error: ErrorObject | undefined): string {
  if (!error) return 'another value';
  const { allowedValues, type } = error.params as { allowedValues?: readonly unknown[]; type?: unknown };
  if (error.keyword === 'enum' && allowedValues) return `one of ${allowedValues.join(', ')}`;
  if (error.keyword === 'type' && Array.isArray(type)) return `must be ${type.join(' or ')}`;
  return error.message ?? 'another value';
}

function limitList(name: string, value: ParameterValue, mostElements: number): void {
  if (!Array.isArray(value) || value.length <= mostElements) return;
  const message = `'${name}' has ${value.length} elements; limits.names allows ${mostElements}`;
  throw new GatewayError('TOO_MANY_NAMES', message, { parameter: name, expected: `at most ${mostElements} elements` });
}

/** How the text of a parameter becomes a value; `ignored` parameters are accepted without a value. */
export type ParameterKind = 'list' | 'integers' | 'string' | 'integer' | 'number' | 'boolean' | 'ignored';

/** A parameter's value before validation: invalid text stays text, which the schema rejects. */
type ParameterValue = string | number | boolean | readonly (string | number)[];

export type ParameterValues = Record<string, ParameterValue>;

const SHOWN_LENGTH = 80;

const INTEGER = /^-?\d{1,16}$/;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/**
 * Parses queries and form bodies. Lists may be repeated (`a=1,2&a=3` is `a=1,2,3`); other repeated and unknown parameters are errors.
 * `where` names the text in messages.
 */
export function readEncodedParameters(
  text: string,
  kinds: ReadonlyMap<string, ParameterKind>,
  where: 'query' | 'body',
): ParameterValues {
  const values: ParameterValues = {};
  for (let start = 0; start < text.length;) {
    let end = text.indexOf('&', start);
    if (end === -1) end = text.length;
    if (end > start) {
      let equals = text.indexOf('=', start);
      if (equals === -1 || equals > end) equals = end;
      const name = decode(text.slice(start, equals), where);
      const kind = requireKnown(name, kinds);
      if (kind !== 'ignored') {
        const value = coerce(decode(text.slice(equals + 1, end), where), kind);
        if (!Object.hasOwn(values, name)) values[name] = value;
        else if (Array.isArray(value)) append(values[name] as (string | number)[], value);
        else throw givenTwice(name, 'one value: only lists may be repeated');
      }
    }
    start = end + 1;
  }
  return values;
}

/** Reads the members of a JSON body: texts are parsed as in a query, numbers, booleans and arrays are taken as they are. */
export function readJsonParameters(members: object, kinds: ReadonlyMap<string, ParameterKind>): ParameterValues {
  const values: ParameterValues = {};
  for (const [name, value] of Object.entries(members) as [string, unknown][]) {
    const kind = requireKnown(name, kinds);
    if (kind === 'ignored') continue;
    // Other JSON (null, objects, nested arrays) is left for the schema to reject.
    values[name] = typeof value === 'string' ? coerce(value, kind) : (value as ParameterValue);
  }
  return values;
}

/** The parameters of query and body together. Throws BAD_PARAMETER if one is in both. */
export function joinParameters(query: ParameterValues, body: ParameterValues): ParameterValues {
  for (const name in body) {
    if (Object.hasOwn(query, name)) throw givenTwice(name, 'a value either in the query or in the body');
    query[name] = body[name]!;
  }
  return query;
}

function requireKnown(name: string, kinds: ReadonlyMap<string, ParameterKind>): ParameterKind {
  const kind = kinds.get(name);
  if (kind !== undefined) return kind;
  const known = [...kinds].flatMap(([each, kindOfIt]) => (kindOfIt === 'ignored' ? [] : each));
  const expected = known.length === 0 ? 'no parameters' : known.join(', ');
  const shown = name.slice(0, SHOWN_LENGTH);
  const [meant] = nearestNames(name, known);
  const message =
    meant === undefined
      ? `unknown parameter '${shown}' (known: ${expected})`
      : `unknown parameter '${shown}': did you mean '${meant}'? (known: ${expected})`;
  throw new GatewayError('UNKNOWN_PARAMETER', message, { parameter: shown, expected });
}

function givenTwice(name: string, expected: string): GatewayError {
  return badParameter(name, `duplicate parameter '${name}'`, expected);
}

/** One at a time: without many copies of a long list, and without more arguments than the stack holds. */
function append(list: (string | number)[], more: readonly (string | number)[]): void {
  for (const element of more) list.push(element);
}

export function coerce(text: string, kind: ParameterKind): ParameterValue {
  switch (kind) {
    case 'string':
    case 'ignored':
      return text;
    case 'list':
      return text === '' ? [] : text.split(',');
    case 'integers':
      return text === '' ? [] : text.split(',').map((part) => (INTEGER.test(part) ? Number(part) : part));
    case 'integer':
      return INTEGER.test(text) ? Number(text) : text;
    case 'number':
      return NUMBER.test(text) ? Number(text) : text;
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text;
  }
}

function decode(text: string, where: 'query' | 'body'): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    const code = where === 'query' ? 'BAD_REQUEST' : 'BAD_BODY';
    const message = `invalid percent-encoding in the ${where}: '${text.slice(0, 80)}'`;
    throw new GatewayError(code, message, { expected: 'percent-encoded UTF-8' });
  }
}
