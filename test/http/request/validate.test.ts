import { jest } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { listOperations, openapiDocument, resolveRef } from '../../../src/http/request/openapi.js';
import { validatorOf } from '../../../src/http/request/validate.js';

const fetchOperation = () =>
  listOperations(openapiDocument()).find(({ operationId }) => operationId === 'fetchValues')!;

test('an operation has one validator, however often the application is made anew', () => {
  expect(validatorOf(fetchOperation())).toBe(validatorOf(fetchOperation()));
});

test('a schema is compiled when a request first brings its parameter, and once for all operations that have it', () => {
  const compile = jest.spyOn(Ajv2020.prototype, 'compile');
  const fetches = listOperations(openapiDocument()).filter(({ path }) => path.endsWith('/fetch'));
  expect(fetches.length).toBeGreaterThan(2);
  for (const operation of fetches) validatorOf(operation).read({ query: 'units=kbyte', path: { context: '1' } }, 1);
  const compiled = compile.mock.calls.map(([schema]) => schema);
  const schemaOf = (wanted: string): unknown => {
    const { schema } = fetches.at(-1)!.parameters.find(({ name }) => name === wanted)!;
    return resolveRef(openapiDocument(), schema);
  };
  expect(compiled).toHaveLength(2);
  expect(new Set(compiled)).toEqual(new Set([schemaOf('units'), schemaOf('context')]));
  compile.mockRestore();
});

test('the schemas of parameters refer to no others: each is compiled by itself', () => {
  const schemas = listOperations(openapiDocument()).flatMap(({ parameters }) =>
    parameters.map(({ schema }) => JSON.stringify(resolveRef(openapiDocument(), schema))),
  );
  expect(schemas.filter((schema) => schema.includes('"$ref"'))).toEqual([]);
});

test('the most elements of a list are those of the request, not of the validator', () => {
  const raw = { query: 'names=a,b,c', path: {} };
  expect(validatorOf(fetchOperation()).read(raw, 3).query).toEqual({ names: ['a', 'b', 'c'] });
  expect(() => validatorOf(fetchOperation()).read(raw, 2)).toThrow('limits.names allows 2');
});
