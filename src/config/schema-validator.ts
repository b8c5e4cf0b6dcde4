import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';

/** How the configuration's schema is compiled: all errors are found, and missing members get their defaults. */
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

/** Checks a configuration and fills in its defaults. */
export function schemaValidator(schema: object): ValidateFunction {
  return new Ajv2020(AJV_OPTIONS).compile(schema);
}
