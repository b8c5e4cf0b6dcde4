import { flattenLabels, makeLabel, mergeLabels } from '../../src/pmapi/index.js';

describe('mergeLabels', () => {
  it('lets the more particular level win and sorts by name', () => {
    const merged = mergeLabels([
      [makeLabel('hostname', 'a'), makeLabel('role', 'x')],
      [],
      [makeLabel('role', 3), makeLabel('agent', 'linux')],
      [makeLabel('role', true)],
    ]);
    expect(merged.map(({ name, json }) => `${name}=${json}`)).toEqual(['agent="linux"', 'hostname="a"', 'role=true']);
  });

  it('sorts by code unit, capitals first', () => {
    const names = mergeLabels([['b', 'B', 'a_', 'a1', 'a'].map((name) => makeLabel(name, 1))]).map(({ name }) => name);
    expect(names).toEqual(['B', 'a', 'a1', 'a_', 'b']);
  });
});

describe('flattenLabels', () => {
  it('gives members of a compound value names joined by dots', () => {
    const flat = flattenLabels([
      { name: 'a', json: '{"b":{"c":1,"d":"x"},"e":[1,2]}' },
      { name: 'id', json: '18446744073709551615' },
      { name: 'list', json: '["x","y"]', optional: true },
    ]);
    expect(flat).toEqual([
      { name: 'a.b.c', json: '1' },
      { name: 'a.b.d', json: '"x"' },
      { name: 'a.e', json: '[1,2]' },
      { name: 'id', json: '18446744073709551615' },
      { name: 'list', json: '["x","y"]', optional: true },
    ]);
  });

  it('keeps a label whose value is no JSON as it is', () => {
    expect(flattenLabels([{ name: 'a', json: '{broken' }])).toEqual([{ name: 'a', json: '{broken' }]);
  });
});

describe('labels that nest without end', () => {
  it.each([
    ['objects', `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`],
    ['lists', `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`],
  ])('stay whole: %s', (_, json) => {
    expect(flattenLabels([{ name: 'deep', json }])).toEqual([{ name: 'deep', json }]);
  });
});
