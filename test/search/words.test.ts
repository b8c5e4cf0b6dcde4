import fc from '../support/properties.js';
import { wordsOf } from '../../src/search/words.js';

const texts = (text: string): string[] => wordsOf(text).map((word) => word.text);

describe('wordsOf', () => {
  it.each([
    ['disk.dev.read_bytes', ['disk', 'dev', 'read', 'byte']],
    ['eth0', ['eth', '0']],
    ['loadAvg', ['load', 'avg']],
    ['CPUs', ['cpu']],
    ['network.interface.in.bytes', ['network', 'interface', 'in', 'byte']],
    ['000123 /usr/bin/foo', ['000123', 'usr', 'bin', 'foo']],
    ['process class bus', ['process', 'class', 'bus']],
    ['Über größe', ['über', 'größe']],
    [' .-*%() ', []],
    ['', []],
  ])('takes %p apart', (text, expected) => {
    expect(texts(text)).toEqual(expected);
  });

  it('looks at the first 64 characters of a word', () => {
    expect(texts('x'.repeat(100_000))).toEqual(['x'.repeat(64)]);
  });

  it('says where words stand, in order and apart, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        let last = 0;
        for (const { start, end } of wordsOf(text)) {
          expect(start).toBeGreaterThanOrEqual(last);
          expect(end).toBeGreaterThan(start);
          last = end;
        }
        expect(last).toBeLessThanOrEqual(text.length);
      }),
    );
  });
});
