import { drawCaret, locate, SourceTextError } from '../../src/pmapi/index.js';

describe('SourceTextError', () => {
  const source = 'a + b\nc * * d\n';
  const error = new SourceTextError('SYNTAX_ERROR', 'unexpected *', {
    source,
    offset: 10,
    end: 11,
    expected: 'a metric',
  });

  it('tells offset, end, line and column', () => {
    expect(error.position).toEqual({ offset: 10, end: 11, line: 2, column: 5 });
    expect(error.details.position).toEqual(error.position);
    expect(error.details.expected).toBe('a metric');
  });

  it('draws a caret below the place in the line at fault', () => {
    expect(String(error)).toBe('SourceTextError: unexpected *\nc * * d\n    ^');
  });

  it('keeps a place outside of the text within it', () => {
    const past = new SourceTextError('SYNTAX_ERROR', 'x', { source: 'ab', offset: 9, end: 12 });
    expect(past.position).toEqual({ offset: 2, line: 1, column: 3 });
    expect(past.excerpt).toBe('ab\n  ^');
  });

  it('keeps its cause', () => {
    const cause = new Error('below');
    expect(new SourceTextError('SYNTAX_ERROR', 'x', { source: '', offset: 0 }, { cause }).cause).toBe(cause);
  });
});

describe('locate', () => {
  it.each([
    ['', 0, 1, 1],
    ['abc', 3, 1, 4],
    ['a\nb', 1, 1, 2],
    ['a\nb', 2, 2, 1],
    ['a\r\nb', 3, 2, 1],
    ['a\rb', 2, 2, 1],
    ['a\n\nb', 2, 2, 1],
    ['a\n\nb', 3, 3, 1],
  ])('finds line and column in %j at %d', (source, offset, line, column) => {
    expect(locate(source, offset)).toEqual({ offset, line, column });
  });
});

describe('drawCaret', () => {
  it('keeps tabs before the caret', () => {
    expect(drawCaret('\ta b', 3)).toBe('\ta b\n\t  ^');
  });

  it('points past the end of the last line', () => {
    expect(drawCaret('x =', 3)).toBe('x =\n   ^');
  });
});
