import { type Evidence, type Sample, judge } from './verdict.js';

const MB = 1e6;

function evidenceOf(change: Partial<Evidence> = {}, sampleAt: (sec: number) => Partial<Sample> = () => ({})): Evidence {
  return {
    seconds: 3600,
    samples: Array.from({ length: 361 }, (_, i) => ({
      sec: i * 10,
      heapBytes: 90 * MB,
      externalBytes: MB,
      liveHeapBytes: i % 5 === 0 ? 60 * MB + (i % 7) * 100_000 : undefined,
      rssBytes: 250 * MB,
      descriptors: 100 + (i % 9),
      cpuMs: i,
      loopP99Ms: 12,
      canaryP99Ms: 5,
      logBytes: i * 300,
      failures: 0,
      ...sampleAt(i * 10),
    })),
    tally: new Map([['contexts', new Map([['200', 1000]])]]),
    canary: { p99Ms: 6, failures: new Map() },
    faults: [],
    auditLines: { count: 3, longestBytes: 300 },
    wasRunning: true,
    exitCode: 0,
    ...change,
  };
}

function failedOf(evidence: Evidence): readonly string[] {
  return judge(evidence)
    .filter(({ isPassed }) => !isPassed)
    .map(({ name }) => name);
}

describe('judge', () => {
  it('passes what is flat', () => expect(failedOf(evidenceOf())).toEqual([]));

  it('passes what rises in the first half only', () => {
    expect(failedOf(evidenceOf({}, (sec) => ({ liveHeapBytes: Math.min(60, sec / 30) * MB })))).toEqual([]);
  });

  it('finds a leak of memory, and one of descriptors', () => {
    expect(failedOf(evidenceOf({}, (sec) => ({ liveHeapBytes: 60 * MB + sec * 5000 })))).toEqual([
      'heap in use flat over the second half',
    ]);
    expect(failedOf(evidenceOf({}, (sec) => ({ descriptors: 100 + sec / 60 })))).toEqual([
      'descriptors flat over the second half',
    ]);
  });

  it.each([
    ['answers with status 500', { tally: new Map([['ranges', new Map([['500', 1]])]]) }],
    ['bad bytes answered with success', { tally: new Map([['bad bytes', new Map([['200', 1]])]]) }],
    ['requests without an answer', { tally: new Map([['ranges', new Map([['ECONNREFUSED', 1]])]]) }],
    [
      'unhandled rejections, defects and warnings in the log',
      { faults: [{ message: 'unhandled rejection', line: '{}' }] },
    ],
    ['canary fetch, p99', { canary: { p99Ms: 101, failures: new Map() } }],
    ['canary fetches that failed', { canary: { p99Ms: 6, failures: new Map([['500', 2]]) } }],
    ['canary fetches that were refused', { canary: { p99Ms: 6, failures: new Map([['503', 2]]) } }],
    ['longest audit line', { auditLines: { count: 1, longestBytes: 1e6 } }],
    ['the gateway ran to the end', { wasRunning: false }],
    ['and stopped when it was asked to', { exitCode: undefined }],
  ] as const satisfies readonly (readonly [string, Partial<Evidence>])[])('fails: %s', (name, change) => {
    expect(failedOf(evidenceOf(change))).toEqual([name]);
  });

  it('finds memory that was too high for a moment', () => {
    const peak = evidenceOf({}, (sec) => (sec === 600 ? { rssBytes: 251 * MB } : {}));
    expect(failedOf(peak)).toEqual(['resident memory, highest']);
  });

  it('finds a log that grows too fast', () => {
    expect(failedOf(evidenceOf({}, (sec) => ({ logBytes: sec * 2000 })))).toEqual(['log, without audit lines']);
  });
});

test('a short run tells memory and times, and judges the rest', () => {
  const slow = evidenceOf({ canary: { p99Ms: 5000, failures: new Map([['503', 2]]) } });
  expect(failedOf(slow)).toEqual(['canary fetch, p99', 'canary fetches that were refused']);
  expect(failedOf({ ...slow, seconds: 60 })).toEqual([]);
  expect(failedOf(evidenceOf({ seconds: 60, wasRunning: false }))).not.toEqual([]);
  const failed = evidenceOf({ seconds: 60, canary: { p99Ms: 6, failures: new Map([['500', 1]]) } });
  expect(failedOf(failed)).toEqual(['canary fetches that failed']);
});
