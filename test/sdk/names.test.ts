import { readFileSync } from 'node:fs';
import { OPENAPI_DOCUMENT } from '../support/openapi-document.js';

interface Operation {
  readonly operationId?: string;
  readonly responses?: object;
}

const { paths, components } = OPENAPI_DOCUMENT as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<'schemas' | 'responses' | 'requestBodies', object>>;
};

/** Words that some language of a generator does not take for the name of a method. */
const RESERVED =
  /^(break|case|catch|class|default|delete|do|else|export|for|from|import|in|is|new|not|raise|return|switch|try|var|with|yield)$/;

const listed = (): readonly Operation[] =>
  Object.values(paths).flatMap((item) => Object.values(item).filter(({ operationId }) => operationId !== undefined));
const operationIds = (): readonly string[] => listed().map(({ operationId }) => operationId!);

/** What TypeScript declares for all programs, in one of its libraries. */
const library = (name: string): string => readFileSync(`node_modules/typescript/lib/lib.${name}.d.ts`, 'utf8');

const namesIn = (text: string, pattern: RegExp): ReadonlySet<string> =>
  new Set([...text.matchAll(pattern)].map(([, name]) => name!));

describe('the names in openapi.yaml', () => {
  it('are methods in every language: camel case, no word that is reserved, no two that differ in case only', () => {
    const ids = operationIds();
    expect(ids.length).toBeGreaterThan(80);
    expect(ids.filter((id) => !/^[a-z]+([A-Z][a-z]*)*$/.test(id) || RESERVED.test(id))).toEqual([]);
    expect(new Set(ids.map((id) => id.toLowerCase())).size).toBe(ids.length);
  });

  it('hide nothing that code needs: `fetch` as a method calls itself, and `Record` is a type of TypeScript', () => {
    const globals = ['es5', 'es2015.core', 'es2015.collection', 'es2015.promise'].map(library).join('');
    const types = namesIn(globals, /^(?:declare )?(?:interface|type|class) (\w+)/gm);
    expect(types).toContain('Record');
    expect(Object.keys(components.schemas).filter((name) => types.has(name))).toEqual([]);

    const functions = namesIn(`${globals}${library('dom')}`, /^declare (?:function|var|const) (\w+)/gm);
    expect(functions).toContain('fetch');
    expect(operationIds().filter((id) => functions.has(id))).toEqual([]);
  });

  it('are whole statuses or `default`: some generators write ranges (`4XX`) into code as they are', () => {
    const statuses = listed().flatMap(({ responses = {} }) => Object.keys(responses));
    expect(new Set(statuses.filter((status) => !/^([1-5]\d\d|default)$/.test(status)))).toEqual(new Set());
    expect(listed().filter(({ responses = {} }) => !('default' in responses))).toEqual([]);
  });

  it('tell schemas, responses and bodies apart: generators mix up those of one name', () => {
    const names = (['schemas', 'responses', 'requestBodies'] as const).flatMap((kind) => Object.keys(components[kind]));
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
  });
});
