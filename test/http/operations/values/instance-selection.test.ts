import { chooseInstances } from '../../../../src/http/operations/values/instance-selection.js';

const ALL = Array.from({ length: 1000 }, (_, id) => ({ id, name: `cpu${id}` }));

describe('chooseInstances', () => {
  it('finds names, patterns and identifiers, and tells what names nothing', async () => {
    const byName = await chooseInstances(ALL, { iname: ['cpu999', 'cpu0', 'gpu'] });
    expect(byName.instances.map(({ id }) => id)).toEqual([0, 999]);
    expect(byName.warnings).toMatchObject([{ name: 'gpu' }]);
    const byPattern = await chooseInstances(ALL, { iname: ['cpu99?'], match: 'glob' });
    expect(byPattern.instances).toHaveLength(10);
    expect(byPattern.warnings).toEqual([]);
    const byId = await chooseInstances(ALL, { instance: [5, 1000] });
    expect(byId.instances).toEqual([ALL[5]]);
    expect(byId.warnings).toMatchObject([{ instance: 1000 }]);
    expect((await chooseInstances(ALL, {})).instances).toBe(ALL);
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
