import { chooseInstances } from '../../../../src/http/operations/values/instance-selection.js';
const ALL = Array.from({ length: 1000 }, (_, id) => ({ id, name: `cpu${id}` }));

describe('chooseInstances', () => {
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
