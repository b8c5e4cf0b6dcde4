import { DefinitionStore, DerivedScope } from '../../src/derived/index.js';
import { atOnce } from '../../src/kit/index.js';
import { formatPmid } from '../../src/pmapi/index.js';
import { rows } from '../support/rows.js';
import { errorOf } from '../support/error-of.js';

const FILE = { file: 'my.conf', origin: 'file' } as const;

describe('DefinitionStore.register', () => {
  it('gives out PMIDs in order; a registration that fails uses none', () => {
    const store = new DefinitionStore();
    expect(formatPmid(store.register('a.one', 'x').pmid)).toBe('511.0.1');
    expect(() => store.register('a.two', 'x +')).toThrow();
    expect(() => store.register('9a', 'x')).toThrow();
    expect(() => store.register('a.one', 'y')).toThrow();
    expect(formatPmid(store.register('a.two', 'no.such').pmid)).toBe('511.0.2');
    expect(store.list().map(({ name }) => name)).toEqual(['a.one', 'a.two']);
    expect(store.byPmid(store.get('a.two')!.pmid)?.name).toBe('a.two');
  });

  it('moves its version with every change and with nothing else', () => {
    const store = new DefinitionStore();
    const versions = [store.version];
    store.register('a', 'x + y');
    versions.push(store.version);
    store.register('a', '(x)+y');
    versions.push(store.version);
    store.unregister('a');
    versions.push(store.version);
    expect(versions).toEqual([0, 1, 1, 2]);
  });

  it('takes the same definition again, however it is written, and refuses another one', () => {
    const store = new DefinitionStore();
    const definition = store.register('a', 'x + y');
    expect(store.register('a', '(x)+ y')).toBe(definition);
    const error = errorOf(() => store.register('a', 'y + x'));
    expect(error).toMatchObject({ code: 'DUPLICATE_NAME', httpStatus: 409 });
    expect(error.message).toBe(
      'Error: pmRegisterDerivedMetric("a", ...)\ny + x\n^\nDuplicate global derived metric name',
    );
  });

  it('leaves out the reason where there is none, and points into an empty text', () => {
    const error = errorOf(() => new DefinitionStore().register('a', ''));
    expect(error.message).toBe('Error: pmRegisterDerivedMetric("a", ...) syntax error\n\n ^');
    expect(error.details.position).toEqual({ offset: 0, line: 1, column: 1 });
  });
});

describe('DefinitionStore.unregister', () => {
  it('forgets a definition and does not give its PMID out again', () => {
    const store = new DefinitionStore();
    const { pmid } = store.register('a', '1');
    store.unregister('a');
    expect(store.get('a')).toBeUndefined();
    expect(store.byPmid(pmid)).toBeUndefined();
    expect(store.register('a', '2').pmid).not.toBe(pmid);
  });
});

describe('DefinitionStore.load', () => {
  it('takes long texts from the configuration, and not from clients', () => {
    const text = `a = 1\n# ${'x'.repeat(70_000)}\n`;
    expect(new DefinitionStore().load(text, FILE).definitions).toHaveLength(1);
    const store = new DefinitionStore();
    expect(errorOf(() => store.load(text, { file: 'body', origin: 'api' }))).toMatchObject({
      code: 'LIMIT_EXCEEDED',
      message: '[body:1] Error: pmLoadDerivedConfig: the text is longer than 65536 characters',
    });
    expect(errorOf(() => atOnce(new DerivedScope(store).parseFileInSteps(text)))).toMatchObject({
      code: 'LIMIT_EXCEEDED',
    });
    expect(store.list().length).toBe(0);
  });

  it('takes a whole file, with help texts', () => {
    const store = new DefinitionStore();
    const report = store.load('# x\na = 1\na(oneline) = the one\nb = 2', FILE);
    expect(report.definitions.map(({ name, oneline }) => [name, oneline])).toEqual([
      ['a', 'the one'],
      ['b', undefined],
    ]);
    expect(store.version).toBe(1);
    store.load('a(helptext) = "more"\n', FILE);
    expect(store.get('a')).toMatchObject({ oneline: 'the one', helptext: 'more', origin: 'file' });
    expect(store.byPmid(store.get('a')!.pmid)?.helptext).toBe('more');
  });

  it('takes what is good when it is told to, as PCP does', () => {
    const store = new DefinitionStore();
    const report = store.load('a = 1\nb = 1 +\nc = 3\n', { ...FILE, lenient: true });
    expect(store.list().map(({ name }) => name)).toEqual(['a', 'c']);
    expect(report.problems).toHaveLength(1);
  });

  it.each([
    ['a = 1\na = 2\n', 'Duplicate global derived metric name'],
    ['there = 2\n', 'Duplicate global derived metric name'],
    ['x(oneline) = y\n', 'cannot set attribute, derived metric (x) not defined\nx(oneline) = y'],
    ['a = 1\na(colour) = y\n', 'attribute (colour) is unknown for metric (a)\na(colour) = y'],
    ['a = 1\na(oneline) = y\na(oneline) = z\n', 'duplicate value for attribute (oneline) of metric (a)'],
  ])('refuses %j', (text, message) => {
    const store = new DefinitionStore();
    store.register('there', '1');
    expect(errorOf(() => store.load(text, FILE)).message).toMatch(message);
    expect(store.list().length).toBe(1);
  });

  it('obeys control lines', () => {
    const store = new DefinitionStore();
    expect(store.load('#control option_novalue=1,GLOBAL_LIMIT=2\na = 1\n', FILE).controls).toEqual({
      unknownIsNovalue: true,
      globalLimit: 2,
    });
    expect(store.controls.unknownIsNovalue).toBe(true);
    expect(errorOf(() => store.load('b = 1\nc = 1\n', FILE)).message).toBe(
      '[my.conf:2] Error: pmRegisterDerived(c, ...) syntax error\n 1\n ^\nToo many global derived metrics',
    );
    expect(errorOf(() => store.load('b = 1\nc = 1\n', FILE)).code).toBe('LIMIT_EXCEEDED');
    const { definitions } = store.load('b = 1\nc = 1\n', { ...FILE, lenient: true });
    expect(definitions.map(({ name }) => name)).toEqual(['b']);
    const { problems } = store.load('#control global_limit=0, colour=1, DEBUG_EVAL=1\n', FILE);
    expect(problems.map(({ message }) => message)).toEqual([
      'bad value (0) for derived metric control (global_limit)',
      'unknown derived metric control (colour)',
    ]);
  });
});

describe('DefinitionStore.load of a text from a client', () => {
  it('does not obey control lines', () => {
    const store = new DefinitionStore({ limit: 1 });
    const { controls, problems } = store.load('#control GLOBAL_LIMIT=-1\na = 1\n', { file: 'body', origin: 'api' });
    expect(controls).toEqual({});
    expect(problems.map(({ message }) => message)).toEqual(['derived metric control (GLOBAL_LIMIT) is ignored here']);
    expect(() => store.register('b', '1')).toThrow('Too many global derived metrics');
  });
});

describe('DefinitionStore state', () => {
  it('keeps what came over the API, in order', () => {
    const store = new DefinitionStore();
    store.load('file.a = 1\n', FILE);
    store.register('api.b', 'x + 1');
    store.register('api.a', 'y');
    const state = store.toState();
    expect(state).toEqual({
      version: 1,
      definitions: [
        { name: 'api.b', expression: 'x + 1', pmid: '511.0.2' },
        { name: 'api.a', expression: 'y', pmid: '511.0.3' },
      ],
      lastPmid: '511.0.3',
    });
    const restored = new DefinitionStore();
    expect(restored.restore(JSON.parse(JSON.stringify(state)))).toEqual([]);
    expect(restored.toState()).toEqual(state);
  });

  it('leaves out what a file has taken since, and says so', () => {
    const store = new DefinitionStore();
    store.load('a = 1\n', FILE);
    const failures = store.restore({
      version: 1,
      definitions: rows({ name: 'a', expression: '2' }, { name: 'b', expression: '3' }),
    });
    expect(failures.map(({ name, error }) => [name, error.code])).toEqual([['a', 'DUPLICATE_NAME']]);
    expect(store.get('b')?.origin).toBe('api');
  });

  describe('and PMIDs', () => {
    const pmidsOf = (store: DefinitionStore): Record<string, string> =>
      Object.fromEntries(store.list().map(({ name, pmid }) => [name, formatPmid(pmid)]));
    const kept = (...entries: readonly (readonly [name: string, pmid?: string])[]) => ({
      version: 1,
      definitions: entries.map(([name, pmid]) => ({ name, expression: name, ...(pmid !== undefined && { pmid }) })),
    });
    /** A store that starts with a state and a file, as a gateway does. */
    const start = (state: unknown, file: string): DefinitionStore => {
      const store = new DefinitionStore();
      store.reserve(state);
      store.load(file, FILE);
      expect(store.restore(state)).toEqual([]);
      return store;
    };

    it('stay the same, whatever files define meanwhile', () => {
      const before = new DefinitionStore();
      before.load('f1 = 1\nf2 = 2\n', FILE);
      before.register('a', 'x');
      before.register('b', 'y');
      const { a, b } = pmidsOf(before);
      const more = start(before.toState(), 'f1 = 1\nf2 = 2\nf3 = 3\nf4 = 4\n');
      expect(pmidsOf(more)).toEqual({ f1: '511.0.1', f2: '511.0.2', a, b, f3: '511.0.5', f4: '511.0.6' });
      const fewer = start(more.toState(), '');
      expect(pmidsOf(fewer)).toEqual({ a, b });
      expect(fewer.byPmid(fewer.get('b')!.pmid)?.name).toBe('b');
    });

    it('are not given to another definition after the last one is gone and the gateway started anew', () => {
      const before = new DefinitionStore();
      before.register('a', 'x');
      before.register('b', 'y');
      before.unregister('b');
      const after = start(JSON.parse(JSON.stringify(before.toState())), '');
      expect(formatPmid(after.register('c', 'z').pmid)).toBe('511.0.3');
    });

    it.each([
      ['claimed twice', kept(['a', '511.0.9'], ['b', '511.0.9']), { a: '511.0.9', b: '511.0.2' }],
      ['missing, as in a state of old', kept(['a'], ['b']), { a: '511.0.2', b: '511.0.3' }],
      ['of another domain', kept(['a', '60.0.9']), { a: '511.0.2' }],
      ['those of per-context metrics', kept(['a', '511.2047.1023']), { a: '511.0.2' }],
      ['item 0', kept(['a', '511.3.0']), { a: '511.0.2' }],
      ['no PMIDs', kept(['a', 'x'], ['b', '']), { a: '511.0.2', b: '511.0.3' }],
      ['that of a file before', kept(['a', '511.0.1']), { f: '511.0.2', a: '511.0.1' }],
    ])('that are %s are replaced', (_, state, expected) => {
      expect(pmidsOf(start(state, 'f = 1\n'))).toEqual({ f: '511.0.1', ...expected });
    });

    it('of what is left out mean nothing', () => {
      const store = new DefinitionStore();
      const state = kept(['a', '511.0.1']);
      store.reserve(state);
      store.load('a = 7\nb = 8\n', FILE);
      expect(store.restore(state)).toHaveLength(1);
      expect(pmidsOf(store)).toEqual({ a: '511.0.2', b: '511.0.3' });
    });
  });

  it.each([
    null,
    [],
    {},
    { version: 2 },
    { version: 1, definitions: {} },
    { version: 1, definitions: [{ name: 'a' }] },
  ])('refuses %j', (state) => {
    expect(errorOf(() => new DefinitionStore().restore(state))).toMatchObject({ code: 'BAD_BODY' });
  });

  it('tells the first errors of a file that has very many', () => {
    const text = Array.from({ length: 500 }, (_, i) => `m${i} = (`).join('\n');
    const load = (): unknown => new DefinitionStore().load(text, { file: 'f', origin: 'api' });
    expect(load).toThrow(/\[f:20\][^[]*\n\.\.\. and 480 more errors$/);
  });
});
