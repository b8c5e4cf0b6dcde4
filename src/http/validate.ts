import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import { GatewayError } from '../pmapi/index.js';
import { openapiDocument, resolveRef } from './openapi.js';
import type { OperationDescription, Schema, TextParameter } from './openapi.js';
import { coerce, joinParameters, readEncodedParameters, readJsonParameters } from './parameters.js';
import type { ParameterKind, ParameterValue, ParameterValues } from './parameters.js';

const DOCUMENT_ID = 'openapi.json';
const SHOWN_VALUE_LENGTH = 80;

/** The routes that pmproxy has, too. */
const PMPROXY_PATH = /^\/(?:pmapi|metrics|search)(?:\/|$)/;
/** What clients of pmproxy send along, and pmproxy ignores: jQuery's way around caches, and a flag of Vector's for contexts. */
const IGNORED_PARAMETERS = ['_', 'exclusive'] as const;

let compiler: Ajv2020 | undefined;

/** The one compiler of schemas; it knows openapi.yaml, so that `openapi.json#/components/schemas/X` is found. */
export function schemaCompiler(): Ajv2020 {
  if (!compiler) {
    // OpenAPI has keywords of its own beside JSON Schema's; redocly checks the document, so ajv need not.
    compiler = new Ajv2020({ strict: false, validateSchema: false, validateFormats: false });
    compiler.addSchema({ ...openapiDocument(), $id: DOCUMENT_ID });
  }
  return compiler;
}

/** A schema as openapi.yaml writes it, with its references leading into the document. */
export function absoluteRefs(schema: Schema): Schema {
  return schema.$ref === undefined ? schema : { $ref: `${DOCUMENT_ID}${schema.$ref}` };
}

function kindOf(schema: Schema): ParameterKind {
  const types = [schema.type ?? []].flat();
  if (types.includes('array')) return schema.items?.type === 'integer' ? 'integers' : 'list';
  const known = (['integer', 'number', 'boolean'] as const).find((type) => types.includes(type));
  return known ?? 'string';
}

/** The parts of a request that hold parameters. */
export interface RawParameters {
  /** What stands behind the `?`; '' for nothing. */
  readonly query: string;
  /** Path parameters, decoded. */
  readonly path: Readonly<Record<string, string | string[]>>;
  /** A body, if there was one: the text of a form, the object of a JSON body, or plain text. */
  readonly body?: { readonly form: string } | { readonly json: object } | { readonly text: string };
}

/** The parameters of one request, typed as the schemas say. */
export interface Parameters {
  readonly path: Readonly<Record<string, ParameterValue>>;
  /** From query and body alike. */
  readonly query: Readonly<ParameterValues>;
}

const validators = new Map<string, ParameterValidator>();

/**
 * The validator of an operation, made when it is first asked for and kept for good: the compiler keeps what it has compiled, so
 * that another one for each reload of the configuration would never go away.
 */
export function validatorOf(operation: OperationDescription): ParameterValidator {
  let validator = validators.get(operation.operationId);
  if (!validator) {
    validator = new ParameterValidator(operation);
    validators.set(operation.operationId, validator);
  }
  return validator;
}

/** Reads and checks the parameters of one operation; its schemas are compiled when it is made. */
export class ParameterValidator {
  readonly #schemas = new Map<string, Schema>();
  readonly #queryKinds = new Map<string, ParameterKind>();
  readonly #pathKinds = new Map<string, ParameterKind>();
  readonly #validateQuery: ValidateFunction;
  readonly #validatePath: ValidateFunction;
  readonly #textParameter: TextParameter | undefined;

  constructor(operation: OperationDescription) {
    this.#textParameter = operation.textParameter;
    const properties = { query: {} as Record<string, Schema>, path: {} as Record<string, Schema> };
    for (const parameter of operation.parameters) {
      const schema = resolveRef<Schema>(openapiDocument(), parameter.schema);
      this.#schemas.set(`${parameter.in}/${parameter.name}`, schema);
      (parameter.in === 'path' ? this.#pathKinds : this.#queryKinds).set(parameter.name, kindOf(schema));
      properties[parameter.in][parameter.name] = absoluteRefs(parameter.schema);
    }
    if (PMPROXY_PATH.test(operation.path)) {
      for (const name of IGNORED_PARAMETERS) this.#queryKinds.set(name, 'ignored');
    }
    this.#validateQuery = schemaCompiler().compile({ type: 'object', properties: properties.query });
    this.#validatePath = schemaCompiler().compile({ type: 'object', properties: properties.path });
  }

  /**
   * Throws BAD_PARAMETER, UNKNOWN_PARAMETER, BAD_REQUEST or BAD_BODY, each naming the parameter at fault, and TOO_MANY_NAMES for a list of
   * more than `mostElements`.
   */
  read(raw: RawParameters, mostElements: number): Parameters {
    const query = readEncodedParameters(raw.query, this.#queryKinds, 'query');
    if (raw.body) joinParameters(query, this.#readBody(raw.body));
    for (const name in query) limitList(name, query[name]!, mostElements);
    if (!this.#validateQuery(query)) this.#refuse('query', query, this.#validateQuery.errors);

    const path: ParameterValues = {};
    for (const [name, kind] of this.#pathKinds) path[name] = coerce(String(raw.path[name]), kind);
    if (!this.#validatePath(path)) this.#refuse('path', path, this.#validatePath.errors);
    return { path, query };
  }

  #readBody(body: NonNullable<RawParameters['body']>): ParameterValues {
    if ('json' in body) return readJsonParameters(body.json, this.#queryKinds);
    if ('form' in body) return readEncodedParameters(body.form, this.#queryKinds, 'body');
    if (this.#textParameter === undefined) return {};
    return readJsonParameters({ [this.#textParameter.name]: body.text }, this.#queryKinds);
  }

  #refuse(place: 'query' | 'path', values: ParameterValues, errors: readonly ErrorObject[] | null | undefined): never {
    const error = errors?.[0];
    const [, name = '', ...inside] = (error?.instancePath ?? '').split('/');
    let value: unknown = values[name];
    for (const step of inside) value = (value as Record<string, unknown>)[step];
    const shown = (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, SHOWN_VALUE_LENGTH);
    const expected = expectation(error);
    const message = this.#schemas.get(`${place}/${name}`)?.['x-message']?.replace('{value}', () => shown);
    throw new GatewayError(
      'BAD_PARAMETER',
      message ?? `'${name}' is '${shown}', which is not acceptable: ${expected}`,
      {
        parameter: name,
        expected,
      },
    );
  }
}

/** What a schema wants, in words. */
export function expectation(error: ErrorObject | undefined): string {
  if (!error) return 'another value';
  const { allowedValues, type } = error.params as { allowedValues?: readonly unknown[]; type?: unknown };
  if (error.keyword === 'enum' && allowedValues) return `one of ${allowedValues.join(', ')}`;
  if (error.keyword === 'type' && Array.isArray(type)) return `must be ${type.join(' or ')}`;
  return error.message ?? 'another value';
}

function limitList(name: string, value: ParameterValue, mostElements: number): void {
  if (!Array.isArray(value) || value.length <= mostElements) return;
  throw new GatewayError(
    'TOO_MANY_NAMES',
    `'${name}' holds ${value.length} elements; limits.names allows ${mostElements} in one request`,
    { parameter: name, expected: `at most ${mostElements} elements` },
  );
}
