import fc from 'fast-check';
import { GatewayError } from '../../src/pmapi/index.js';
import { coerce, readEncodedParameters, readJsonParameters } from '../../src/http/parameters.js';
import type { ParameterKind, ParameterValues } from '../../src/http/parameters.js';

const KINDS = new Map<string, ParameterKind>([
  ['text', 'string'],
  ['list', 'list'],
  ['ids', 'integers'],
  ['id', 'integer'],
  ['seconds', 'number'],
  ['flag', 'boolean'],
]);

function read(text: string, into: ParameterValues = {}): ParameterValues {
  readEncodedParameters(text, KINDS, into, 'query');
  return into;
}

describe('readEncodedParameters', () => {
  it.each<[string, ParameterValues]>([
    ['', {}],
    ['&&', {}],
    ['text=a+b%20c', { text: 'a b c' }],
    ['text', { text: '' }],
    ['text=', { text: '' }],
    ['text=a=b', { text: 'a=b' }],
    ['te%78t=%E2%82%AC', { text: '€' }],
    ['list=a,b,,c', { list: ['a', 'b', '', 'c'] }],
    ['list=a%2Cb', { list: ['a', 'b'] }],
    ['list=', { list: [] }],
    ['ids=1,-1,x', { ids: [1, -1, 'x'] }],
    ['id=12&text=x', { id: 12, text: 'x' }],
    ['seconds=2.5', { seconds: 2.5 }],
    ['flag=true', { flag: true }],
  ])('reads %p', (text, expected) => {
    expect(read(text)).toEqual(expected);
  });

  it.each([
    ['other=1', 'UNKNOWN_PARAMETER'],
    ['=1', 'UNKNOWN_PARAMETER'],
    ['constructor=1', 'UNKNOWN_PARAMETER'],
    ['text=a&text=b', 'BAD_PARAMETER'],
    ['text=%', 'BAD_REQUEST'],
    ['text=%C3', 'BAD_REQUEST'],
    ['%=1', 'BAD_REQUEST'],
  ])('refuses %p', (text, code) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ code }) as Error);
  });

  it('reads back whatever URLSearchParams writes', () => {
    const text = fc.string({ unit: 'grapheme' });
    fc.assert(
      fc.property(text, fc.integer(), (value, id) => {
        const encoded = new URLSearchParams({ text: value, id: String(id) }).toString();
        expect(read(encoded)).toEqual({ text: value, id });
      }),
    );
  });

  it('reads anything or throws a GatewayError', () => {
    const part = fc.oneof(fc.constantFrom('text', 'list', '=', '&', '%', '+', '%41', ',', '__proto__'), fc.string());
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        try {
          read(parts.join(''));
        } catch (error) {
          expect(error).toBeInstanceOf(GatewayError);
        }
      }),
    );
  });
});

describe('readJsonParameters', () => {
  it('reads texts as in a query and takes everything else as it is', () => {
    const into: ParameterValues = {};
    readJsonParameters({ list: 'a,b', ids: [1, 2], seconds: 3, flag: false, text: 'x' }, KINDS, into);
    expect(into).toEqual({ list: ['a', 'b'], ids: [1, 2], seconds: 3, flag: false, text: 'x' });
  });

  it('refuses what the query had already', () => {
    expect(() => readJsonParameters({ text: 'b' }, KINDS, { text: 'a' })).toThrow("'text' is given twice");
  });
});

describe('coerce', () => {
  it.each<[ParameterKind, string]>([
    ['integer', '1.0'],
    ['integer', '0x10'],
    ['integer', ' 1'],
    ['integer', ''],
    ['integer', '12345678901234567'],
    ['number', '1s'],
    ['number', 'Infinity'],
    ['number', '0x10'],
    ['number', ''],
    ['boolean', 'TRUE'],
    ['boolean', '1'],
  ])('leaves what is no %s as text: %p', (kind, text) => {
    expect(coerce(text, kind)).toBe(text);
  });
});
