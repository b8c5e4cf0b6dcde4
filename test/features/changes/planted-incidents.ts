/**
 * Generated windows with planted incidents: metrics with instances, as a machine with a daily rhythm, noise and gaps would give them.
 */
import { addSeconds } from '../../../src/pmapi/index.js';
import type { MeasuredWindow, MeasuredMetric, MeasuredSeries } from '../../../src/features/changes/measured-window.js';
import { ArchiveBuilder } from '../../support/archive-builder.js';
import { Random } from '../../support/random.js';

/** What to generate. */
export interface PlantedOptions {
  readonly seed: number;
  readonly metrics: number;
  readonly instances: number;
  /** How many series change their level when the window after begins. */
  readonly incidents: number;
  readonly partsBefore?: number;
  readonly partsAfter?: number;
}

/** Two windows, and the names of the series whose level was changed. */
export interface Planted {
  readonly before: MeasuredWindow;
  readonly after: MeasuredWindow;
  readonly planted: readonly string[];
}

// Looked up once: globals are slow in the tests' sandbox.
const { cos, floor, log, max, PI, sin, sqrt } = Math;
const HOUR = 3600;
const DAY = 24 * HOUR;

/** Generate windows: an hour, and the hours before it. The same seed gives the same windows. */
export function plantIncidents(options: PlantedOptions): Planted {
  const { metrics: count, instances, incidents, partsBefore = 96, partsAfter = 24 } = options;
  const numbers = new Random(options.seed);
  const random = (): number => numbers.next();
  const startSec = 1_700_000_000 + floor(random() * DAY);
  const partSec = HOUR / partsAfter;
  const planted = new Map<string, number>();
  while (planted.size < incidents) {
    const name = `m${floor(random() * count)} i${floor(random() * instances)}`;
    // A level that at least doubles or halves, or rises more.
    planted.set(name, random() < 0.3 ? 0.5 - 0.4 * random() : 2 + 8 * random());
  }
  const windows: { before: MeasuredSeries[]; after: MeasuredSeries[] } = { before: [], after: [] };
  const metrics: MeasuredMetric[] = [];
  for (let m = 0; m < count; m++) {
    const metric = { name: `m${m}`, indom: `1.${m}`, units: 'count / sec', isShare: false, isDiscrete: false };
    metrics.push(metric);
    // One metric in ten is hardly ever more than 0, one in ten bursts, the others keep a level.
    const manner = random();
    const rhythm = random() * 0.3;
    const phase = random() * DAY;
    for (let i = 0; i < instances; i++) {
      const instance = `i${i}`;
      const level = 10 ** (random() * 6 - 1);
      const noise = 0.01 + random() * 0.2;
      const factor = planted.get(`${metric.name} ${instance}`) ?? 1;
      const at = (part: number, isAfter: boolean): number => {
        if (random() < 0.02) return NaN;
        const share = 1 + rhythm * sin(((startSec + part * partSec + phase) * 2 * PI) / DAY);
        const steady = level * share * max(0, 1 + noise * gauss(random));
        const usual =
          manner < 0.1 ? (random() < 0.03 ? level : 0) : manner < 0.2 && random() < 0.1 ? steady * 20 : steady;
        return isAfter && factor !== 1 ? steady * factor : usual;
      };
      windows.before.push({
        metric,
        instance,
        numbers: Float64Array.from({ length: partsBefore }, (_, p) => at(p, false)),
      });
      windows.after.push({
        metric,
        instance,
        numbers: Float64Array.from({ length: partsAfter }, (_, p) => at(partsBefore + p, true)),
      });
    }
  }
  const beginSec = startSec + partsBefore * partSec;
  return {
    before: windowOf(startSec, beginSec, partsBefore, metrics, windows.before),
    after: windowOf(beginSec, beginSec + HOUR, partsAfter, metrics, windows.after),
    planted: [...planted.keys()],
  };
}

function windowOf(
  startSec: number,
  finishSec: number,
  parts: number,
  metrics: readonly MeasuredMetric[],
  series: readonly MeasuredSeries[],
): MeasuredWindow {
  return { start: { sec: startSec, nsec: 0 }, finish: { sec: finishSec, nsec: 0 }, parts, metrics, series };
}

/** Normal noise (Box and Muller). */
function gauss(random: () => number): number {
  return sqrt(-2 * log(1 - random())) * cos(2 * PI * random());
}

/** The counters of such archives have 32 bits: fast ones wrap within minutes. */
const COUNTER_SPAN = 2 ** 32;
/** Two samples for each part, so that a part in which a counter wraps has one rate left. */
const SAMPLES_PER_PART = 2;

/**
 * Write an archive of generated windows: every other metric as a counter that wraps, the others as gauges; where a window has no number,
 * no value; and recording is interrupted twice, by a mark.
 */
export function writeIncidents({ before, after }: Planted, directory: string, base: string): void {
  const { start } = before;
  const builder = new ArchiveBuilder({ version: 3, start: [start.sec, start.nsec] }).indexEntry([
    start.sec,
    start.nsec,
  ]);
  const isCounter = before.metrics.map((_, m) => m % 2 === 0);
  const instances = before.series.length / before.metrics.length;
  before.metrics.forEach(({ name }, m) => {
    const kind = isCounter[m]! ? { type: 1, semantics: 1 } : { type: 5, semantics: 3 };
    const indom = 0x0f000000 + m;
    builder.metric({ pmid: 0x0f000000 + m, names: [`${name}.value`], indom, ...kind });
    const domain = Array.from({ length: instances }, (_, i) => [i, `i${i}`] as const);
    builder.indom([start.sec, start.nsec], indom, domain);
  });
  const counts = before.series.map((_, k) => (k * 1e9) % COUNTER_SPAN);
  const stepSec = HOUR / after.parts / SAMPLES_PER_PART;
  for (let sample = 0; sample < (before.parts + after.parts) * SAMPLES_PER_PART; sample++) {
    // A sample in the middle of its step, so that each lies within its part.
    const at = addSeconds(start, (sample + 0.5) * stepSec);
    const part = floor(sample / SAMPLES_PER_PART);
    if (part === 20 || part === before.parts + 3) builder.mark([at.sec, at.nsec]);
    else builder.record([at.sec, at.nsec], before.metrics.map((_, m) => setOf(m, part)).filter((set) => set.values.length > 0)); // prettier-ignore
  }
  builder.write(directory, base);

  function setOf(m: number, part: number): { pmid: number; values: (readonly [number, number])[] } {
    const values: (readonly [number, number])[] = [];
    for (let i = 0; i < instances; i++) {
      const k = m * instances + i;
      const window = part < before.parts ? before : after;
      const number = window.series[k]!.numbers![part < before.parts ? part : part - before.parts]!;
      if (Number.isNaN(number)) continue;
      counts[k] = (counts[k]! + Math.round(number * stepSec)) % COUNTER_SPAN;
      values.push([i, isCounter[m] === true ? counts[k] : number]);
    }
    return { pmid: 0x0f000000 + m, values };
  }
}
