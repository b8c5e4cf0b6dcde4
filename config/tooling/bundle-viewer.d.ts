/** Bundles src/viewer/worker.ts for browsers: the script. Throws for what is Node's. `tellInputs` gets what is in it. */
export function bundleWorker(tellInputs?: (inputs: string[]) => void): Promise<string>;
/** Has openapi.compat.yaml, and the schemas of its parameters with the numbers of their checks, `x-check`. */
export function numberedSchemas(): { readonly document: object; readonly schemas: readonly object[] };
/** Makes JavaScript that checks as ajv does, without compiling: CHECKS, in the order of the schemas' numbers. */
export function checksOf(schemas: readonly object[]): string;
