import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { compatDocument } from '../../config/tooling/openapi-forms.js';

describe('the forms of an operation', () => {
  const read = (file: string): object => parse(readFileSync(file, 'utf8')) as object;
  const [lean, others] = [read('openapi.yaml'), read('src/http/compat-operations.yaml')];

  it('are up to date in openapi.compat.yaml', () => {
    expect(read('config/openapi.compat.yaml')).toEqual(compatDocument(lean, others));
  });

  it('are of operations that exist', () => {
    expect(() => compatDocument({ ...lean, paths: {} }, others)).toThrow('forms of operations that do not exist: ');
  });
});
