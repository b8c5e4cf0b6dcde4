import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { type RunningGateway, startGateway } from './support/whole-gateway.js';

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly example?: unknown;
  readonly schema: { readonly $ref?: string; readonly example?: unknown; readonly default?: unknown };
}
type Content = Readonly<Record<string, { example?: unknown; examples?: Record<string, { value: unknown }> }>>;
interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly $ref: string };
}

const { paths, components } = parse(readFileSync('openapi.yaml', 'utf8')) as {
  paths: Record<string, Record<string, Operation>>;
  components: {
    parameters: Record<string, Parameter>;
    requestBodies: Record<string, { content: Content }>;
    schemas: Record<string, { example?: unknown; default?: unknown }>;
  };
};

const last = (reference: string): string => reference.split('/').at(-1)!;

/** What Swagger UI fills in for a parameter: an example or a default, its own or its schema's. */
function filledIn({ example, schema }: Parameter): string | number | boolean | undefined {
  const known = schema.$ref === undefined ? schema : components.schemas[last(schema.$ref)]!;
  return (example ?? known.example ?? known.default) as string | number | boolean | undefined;
}

/** The request that "Execute" sends when nothing is filled in by hand; undefined where something must be. */
function triedRequest(method: string, template: string, operation: Operation) {
  const parameters = (operation.parameters ?? []).map((parameter) =>
    parameter.$ref === undefined ? parameter : components.parameters[last(parameter.$ref)]!,
  );
  const body = operation.requestBody && components.requestBodies[last(operation.requestBody.$ref)]!.content;
  const query = new URLSearchParams();
  for (const parameter of parameters) {
    const value = filledIn(parameter);
    if (value === undefined) {
      if (parameter.required === true) return undefined;
    } else if (parameter.in === 'path') template = template.replace(`{${parameter.name}}`, String(value));
    else query.append(parameter.name, String(value));
  }
  const [type, media] = Object.entries(body ?? {})[0] ?? [];
  const example = media && (media.example ?? Object.values(media.examples ?? {})[0]?.value);
  return {
    url: query.size > 0 ? `${template}?${query.toString()}` : template,
    method: method.toUpperCase(),
    ...(type === undefined || example === undefined
      ? {}
      : { headers: { 'content-type': type }, body: typeof example === 'string' ? example : JSON.stringify(example) }),
  };
}

const requests = Object.entries(paths).flatMap(([template, item]) =>
  Object.entries(item).flatMap(([method, operation]) => {
    const request = triedRequest(method, template, operation);
    return request ? [[operation.operationId, request] as const] : [];
  }),
);

describe('what the documentation page fills in', () => {
  let gateway: RunningGateway;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway.close());

  it('is enough for the operations that people try first', () => {
    expect(requests.map(([operation]) => operation)).toEqual(
      expect.arrayContaining([
        'fetchValues',
        'listInstances',
        'changeProfile',
        'listContexts',
        'describeMetrics',
        'deriveMetrics',
        'searchMetrics',
      ]),
    );
  });

  // Storing and pushing are off by default, whatever is filled in; nothing is filled in for a body of bytes.
  it.each(requests.filter(([operation]) => !/^storeValue|^remoteRead|^push/.test(operation)))(
    'is answered: %s',
    async (_, request) => {
      const { url, ...rest } = request;
      const leave = new AbortController();
      const answer = await fetch(`${gateway.url}${url}`, { ...rest, signal: leave.signal });
      // A machine that is busy with other tests may have no time for streams.
      const text = answer.ok || answer.status === 503 ? '' : await answer.text();
      leave.abort();
      expect(text).toBe('');
    },
  );
});
