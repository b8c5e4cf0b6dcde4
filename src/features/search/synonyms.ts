import { readFileSync } from 'node:fs';

const FILE = new URL('../../../config/search/synonyms.txt', import.meta.url);

/** Everyday words, and words of PCP's texts: several stand for all of them together. The longest match is used, besides the typed words. */
export const SYNONYMS: readonly (readonly [typed: string, ...instead: readonly string[]])[] = readFileSync(FILE, 'utf8')
  .split('\n')
  .filter((line) => /^[^#]/.test(line))
  .map((line) => {
    const [typed = '', instead = ''] = line.split(': ');
    return [typed, ...instead.split(' | ')];
  });
