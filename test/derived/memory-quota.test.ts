import { DefinitionStore, DerivedScope, MemoryQuota, type StoreState } from '../../src/derived/index.js';
import { atOnce } from '../../src/kit/index.js';
import { DIMENSIONLESS, INDOM_NULL, MetricType, Semantics } from '../../src/pmapi/index.js';
import { rows } from '../support/rows.js';
import { errorOf } from '../support/error-of.js';

const sumOf = (tokens: number): string => `x${'+1'.repeat((tokens - 1) / 2)}`;
const LARGE = sumOf(1_999);
/** Room for four such definitions, and for a fifth that is small. */
const BYTES = 1_000_000;

function storeOf(bytes = BYTES): DefinitionStore {
  return new DefinitionStore({ budget: new MemoryQuota('global derived metrics', bytes) });
}

function fill(store: DefinitionStore): number {
  for (let i = 0; ; i++) {
    try {
      store.register(`large.d${i}`, LARGE);
    } catch (error) {
      expect(error).toMatchObject({ code: 'MEMORY_FULL', httpStatus: 507 });
      return i;
    }
  }
}

describe('DefinitionStore within a budget', () => {
  it('refuses a definition for which there is no room, and says whose limit it is', () => {
    const store = storeOf();
    expect(fill(store)).toBe(4);
    expect(store.bytes).toBeLessThanOrEqual(BYTES);
    expect(errorOf(() => store.register('one.more', LARGE)).message).toMatch(
      /^global derived metrics take \d+ bytes, and this one \d+ more: limits\.memoryBytes leaves them 1000000$/,
    );
    expect(store.register('a.small', 'x + 1')).toBeDefined();
  });

  it('does not parse what it has no room for', () => {
    const store = storeOf(10_000);
    // It does not end, which the parser would tell.
    expect(errorOf(() => store.register('a', `${LARGE}+`)).code).toBe('MEMORY_FULL');
  });

  it('takes the same definition again when it is full, and another one once there is room', () => {
    const store = storeOf();
    fill(store);
    expect(store.register('large.d0', LARGE).name).toBe('large.d0');
    store.unregister('large.d0');
    expect(store.register('another.one', LARGE)).toBeDefined();
  });

  it('gives back all that it took', () => {
    const store = storeOf();
    const before = store.snapshot();
    store.register('a', 'x', 'api', { oneline: 'one', helptext: 'help' });
    store.register('a', 'x', 'api', { oneline: 'something longer' });
    store.load('b = x\nb(oneline) = y\nc = x + 1\n', { file: 'body', origin: 'api' });
    expect(store.bytes).toBeGreaterThan(0);
    for (const { name } of store.list()) store.unregister(name);
    expect(store.bytes).toBe(0);
    store.register('a', 'x');
    store.rollBack(before);
    expect(store.bytes).toBe(0);
  });

  it('counts help texts', () => {
    const store = storeOf(10_000);
    const helptext = 'x'.repeat(5_000);
    expect(errorOf(() => store.register('a', 'x', 'api', { helptext })).code).toBe('MEMORY_FULL');
    store.register('a', 'x');
    expect(errorOf(() => store.register('a', 'x', 'api', { helptext })).code).toBe('MEMORY_FULL');
    const text = `b = x\nb(helptext) = ${helptext}\n`;
    expect(errorOf(() => store.load(text, { file: 'body', origin: 'api' })).code).toBe('MEMORY_FULL');
    expect(store.list().map(({ name, helptext: help }) => [name, help])).toEqual([['a', undefined]]);
  });

  it('counts what patterns become when their repetitions are written out', () => {
    const store = storeOf(1_000_000_000);
    const [short, long] = [store.register('a', 'matchinst(/a/, x)'), store.register('b', 'matchinst(/a{900}/, x)')];
    expect(long.bytes - short.bytes).toBeGreaterThan(300_000);
  });

  it('takes all of a file or nothing; of a file of the configuration as much as there is room for', () => {
    const text = Array.from({ length: 6 }, (_, i) => `f.d${i} = ${LARGE}\n`).join('');
    const strict = storeOf();
    expect(errorOf(() => strict.load(text, { file: 'body', origin: 'api' })).code).toBe('MEMORY_FULL');
    expect([strict.list().length, strict.bytes]).toEqual([0, 0]);
    const lenient = storeOf();
    const { problems } = lenient.load(text, { file: 'my.conf', origin: 'file', lenient: true });
    expect(lenient.list().length).toBe(4);
    expect(problems.map(({ line, code }) => [line, code])).toEqual(rows([5, 'MEMORY_FULL'], [6, 'MEMORY_FULL']));
  });
});

describe('a state that does not fit', () => {
  const state = ((): StoreState => {
    const store = storeOf(100_000_000);
    for (let i = 0; i < 50; i++) store.register(`large.d${i}`, LARGE, 'api', { oneline: `number ${i}` });
    store.register('a.small', 'x', 'api');
    return store.toState();
  })();
  const restored = (): DefinitionStore => {
    const store = storeOf();
    store.restore(structuredClone(state));
    return store;
  };

  it('keeps what was withheld, with its PMID and help texts, also after changes', () => {
    const store = restored();
    store.unregister('a.small');
    store.register('another.small', 'x');
    const byName = new Map(store.toState().definitions.map((definition) => [definition.name, definition]));
    for (const definition of state.definitions) {
      if (definition.name !== 'a.small') expect(byName.get(definition.name)).toEqual(definition);
    }
    expect(store.register('yet.another', 'x').pmid).not.toBe(store.get('another.small')!.pmid);
    const roomy = storeOf(100_000_000);
    expect(roomy.restore(store.toState())).toEqual([]);
    expect(roomy.list().length).toBe(52);
  });

  it('lets a withheld definition be removed, and registered once there is room', () => {
    const store = restored();
    store.unregister('large.d49');
    expect(errorOf(() => store.unregister('large.d49')).code).toBe('UNKNOWN_DERIVED');
    expect(errorOf(() => store.register('large.d48', 'x')).code).toBe('DUPLICATE_NAME');
    expect(errorOf(() => store.load('large.d48 = x\n', { file: 'body', origin: 'api' })).code).toBe('DUPLICATE_NAME');
    store.unregister('large.d0');
    store.register('large.d48', LARGE);
    expect(store.withheld.map(({ name }) => name)).not.toContain('large.d48');
    expect(store.toState().definitions.filter(({ name }) => name === 'large.d48')).toHaveLength(1);
  });

  it('is as it was after a change that could not be kept', () => {
    const store = restored();
    const [before, kept] = [store.snapshot(), store.toState()];
    store.unregister('large.d49');
    store.rollBack(before);
    expect(store.toState()).toEqual(kept);
  });
});

describe('DerivedScope within a budget', () => {
  const units = DIMENSIONLESS;
  const descriptor = { pmid: 1, type: MetricType.U32, indom: INDOM_NULL, semantics: Semantics.INSTANT, units };
  const environment = { operand: () => ({ descriptor }), isDerived: () => false };
  const add = (scope: DerivedScope, name: string, expression: string): unknown =>
    atOnce(scope.addInSteps(scope.parse(name, expression), environment));

  it('bounds one context, and all contexts together', () => {
    const all = new MemoryQuota('derived metrics of all contexts', BYTES);
    const scopes = Array.from(
      { length: 3 },
      () => new DerivedScope(new DefinitionStore(), { budget: all.part('derived metrics of the context', BYTES / 2) }),
    );
    for (const [i, scope] of scopes.slice(0, 2).entries()) {
      for (const name of ['a', 'b']) add(scope, name, LARGE);
      expect(errorOf(() => add(scope, 'c', LARGE)).message).toMatch(
        i === 0 ? /^derived metrics of the context take/ : /^derived metrics of (the context|all contexts) take/,
      );
    }
    expect(errorOf(() => add(scopes[2]!, 'a', LARGE)).message).toMatch(/^derived metrics of all contexts take/);
    expect(errorOf(() => atOnce(scopes[2]!.parseFileInSteps(`a = ${LARGE}`))).code).toBe('MEMORY_FULL');
    scopes[0]!.close();
    scopes[0]!.close();
    expect(add(scopes[2]!, 'a', LARGE)).toBeDefined();
    scopes[1]!.close();
    scopes[2]!.close();
    expect(all.bytes).toBe(0);
  });

  it('counts nothing for a context that is closed', () => {
    const all = new MemoryQuota('derived metrics of all contexts', BYTES);
    const scope = new DerivedScope(new DefinitionStore(), { budget: all.part('of the context', BYTES) });
    scope.close();
    add(scope, 'a', LARGE);
    expect(all.bytes).toBe(0);
  });
});
