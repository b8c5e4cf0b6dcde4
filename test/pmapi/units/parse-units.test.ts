import fc from '../../support/properties.js';
import { formatUnits, makeUnits, parseUnits, PM_ERR, SourceTextError } from '../../../src/pmapi/index.js';

describe('parseUnits', () => {
  it.each([
    ['', '', 1],
    [' \t\n', '', 1],
    ['/', '', 1],
    ['byte', 'byte', 1],
    ['Byte', 'byte', 1],
    ['Kib', 'Kbyte', 1],
    ['kibibyte', 'Kbyte', 1],
    ['mb', 'Mbyte', 1],
    ['GB', 'Gbyte', 1],
    ['Tbytes', 'Tbyte', 1],
    ['exabyte', 'Ebyte', 1],
    ['ZB', 'Zbyte', 1],
    ['space-9', 'space-9', 1],
    ['time-15', 'time-15', 1],
    ['ms', 'millisec', 1],
    ['us', 'microsec', 1],
    ['nanosec', 'nanosec', 1],
    ['hr', 'hour', 1],
    ['counts', 'count', 1],
    ['count x 10', 'count x 10', 1],
    ['COUNT X 10^3', 'count x 10^3', 1],
    ['count x 10^-3', 'count x 10^-3', 1],
    ['count x 10^1', 'count x 10', 1],
    ['count x 10^0', '', 1],
    ['count x 10^3^2', 'count x 10^3^2', 1],
    ['/sec', '/ sec', 1],
    ['1/sec', '/ sec', 1],
    ['kbyte / count', 'Kbyte / count', 1],
    ['sec byte', 'byte sec', 1],
    ['byte^-1', '/ byte', 1],
    ['/ byte^8', '/ byte^8', 1],
    ['byte^0', '', 1],
    ['byte^0 byte', 'byte', 1],
    ['sec/sec', '', 1],
    ['1024 bytes', 'byte', 1 / 1024],
    ['2byte', 'byte', 0.5],
    ['byte 2 3', 'byte', 1 / 6],
    ['2 byte / 4 sec', 'byte / sec', 2],
    ['Mbyte / 5min', 'Mbyte / min', 5],
    ['10 sec', 'sec', 0.1],
    ['2.5 Kbytes', 'Kbyte', 0.4],
    ['0x10 byte', 'byte', 1 / 16],
    ['-1 byte', 'byte', -1],
    ['kbyte/byte', '', 1 / 1024],
    ['kbyte^2/kbyte', 'byte', 1 / 1024],
    ['byte/kbyte^2', '/ byte', 1024 ** 2],
    ['kbyte^-1/byte^-1', '', 1024],
    ['kbyte^0/kbyte', '/ Kbyte', 1],
    ['sec/min', '', 60],
    ['hour^2/hour', 'sec', 1 / 3600],
    ['count x 10^3/count', '', 0.001],
    ['temperature (K)', 'temperature (K)', 1],
    ['VOLTAGE (uv)', 'voltage (uV)', 1],
    ['byte / temperature (C)', 'byte / temperature (C)', 1],
    ['power (kW) byte / sec', 'power (kW) byte / sec', 1],
  ])('reads %j', (text, units, multiplier) => {
    const parsed = parseUnits(text);
    expect(formatUnits(parsed.units)).toBe(units);
    expect(parsed.multiplier).toBeCloseTo(multiplier, 12);
  });

  const BAD_UNIT = 'unrecognized or duplicate base unit';
  it.each([
    ['k', BAD_UNIT, 0],
    ['none', BAD_UNIT, 0],
    ['byte furlong', BAD_UNIT, 5],
    ['secs', BAD_UNIT, 0],
    ['mins', BAD_UNIT, 0],
    ['x 10^3', BAD_UNIT, 0],
    ['count x  10^3', BAD_UNIT, 6],
    ['count x 10^-9', BAD_UNIT, 10],
    ['byte2', BAD_UNIT, 0],
    ['byte^x', BAD_UNIT, 4],
    ['byte^ 2', BAD_UNIT, 4],
    ['byte^2^2', BAD_UNIT, 4],
    ['byte^16', BAD_UNIT, 4],
    ['byte byte', BAD_UNIT, 5],
    ['byte/sec/sec', BAD_UNIT, 5],
    ['space-16', BAD_UNIT, 0],
    ['+5 sec', BAD_UNIT, 0],
    ['temperature(C)', BAD_UNIT, 0],
    ['temperature (X)', BAD_UNIT, 0],
    ['byte^8', 'space dimension out of bounds', 0],
    ['sec^7/min^-1', 'time dimension out of bounds', 0],
    ['count x 10^8', 'count dimension out of bounds', 0],
    ['time-9/sec', 'time scale out of bounds', 0],
    ['1e999 byte', 'invalid floating point literal', 0],
    ['byte 1e-320', 'invalid floating point literal', 5],
    ['. sec', 'invalid floating point literal', 0],
    ['-inf', 'invalid floating point literal', 0],
    ['temperature (C) voltage (V)', 'multiple extra units not allowed', 16],
    [`${' '.repeat(1000)}byte`, BAD_UNIT, 1000],
    ['power (W) / current (A)', 'extra units cannot appear in both dividend and divisor', 0],
  ])('rejects %j with the library’s words, and says what units there are', (text, message, offset) => {
    expect.assertions(5);
    try {
      parseUnits(text);
    } catch (error) {
      expect(error).toBeInstanceOf(SourceTextError);
      expect((error as SourceTextError).message).toBe(message);
      expect((error as SourceTextError).details.pmErr).toBe(PM_ERR.CONV);
      expect((error as SourceTextError).details.expected).toContain('Kbyte');
      expect((error as SourceTextError).offset).toBe(offset);
    }
  });

  it('reads back what formatUnits writes', () => {
    const dim = fc.integer({ min: -8, max: 7 });
    const scale = fc.integer({ min: 0, max: 15 });
    const units = fc.tuple(dim, dim, dim, scale, scale, fc.integer({ min: -8, max: 7 })).filter(
      // `count x 10^2` is the square of tens and a hundred alike.
      ([, , dimCount, , , scaleCount]) => scaleCount !== 1 || Math.abs(dimCount) === 1,
    );
    fc.assert(
      fc.property(units, ([dimSpace, dimTime, dimCount, scaleSpace, scaleTime, scaleCount]) => {
        const wanted = makeUnits({
          dimSpace,
          dimTime,
          dimCount,
          scaleSpace: dimSpace === 0 ? 0 : scaleSpace,
          scaleTime: dimTime === 0 ? 0 : scaleTime,
          scaleCount: dimCount === 0 ? 0 : scaleCount,
        });
        expect(parseUnits(formatUnits(wanted))).toEqual({ units: wanted, multiplier: 1 });
      }),
    );
  });

  it('answers or throws its own error for any text', () => {
    const word = fc.constantFrom(
      'byte',
      'kb',
      '/',
      '^',
      ' ',
      '2',
      '-',
      'count x 10',
      'sec',
      'power (W)',
      '.',
      '1e9',
      'x',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(word, { maxLength: 8 }).map((words) => words.join('')),
        ),
        (text) => {
          try {
            expect(typeof parseUnits(text).multiplier).toBe('number');
          } catch (error) {
            expect(error).toBeInstanceOf(SourceTextError);
          }
        },
      ),
    );
  });
});
