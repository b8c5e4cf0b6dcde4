import fc from '../../support/properties.js';
import { intervalToSeconds, parseInterval, SourceTextError } from '../../../src/pmapi/index.js';

function failure(text: string): SourceTextError {
  try {
    parseInterval(text);
  } catch (error) {
    if (error instanceof SourceTextError) return error;
    throw error;
  }
  throw new Error(`${text} was accepted`);
}

describe('parseInterval', () => {
  it.each([
    ['5', 5, 0],
    ['+5', 5, 0],
    ['-0', 0, 0],
    ['1.5min', 90, 0],
    ['2h30', 7230, 0],
    ['5 sec 3', 8, 0],
    ['3d 2h', 266_400, 0],
    ['1 day 1', 86_401, 0],
    ['1 day1', 86_401, 0],
    ['1 hr 30min', 5400, 0],
    ['1h1m1s', 3661, 0],
    ['1e3', 1000, 0],
    ['5.5.5', 6, 0],
    ['0x10', 16, 0],
    ['0x1p3', 8, 0],
    ['0x.8', 0, 500_000_000],
    ['100msec', 0, 100_000_000],
    ['10nsec', 0, 10],
    ['1usec', 0, 1000],
    ['1 microseconds', 0, 1000],
    ['100.123456789', 100, 123_456_789],
    ['1.9999999999', 2, 0],
    ['1ms', 60, 0],
    ['1 M', 60, 0],
    ['1MSEC', 0, 1_000_000],
    [' 5 min \n', 300, 0],
    ['9007199254740991', 9_007_199_254_740_991, 0],
    ['1e-999', 0, 0],
  ])('reads %j', (text, sec, nsec) => {
    expect(parseInterval(text)).toEqual({ sec, nsec });
  });

  it.each([
    ['', '\n^ -- Null or empty specification\n'],
    ['4minutes 30mumble', '4minutes 30mumble\n           ^ -- unexpected value\n'],
    ['-5', '-5\n^ -- unexpected value\n'],
    ['5 -3', '5 -3\n  ^ -- unexpected value\n'],
    ['1week', '1week\n ^ -- unexpected value\n'],
    ['5ns', '5ns\n ^ -- unexpected value\n'],
    ['1us', '1us\n ^ -- unexpected value\n'],
    ['1nanosec', '1nanosec\n ^ -- unexpected value\n'],
    ['now', 'now\n^ -- unexpected value\n'],
    ['nan', 'nan\n^ -- unexpected value\n'],
    ['inf', 'inf\n^ -- unexpected value\n'],
    ['1e', '1e\n ^ -- unexpected value\n'],
    ['1e400', '1e400\n^ -- unexpected value\n'],
    ['1e9999999999', '1e9999999999\n^ -- unexpected value\n'],
    ['9007199254740991 1', '9007199254740991 1\n                 ^ -- unexpected value\n'],
    ['5 min.', '5 min.\n     ^ -- unexpected value\n'],
    ['5 d d', '5 d d\n    ^ -- unexpected value\n'],
  ])('rejects %j with a caret', (text, expected) => {
    const error = failure(text);
    expect(`${error.source}\n${' '.repeat(error.offset)}^ -- ${error.message}\n`).toBe(expected);
  });

  it('tells where the error lies and what it expected', () => {
    const error = failure('4minutes 30mumble');
    expect(error.code).toBe('BAD_PARAMETER');
    expect(error.position).toEqual({ offset: 11, end: 17, line: 1, column: 12 });
    expect(error.details.expected).toContain('nsec');
  });

  it('rejects a text of unreasonable length', () => {
    expect(failure('1 sec '.repeat(1000)).offset).toBe(1000);
  });

  it('is exact to the nanosecond for any decimal', () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 0, max: 999_999_999 }), (sec, nsec) => {
        expect(parseInterval(`${sec}.${String(nsec).padStart(9, '0')}s`)).toEqual({ sec, nsec });
        expect(parseInterval(`${sec} sec ${nsec}nsec`)).toEqual({ sec, nsec });
      }),
    );
  });

  it('answers or throws its own error for any text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        try {
          const { sec, nsec } = parseInterval(text);
          expect(Number.isSafeInteger(sec) && sec >= 0 && nsec >= 0 && nsec < 1e9).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(SourceTextError);
        }
      }),
    );
  });
});

describe('intervalToSeconds', () => {
  it('adds the parts', () => {
    expect(intervalToSeconds({ sec: 1, nsec: 500_000_000 })).toBe(1.5);
  });
});
