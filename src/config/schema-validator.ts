import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';

/** How the schema of the configuration is compiled: every fault is found, what is missing gets its default. */
export const AJV_OPTIONS = {
  allErrors: true,
  useDefaults: true,
  strict: false,
  // The schema is ours and a test checks it: checking it here as well would take longer than all the rest.
  meta: false,
  validateSchema: false,
  // What runs once need not be made faster first.
  code: { optimize: false },
} as const;

/**
 * What checks a configuration and fills in its defaults. The bundle has the code that ajv makes of `config/pmgate.schema.json` in this
 * file's place (config/tooling/bundle.js): making it takes a tenth of the start.
 */
export function schemaValidator(schema: object): ValidateFunction {
  return new Ajv2020(AJV_OPTIONS).compile(schema);
}
