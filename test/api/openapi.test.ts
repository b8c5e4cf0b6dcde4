import { Ajv2020 } from 'ajv/dist/2020.js';
import { ERROR_CATALOGUE } from '../../src/pmapi/index.js';
import { OPENAPI } from '../support/api.js';

interface Operation {
  readonly operationId: string;
  readonly 'x-pmgate-form-of'?: string;
  readonly parameters?: readonly { $ref?: string; name?: string; in?: string; schema?: object }[];
  readonly requestBody?: { $ref: string };
}
type Named = { name: string; in: string; schema: object; description?: string };
type Content = Record<
  string,
  {
    schema: { $ref?: string; properties?: object };
    example?: unknown;
    examples?: Record<string, { value: unknown }>;
    'x-parameter'?: string;
  }
>;

const document = OPENAPI as unknown as {
  paths: Record<string, Record<string, Operation>>;
  components: {
    parameters: Record<string, Named>;
    requestBodies: Record<string, { content: Content }>;
    responses: Record<string, { content: Content }>;
    schemas: Record<string, { properties?: Record<string, object>; example?: unknown }>;
  };
};
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => {
    // What stands in the path is no parameter of the body.
    const parameters = (operation.parameters ?? []).filter(({ $ref = '' }) => !/InPath$/.test($ref));
    return { ...operation, path, method, parameters };
  }),
);
const ajv = new Ajv2020({ strict: false, allErrors: true });
ajv.addSchema({ ...OPENAPI, $id: 'openapi' });
const check = (schema: object, value: unknown): unknown => {
  ajv.validate(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/')) as object, value);
  return ajv.errors;
};

describe('openapi.compat.yaml', () => {
  it('gives every operation that takes a body the same parameters in the query', () => {
    const withBody = operations.filter(({ requestBody }) => requestBody);
    expect(withBody.length).toBeGreaterThan(25);
    for (const { operationId, parameters = [], requestBody } of withBody) {
      const body = document.components.requestBodies[requestBody!.$ref.split('/').at(-1)!]!;
      const parts = Object.entries(body.content).filter(
        ([type]) => !['text/plain', 'application/x-protobuf', 'application/octet-stream'].includes(type),
      );
      const schemas = parts.map(([, { schema }]) => document.components.schemas[schema.$ref!.split('/').at(-1)!]!);
      const query = parameters
        .map(({ $ref = '' }) => document.components.parameters[$ref.split('/').at(-1)!]!)
        .map(({ name, schema }) => [name, schema] as const);
      for (const { properties = {} } of schemas) {
        expect([operationId, properties]).toEqual([operationId, Object.fromEntries(query)]);
      }
    }
  });

  it('says which parameter a body in plain text is', () => {
    const found: string[] = [];
    for (const { operationId, parameters, requestBody } of operations) {
      const text = document.components.requestBodies[requestBody?.$ref.split('/').at(-1) ?? '']?.content['text/plain'];
      if (!text) continue;
      const query = parameters.map(({ $ref = '' }) => document.components.parameters[$ref.split('/').at(-1)!]!);
      expect([operationId, query.map(({ name }) => name)]).toEqual([
        operationId,
        expect.arrayContaining([text['x-parameter']]),
      ]);
      found.push(operationId);
    }
    expect(found).toContain('storeValue');
  });

  it('has every route that there ever was', () => {
    const routes = operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`);
    const forms = ['fetch', 'context', 'metric', 'children', 'indom', 'profile', 'metrics', 'derive', 'store'].flatMap(
      (name) => ['/pmapi/', '/pmapi/{context}/', '/pmapi/_', '/pmapi/{context}/_'].map((place) => `${place}${name}`),
    );
    const series = ['query', 'values', 'descs', 'metrics', 'instances', 'labels', 'sources', 'load', 'ping'];
    const twins = [...forms, '/metrics', '/derived/check', '/pmapi/stream', '/pmapi/{context}/stream'];
    for (const path of [...twins, ...series.map((name) => `/series/${name}`)]) {
      expect(routes).toEqual(expect.arrayContaining([`GET ${path}`, `POST ${path}`]));
    }
    expect(routes).toHaveLength(145);
  });

  it('has examples that its own schemas accept', () => {
    const { responses, requestBodies } = document.components;
    for (const [name, { content }] of [...Object.entries(responses), ...Object.entries(requestBodies)]) {
      for (const { schema, example, examples = {} } of Object.values(content)) {
        for (const [key, { value }] of Object.entries(examples)) {
          expect([name, key, check(schema, value)]).toEqual([name, key, null]);
        }
        if (example !== undefined) expect([name, check(schema, example)]).toEqual([name, null]);
      }
    }
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      if (schema.example !== undefined) expect([name, check(schema, schema.example)]).toEqual([name, null]);
    }
  });

  it('shows errors as the catalogue has them', () => {
    const examples = ['BadRequest', 'NotFound', 'SharedContext', 'Failure'].map(
      (name) => document.components.responses[name]!.content['application/json']!.example as { code: string },
    );
    for (const { code } of examples) expect(Object.keys(ERROR_CATALOGUE)).toContain(code);
  });
});
