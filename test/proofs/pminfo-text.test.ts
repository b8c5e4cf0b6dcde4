import { readEntries, readFacts, readParts } from '../../src/proofs/pminfo-text.js';

describe('readFacts', () => {
  it('reads descriptors and one-line help', () => {
    const text = `
disk.dev.read PMID: 60.0.4 [per-disk [read] operations]
    Data Type: 64-bit unsigned int  InDom: 60.1 0xf000001
    Semantics: counter  Units: count

hinv.ncpu PMID: 60.0.32 []
    Data Type: 32-bit unsigned int  InDom: PM_INDOM_NULL 0xffffffff
    Semantics: discrete  Units: Kbyte / count
`;
    expect([...readFacts(text)]).toEqual([
      [
        'disk.dev.read',
        {
          pmid: '60.0.4',
          oneline: 'per-disk [read] operations',
          type: 'u64',
          indom: '60.1',
          sem: 'counter',
          units: 'count',
        },
      ],
      [
        'hinv.ncpu',
        { pmid: '60.0.32', oneline: '', type: 'u32', indom: undefined, sem: 'discrete', units: 'Kbyte / count' },
      ],
    ]);
  });
});

describe('readParts', () => {
  it('finds the part of each metric, whatever is in it', () => {
    const text = '\na.b\nHelp:\nFirst.\n\nSecond, about a.c\n\na.c\nError: none\n\na.e\nHelp:\nlast\n';
    expect([...readParts(text, ['a.b', 'a.c', 'a.d', 'a.e'])]).toEqual([
      ['a.b', 'Help:\nFirst.\n\nSecond, about a.c'],
      ['a.c', 'Error: none'],
      ['a.e', 'Help:\nlast\n'],
    ]);
  });
});

describe('readEntries', () => {
  it('reads values of instances, texts of several lines, and none', () => {
    const part = '    inst [0 or "a "b" c"] value 1.5\n    inst [7 or "x"] value "two\nlines"\n';
    expect(readEntries(part, 'value')).toEqual([
      { instance: 0, name: 'a "b" c', text: '1.5' },
      { instance: 7, name: 'x', text: 'two\nlines' },
    ]);
    expect(readEntries('    value 2\n', 'value')).toEqual([{ instance: null, name: undefined, text: '2' }]);
    expect(readEntries('No value(s) available!\n', 'value')).toEqual([]);
  });
});
