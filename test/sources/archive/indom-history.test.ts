import { IndomHistory } from '../../../src/sources/archive/metadata/indom-history.js';
import { MetaRecordType, type IndomRecord } from '../../../src/sources/archive/metadata/metadata-records.js';
import { StampedRecords } from '../../../src/sources/archive/metadata/stamped-records.js';

const INDOM = 0x0f000001;

/** A domain to which records are added: each an instance's number and its name. Tells which were read. */
function makeHistory() {
  const records = new StampedRecords();
  const read: number[] = [];
  const history = new IndomHistory(INDOM, records, (i) => {
    const { offset: id, length } = records.placeAt(i);
    read.push(id);
    return Promise.resolve({
      indom: INDOM,
      stamp: { sec: 0, nsec: 0 },
      ids: [id],
      names: [`n${length}`],
    } as unknown as IndomRecord);
  });
  const add = (sec: number, id: number, name = id): void =>
    history.reset(records.push({ sec, nsec: 0 }, { file: 0, offset: id, length: name }, MetaRecordType.INDOM_DELTA));
  const names = async (): Promise<unknown> => (await history.union()).instances.map(({ id, name }) => `${id} ${name}`);
  return { history, read, add, names };
}

describe('all instances that ever were', () => {
  it('are the same object until records are added, and only those are read then', async () => {
    const { history, read, add, names } = makeHistory();
    for (const sec of [1, 2, 3]) add(sec, sec);
    const first = await history.union();
    expect(await history.union()).toBe(first);
    expect(read).toEqual([1, 2, 3]);
    add(4, 4);
    add(5, 1, 7);
    expect(await names()).toEqual(['1 n7', '2 n2', '3 n3', '4 n4']);
    expect(read).toEqual([1, 2, 3, 4, 1]);
  });

  it('are read anew when a record comes between others, also while they are read', async () => {
    const { history, add, names } = makeHistory();
    add(1, 1, 10);
    add(3, 1, 30);
    await history.union();
    add(2, 2, 20);
    expect(await names()).toEqual(['1 n30', '2 n20']);
    add(9, 3, 90);
    const reading = history.union();
    add(4, 4, 40);
    await reading;
    expect(await names()).toEqual(['1 n30', '2 n20', '4 n40', '3 n90']);
  });

  it('are not kept where they are very many', async () => {
    const { history, read, add } = makeHistory();
    for (let id = 0; id <= 20_000; id++) add(id, id);
    const first = await history.union();
    const before = read.length;
    expect((await history.union()).instances).toEqual(first.instances);
    expect(read.length).toBe(2 * before);
  });
});
