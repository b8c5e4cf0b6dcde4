import { existsSync, readFileSync } from 'node:fs';
import { MUTATIONS } from './mutations.js';

describe('the defences that check-defences takes out', () => {
  it.each(MUTATIONS)('are where it looks: $attack', ({ edits, test }) => {
    for (const [file, from] of edits) {
      expect({ from, times: readFileSync(file, 'utf8').split(from).length - 1 }).toEqual({ from, times: 1 });
    }
    expect(existsSync(test)).toBe(true);
  });
});
