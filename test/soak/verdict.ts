import type { GatewayProcess, LogFault, Outside } from './gateway-process.js';
import { type Point, secondHalf, trendOf } from './trend.js';

/** What was seen at one moment. */
export interface Sample extends Outside {
  readonly sec: number;
  /** JavaScript heap with its garbage, and memory of buffers outside of it. */
  readonly heapBytes: number;
  readonly externalBytes: number;
  /** Heap in use after garbage was collected; undefined when it was not. */
  readonly liveHeapBytes: number | undefined;
  /** Since the sample before. */
  readonly loopP99Ms: number;
  readonly canaryP99Ms: number;
  /** Of the log so far, and answers with status 5xx so far. */
  readonly logBytes: number;
  readonly failures: number;
}

/** All that a verdict is made of. */
export interface Evidence {
  readonly seconds: number;
  readonly samples: readonly Sample[];
  readonly tally: ReadonlyMap<string, ReadonlyMap<string, number>>;
  readonly canary: { readonly p99Ms: number; readonly failures: ReadonlyMap<string, number> };
  readonly faults: readonly LogFault[];
  readonly auditLines: GatewayProcess['auditLines'];
  readonly wasRunning: boolean;
  /** How it stopped when it was asked to; undefined when it had to be killed. */
  readonly exitCode: number | undefined;
}

/** One thing that must hold. */
export interface Check {
  readonly name: string;
  readonly value: string;
  readonly bound: string;
  readonly isPassed: boolean;
}

const MB = 1e6;
/** By how much a value may rise over the second half: a share of its mean, and what is noise whatever the mean. */
const FLAT = {
  heap: { share: 0.05, noise: 3 * MB },
  rss: { share: 0.15, noise: 20 * MB },
  descriptors: { share: 0.05, noise: 10 },
} as const;
/** In a run this short caches still fill and V8 still compiles in the second half: memory and times are told, not judged. */
const SHORT_SEC = 600;
const CANARY_P99_MS = 100;
const MOST_RESIDENT = 250 * MB;
/** Warnings and errors are limited per cause; changes are told one by one, in lines of this length at most. */
const LOG_BYTES_PER_SEC = 1000;
const AUDIT_LINE_BYTES = 4096;

/** What must hold after a soak, and whether it does. */
export function judge(evidence: Evidence): readonly Check[] {
  const { seconds, samples, tally, canary, faults, auditLines, wasRunning, exitCode } = evidence;
  const isShort = seconds < SHORT_SEC;
  const bounded = (bound: string, holds: boolean): Pick<Check, 'bound' | 'isPassed'> =>
    isShort ? { bound: `(${bound})`, isPassed: true } : { bound, isPassed: holds };
  const points = (read: (sample: Sample) => number | undefined): readonly Point[] =>
    secondHalf(
      samples.flatMap((sample) => {
        const value = read(sample);
        return value === undefined ? [] : [{ sec: sample.sec, value }];
      }),
      seconds,
    );
  const flat = (
    name: string,
    limit: { readonly share: number; readonly noise: number },
    unit: { readonly size: number; readonly name: string },
    read: (sample: Sample) => number | undefined,
  ): Check => {
    const { growth, mean } = trendOf(points(read));
    const most = limit.share * mean + limit.noise;
    const text = (value: number): string => `${(value / unit.size).toFixed(1)}${unit.name}`;
    return {
      name: `${name} flat over the second half`,
      value: `${growth >= 0 ? '+' : ''}${text(growth)} of ${text(mean)}`,
      ...bounded(`at most +${text(most)}`, growth <= most),
    };
  };
  const count = (outcomes: RegExp): number =>
    [...tally.values()].reduce(
      (sum, counts) => sum + [...counts].reduce((n, [outcome, found]) => n + (outcomes.test(outcome) ? found : 0), 0),
      0,
    );
  const none = (name: string, found: number): Check => ({
    name,
    value: String(found),
    bound: '0',
    isPassed: found === 0,
  });
  const refused = canary.failures.get('503') ?? 0;
  const failures = [...canary.failures.values()].reduce((sum, found) => sum + found, 0);
  const megabytes = { size: MB, name: ' MB' };
  const resident = Math.max(...samples.map(({ rssBytes }) => rssBytes));
  const logRate = (samples.at(-1)?.logBytes ?? 0) / Math.max(1, samples.at(-1)?.sec ?? 1);
  return [
    flat('heap in use', FLAT.heap, megabytes, ({ liveHeapBytes }) => liveHeapBytes),
    flat('resident memory', FLAT.rss, megabytes, ({ rssBytes }) => rssBytes),
    {
      name: 'resident memory, highest',
      value: `${(resident / MB).toFixed(0)} MB`,
      ...bounded(`at most ${MOST_RESIDENT / MB} MB`, resident <= MOST_RESIDENT),
    },
    flat('descriptors', FLAT.descriptors, { size: 1, name: '' }, ({ descriptors }) => descriptors),
    none('answers with status 500', count(/^500$/)),
    none('bad bytes answered with success', badSuccesses(tally)),
    none('requests without an answer', count(/^(?!\d{3}$|hung up$)/)),
    none('unhandled rejections, defects and warnings in the log', faults.length),
    {
      name: 'canary fetch, p99',
      value: `${canary.p99Ms.toFixed(1)} ms`,
      ...bounded(`at most ${CANARY_P99_MS} ms`, canary.p99Ms <= CANARY_P99_MS),
    },
    none('canary fetches that failed', failures - refused),
    // On a machine that others load, the gateway says that it is overloaded.
    { name: 'canary fetches that were refused', value: String(refused), ...bounded('0', refused === 0) },
    {
      name: 'log, without audit lines',
      value: `${logRate.toFixed(0)} bytes a second`,
      bound: `at most ${LOG_BYTES_PER_SEC}`,
      isPassed: logRate <= LOG_BYTES_PER_SEC,
    },
    {
      name: 'longest audit line',
      value: `${auditLines.longestBytes} bytes (${auditLines.count} lines)`,
      bound: `at most ${AUDIT_LINE_BYTES}`,
      isPassed: auditLines.longestBytes <= AUDIT_LINE_BYTES,
    },
    { name: 'the gateway ran to the end', value: wasRunning ? 'yes' : 'no', bound: 'yes', isPassed: wasRunning },
    {
      name: 'and stopped when it was asked to',
      value: `exit code ${exitCode ?? 'none: killed'}`,
      bound: 'exit code 0',
      isPassed: exitCode === 0,
    },
  ];
}

/** Bytes that are no HTTP must never be answered with success. */
function badSuccesses(tally: Evidence['tally']): number {
  const counts = tally.get('bad bytes') ?? new Map<string, number>();
  return [...counts].reduce((sum, [outcome, found]) => sum + (/^2/.test(outcome) ? found : 0), 0);
}
