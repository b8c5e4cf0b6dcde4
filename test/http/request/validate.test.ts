import { jest } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { listOperations, openapiDocument, resolveRef, type Schema } from '../../../src/http/request/openapi.js';
import { plainCheck } from '../../../src/http/request/parameters.js';
import { validatorOf } from '../../../src/http/request/validate.js';

const fetchOperation = () =>
  listOperations(openapiDocument()).find(({ operationId }) => operationId === 'fetchValues')!;

test('an operation has one validator, however often the application is made anew', () => {
  expect(validatorOf(fetchOperation())).toBe(validatorOf(fetchOperation()));
});

test('a schema is compiled when a value may be invalid, and once for all operations that have the parameter', () => {
  const compile = jest.spyOn(Ajv2020.prototype, 'compile');
  const fetches = listOperations(openapiDocument()).filter(({ path }) => path.endsWith('/fetch'));
  expect(fetches.length).toBeGreaterThan(2);
  const read = (query: string): void => {
    for (const operation of fetches) validatorOf(operation).read({ query, path: { context: '1' } }, 1);
  };
  read('units=kbyte&names=a&start=-1hour&samples=60&rate=true');
  expect(compile).not.toHaveBeenCalled();
  const wrong = 'samples=-1';
  for (let time = 0; time < 2; time++) expect(() => read(wrong)).toThrow("invalid value '-1' of 'samples'");
  expect(compile).toHaveBeenCalledTimes(1);
  compile.mockRestore();
});

describe('the checks of parameters that need no compiler', () => {
  const schemas = new Map(
    listOperations(openapiDocument())
      .flatMap(({ parameters }) => parameters.map(({ schema }) => resolveRef<Schema>(openapiDocument(), schema)))
      .map((schema) => [JSON.stringify(schema), schema]),
  );
  const compiler = new Ajv2020({ strict: false, validateFormats: false });
  const scalar = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 5 }),
    fc.constantFrom('', 'a', '\u{1f600}', 'x'.repeat(1024), 'x'.repeat(70_000), 'true', 'columns', '60.0.1'),
    fc.integer(),
    fc.integer({ min: -2, max: 3 }),
    fc.double(),
    fc.boolean(),
  );

  test('there is one for each schema of openapi.yaml', () => {
    expect(schemas.size).toBeGreaterThan(30);
    expect([...schemas].filter(([, schema]) => plainCheck(schema) === undefined)).toEqual([]);
    expect(plainCheck({ type: 'string', contentEncoding: 'base64' })).toBeUndefined();
    expect(plainCheck({ type: 'array', items: { format: 'date' } })).toBeUndefined();
  });

  test.each([...schemas])('%s: they pass nothing that the compiled schema refuses', (_text, schema) => {
    const isCertain = plainCheck(schema)!;
    const validate = compiler.compile(schema);
    const values = fc.oneof(
      scalar,
      fc.array(scalar, { maxLength: 3 }),
      fc.constantFrom(...((schema.enum ?? [0]) as unknown[])),
    );
    fc.assert(
      fc.property(values, (value) => {
        const isValid = validate(value);
        if (isCertain(value)) expect(isValid).toBe(true);
        // The reverse, where no length is in question.
        else if (!/minLength/.test(JSON.stringify(schema)) && !/\P{ASCII}/u.test(JSON.stringify(value))) {
          expect(isValid).toBe(false);
        }
      }),
    );
  });
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
