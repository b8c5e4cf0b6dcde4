import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

interface Operation {
  readonly operationId?: string;
  readonly description?: string;
  readonly parameters?: readonly { readonly $ref?: string; readonly name?: string; readonly in?: string }[];
  readonly responses?: object;
}
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

const text = readFileSync('openapi.yaml', 'utf8');
const { paths, components } = parse(text) as {
  readonly paths: Paths;
  readonly components: Readonly<Record<string, Readonly<Record<string, object>>>>;
};

/** Words that some language of a generator does not take for the name of a method. */
const RESERVED =
  /^(async|await|break|case|catch|class|const|default|delete|do|else|export|for|from|import|in|is|new|not|raise|return|switch|try|var|with|yield)$/;

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
    expect(ids.length).toBeGreaterThan(30);
    expect(ids.length).toBeLessThanOrEqual(50);
    expect(ids.filter((id) => !/^[a-z]+([A-Z][a-z]*)*$/.test(id) || RESERVED.test(id))).toEqual([]);
    expect(new Set(ids.map((id) => id.toLowerCase())).size).toBe(ids.length);
  });

  it('hide nothing that code needs: `fetch` as a method calls itself, and `Record` is a type of TypeScript', () => {
    const globals = ['es5', 'es2015.core', 'es2015.collection', 'es2015.promise'].map(library).join('');
    const types = namesIn(globals, /^(?:declare )?(?:interface|type|class) (\w+)/gm);
    expect(types).toContain('Record');
    expect(Object.keys(components['schemas']!).filter((name) => types.has(name))).toEqual([]);

    const functions = namesIn(`${globals}${library('dom')}`, /^declare (?:function|var|const) (\w+)/gm);
    expect(functions).toContain('fetch');
    expect(operationIds().filter((id) => functions.has(id))).toEqual([]);
  });

  it('are whole statuses or `default`: some generators write ranges (`4XX`) into code as they are', () => {
    const statuses = listed().flatMap(({ responses = {} }) => Object.keys(responses));
    expect(new Set(statuses.filter((status) => !/^([1-5]\d\d|default)$/.test(status)))).toEqual(new Set());
    expect(listed().filter(({ responses = {} }) => !('default' in responses))).toEqual([]);
  });

  it('tell schemas, responses, bodies, parameters and headers apart, even where case does not count', () => {
    const kinds = Object.fromEntries(Object.entries(components).filter(([kind]) => kind !== 'securitySchemes'));
    const names = [operationIds(), ...Object.values(kinds).map((kind) => Object.keys(kind))]
      .flat()
      .map((name) => name.toLowerCase());
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
    // Some generators name types after their kind.
    const types = Object.entries({ parameters: 'parameter', responses: 'response', requestBodies: 'body' }).flatMap(
      ([kind, suffix]) => Object.keys(components[kind]!).map((name) => `${name}${suffix}`.toLowerCase()),
    );
    expect(types.filter((name) => names.includes(name))).toEqual([]);
  });

  it('of parameters are no reserved words, and of one operation are told apart by more than their place', () => {
    for (const { operationId, parameters = [] } of listed()) {
      const names = parameters.map(({ $ref, name }) => {
        const found = $ref === undefined ? { name } : components['parameters']![$ref.split('/').at(-1)!]!;
        return (found as { readonly name: string }).name;
      });
      expect([operationId, names.filter((name, i) => RESERVED.test(name) || names.indexOf(name) !== i)]).toEqual([
        operationId,
        [],
      ]);
    }
  });

  it('are all that references lead to: nothing inside of a schema, and no parameters of whole paths', () => {
    const refs = [...text.matchAll(/\$ref: '([^']*)'/g)].map(([, ref]) => ref!);
    expect(refs.length).toBeGreaterThan(500);
    expect(refs.filter((ref) => !/^#\/components\/\w+\/\w+$/.test(ref))).toEqual([]);
    expect(
      Object.values(paths)
        .flatMap((item) => Object.keys(item))
        .filter((key) => !/^(get|post|put|delete)$/.test(key)),
    ).toEqual([]);
  });
});

test('every operation of openapi.yaml tells of its other forms', () => {
  const whole = (parse(readFileSync('config/openapi.compat.yaml', 'utf8')) as { readonly paths: Paths }).paths;
  for (const [path, item] of Object.entries(whole)) {
    for (const operation of Object.values(item)) {
      const of = (operation as { readonly 'x-pmgate-form-of'?: string })['x-pmgate-form-of'];
      const first = listed().find(({ operationId }) => operationId === of);
      if (first && paths[path] === undefined)
        expect([path, first.description]).toEqual([path, expect.stringContaining(`\`${path}\``)]);
    }
  }
});
