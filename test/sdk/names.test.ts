import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

const { paths, components } = parse(readFileSync('openapi.yaml', 'utf8')) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId?: string }>>>>;
  readonly components: Readonly<Record<'schemas' | 'responses' | 'requestBodies', object>>;
};

/** Words that some language of a generator does not take for the name of a method. */
const RESERVED =
  /^(break|case|catch|class|default|delete|do|else|export|for|from|import|in|is|new|not|raise|return|switch|try|var|with|yield)$/;

describe('the names in openapi.yaml', () => {
  it('are methods in every language: camel case, no word that is reserved, no two that differ in case only', () => {
    const ids = Object.values(paths).flatMap((operations) => {
      return Object.values(operations).flatMap(({ operationId }) => operationId ?? []);
    });
    expect(ids.length).toBeGreaterThan(80);
    expect(ids.filter((id) => !/^[a-z]+([A-Z][a-z]*)*$/.test(id) || RESERVED.test(id))).toEqual([]);
    expect(new Set(ids.map((id) => id.toLowerCase())).size).toBe(ids.length);
  });

  it('tell schemas, responses and bodies apart: generators mix up those of one name', () => {
    const names = (['schemas', 'responses', 'requestBodies'] as const).flatMap((kind) => Object.keys(components[kind]));
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
  });
});
