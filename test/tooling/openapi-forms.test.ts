import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { compatDocument } from '../../config/tooling/openapi-forms.js';

const LEAN = parse(`
openapi: 3.1.0
info: { title: gate }
tags: [{ name: metrics }]
paths:
  /pmapi/weigh:
    get:
      operationId: weigh
      tags: [metrics]
      summary: The weight of metrics.
      parameters:
        - $ref: '#/components/parameters/names'
        - $ref: '#/components/parameters/scale'
      x-pmgate-examples: [{ summary: One. }]
      responses: { '200': { $ref: '#/components/responses/Weights' }, default: { $ref: '#/components/responses/Failure' } }
  /pmapi/mark:
    post:
      operationId: mark
      tags: [metrics]
      summary: Marks.
      parameters: [{ $ref: '#/components/parameters/names' }]
      responses: { default: { $ref: '#/components/responses/Failure' } }
components:
  parameters:
    names: { name: names, in: query, schema: { $ref: '#/components/schemas/NameList' } }
    scale: { name: units, in: query, schema: { $ref: '#/components/schemas/Units' } }
    contextInPath: { name: context, in: path, schema: { $ref: '#/components/schemas/ContextId' } }
  requestBodies: {}
  schemas: { Units: { type: string } }
`) as object;

const OTHERS = parse(`
info: { summary: All of it. }
tags: [{ name: compatibility }]
forms:
  weigh:
    post: true
    inContext: true
    underscore: { summary: The older form., response: OldWeights, parameters: [names] }
  mark: { body: { text: { x-parameter: names } }, get: true }
paths:
  /ping: { get: { operationId: ping } }
components:
  responses: { OldWeights: { description: Old. } }
`) as object;

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly $ref: string }[];
  readonly requestBody?: { readonly $ref: string };
  readonly responses: Readonly<Record<string, { readonly $ref: string }>>;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, object>>>>;
}

describe('the forms of an operation', () => {
  const { paths, components } = compatDocument(LEAN, OTHERS) as Document;
  const names = (operation?: Operation): readonly unknown[] =>
    (operation?.parameters ?? []).map(({ $ref }) => $ref.split('/').at(-1));

  it('come behind the operation, and name it', () => {
    const listed = Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, { operationId }]) => `${method} ${path} ${operationId}`),
    );
    expect(listed).toEqual([
      'get /pmapi/weigh weigh',
      'post /pmapi/weigh weighPost',
      'get /pmapi/{context}/weigh weighInContext',
      'post /pmapi/{context}/weigh weighInContextPost',
      'get /pmapi/_weigh compatWeigh',
      'post /pmapi/_weigh compatWeighPost',
      'get /pmapi/{context}/_weigh compatWeighInContext',
      'post /pmapi/{context}/_weigh compatWeighInContextPost',
      'get /pmapi/mark markGet',
      'post /pmapi/mark mark',
      'get /ping ping',
    ]);
    expect(paths['/pmapi/{context}/_weigh']!['post']).toMatchObject({ 'x-pmgate-form-of': 'weigh' });
    expect(paths['/pmapi/weigh']!['get']).not.toHaveProperty('x-pmgate-form-of');
  });

  it('have what they say differently, and all else from the operation; examples stay with the first', () => {
    const old = paths['/pmapi/{context}/_weigh']!['post']!;
    expect(names(old)).toEqual(['contextInPath', 'names']);
    expect(old).toMatchObject({
      tags: ['compatibility'],
      summary: 'The older form.',
      requestBody: { $ref: '#/components/requestBodies/CompatWeighBody' },
      responses: {
        200: { $ref: '#/components/responses/OldWeights' },
        default: { $ref: '#/components/responses/Failure' },
      },
    });
    expect(names(paths['/pmapi/{context}/weigh']!['get'])).toEqual(['contextInPath', 'names', 'scale']);
    expect(paths['/pmapi/weigh']!['get']).toHaveProperty('x-pmgate-examples');
    expect(paths['/pmapi/weigh']!['post']).not.toHaveProperty('x-pmgate-examples');
  });

  it('have bodies with the parameters of the query', () => {
    const units = { $ref: '#/components/schemas/Units' };
    const list = { $ref: '#/components/schemas/NameList' };
    expect(components['schemas']).toMatchObject({
      WeighParameters: { additionalProperties: false, properties: { names: list, units } },
      CompatWeighParameters: { properties: { names: list } },
      MarkParameters: { properties: { names: list } },
    });
    expect(paths['/pmapi/mark']!['post']!.requestBody).toEqual({ $ref: '#/components/requestBodies/MarkBody' });
    expect(paths['/pmapi/mark']!['get']!.requestBody).toBeUndefined();
    expect(components['requestBodies']!['MarkBody']).toMatchObject({
      content: { 'text/plain': { 'x-parameter': 'names' } },
    });
  });

  it('are of operations that exist', () => {
    expect(() => compatDocument({ ...LEAN, paths: {} }, OTHERS)).toThrow(
      'forms of operations that do not exist: weigh, mark',
    );
  });

  it('are up to date in openapi.compat.yaml', () => {
    const read = (file: string): object => parse(readFileSync(file, 'utf8')) as object;
    const whole = compatDocument(read('openapi.yaml'), read('src/http/compat-operations.yaml'));
    expect(read('config/openapi.compat.yaml')).toEqual(whole);
  });
});
