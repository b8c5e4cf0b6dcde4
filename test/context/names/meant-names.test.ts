import { MeantNames } from '../../../src/context/names/namespace.js';
import { PM_ERR, PmError } from '../../../src/pmapi/index.js';

const NAMES = ['kernel.all.load', 'hinv.ncpu', 'mem.util.free', 'mem.freemem'];

/** Over these names, and how often they were read. */
function over(names: readonly string[] = NAMES): { readonly meant: MeantNames; readonly reads: () => number } {
  let reads = 0;
  const meant = new MeantNames(() => {
    reads++;
    return Promise.resolve(names);
  });
  return { meant, reads: () => reads };
}

describe('MeantNames', () => {
  it('finds the nearest metrics, and of nodes the interior ones too', async () => {
    const { meant } = over();
    expect(await meant.of(['kernel.all.laod', 'quite.another'], 'metric')).toEqual(
      new Map([['kernel.all.laod', ['kernel.all.load']]]),
    );
    expect(await meant.of(['kernel.al'], 'metric')).toEqual(new Map());
    expect(await meant.of(['kernel.al'], 'node')).toEqual(new Map([['kernel.al', ['kernel.all']]]));
    expect(await meant.of(['kernel.all.laod'], 'node')).toEqual(new Map([['kernel.all.laod', ['kernel.all.load']]]));
  });

  it('reads all names once for a request, and not again for names that it knows', async () => {
    const { meant, reads } = over();
    for (let i = 0; i < 3; i++) await meant.of(['kernel.all.laod', 'mem.util.fee'], 'metric');
    expect(reads()).toBe(1);
    await meant.of(['mem.freemen'], 'metric');
    expect(reads()).toBe(2);
  });

  it('looks for the first three names only, and among the first 20,000', async () => {
    const { meant } = over();
    const four = ['kernel.all.laod', 'hinv.ncp', 'mem.util.fre', 'mem.freemen'];
    expect([...(await meant.of(four, 'metric')).keys()]).toEqual(four.slice(0, 3));
    const many = Array.from({ length: 20_000 }, (_, i) => `x${i}.y.z`);
    for (const kind of ['metric', 'node'] as const) {
      expect(await over([...many, 'mem.util.free']).meant.of(['mem.util.fre'], kind)).toEqual(new Map());
    }
  });

  it('has nothing to say where names cannot be read', async () => {
    const meant = new MeantNames(() => Promise.reject(new PmError(PM_ERR.TIMEOUT)));
    expect(await meant.of(['mem.util.fre'], 'metric')).toEqual(new Map());
    const defect = new MeantNames(() => Promise.reject(new Error('a defect')));
    await expect(defect.of(['mem.util.fre'], 'metric')).rejects.toThrow('a defect');
  });
});
