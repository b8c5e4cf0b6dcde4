import fc from '../../support/properties.js';
import { addSeconds, makeTimeZone, timestampToSeconds, UTC_ZONE } from '../../../src/pmapi/index.js';
import {
  asksForRange,
  checkRangeCost,
  checkRangeEstimate,
  countMoments,
  DEFAULT_RANGE_LIMITS,
  moments,
  parseRange,
} from '../../../src/context/range/index.js';
import type { RangeParameters, RangeRequest } from '../../../src/context/range/index.js';
import { errorOf } from '../../support/error-of.js';

const at = (sec: number, nsec = 0): { sec: number; nsec: number } => ({ sec, nsec });
const BOUNDS = { start: at(1_000_000, 500_000_000), end: at(1_003_600, 250_000_000), now: at(2e9), zone: UTC_ZONE };
const parse = (parameters: RangeParameters): RangeRequest => parseRange(parameters, BOUNDS);

describe('parseRange', () => {
  it('takes the whole archive, every recorded sample, when nothing is said', () => {
    expect(parse({})).toEqual({
      start: BOUNDS.start,
      finish: BOUNDS.end,
      origin: BOUNDS.start,
      interval: undefined,
      samples: Infinity,
      decimation: undefined,
      rate: false,
      units: undefined,
      zone: UTC_ZONE,
    });
  });

  it.each<[RangeParameters, start: number, finish: number, origin: number]>([
    [{ start: '5min', finish: '10min' }, 1_000_300.5, 1_000_900.5, 1_000_300.5],
    [{ start: '-10min', finish: '5min' }, 1_003_000.25, 1_003_300.25, 1_003_000.25],
    [{ start: '@14:00', finish: '@14:30' }, 1_000_800, 1_002_600, 1_000_800],
    [{ start: '1970-01-12T14:00:00Z', finish: '1001000.5' }, 1_000_800, 1_001_000.5, 1_000_800],
    [{ align: '10min' }, 1_000_200, 1_003_600.25, 1_000_200],
    [{ offset: '+2min' }, 1_000_000.5, 1_003_600.25, 1_000_120.5],
    [{ start: '@15:00', zone: 'AEST-1' }, 1_000_800, 1_003_600.25, 1_000_800],
    [{ start: '10', finish: '2000000' }, 1_000_000.5, 1_003_600.25, 1_000_000.5],
  ])('works out the window of %j', (parameters, start, finish, origin) => {
    const request = parse(parameters);
    expect([request.start, request.finish, request.origin].map(timestampToSeconds)).toEqual([start, finish, origin]);
  });

  it('reads times in the zone of the bounds when none is named', () => {
    const zone = makeTimeZone('AEST-1');
    const request = parseRange({ start: '@15:00' }, { ...BOUNDS, zone });
    expect(request.start).toEqual(at(1_000_800));
    expect(request.zone).toBe(zone);
  });

  it.each<[RangeParameters, parameter: string, code: string]>([
    [{ start: 'soonish' }, 'start', 'BAD_PARAMETER'],
    [{ finish: '' }, 'finish', 'BAD_PARAMETER'],
    [{ finish: '@25:00' }, 'finish', 'BAD_PARAMETER'],
    [{ align: '5 weeks' }, 'align', 'BAD_PARAMETER'],
    [{ align: '0' }, 'align', 'BAD_PARAMETER'],
    [{ offset: 'x' }, 'offset', 'BAD_PARAMETER'],
    [{ interval: '4minutes 30mumble' }, 'interval', 'BAD_PARAMETER'],
    [{ interval: '0' }, 'interval', 'BAD_PARAMETER'],
    [{ interval: '-1' }, 'interval', 'BAD_PARAMETER'],
    [{ zone: 'Mars/Olympus' }, 'zone', 'BAD_PARAMETER'],
    [{ samples: 0 }, 'samples', 'BAD_PARAMETER'],
    [{ samples: 1.5 }, 'samples', 'BAD_PARAMETER'],
    [{ points: -1 }, 'points', 'BAD_PARAMETER'],
    [{ points: 100_001 }, 'points', 'LIMIT_EXCEEDED'],
    [{ decimation: 'last' }, 'points', 'BAD_PARAMETER'],
    [{ points: 5, decimation: 'median' }, 'decimation', 'BAD_PARAMETER'],
    [{ units: 'furlong' }, 'units', 'CONVERSION'],
    [{ start: '1001000', finish: '1000900' }, 'finish', 'BAD_PARAMETER'],
  ])('refuses %j and names the parameter', (parameters, parameter, code) => {
    const error = errorOf(() => parse(parameters));
    expect(error.code).toBe(code);
    expect(error.details.parameter).toBe(parameter);
  });

  it.each<RangeParameters>([{ start: '2000000' }, { start: '2000000', finish: '2000001' }, { finish: '999' }])(
    'makes an empty range of %j, which lies outside of the archive',
    (parameters) => {
      const request = parse({ ...parameters, interval: '1' });
      expect(timestampToSeconds(request.finish)).toBeLessThan(timestampToSeconds(request.start));
      expect(countMoments(request)).toBe(0);
      expect([...moments(request)]).toEqual([]);
    },
  );

  it('keeps what is to be done with the values', () => {
    const request = parse({ points: 7, rate: true, units: '10 sec' });
    expect(request.decimation).toEqual({ points: 7, kind: 'average' });
    expect(request.rate).toBe(true);
    expect(request.units).toMatchObject({ multiplier: 0.1, units: { dimTime: 1 } });
  });
});

describe('moments', () => {
  const texts = (request: RangeRequest): string[] => [...moments(request)].map(({ sec, nsec }) => `${sec}.${nsec}`);

  it('steps from the origin to the finish, both included, without drifting', () => {
    const request = parseRange({ interval: '100msec' }, { ...BOUNDS, start: at(5), end: at(5 + 86400) });
    expect(countMoments(request)).toBe(864_001);
    let last = request.origin;
    for (const moment of moments(request)) last = moment;
    expect(last).toEqual(at(86405));
  });

  it('takes so many samples at most', () => {
    expect(texts(parse({ interval: '10', samples: 3 }))).toEqual([
      '1000000.500000000',
      '1000010.500000000',
      '1000020.500000000',
    ]);
    expect(countMoments(parse({ interval: '10', samples: 3 }))).toBe(3);
  });

  it('spreads samples evenly over a window that has a finish and no interval', () => {
    expect(texts(parse({ start: '1000001', finish: '1000011', samples: 5 }))).toEqual([
      '1000001.0',
      '1000003.500000000',
      '1000006.0',
      '1000008.500000000',
      '1000011.0',
    ]);
    expect(texts(parse({ start: '1000001', finish: '1000011', samples: 1 }))).toEqual(['1000001.0']);
    expect(texts(parse({ start: '1000001', finish: '1000001', samples: 5 }))).toEqual(['1000001.0']);
  });

  it('has no moments for recorded samples', () => {
    const request = parse({ samples: 5 });
    expect(request.interval).toBeUndefined();
    expect(countMoments(request)).toBeUndefined();
    expect(texts(request)).toEqual([]);
  });

  it('counts as many moments as there are, whatever the window', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 50_000 }),
        fc.integer({ min: 0, max: 50_000 }),
        fc.integer({ min: 100, max: 20_000 }),
        fc.option(fc.integer({ min: 1, max: 40 }), { nil: undefined }),
        (startMs, lengthMs, stepMs, samples) => {
          const start = addSeconds(at(100), startMs / 1000);
          const end = addSeconds(start, lengthMs / 1000);
          const request = parseRange({ interval: `${stepMs}msec`, samples }, { ...BOUNDS, start, end });
          const all = [...moments(request)];
          expect(all.length).toBe(countMoments(request));
          expect(all.every((moment) => timestampToSeconds(moment) <= timestampToSeconds(end))).toBe(true);
        },
      ),
    );
  });
});

describe('checkRangeCost', () => {
  const limits = { ...DEFAULT_RANGE_LIMITS, values: 1000 };

  it('accepts what fits, and recorded samples, which are counted while they are read', () => {
    expect(() => {
      checkRangeCost(parse({ interval: '10', samples: 100 }), 10, limits);
      checkRangeCost(parse({}), 100_000, limits);
    }).not.toThrow();
  });

  it('refuses more, and what it says would fit does fit', () => {
    const error = errorOf(() => {
      checkRangeCost(parse({ interval: '1' }), 10, limits);
    });
    expect(error.code).toBe('LIMIT_EXCEEDED');
    expect(error.details.parameter).toBe('interval');
    const interval = /an interval of (\d+) sec/.exec(error.message)![1]!;
    expect(() => {
      checkRangeCost(parse({ interval }), 10, limits);
    }).not.toThrow();
  });

  it('names the metrics as what is too many when one sample does not fit', () => {
    const error = errorOf(() => {
      checkRangeCost(parse({ interval: '1' }), 1001, limits);
    });
    expect(error.message).toContain('request fewer metrics');
  });
});

describe('checkRangeEstimate', () => {
  const limits = { ...DEFAULT_RANGE_LIMITS, values: 1000, columnBytes: 4500 };

  it('accepts what may fit after all', () => {
    expect(() => {
      checkRangeEstimate(2000, false, limits);
      checkRangeEstimate(1000, true, limits);
    }).not.toThrow();
  });

  it('refuses far more than may be read, and than fits into columns', () => {
    const tooMany = errorOf(() => checkRangeEstimate(2004, false, limits));
    expect(tooMany).toMatchObject({ code: 'LIMIT_EXCEEDED', details: { parameter: 'finish' } });
    expect(tooMany.message).toContain('about 2000 values; archives.rangeValues allows 1000');
    const tooLarge = errorOf(() => checkRangeEstimate(1001, true, limits));
    expect(tooLarge).toMatchObject({ code: 'LIMIT_EXCEEDED', details: { parameter: 'points' } });
  });
});

describe('asksForRange', () => {
  it('is asked for by anything that speaks of time or samples', () => {
    expect(asksForRange({ start: '-1hour' })).toBe(true);
    expect(asksForRange({ points: 5 })).toBe(true);
    expect(asksForRange({ rate: true, units: 'Mbyte' })).toBe(false);
  });
});
