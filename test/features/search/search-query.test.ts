import { parseQuery } from '../../../src/features/search/search-query.js';

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
    expect(() => parseQuery(text, 'q')).toThrow("'q' has no words: expected letters or digits");
  });

  it('refuses more than twelve words', () => {
    expect(parseQuery('b c d e f g h i j k l m', 'q').words).toHaveLength(12);
    expect(() => parseQuery('b c d e f g h i j k l m n', 'query')).toThrow(
      "'query' has 13 words; at most 12 are allowed",
    );
  });
});
