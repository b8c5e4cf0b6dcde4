import fc from '../../support/properties.js';
import { GatewayError } from '../../../src/pmapi/index.js';
import {
  coerce,
  joinParameters,
  readEncodedParameters,
  readJsonParameters,
} from '../../../src/http/request/validate.js';
import type { ParameterKind, ParameterValues } from '../../../src/http/request/validate.js';

const KINDS = new Map<string, ParameterKind>([
  ['text', 'string'],
  ['list', 'list'],
  ['ids', 'integers'],
  ['id', 'integer'],
  ['seconds', 'number'],
  ['flag', 'boolean'],
  ['_', 'ignored'],
]);

const read = (text: string): ParameterValues => readEncodedParameters(text, KINDS, 'query');

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
    ['list=a&list=b', { list: ['a', 'b'] }],
    ['list=a,b&text=x&list=c%2Cd&list=', { list: ['a', 'b', 'c', 'd'], text: 'x' }],
    ['list=&list=', { list: [] }],
    ['ids=1&ids=2,x', { ids: [1, 2, 'x'] }],
    ['_=1700000000000&text=x&_=%', { text: 'x' }],
  ])('reads %p', (text, expected) => {
    expect(read(text)).toEqual(expected);
  });

  it.each([
    ['other=1', 'UNKNOWN_PARAMETER'],
    ['=1', 'UNKNOWN_PARAMETER'],
    ['constructor=1', 'UNKNOWN_PARAMETER'],
    ['text=a&text=b', 'BAD_PARAMETER'],
    ['id=1&id=2', 'BAD_PARAMETER'],
    ['flag=true&flag=true', 'BAD_PARAMETER'],
    ['text=%', 'BAD_REQUEST'],
    ['text=%C3', 'BAD_REQUEST'],
    ['%=1', 'BAD_REQUEST'],
  ])('refuses %p', (text, code) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ code }) as Error);
  });

  it('reads a list that is repeated as often as a body can hold, each element once', () => {
    // Copying the list each time would take minutes.
    expect(read('list=a&'.repeat(300_000)).list).toHaveLength(300_000);
    expect(read(`list=a&list=${'b,'.repeat(300_000)}`).list).toHaveLength(300_002);
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
    const members = { list: 'a,b', ids: [1, 2], seconds: 3, flag: false, text: 'x', _: 1 };
    expect(readJsonParameters(members, KINDS)).toEqual({
      list: ['a', 'b'],
      ids: [1, 2],
      seconds: 3,
      flag: false,
      text: 'x',
    });
  });
});

describe('joinParameters', () => {
  it('puts query and body together, and refuses what both have, be it a list', () => {
    expect(joinParameters({ text: 'a' }, { id: 1 })).toEqual({ text: 'a', id: 1 });
    expect(() => joinParameters({ text: 'a' }, { text: 'b' })).toThrow("duplicate parameter 'text'");
    expect(() => joinParameters({ list: ['a'] }, { list: ['b'] })).toThrow("duplicate parameter 'list'");
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
