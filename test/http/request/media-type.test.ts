import fc from '../../support/properties.js';
import { negotiate, parseMediaType } from '../../../src/http/request/media-type.js';

describe('parseMediaType', () => {
  it.each([
    ['text/plain', 'text/plain', {}],
    [' Text/HTML ;charset=UTF-8', 'text/html', { charset: 'UTF-8' }],
    ['a/b; c="d;\\"e,"; F=g;', 'a/b', { c: 'd;"e,', f: 'g' }],
    ['*/*;q=0.5', '*/*', { q: '0.5' }],
  ])('reads %p', (text, name, parameters) => {
    const type = parseMediaType(text)!;
    expect([type.name, Object.fromEntries(type.parameters)]).toEqual([name, parameters]);
  });

  it.each(['', 'text', 'text/', '/plain', 'text/plain;=', 'text/plain; a="', 'a/b c', 'text/plain, a/b'])(
    'refuses %p',
    (text) => expect(parseMediaType(text)).toBeUndefined(),
  );

  it('reads blanks once: a header of nothing else must not keep the event loop', () => {
    const blanks = ' '.repeat(3_000_000);
    expect(parseMediaType(`a/b${blanks};${blanks}c=d${blanks};${blanks}`)!.parameters.get('c')).toBe('d');
    expect(parseMediaType(`a/b;${blanks}/`)).toBeUndefined();
  });
});

describe('negotiate', () => {
  const offers = [{ name: 'a/x', versions: ['1'] }, { name: 'a/y' }, { name: 'b/z' }] as const;

  it.each([
    [undefined, 'a/x'],
    ['', 'a/x'],
    ['*/*', 'a/x'],
    ['b/z', 'b/z'],
    ['b/*, a/*;q=0.9', 'b/z'],
    ['*/*, a/y', 'a/y'],
    ['a/x;q=0.1, */*;q=0.5', 'a/y'],
    ['a/x;q=0, */*', 'a/y'],
    ['a/x;version=2, b/z;q=0.1', 'b/z'],
    ['a/x;version=1, a/y', 'a/x'],
    ['a/y;q=7, b/z;q=0.001', 'b/z'],
    ['c/c', 'a/x'],
    ['a/y;q="0.5", rubbish, b/z', 'b/z'],
    ['c/c;x="a,b/z", a/y', 'a/y'],
  ])('given %p chooses %p', (accept, expected) => {
    expect(negotiate(accept, offers).name).toBe(expected);
  });

  it('chooses one of the offers whatever the header', () => {
    const text = fc.array(fc.oneof(fc.constantFrom('a/x', ',', ';', 'q=0.5', '"', '\\', '*/*'), fc.string()));
    fc.assert(fc.property(text, (parts) => expect(offers).toContain(negotiate(parts.join(''), offers))));
  });
});
