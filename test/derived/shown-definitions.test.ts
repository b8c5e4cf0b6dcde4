import { DefinitionStore, ShownDefinitions } from '../../src/derived/index.js';

test('definitions that name anything hidden do not exist, by name, by PMID and in the list', () => {
  const store = new DefinitionStore();
  const shown = new ShownDefinitions(store, (name) => !name.startsWith('hidden.'));
  const version = shown.version;
  const open = store.register('a.open', '2 * seen.x');
  const hidden = [
    store.register('a.sum', 'seen.x + hidden.x'),
    store.register('a.maybe', 'defined(hidden.x) ? seen.x : seen.y'),
    store.register('a.like', 'mkconst(1, meta=hidden.x)'),
  ];
  expect(shown.version).not.toBe(version);
  expect(shown.list()).toEqual([open]);
  expect([shown.get('a.open'), shown.byPmid(open.pmid)]).toEqual([open, open]);
  for (const { name, pmid } of hidden) expect([shown.get(name), shown.byPmid(pmid)]).toEqual([undefined, undefined]);
  expect(shown.get('a.none')).toBeUndefined();
});
