import { formatUnits, makeUnits } from '../../../src/pmapi/index.js';

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
