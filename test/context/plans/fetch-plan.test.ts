import { readConsistently } from '../../../src/context/plans/fetch-plan.js';

describe('readConsistently', () => {
  const readingOf = (renumbered: number) => {
    const source = { numbering: 1 };
    let count = 0;
    const read = () => {
      if (++count <= renumbered) source.numbering++;
      return Promise.resolve(count);
    };
    return readConsistently(source, read);
  };

  it.each([
    [0, 1],
    [1, 2],
    [2, 3],
  ])('reads anew after numbers changed %i times', async (renumbered, reads) => {
    expect(await readingOf(renumbered)).toBe(reads);
  });

  it('gives up while numbers change', async () => {
    await expect(readingOf(3)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });
});
