import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';

/** How the schema of the configuration is compiled: every fault is found, what is missing gets its default. */
const AJV_OPTIONS = {
  allErrors: true,
  useDefaults: true,
  strict: false,
  // The schema is ours and a test checks it: checking it here as well would take longer than all the rest.
  meta: false,
  validateSchema: false,
  // What runs once need not be made faster first.
  code: { optimize: false },
} as const;

/** What checks a configuration and fills in its defaults. */
export function schemaValidator(schema: object): ValidateFunction {
  return new Ajv2020(AJV_OPTIONS).compile(schema);
}
