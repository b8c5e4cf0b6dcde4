import { listOperations, openapiDocument } from '../../src/http/openapi.js';
import { validatorOf } from '../../src/http/validate.js';

const fetchOperation = () =>
  listOperations(openapiDocument()).find(({ operationId }) => operationId === 'fetchValues')!;

test('an operation is compiled once, however often the application is made anew', () => {
  expect(validatorOf(fetchOperation())).toBe(validatorOf(fetchOperation()));
});

test('the most elements of a list are those of the request, not of the validator', () => {
  const raw = { query: 'names=a,b,c', path: {} };
  expect(validatorOf(fetchOperation()).read(raw, 3).query).toEqual({ names: ['a', 'b', 'c'] });
  expect(() => validatorOf(fetchOperation()).read(raw, 2)).toThrow('limits.names allows 2');
});
