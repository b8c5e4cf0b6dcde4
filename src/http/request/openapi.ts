import { once } from '../../kit/index.js';
import { COMPAT_JSON } from '../openapi-document.generated.js';

/** A JSON schema, as far as reading parameters needs it. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly items?: Schema;
  /** The message for a value that the schema rejects; `{value}` stands for it. */
  readonly 'x-message'?: string;
  readonly [keyword: string]: unknown;
}

interface Ref {
  readonly $ref: string;
}

interface OperationObject {
  readonly operationId: string;
  readonly 'x-pmgate-form-of'?: string;
  readonly parameters?: readonly (ParameterDescription | Ref)[];
  readonly requestBody?: RequestBodyObject | Ref;
}

interface TextBodyObject {
  readonly 'x-parameter'?: string;
  readonly 'x-or-json'?: boolean;
}

interface RequestBodyObject {
  readonly 'x-any-type'?: boolean;
  readonly content: Readonly<Record<string, TextBodyObject>>;
}

export interface OpenapiDocument {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

export interface ParameterDescription {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly schema: Schema;
}

/** The parameter whose value is a plain text body. */
export interface TextParameter {
  readonly name: string;
  /** A JSON object with this member is a JSON body instead. */
  readonly orJson: boolean;
}

export interface OperationDescription {
  readonly operationId: string;
  /** The operation of which it is another form; otherwise itself. */
  readonly formOf: string;
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** As in the document: `/pmapi/{context}/fetch`. */
  readonly path: string;
  readonly parameters: readonly ParameterDescription[];
  /** Whether the parameters may also come in a body. */
  readonly hasBody: boolean;
  /** The parameter of a plain text body; undefined if such a body is JSON or a form, too. */
  readonly textParameter: TextParameter | undefined;
  /** Whether a body is a form, regardless of its Content-Type. */
  readonly takesAnyType: boolean;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** openapi.compat.yaml, which has every route, parsed at first use. */
export const openapiDocument = once(() => JSON.parse(COMPAT_JSON) as OpenapiDocument);

/** Follows a reference within the document; anything else is returned as it is. */
export function resolveRef<T extends object>(document: OpenapiDocument, node: T | Ref): T {
  if (!('$ref' in node) || typeof node.$ref !== 'string') return node as T;
  let target: unknown = document;
  for (const step of node.$ref.slice('#/'.length).split('/')) target = (target as Record<string, unknown>)[step];
  return resolveRef(document, target as T | Ref);
}

export function listOperations(document: OpenapiDocument): readonly OperationDescription[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method] !== undefined).map((method) => {
      const operation = item[method] as OperationObject;
      const parameters = (operation.parameters ?? []).map((each) => resolveRef<ParameterDescription>(document, each));
      const { operationId, requestBody, 'x-pmgate-form-of': formOf = operationId } = operation;
      const body = requestBody && resolveRef<RequestBodyObject>(document, requestBody);
      const content = body?.content;
      const { 'x-parameter': name, 'x-or-json': orJson = false } = content?.['text/plain'] ?? {};
      const textParameter = name === undefined ? undefined : { name, orJson };
      const takesAnyType = body?.['x-any-type'] === true;
      return {
        operationId,
        formOf,
        method,
        path,
        parameters,
        hasBody: body !== undefined,
        textParameter,
        takesAnyType,
      };
    }),
  );
}
