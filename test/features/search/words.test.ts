import { wordsOf, markUp, spansIn } from '../../../src/features/search/search-query.js';
import fc from '../../support/properties.js';

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

describe('spansIn', () => {
  it('finds words as they stand, plural or not, small or not', () => {
    const text = 'Disk reads of a disk';
    const spans = spansIn(text, new Set(['disk', 'read']));
    expect(spans.map(([start, end]) => text.slice(start, end))).toEqual(['Disk', 'reads', 'disk']);
  });

  it('finds nothing for words that are not there', () => {
    expect(spansIn('disk.dev.read', new Set(['write']))).toEqual([]);
  });
});

describe('markUp', () => {
  it('puts what was found between <b> and </b>', () => {
    expect(markUp('kvm.halt_exits', [[4, 8]])).toBe('kvm.<b>halt</b>_exits');
  });

  it('lets nobody put markup into a page', () => {
    expect(markUp('<script>disk & co</script>', [[8, 12]])).toBe('&lt;script&gt;<b>disk</b> &amp; co&lt;/script&gt;');
  });

  it('keeps the text, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.array(fc.string()), (text, words) => {
        const marked = markUp(text, spansIn(text, new Set(words)));
        const plain = marked
          .replaceAll(/<\/?b>/g, '')
          .replaceAll('&lt;', '<')
          .replaceAll('&gt;', '>')
          .replaceAll('&amp;', '&');
        expect(plain).toBe(text);
      }),
    );
  });
});
