import { DefinitionStore, DerivedScope } from '../../src/derived/index.js';
import { atOnce } from '../../src/kit/index.js';
import { formatPmid } from '../../src/pmapi/index.js';
import { errorOf } from '../support/error-of.js';
import { Given } from './support/given.js';

const environment = new Given([
  { word: 'metrics', rest: '', lines: ['m.a 32 instant - ""', 'm.ctr U64 counter - "byte"'] },
  { word: 'derived', rest: 'g.shared', lines: [] },
]);

function codeOf(action: () => unknown): string {
  const { code, message } = errorOf(action);
  return `${code}: ${message}`;
}

describe('DerivedScope', () => {
  it('gives PMIDs from 511.2047.1023 down, each scope its own', () => {
    const store = new DefinitionStore();
    const [one, other] = [new DerivedScope(store), new DerivedScope(store)];
    const add = (scope: DerivedScope, name: string): string =>
      formatPmid(atOnce(scope.addInSteps(scope.parse(name, 'm.a'), environment))[0]!.pmid);
    expect([add(one, 'x'), add(other, 'x'), add(one, 'y')]).toEqual([
      '511.2047.1023',
      '511.2047.1023',
      '511.2047.1022',
    ]);
  });

  it('moves its version with its own definitions and with the global ones', () => {
    const store = new DefinitionStore();
    const scope = new DerivedScope(store);
    const versions = [scope.version];
    store.register('g', '1');
    versions.push(scope.version);
    atOnce(scope.addInSteps(scope.parse('x', '1'), environment));
    versions.push(scope.version);
    expect(new Set(versions).size).toBe(3);
  });

  it('does not let definitions of one file use one another', () => {
    const scope = new DerivedScope(new DefinitionStore());
    const file = atOnce(scope.parseFileInSteps('a.x = m.a\na.y = a.x + 1'));
    expect(codeOf(() => atOnce(scope.addInSteps(file, environment)))).toMatch('Illegal nested derived metric');
    expect(codeOf(() => atOnce(scope.addInSteps(scope.parse('b', 'g.shared'), environment)))).toMatch(
      'Illegal nested derived metric',
    );
  });
});
