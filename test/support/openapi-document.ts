import { readFileSync } from 'node:fs';

/**
 * openapi.compat.yaml as it is in the repository, parsed: every route, in all its forms. Tests do not trust the copy in the code. The global setup of the tests parses it once for all
 * suites; benchmarks run without one.
 */
export const OPENAPI_DOCUMENT: unknown = await read(process.env.OPENAPI_OF_TESTS);

async function read(parsed: string | undefined): Promise<unknown> {
  if (parsed !== undefined) return JSON.parse(readFileSync(parsed, 'utf8'));
  const { parse } = await import('yaml');
  return parse(readFileSync('config/openapi.compat.yaml', 'utf8'));
}
