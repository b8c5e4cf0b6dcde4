import type { Context } from '../../../src/context/index.js';
import { isMissing, readSubtrees } from '../../../src/http/operations/metadata/named-metrics.js';
import { PM_ERR, PmError } from '../../../src/pmapi/index.js';

describe('readSubtrees', () => {
  const names = Array.from({ length: 10_000 }, (_, i) => `no.${i}`);
  let asked = 0;
  const traverse = (): Promise<never> => {
    asked++;
    return Promise.reject(new PmError(PM_ERR.NAME));
  };
  const context = {
    names: { traverse, meantNames: () => Promise.resolve(new Map()) },
    derived: new Map(),
  } as unknown as Context;

  it('lets others run while it looks up thousands of names', async () => {
    let isOther = false;
    setImmediate(() => (isOther = true));
    const found = await readSubtrees(context, names, new AbortController().signal);
    expect([...found.values()].every(isMissing)).toBe(true);
    expect([found.size, isOther]).toEqual([10_000, true]);
  });

  it('ends when its client leaves', async () => {
    const leaving = new AbortController();
    setImmediate(() => leaving.abort(new Error('gone')));
    asked = 0;
    await expect(readSubtrees(context, names, leaving.signal)).rejects.toThrow('gone');
    expect(asked).toBeLessThan(names.length);
  });
});
