import { spawnSync } from 'node:child_process';
import fc from '../support/properties.js';
import {
  convertScale,
  decodeUnits,
  encodeUnits,
  formatPmErr,
  formatUnits,
  MetricType,
  parseInterval,
  parseTimeWindow,
  parseUnits,
  PM_ERR,
  PmError,
  SourceTextError,
  UTC_ZONE,
} from '../../src/pmapi/index.js';
import { area } from './support/conformance.js';

/**
 * The same generated inputs to this code and to the installed libpcp (6.0.3 when this was written).
 *
 * Differences that are meant, and left out of the inputs or of the comparison below:
 * - intervals: blanks alone and "nan" are errors here; the last nanosecond may differ where libpcp rounds a double, and
 *   libpcp can answer 1000000000 nanoseconds;
 * - windows: numbers without a unit (epoch seconds here unless asked otherwise), ISO 8601 and phrases about now; an empty text
 *   is an error here and midnight there; `@1 hour ago` keeps the end's fraction of a second here;
 * - units: 7.2 prints dimensionless scales as `count x 10^3`, 6.0 as `x 10^3`, and 6.0 has no extra units;
 *   libpcp aborts on `time-9/sec`, an error here;
 * - scales: no intermediate overflow here, so inputs keep v * multiplier within 63 bits for the integer types.
 */
const PYTHON = '/usr/bin/python3';
const ORACLE = 'test/interop/support/libpcp-oracle.py';

type Request = readonly [fn: string, ...args: unknown[]];
interface Failure {
  readonly error?: number;
  readonly message?: string;
  readonly crash?: boolean;
}

function askLibpcp(requests: readonly Request[]): unknown[] {
  const input = requests.map((request) => JSON.stringify(request)).join('\n');
  const { stdout, stderr, status } = spawnSync(PYTHON, [ORACLE], { input, encoding: 'utf8', maxBuffer: 1 << 28 });
  if (status !== 0) throw new Error(`the oracle failed: ${stderr}`);
  const answers = stdout.trimEnd().split('\n');
  if (answers.length !== requests.length) throw new Error(`${answers.length} answers to ${requests.length} requests`);
  return answers.map((line) => JSON.parse(line) as unknown);
}

function probe(): string | undefined {
  const found = spawnSync(PYTHON, ['-c', 'from ctypes import CDLL; CDLL("libpcp.so.3")'], { encoding: 'utf8' });
  if (found.status === 0) return undefined;
  return `libpcp is not installed (${(found.stderr || String(found.error)).trim().split('\n').at(-1)})`;
}

/** Compare our answers with libpcp's and print how many are equal. */
function compare(
  what: string,
  requests: readonly Request[],
  ours: (request: Request, theirs: unknown) => unknown,
  isEqual: (ours: unknown, theirs: unknown) => boolean = (a, b) => JSON.stringify(a) === JSON.stringify(b),
): void {
  const theirs = askLibpcp(requests);
  const different = requests.flatMap((request, i) => {
    const answer = ours(request, theirs[i]);
    return isEqual(answer, theirs[i]) ? [] : [{ request, ours: answer, theirs: theirs[i] }];
  });
  process.stdout.write(`${what}: ${requests.length - different.length} of ${requests.length} equal\n`);
  area('texts, units, times, numbers').equal(requests.length - different.length);
  for (const entry of different) area('texts, units, times, numbers').wrong(`${what}: ${JSON.stringify(entry)}`);
  expect(different.slice(0, 20).map((entry) => JSON.stringify(entry))).toEqual([]);
}

function sample<T>(arbitrary: fc.Arbitrary<T>, count: number): T[] {
  return fc.sample(arbitrary, { numRuns: count, seed: 20261120 });
}

/** A thrown error in libpcp's form. */
function attempt(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    if (error instanceof PmError) return { error: error.pmErr };
    if (error instanceof SourceTextError) return { error: error.details.pmErr ?? -1, message: error.message };
    throw error;
  }
}

const closeTo = (a: number, b: number, relative: number): boolean =>
  Object.is(a, b) ||
  Math.abs(a - b) <= relative * Math.max(Math.abs(a), Math.abs(b)) ||
  (Number.isNaN(a) && Number.isNaN(b));

const missing = probe();
if (missing !== undefined) process.stderr.write(`SKIPPED: comparison with libpcp: ${missing}\n`);

(missing === undefined ? describe : describe.skip)('pmapi against libpcp', () => {
  it('pmParseInterval', () => {
    const word = fc.constantFrom(
      '5', '1.5', '30', '0.25', '1e3', '0x10', '-3', ' ', ' ', 's', 'sec', 'secs', 'm', 'ms', 'min', 'minutes', 'h', 'hr', 'hours',
      'd', 'days', 'msec', 'usec', 'nsec', 'nanosec', 'nanoseconds', 'week', 'MIN', '.', 'mumble', 'e',
    ); // prettier-ignore
    const texts = sample(
      fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => words.join('')),
      600,
    );
    const requests = texts.filter((text) => text.trim() !== '').map((text): Request => ['interval', text]);
    compare(
      'pmParseInterval',
      requests,
      ([, text]) => {
        try {
          const { sec, nsec } = parseInterval(text as string);
          return [sec, nsec];
        } catch (error) {
          if (!(error instanceof SourceTextError)) throw error;
          return { error: -1, message: `${error.source}\n${' '.repeat(error.offset)}^ -- ${error.message}\n` };
        }
      },
      (a, b) => {
        if (!Array.isArray(a) || !Array.isArray(b)) {
          // libpcp reads the beginning of "nanosec" as not-a-number where a number should stand: its caret is 3 further on.
          const withoutCaret = (value: unknown): string => JSON.stringify(value).replace(/ *\^/, '^');
          return (
            withoutCaret(a) === withoutCaret(b) &&
            (JSON.stringify(a) === JSON.stringify(b) || withoutCaret(a).includes('nano'))
          );
        }
        const nsec = (t: unknown[]): bigint => BigInt(t[0] as number) * 1_000_000_000n + BigInt(t[1] as number);
        const distance = nsec(a) - nsec(b);
        return distance >= -1n && distance <= 1n;
      },
    );
  });

  it('pmParseTimeWindow', () => {
    const begin = { sec: 1_000_000, nsec: 500_000_000 };
    const end = { sec: 1_003_600, nsec: 250_000_000 };
    const offset = fc.constantFrom(
      '5min',
      '+2min',
      '-5min',
      '-0',
      '10sec',
      '-2hour',
      '2hour',
      '30 sec',
      '-1.5min',
      '5 mumble',
    );
    const absolute = fc.constantFrom(
      '@14:00', '@14:00:10.25', '@Jan 12 14:00', '@Mon Jan 12 14:00:05 1970', '@Jan 12 13:50:00 1970', '@12 Jan 1970 14:00',
      '@1970-01-12 14:00:10', '@01/12/70 14:00', '@1970-01-12', '@1:00', '@Jan 13', '@13:50', '@Jan', '@bogus', '@14:60', '@',
      '@1971', '@Jan 12 1971', '@14:', '@:14', '@JAN 12 14:00', '@Feb 30', '@Jan 32', '@14:00:62', '@13:00', '@Jan 12 14',
      '@12-Jan-1970', '@1970/1/12 14:00', '@Mon, 12 Jan 1970 14:00:00 GMT', '@12 Jan 1970 14:00 EST', '@Jan 12, 1970',
      '@14:00:10 1970', '@14:00 12 Jan 1970', '@12 January 1970 2pm',
    ); // prettier-ignore
    const time = fc.option(fc.oneof(offset, absolute), { nil: null });
    const align = fc.option(fc.constantFrom('10min', '1hour', '7min', '1.1sec', '15min', '3day', '0', '1 sec', 'x'), {
      nil: null,
    });
    const requests = sample(fc.tuple(time, time, align, time), 800).map((spec): Request => [
      'window',
      ...spec,
      [begin.sec, begin.nsec],
      [end.sec, end.nsec],
    ]);
    const now = { sec: Math.floor(Date.now() / 1000), nsec: 0 };
    compare(
      'pmParseTimeWindow',
      requests,
      ([, ...args]) => {
        const [start, finish, alignment, origin] = args.slice(0, 4).map((text) => (text as string | null) ?? undefined);
        const answer = attempt(() => {
          const bounds = { start: begin, end, now, zone: UTC_ZONE, bareNumber: 'offset' as const };
          const window = parseTimeWindow({ start, finish, align: alignment, origin }, bounds);
          return {
            aligned: window.isAligned,
            times: [window.start, window.end!, window.origin].map((t) => [t.sec, t.nsec]),
          };
        });
        return 'error' in (answer as Failure) ? { error: -1 } : answer;
      },
      (a, b) => JSON.stringify(a) === JSON.stringify('error' in (b as Failure) ? { error: -1 } : b),
    );
  });

  it('pmParseUnitsStr', () => {
    const word = fc.constantFrom(
      'byte', 'Kbyte', 'mb', 'gibibytes', 'terabyte', 'space-9', 'sec', 'ms', 'hour', 'minutes', 'time-4', 'count', 'counts',
      'count x 10', 'count x 10^3', 'count x 10^-3', '/', '/', ' ', ' ', ' ', ' ', '^2', '^-1', '^7', '^8', '^0', '2', '10', '0.5', '1e3',
      '-1', '.', 'furlong', 'x',
    ); // prettier-ignore
    const texts = sample(
      fc.array(word, { maxLength: 7 }).map((words) => words.join('')),
      1500,
    );
    compare(
      'pmParseUnitsStr',
      texts.map((text): Request => ['parseUnits', text]),
      ([, text]) =>
        attempt(() => {
          const { units, multiplier } = parseUnits(text as string);
          return [encodeUnits(units), multiplier];
        }),
      (a, b) => {
        if (!Array.isArray(a) || !Array.isArray(b)) return JSON.stringify(a) === JSON.stringify(b);
        return a[0] === b[0] && closeTo(a[1] as number, Number((b[1] as string).replace('inf', 'Infinity')), 1e-12);
      },
    );
  });

  it('pmUnitsStr', () => {
    // The low byte holds the extra units, which 6.0 does not have.
    const words = sample(fc.integer({ min: 0, max: 0xffffff }), 600).map((word) => word * 256);
    const requests = words.filter((word) => word >>> 20 !== 0).map((word): Request => ['formatUnits', word]);
    compare('pmUnitsStr', requests, ([, word]) => formatUnits(decodeUnits(word as number)));
  });

  it('pmConvScale', () => {
    const dim = fc.integer({ min: -1, max: 1 });
    const words = fc
      .tuple(dim, dim, dim, fc.tuple(...Array.from({ length: 2 }, () => fc.nat(2))), fc.tuple(fc.nat(5), fc.nat(5)))
      .map(([dimSpace, dimTime, dimCount, space, time]) =>
        [0, 1].map((i) =>
          encodeUnits({
            ...decodeUnits(0),
            dimSpace,
            dimTime,
            dimCount,
            scaleSpace: space[i]!,
            scaleTime: Math.max(2, time[i]!),
            scaleCount: i,
          }),
        ),
      );
    const value = fc.oneof(
      fc.tuple(fc.constantFrom(0, 2), fc.integer({ min: -20_000, max: 20_000 }).map(String)),
      fc.tuple(fc.constantFrom(1, 3), fc.integer({ min: 0, max: 20_000 }).map(String)),
      fc.tuple(
        fc.constantFrom(4, 5),
        fc.integer({ min: -4000, max: 4000 }).map((n) => String(n / 4)),
      ),
    );
    const requests = sample(fc.tuple(value, words), 800).map(([[type, number], [from, to]]): Request => [
      'scale', type, number, from, to,
    ]); // prettier-ignore
    compare(
      'pmConvScale',
      requests,
      ([, type, number, from, to]) =>
        attempt(() => {
          const isReal = (type as number) >= 4;
          const given = isReal ? Number(number) : BigInt(number as string);
          const result = convertScale(
            type as MetricType,
            given,
            decodeUnits(from as number),
            decodeUnits(to as number),
          );
          return isReal || typeof result === 'bigint' ? String(result) : result;
        }),
      (a, b) =>
        typeof a === 'string' && typeof b === 'string'
          ? closeTo(Number(a), Number(b), 1e-6)
          : JSON.stringify(a) === JSON.stringify(b),
    );
  });

  it('pmErrStr', () => {
    const codes = [...Object.values(PM_ERR), -1, -2, -13, -22, -32, -104, -110, -111, -113, -12352, -12449];
    compare(
      'pmErrStr',
      codes.map((code): Request => ['errorText', code]),
      ([, code]) => formatPmErr(code as number),
    );
  });
});
