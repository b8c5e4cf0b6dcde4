import type { ErrorObject } from 'ajv/dist/2020.js';
import { getOrMake } from '../../kit/index.js';
import { badParameter, GatewayError } from '../../pmapi/index.js';
import { checkOf } from './compile-schema.js';
import { openapiDocument, resolveRef, type OperationDescription, type Schema, type TextParameter } from './openapi.js';
import { coerce, joinParameters, readEncodedParameters, readJsonParameters } from './parameters.js';
import type { ParameterKind, ParameterValue, ParameterValues } from './parameters.js';

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
