import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { getOrMake, once } from '../../kit/index.js';
import { openapiDocument, type Schema } from './openapi.js';

const DOCUMENT_ID = 'openapi.json';

/** OpenAPI has keywords besides those of JSON Schema; redocly checks the document, so ajv does not have to. */
const COMPILER_OPTIONS = {
  strict: false,
  meta: false,
  validateSchema: false,
  validateFormats: false,
  // Checks are small: optimising them took half the compile time.
  code: { optimize: false },
} as const;

/** The compiler of schemas that refer to others; it knows openapi.yaml, so that `openapi.json#/components/schemas/X` is found. */
export const schemaCompiler = once(() => {
  const compiler = new Ajv2020(COMPILER_OPTIONS);
  return compiler.addSchema({ ...openapiDocument(), $id: DOCUMENT_ID });
});

const parameterCompiler = once(() => new Ajv2020(COMPILER_OPTIONS));
const checks = new Map<Schema, ValidateFunction>();

/** A parameter's check, compiled at first use: compiling whole operations took 30 ms of first requests. */
export function checkOf(schema: Schema): ValidateFunction {
  return getOrMake(checks, schema, () => parameterCompiler().compile(schema));
}
