import { parseQuery } from '../../src/search/index.js';

describe('parseQuery', () => {
  it.each([
    ['disk dev read', ['disk', 'dev', 'read']],
    ['Disk disk DISKS', ['disk']],
    ['the number of reads', ['number', 'read']],
    ['the', ['the']],
    ['disk* -(read|write)~2', ['disk', 'read', 'write', '2']],
  ])('reads the words of %p', (text, words) => {
    expect(parseQuery(text, 'q').words).toEqual(words);
  });

  it('keeps the whole text, to compare with names', () => {
    expect(parseQuery(' Disk.Dev.read ', 'q').text).toBe('disk.dev.read');
  });

  it.each(['', ' ', '*', '.*', '"-%"'])('refuses a query without a word: %p', (text) => {
    expect(() => parseQuery(text, 'q')).toThrow("'q' holds no word: letters or digits are needed");
  });

  it('refuses more than eight words', () => {
    expect(parseQuery('a1 b c d e f g', 'q').words).toHaveLength(7);
    expect(() => parseQuery('k l m n o p q r s', 'query')).toThrow("'query' holds 9 words; at most 8 are searched for");
  });
});
