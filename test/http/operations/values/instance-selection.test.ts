import { chooseInstances } from '../../../../src/http/operations/values/instance-selection.js';

const STAY = new AbortController().signal;
const ALL = Array.from({ length: 1000 }, (_, id) => ({ id, name: `cpu${id}` }));

describe('chooseInstances', () => {
  it('finds names, patterns and identifiers, and tells what names nothing', async () => {
    const byName = await chooseInstances(ALL, { iname: ['cpu999', 'cpu0', 'gpu'] }, STAY);
    expect(byName.instances.map(({ id }) => id)).toEqual([0, 999]);
    expect(byName.warnings).toMatchObject([{ name: 'gpu' }]);
    const repeated = await chooseInstances(ALL, { iname: ['gpu', 'gpu', 'tpu'] }, STAY);
    expect(repeated.warnings).toMatchObject([{ name: 'gpu' }, { name: 'tpu' }]);
    expect((await chooseInstances(ALL, { instance: [1000, 1000] }, STAY)).warnings).toHaveLength(1);
    const byPattern = await chooseInstances(ALL, { iname: ['cpu99?'], match: 'glob' }, STAY);
    expect(byPattern.instances).toHaveLength(10);
    expect(byPattern.warnings).toEqual([]);
    const byId = await chooseInstances(ALL, { instance: [5, 1000] }, STAY);
    expect(byId.instances).toEqual([ALL[5]]);
    expect(byId.warnings).toMatchObject([{ instance: 1000 }]);
    expect((await chooseInstances(ALL, {}, STAY)).instances).toBe(ALL);
  });

  it('stops when nobody waits for the rest', async () => {
    const gone = new AbortController();
    let tried = 0;
    const watched = ALL.map(({ id, name }) => ({
      id,
      get name() {
        if (++tried === 100) gone.abort(new Error('left'));
        return name;
      },
    }));
    await expect(chooseInstances(watched, { iname: ['cpu5'] }, gone.signal)).rejects.toThrow('left');
    expect(tried).toBeLessThan(200);
  });
});
