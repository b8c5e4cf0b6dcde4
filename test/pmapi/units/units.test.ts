import {
  DIMENSIONLESS,
  decodeUnits,
  encodeUnits,
  formatUnits,
  makeUnits,
  sameUnits,
} from '../../../src/pmapi/index.js';
import fc from '../../support/properties.js';

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

describe('formatUnits', () => {
  it.each([
    [{}, ''],
    [{ scaleSpace: 3, scaleTime: 2 }, ''],
    [{ dimSpace: 1, scaleSpace: 1 }, 'Kbyte'],
    [{ dimSpace: 1, scaleSpace: 15 }, 'space-15'],
    [{ dimTime: 1, scaleTime: 6 }, 'time-6'],
    [{ dimCount: 1, scaleCount: 1 }, 'count x 10'],
    [{ dimCount: 1, scaleCount: -1 }, 'count x 10^-1'],
    [{ dimCount: 2, scaleCount: 3 }, 'count x 10^3^2'],
    [{ scaleCount: 3 }, 'count x 10^3'],
    [{ dimSpace: -1, scaleSpace: 2 }, '/ Mbyte'],
    [{ dimSpace: 1, dimTime: 1, dimCount: 1 }, 'byte nanosec count'],
    [{ dimSpace: 2, dimTime: -2, dimCount: 3, scaleSpace: 1, scaleTime: 3 }, 'Kbyte^2 count^3 / sec^2'],
    [{ dimSpace: -8, dimTime: -8, dimCount: -8 }, '/ byte^8 nanosec^8 count^8'],
    [{ extraUnit: 1, extraScale: 2 }, 'temperature (K)'],
    [{ extraUnit: -4, extraScale: 1, dimSpace: 1 }, 'byte / power (W)'],
    [{ extraUnit: 2, extraScale: 7 }, 'voltage (scale-7)'],
    [{ extraUnit: 9 }, 'extra-9'],
  ])('writes %j as %j', (parts, text) => {
    expect(formatUnits(makeUnits(parts))).toBe(text);
  });
});
