import { DefinitionStore } from '../../src/derived/index.js';
import type { FleetCopy } from '../../src/gateway/derived-registry.js';
import { FleetDefinitions } from '../../src/gateway/fleet-definitions.js';
import { rows } from '../support/rows.js';

interface TestedGateway {
  readonly store: DefinitionStore;
  readonly definitions: FleetDefinitions;
  readonly warnings: unknown[];
  readonly copies: { readonly copy: FleetCopy; readonly isOther: boolean }[];
}

function gateway(file = ''): TestedGateway {
  const store = new DefinitionStore();
  const warnings: unknown[] = [];
  store.load(file, { file: 'file', origin: 'file' });
  const warn = (message: string, fields: object): unknown => warnings.push({ message, ...fields });
  const save = (copy: FleetCopy, isOther: boolean): Promise<void> => {
    copies.push({ copy, isOther });
    return Promise.resolve();
  };
  const copies: TestedGateway['copies'] = [];
  return { store, definitions: new FleetDefinitions({ store, save, warn }), warnings, copies };
}

const all = ({ store }: TestedGateway): object[] =>
  store.list().map(({ name, expression, pmid, oneline, by }) => ({ name, expression, pmid, oneline, by }));

function change(gateways: readonly TestedGateway[], make: (store: DefinitionStore) => unknown): void {
  const [{ store, definitions }] = gateways as [TestedGateway];
  const { text } = definitions.propose(() => make(store));
  if (text === undefined) throw new Error('nothing changed');
  for (const one of gateways) one.definitions.take(text);
}

/** Adds to the log what a gateway has of its own. */
function introduce(gateways: readonly TestedGateway[]): void {
  for (const { definitions } of gateways) {
    const { text } = definitions.proposeOwn();
    if (text !== undefined) for (const one of gateways) one.definitions.take(text);
  }
}

describe('FleetDefinitions', () => {
  it('tries a change without making it', () => {
    const { store, definitions } = gateway();
    const { text, result } = definitions.propose(() =>
      store.register('a', '1', 'api', { oneline: 'one', by: 'alice' }),
    );
    expect(result).toMatchObject({ name: 'a', oneline: 'one' });
    expect(JSON.parse(text!)).toMatchObject({
      v: 1,
      definitions: [{ name: 'a', expression: '1', by: 'alice' }],
      files: {},
    });
    expect(store.list().length).toBe(0);
    definitions.take(text!);
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
    expect(store.list().length).toBe(0);
  });

  it('makes the same changes at all gateways, with the same PMIDs and help texts', () => {
    const fleet = [gateway(), gateway()];
    change(fleet, (store) => store.register('a', '1', 'api', { oneline: 'one' }));
    change([...fleet].reverse(), (store) => store.load('b = 2\nc = 3\n', { file: 'body', origin: 'api' }));
    change(fleet, (store) => store.register('b', '2', 'api', { oneline: 'two' }));
    change(fleet, (store) => store.register('a', '1', 'api', { oneline: '' }));
    change(fleet, (store) => store.unregister('c'));
    expect(all(fleet[0]!)).toEqual(all(fleet[1]!));
    expect(all(fleet[0]!)).toMatchObject(rows({ name: 'a', oneline: undefined }, { name: 'b', oneline: 'two' }));
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

  it('has one order at all gateways, also after a change that was tried and given up', () => {
    const [one, two] = [gateway(), gateway()];
    for (const name of ['a', 'b', 'c']) change([one, two], (store) => store.register(name, '1'));
    one.definitions.propose(() => one.store.unregister('a'));
    expect(one.store.list().map(({ name }) => name)).toEqual(['a', 'b', 'c']);
    change([one, two], (store) => store.unregister('b'));
    change([two, one], (store) => store.register('b', '1'));
    for (const { store } of [one, two]) expect(store.list().map(({ name }) => name)).toEqual(['a', 'c', 'b']);
  });

  it('takes a version after others that it missed, in which names were defined otherwise', () => {
    const [one, two] = [gateway(), gateway()];
    for (const name of ['a', 'b', 'c']) change([one, two], (store) => store.register(name, '1'));
    change([one], (store) => store.unregister('a'));
    change([one], (store) => store.register('a', '2'));
    change([one], (store) => store.unregister('b'));
    change([one], (store) => store.register('d', '1'));
    change([one], (store) => store.register('b', '1'));
    change([one], (store) => store.unregister('c'));
    const { text } = one.definitions.propose(() => one.store.register('e', '1'));
    for (const { definitions } of [one, two]) definitions.take(text!);
    expect(all(two)).toEqual(all(one));
    expect([two.store.withheld, two.warnings]).toEqual([[], []]);
  });

  it('goes on with the copy of an earlier process', async () => {
    const one = gateway('f = 1\n');
    introduce([one]);
    change([one], (store) => store.register('a', '1', 'api', { oneline: 'one' }));
    await one.definitions.keep({ version: 2, text: '', nodes: [['node', 1]] });
    const [{ copy, isOther }] = one.copies as [TestedGateway['copies'][0]];
    expect(isOther).toBe(true);
    const later = gateway('x = 0\nf = 1\n');
    const document = later.definitions.restore(JSON.parse(JSON.stringify(copy)) as FleetCopy);
    expect(document).toMatchObject({ version: 2, nodes: [['node', 1]] });
    expect(later.store.get('a')).toEqual(one.store.get('a'));
    expect(later.store.get('f')!.pmid).toBe(one.store.get('f')!.pmid);
    // What follows continues it; what another node took does not.
    await later.definitions.keep({ ...document!, version: 3 });
    await later.definitions.keep({ ...document!, version: 3, nodes: [['other', 1]] });
    expect(later.copies.map((one) => one.isOther)).toEqual([false, true]);
  });

  it.each([
    ['no copy', { version: 1, definitions: [], fleet: {} }],
    ['one of a fleet without versions', { version: 1, definitions: [], fleet: { version: 0, nodes: [], files: {} } }],
    ['one without nodes', { version: 1, definitions: [], fleet: { version: 2, nodes: [], files: {} } }],
  ])('begins anew with %s', (_, copy) => {
    expect(gateway().definitions.restore(copy as FleetCopy)).toBeUndefined();
  });

  it.each([
    ['no JSON', '{', /JSON/],
    ['null', 'null', /format 1, and found none/],
    ['another format', '{"v":2,"definitions":[],"files":{}}', /format 1, and found 2/],
    ['no list', '{"v":1,"definitions":7,"files":{}}', /list/],
    ['half a definition', '{"v":1,"definitions":[{"name":"a"}],"files":{}}', /definition 1 of 1/],
    ['a PMID that is no text', '{"v":1,"definitions":[{"name":"a","expression":"1","pmid":7}],"files":{}}', /1 of 1/],
    ['PMIDs of files that are no texts', '{"v":1,"definitions":[],"files":{"a":1}}', /PMIDs/],
    ['no files', '{"v":1,"definitions":[],"files":null}', /PMIDs/],
  ])('says why it cannot read what the fleet has: %s', (_, text, reason) => {
    const { definitions, store } = gateway();
    store.register('own', '1');
    expect(() => definitions.take(text)).toThrow(reason);
    expect(store.list().length).toBe(1);
  });

  it('gives a definition a PMID of its own when the fleet gives none that can be used', () => {
    const { definitions, store } = gateway();
    definitions.take('{"v":1,"definitions":[{"name":"a","expression":"1","pmid":"60.0.1"}],"files":{"f":"60.0.1"}}');
    expect(store.get('a')!.pmid).toBeGreaterThan(0);
    expect(store.byPmid(store.get('a')!.pmid)?.name).toBe('a');
  });
});
