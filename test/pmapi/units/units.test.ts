import fc from '../../support/properties.js';
import { decodeUnits, DIMENSIONLESS, encodeUnits, makeUnits, sameUnits } from '../../../src/pmapi/index.js';

describe('decodeUnits and encodeUnits', () => {
  it('are each other’s inverse for every word', () => {
    fc.assert(fc.property(fc.integer({ min: 0, max: 0xffffffff }), (word) => encodeUnits(decodeUnits(word)) === word));
  });

  it.each([
    [0x10000000, { dimSpace: 1 }],
    [0x0f003000, { dimTime: -1, scaleTime: 3 }],
    [0x100f00, { dimCount: 1, scaleCount: -1 }],
    [0x80000000, { dimSpace: -8 }],
    [0x0000000a, { extraUnit: 1, extraScale: 2 }],
    [0x000000f8, { extraUnit: -1 }],
    [0x000f0000, { scaleSpace: 15 }],
  ])('read the word %d', (word, parts) => {
    expect(decodeUnits(word)).toEqual(makeUnits(parts));
    expect(encodeUnits(makeUnits(parts))).toBe(word);
  });

  it('make words without sign', () => {
    expect(encodeUnits(makeUnits({ dimSpace: -1 }))).toBe(0xf0000000);
    expect(encodeUnits(DIMENSIONLESS)).toBe(0);
  });
});

describe('sameUnits', () => {
  it('compares every part', () => {
    expect(sameUnits(makeUnits({ dimSpace: 1 }), makeUnits({ dimSpace: 1 }))).toBe(true);
    expect(sameUnits(makeUnits({ dimSpace: 1 }), makeUnits({ dimSpace: 1, scaleSpace: 1 }))).toBe(false);
    expect(sameUnits(DIMENSIONLESS, makeUnits({ scaleTime: 3 }))).toBe(false);
  });
});
