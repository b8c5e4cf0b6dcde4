import { DefinitionStore } from '../../src/derived/index.js';
import { FleetDefinitions } from '../../src/gateway/fleet-definitions.js';

interface TestedGateway {
  readonly store: DefinitionStore;
  readonly definitions: FleetDefinitions;
  readonly warnings: unknown[];
}

/** A gateway's definitions, with a definition file. */
function gateway(file = ''): TestedGateway {
  const store = new DefinitionStore();
  const warnings: unknown[] = [];
  store.load(file, { file: 'file', origin: 'file' });
  const warn = (message: string, fields: object): unknown => warnings.push({ message, ...fields });
  return { store, definitions: new FleetDefinitions({ store, onChange: () => undefined, warn }), warnings };
}

const all = ({ store }: TestedGateway): object[] =>
  store.list().map(({ name, expression, pmid, oneline, by }) => ({ name, expression, pmid, oneline, by }));

/** Tries a change at one gateway, and makes it at all of them. */
function change(gateways: readonly TestedGateway[], make: (store: DefinitionStore) => unknown): void {
  const [{ store, definitions }] = gateways as [TestedGateway];
  const { text } = definitions.propose(() => make(store));
  if (text === undefined) throw new Error('nothing changed');
  for (const one of gateways) one.definitions.apply(text);
}

/** Adds to the log what a gateway has of its own. */
function introduce(gateways: readonly TestedGateway[]): void {
  for (const { definitions } of gateways) {
    const { text } = definitions.proposeOwn();
    if (text !== undefined) for (const one of gateways) one.definitions.apply(text);
  }
}

describe('FleetDefinitions', () => {
  it('tries a change without making it', () => {
    const { store, definitions } = gateway();
    const { text, result } = definitions.propose(() =>
      store.register('a', '1', 'api', { oneline: 'one', by: 'alice' }),
    );
    expect(result).toMatchObject({ name: 'a', oneline: 'one' });
    expect(JSON.parse(text!)).toMatchObject({ v: 1, put: [{ name: 'a', expression: '1', by: 'alice' }], removed: [] });
    expect(store.size).toBe(0);
    definitions.apply(text!);
    expect(store.list()).toEqual([result]);
    expect(definitions.propose(() => store.register('a', '1')).text).toBeUndefined();
  });

  it('undoes what was registered before an error', () => {
    const { store, definitions } = gateway();
    const failing = (): void => {
      store.register('a', '1');
      store.register('a', '2');
    };
    expect(() => definitions.propose(failing)).toThrow('Duplicate global derived metric name');
    expect(store.size).toBe(0);
  });

  it('makes the same changes at all gateways, with the same PMIDs and help texts', () => {
    const fleet = [gateway(), gateway()];
    change(fleet, (store) => store.register('a', '1', 'api', { oneline: 'one' }));
    change([...fleet].reverse(), (store) => store.load('b = 2\nc = 3\n', { file: 'body', origin: 'api' }));
    change(fleet, (store) => store.register('b', '2', 'api', { oneline: 'two' }));
    change(fleet, (store) => store.register('a', '1', 'api', { oneline: '' }));
    change(fleet, (store) => store.unregister('c'));
    expect(all(fleet[0]!)).toEqual(all(fleet[1]!));
    expect(all(fleet[0]!)).toMatchObject([
      { name: 'a', oneline: undefined },
      { name: 'b', oneline: 'two' },
    ]);
  });

  it('gives definitions of files the PMIDs that the first gateway gave them', () => {
    const [one, two] = [gateway('f = 1\ng = 2\n'), gateway('new = 0\ng = 2\nf = 1\n')];
    introduce([one, two]);
    change([two, one], (store) => store.register('a', '1'));
    for (const name of ['f', 'g', 'a']) expect(two.store.get(name)!.pmid).toBe(one.store.get(name)!.pmid);
    const pmids = two.store.list().map(({ pmid }) => pmid);
    expect(new Set(pmids).size).toBe(4);
    for (const pmid of pmids) expect(two.store.byPmid(pmid)?.pmid).toBe(pmid);
    // Also for a file that is read later.
    one.store.load('new = 0\n', { file: 'file', origin: 'file' });
    expect(one.store.get('new')!.pmid).toBe(two.store.get('new')!.pmid);
    expect(one.definitions.digest()).toBe(two.definitions.digest());
    expect(one.definitions.digest()).not.toBe(gateway('f = 2\n').definitions.digest());
  });

  it('begins the log with what the state file has, and drops that if the log has begun', () => {
    const [one, two] = [gateway(), gateway()];
    one.store.register('mine', '1');
    two.store.register('other', '2');
    introduce([one, two]);
    for (const { store } of [one, two]) expect(store.list().map(({ name }) => name)).toEqual(['mine']);
  });

  it('withholds what a file of this gateway defines otherwise', () => {
    const [one, two] = [gateway(), gateway('a = 2\n')];
    change([one, two], (store) => store.register('a', '1'));
    expect(two.store.get('a')).toMatchObject({ expression: '2', origin: 'file' });
    expect(two.store.withheld).toMatchObject([{ name: 'a', error: { code: 'DUPLICATE_NAME' } }]);
    expect(two.warnings).toMatchObject([{ metric: 'a' }]);
    change([one, two], (store) => store.unregister('a'));
    expect(two.store.withheld).toEqual([]);
  });

  it('starts over from a snapshot', () => {
    const [one, late] = [gateway('f = 1\n'), gateway('x = 0\nf = 1\n')];
    introduce([one]);
    change([one], (store) => store.register('a', '1', 'api', { oneline: 'one' }));
    late.store.register('old', '9');
    late.definitions.reset(one.definitions.state());
    expect(late.store.get('a')).toEqual(one.store.get('a'));
    expect(late.store.get('f')!.pmid).toBe(one.store.get('f')!.pmid);
    expect(late.store.get('old')).toBeUndefined();
    expect(late.definitions.state()).toBe(one.definitions.state());
    late.definitions.reset(undefined);
    expect(late.store.list().map(({ name }) => name)).toEqual(['x', 'f']);
  });

  it.each([
    ['no JSON', '{'],
    ['null', 'null'],
    ['another version', '{"v":2,"put":[]}'],
    ['no list', '{"v":1,"put":7}'],
    ['half a definition', '{"v":1,"put":[{"name":"a"}]}'],
    ['a PMID that is no text', '{"v":1,"put":[{"name":"a","expression":"1","pmid":7}]}'],
    ['names that are no texts', '{"v":1,"removed":[1]}'],
    ['PMIDs of files that are no texts', '{"v":1,"files":{"a":1}}'],
    ['no files', '{"v":1,"files":null}'],
  ])('skips an entry that it cannot read: %s', (_, text) => {
    const { definitions, store, warnings } = gateway();
    definitions.apply(text);
    expect(store.size).toBe(0);
    expect(warnings).toHaveLength(1);
  });

  it('gives a definition a PMID of its own when the log gives none that can be used', () => {
    const { definitions, store } = gateway();
    definitions.apply('{"v":1,"put":[{"name":"a","expression":"1","pmid":"60.0.1"}],"files":{"f":"60.0.1"}}');
    expect(store.get('a')!.pmid).toBeGreaterThan(0);
    expect(store.byPmid(store.get('a')!.pmid)?.name).toBe('a');
  });
});
