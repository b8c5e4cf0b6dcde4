import { damagedFile, randomNumbers, SOUND_FILE, survive } from './support/damage.js';
import { MmvFixture } from './support/mmv-fixture.js';

const FILES = 400;

/** Ten thousand of them: test/bench/mmv-fuzz.bench.ts. */
describe('damaged MMV files', () => {
  it('are many kinds of damaged files, the same ones for the same seed', () => {
    const files = (seed: number): readonly string[] => {
      const random = randomNumbers(seed);
      return Array.from({ length: 50 }, () => damagedFile(random).toString('latin1'));
    };
    expect(files(1)).toEqual(files(1));
    expect(new Set([...files(1), ...files(2)]).size).toBeGreaterThan(90);
  });

  it('do no harm to the file beside them, nor to the reader', async () => {
    const mmv = new MmvFixture();
    mmv.put('good', SOUND_FILE);
    const random = randomNumbers(20261122);
    for (let i = 0; i < FILES; i++) await survive(mmv, random);
    expect(mmv.agent.problems.every(({ file }) => file === 'bad')).toBe(true);
    await mmv.close();
  });
});
