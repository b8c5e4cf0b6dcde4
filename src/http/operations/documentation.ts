import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { GatewayError } from '../../pmapi/index.js';
import type { Answer } from '../answer.js';
import { OPENAPI_JSON } from '../openapi-document.generated.js';
import type { OperationRequest } from '../operation.js';

const CACHED = 'public, max-age=3600';
/** The page gets everything from here and nothing from elsewhere. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const PAGE = `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>pmgate</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/docs/swagger-ui.css">
  </head>
  <body>
    <div id="page"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script type="module" src="/docs/start.js"></script>
  </body>
</html>
`;
/**
 * What "Try it out" fills in is what the document gives as examples. Where a request has a body that holds the example, and the query may
 * not say the same once more. The forms for older clients are folded away, unless a link leads to one. validatorUrl would have the page
 * ask a validator on the Internet.
 */
const START_SCRIPT = `const COMPATIBILITY = 'compatibility';

function withoutExamplesBesideBodies(document) {
  const resolve = (parameter) =>
    parameter.$ref ? document.components.parameters[parameter.$ref.split('/').at(-1)] : parameter;
  for (const item of Object.values(document.paths)) {
    for (const operation of Object.values(item)) {
      if (!operation.requestBody) continue;
      operation.parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map((parameter) => {
        const { example, ...rest } = resolve(parameter);
        return rest.in === 'query' ? rest : parameter;
      });
    }
  }
  return document;
}

const answer = await fetch('/openapi.json');
window.ui = SwaggerUIBundle({
  spec: withoutExamplesBesideBodies(await answer.json()),
  dom_id: '#page',
  deepLinking: true,
  validatorUrl: null,
  onComplete() {
    if (!location.hash.includes(COMPATIBILITY)) {
      window.ui.layoutActions.show(['operations-tag', COMPATIBILITY], false);
    }
  },
});
`;

/** Where Swagger UI lies: found at the start, since that takes descriptors, and later there may be none. */
const SWAGGER_UI = path.dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

const OPENAPI_JSON_BYTES = Buffer.from(OPENAPI_JSON);
const PAGE_BYTES = Buffer.from(PAGE);
const START_SCRIPT_BYTES = Buffer.from(START_SCRIPT);
/** Files by path, read when first asked for. */
const files = new Map<string, Promise<Uint8Array>>();

function readOnce(file: string): Promise<Uint8Array> {
  let bytes = files.get(file);
  if (!bytes) {
    bytes = readFile(file);
    files.set(file, bytes);
    bytes.catch(() => files.delete(file));
  }
  return bytes;
}

/** openapi.yaml as it stands in the package. */
export async function runOpenapiYaml(): Promise<Answer> {
  const body = await readOnce(fileURLToPath(new URL('../../../openapi.yaml', import.meta.url)));
  return { contentType: 'application/yaml', body, cacheControl: CACHED };
}

/** openapi.yaml as JSON. */
export function runOpenapiJson(): Answer {
  return { contentType: 'application/json', body: OPENAPI_JSON_BYTES, cacheControl: CACHED };
}

/** The documentation page: Swagger UI, from this server alone. */
export function runDocs(): Answer {
  return {
    contentType: 'text/html; charset=utf-8',
    body: PAGE_BYTES,
    cacheControl: CACHED,
    headers: ['Content-Security-Policy', CONTENT_SECURITY_POLICY, 'Referrer-Policy', 'same-origin'],
  };
}

/** The parts of the page; of Swagger UI's files just those that it needs. */
export async function runDocsFile({ path: { file } }: OperationRequest<object>): Promise<Answer> {
  switch (file) {
    case 'start.js':
      return { contentType: 'text/javascript; charset=utf-8', body: START_SCRIPT_BYTES, cacheControl: CACHED };
    case 'swagger-ui-bundle.js':
      return swaggerUiFile(file, 'text/javascript; charset=utf-8');
    case 'swagger-ui.css':
      return swaggerUiFile(file, 'text/css; charset=utf-8');
    default:
      throw new GatewayError('NOT_FOUND', `no such file: /docs/${file ?? ''}`, { parameter: 'file' });
  }
}

async function swaggerUiFile(file: string, contentType: string): Promise<Answer> {
  return { contentType, body: await readOnce(path.join(SWAGGER_UI, file)), cacheControl: CACHED };
}
