import fc from '../support/properties.js';
import { markUp, spansIn } from '../../src/search/index.js';

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
