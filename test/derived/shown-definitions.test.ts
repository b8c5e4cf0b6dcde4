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

test('a definition over one that is hidden is hidden, through chains of any length and in any order', () => {
  const store = new DefinitionStore();
  const shown = new ShownDefinitions(store, (name) => !name.startsWith('hidden.'));
  const LENGTH = 4000;
  for (let i = LENGTH; i > 0; i--) store.register(`bad.n${i}`, `bad.n${i - 1} + 1`);
  for (let i = LENGTH - 1000; i > LENGTH - 1900; i--) store.register(`good.n${i}`, `good.n${i - 1} + 1`);
  expect(shown.list()).toHaveLength(LENGTH + 900);
  store.register('bad.n0', 'hidden.metric');
  expect(shown.get(`bad.n${LENGTH}`)).toBeUndefined();
  expect(shown.list()).toHaveLength(900);
  store.unregister('bad.n0');
  expect(shown.list()).toHaveLength(LENGTH + 900);
});

test('a name that is hidden hides its definition, and so does a circle', () => {
  const store = new DefinitionStore();
  const shown = new ShownDefinitions(store, (name) => !name.startsWith('hidden.'));
  store.register('hidden.name', 'seen.metric');
  store.register('a.one', 'a.two');
  store.register('a.two', 'a.one');
  expect(shown.list()).toEqual([]);
});
