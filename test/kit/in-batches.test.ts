import { inBatches } from '../../src/kit/index.js';

const LIST = Array.from({ length: 1000 }, (_, i) => i);

describe('inBatches', () => {
  it('gives all of a list, in order', async () => {
    const seen: number[] = [];
    for await (const batch of inBatches(LIST, new AbortController().signal)) seen.push(...batch);
    expect(seen).toEqual(LIST);
  });

  it('gives no more when nobody waits for the rest', async () => {
    const gone = new AbortController();
    const seen: (readonly number[])[] = [];
    const reading = async (): Promise<void> => {
      for await (const batch of inBatches(LIST, gone.signal)) {
        seen.push(batch);
        gone.abort(new Error('gone'));
      }
    };
    await expect(reading()).rejects.toThrow('gone');
    expect(seen).toHaveLength(1);
  });
});
