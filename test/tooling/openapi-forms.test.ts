import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { withForms } from '../../config/tooling/openapi-forms.js';

const BEFORE = `openapi: 3.1.0
paths:
  /pmapi/weigh:
    parameters:
      - $ref: '#/components/parameters/names'
      - $ref: '#/components/parameters/scale'
    get:
      operationId: weigh
      tags: [metrics]
      summary: The weight of metrics.
      description: Of all of them.
      x-pmgate-forms:
        post: WeighBody
        inContext: Weight
        underscore: { summary: The older form., response: OldWeight, parameters: [names], body: OldWeighBody }
      responses:
        '200': { $ref: '#/components/responses/Weights' }
        default: { $ref: '#/components/responses/Failure' }
  /readyz:
    get:
      operationId: ready
components:
  parameters:
    names: { name: names, in: query, schema: { $ref: '#/components/schemas/NameList' } }
    scale: { name: units, in: query, schema: { $ref: '#/components/schemas/Units' } }
    contextInPath: { name: context, in: path, schema: { $ref: '#/components/schemas/ContextId' } }
  schemas:
    Units: { type: string }
`;

interface Operation {
  readonly operationId: string;
  readonly description?: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly requestBody?: { readonly $ref: string };
  readonly responses: Record<string, { readonly $ref: string }>;
}

interface Document {
  readonly paths: Record<
    string,
    { readonly parameters: { $ref: string }[]; readonly get: Operation; readonly post?: Operation }
  >;
  readonly components: { readonly schemas: Record<string, unknown> };
}

describe('the forms of an operation', () => {
  const text = withForms(BEFORE);
  const { paths, components } = parse(text) as Document;

  it('come behind the operation', () => {
    expect(Object.keys(paths)).toEqual([
      '/pmapi/weigh',
      '/pmapi/{context}/weigh',
      '/pmapi/_weigh',
      '/pmapi/{context}/_weigh',
      '/readyz',
    ]);
    expect(Object.values(paths).flatMap(({ get, post }) => [get.operationId, post?.operationId])).toEqual([
      ...['weigh', 'weighPost', 'weighInContext', 'weighInContextPost'],
      ...['compatWeigh', 'compatWeighPost', 'compatWeighInContext', 'compatWeighInContextPost'],
      ...['ready', undefined],
    ]);
  });

  it('have what they say differently, and all else from the operation', () => {
    const old = paths['/pmapi/{context}/_weigh']!;
    expect(old.parameters.map(({ $ref }) => $ref.split('/').at(-1))).toEqual(['contextInPath', 'names']);
    expect(old.post).toEqual({
      operationId: 'compatWeighInContextPost',
      tags: ['compatibility'],
      summary: 'The older form.',
      requestBody: { $ref: '#/components/requestBodies/OldWeighBody' },
      responses: {
        '200': { $ref: '#/components/responses/OldWeight' },
        default: { $ref: '#/components/responses/Failure' },
      },
    });
    expect(paths['/pmapi/{context}/weigh']!.get.responses['200']!.$ref).toBe('#/components/responses/Weight');
    expect(paths['/pmapi/weigh']!.post!.responses['200']!.$ref).toBe('#/components/responses/Weights');
  });

  it('have bodies with the parameters of the query', () => {
    expect(components.schemas).toMatchObject({
      WeighParameters: {
        additionalProperties: false,
        properties: { names: { $ref: '#/components/schemas/NameList' }, units: { $ref: '#/components/schemas/Units' } },
      },
      OldWeighParameters: { properties: { names: { $ref: '#/components/schemas/NameList' } } },
    });
  });

  it('are the same when they are made again, and keep a description of their own', () => {
    expect(withForms(text)).toBe(text);
    const described = text.replace(/(operationId: weighPost\n.*\n.*\n)/, '$1      description: By POST.\n');
    expect((parse(withForms(described)) as Document).paths['/pmapi/weigh']!.post!.description).toBe('By POST.');
  });

  it('are up to date in openapi.yaml', () => {
    const published = readFileSync('openapi.yaml', 'utf8');
    expect(withForms(published)).toBe(published);
  });
});
