import { DefinitionStore, DerivedScope } from '../../src/derived/index.js';
import { GatewayError, formatPmid } from '../../src/pmapi/index.js';
import { Given } from './support/given.js';
import { rows } from '../support/rows.js';

const environment = new Given([
  { word: 'metrics', rest: '', lines: ['m.a 32 instant - ""', 'm.ctr U64 counter - "byte"'] },
  { word: 'derived', rest: 'g.shared', lines: [] },
]);

function codeOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    if (error instanceof GatewayError) return `${error.code}: ${error.message}`;
    throw error;
  }
  return 'nothing was thrown';
}

describe('DerivedScope', () => {
  it('gives PMIDs from 511.2047.1023 down, each scope its own', () => {
    const store = new DefinitionStore();
    const [one, other] = [new DerivedScope(store), new DerivedScope(store)];
    const add = (scope: DerivedScope, name: string): string =>
      formatPmid(scope.add(scope.parse(name, 'm.a'), environment)[0]!.pmid);
    expect([add(one, 'x'), add(other, 'x'), add(one, 'y')]).toEqual([
      '511.2047.1023',
      '511.2047.1023',
      '511.2047.1022',
    ]);
  });

  it('sees globals at once, and masks them by name and by PMID', () => {
    const store = new DefinitionStore();
    const scope = new DerivedScope(store);
    const global = store.register('x', '1');
    expect(scope.get('x')).toBe(global);
    const [own] = scope.add(scope.parse('x', 'm.a'), environment);
    expect(scope.get('x')).toBe(own);
    expect(scope.byPmid(own!.pmid)).toBe(own);
    // As it is printed, without the flag bit.
    expect(scope.byPmid(own!.pmid & 0x7fffffff)).toBe(own);
    expect(scope.byPmid(global.pmid)).toBeUndefined();
    store.register('y', '2');
    expect(scope.list().map(({ name, scope: where }) => `${name} ${where}`)).toEqual(['x context', 'y global']);
  });

  it('moves its version with its own definitions and with the global ones', () => {
    const store = new DefinitionStore();
    const scope = new DerivedScope(store);
    const versions = [scope.version];
    store.register('g', '1');
    versions.push(scope.version);
    scope.add(scope.parse('x', '1'), environment);
    versions.push(scope.version);
    expect(new Set(versions).size).toBe(3);
  });

  it('refuses a name that the context has defined already', () => {
    const scope = new DerivedScope(new DefinitionStore());
    scope.add(scope.parse('x', '1'), environment);
    expect(codeOf(() => scope.parse('x', '1'))).toBe(
      'DUPLICATE_NAME: Error: pmAddDerivedMetric("x", ...): returns -12409\nDuplicate per-context derived metric name',
    );
  });

  it('keeps nothing of a definition that does not bind', () => {
    const scope = new DerivedScope(new DefinitionStore());
    const parsed = scope.parse('x', '5 * (m.ctr + m.a)');
    expect(codeOf(() => scope.add(parsed, environment))).toBe(
      'SEMANTIC_ERROR: Semantic Error: pmAddDerivedMetric("x", ...)\n5 * (m.ctr + m.a)\n     ^\n' +
        'Illegal operator for counter and non-counter',
    );
    expect(scope.get('x')).toBeUndefined();
    expect(formatPmid(scope.add(scope.parse('x', 'm.a'), environment)[0]!.pmid)).toBe('511.2047.1023');
  });

  it('shows a syntax error in the layout of the manual', () => {
    const scope = new DerivedScope(new DefinitionStore());
    expect(codeOf(() => scope.parse('x', 'm.a +'))).toBe(
      'SYNTAX_ERROR: Syntax Error: pmAddDerivedMetric("x", ...)\nm.a +\n    ^\n' +
        'Arithmetic expression expected to follow PLUS',
    );
  });

  it('adds a file of definitions, all or none', () => {
    const scope = new DerivedScope(new DefinitionStore());
    const file = scope.parseFile('a.x = m.a; a.y = m.a && 1&# comment;a.x(oneline) = first');
    scope.add(file, environment);
    expect(scope.own().map(({ name, oneline }) => [name, oneline])).toEqual(rows(['a.x', 'first'], ['a.y', undefined]));
    const bad = scope.parseFile('b.x = m.a\nb.y = no.such');
    expect(codeOf(() => scope.add(bad, environment))).toMatch(/^SEMANTIC_ERROR: .*Unknown operand metric$/s);
    expect(codeOf(() => scope.parseFile('c.x = 1; c.y = 1 +'))).toMatch(/^SYNTAX_ERROR: \[expr:2\] Error/);
    expect(scope.own()).toHaveLength(2);
  });

  it('does not let definitions of one file use one another', () => {
    const scope = new DerivedScope(new DefinitionStore());
    const file = scope.parseFile('a.x = m.a\na.y = a.x + 1');
    expect(codeOf(() => scope.add(file, environment))).toMatch('Illegal nested derived metric');
    expect(codeOf(() => scope.add(scope.parse('b', 'g.shared'), environment))).toMatch('Illegal nested derived metric');
  });

  it('stops at its limit', () => {
    const scope = new DerivedScope(new DefinitionStore(), { limit: 1 });
    expect(codeOf(() => scope.add(scope.parseFile('a = 1\nb = 1'), environment))).toMatch(
      'LIMIT_EXCEEDED: Too many per-context derived metrics',
    );
    expect(scope.own()).toEqual([]);
  });
});
