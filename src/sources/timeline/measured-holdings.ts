import { addTo, getOrMake } from '../../kit/index.js';
import { compareTimestamps, earlier, formatTimestamp, later, PmError, secondsBetween } from '../../pmapi/index.js';
import type { Timestamp } from '../../pmapi/index.js';
import { timeOfRow } from '../batch.js';
import type { MetricSource } from '../metric-source.js';
import { InstanceProfile } from '../profile.js';
import type { JoinedMetric } from './joined-metrics.js';
import { spansOf, typicalSpacing, type HeldSpan, type Holding } from './merge-rule.js';
import type { ArchivePart, TimelinePart } from './timeline-part.js';

const SAMPLES_MEASURED = 33;
/** Metrics that stand for all of an archive. */
const METRICS_MEASURED = 32;
/** Records searched for them: few may contain the metric. */
const RECORDS_SEARCHED = 4096;
/** The largest pause between parts that are measured, to tell whether it is longer than usual. */
const NEAR_SEC = 3600;
const SPACINGS_KEPT = 20_000;

const NOTHING = new InstanceProfile();
NOTHING.delete();

/** A metric of an archive that is measured; any metric if the PMID is undefined. */
interface Measured {
  readonly pmid: number | undefined;
  /** The time shared with other parts; undefined if others are only near. */
  readonly overlap: HeldSpan | undefined;
  readonly from: Timestamp;
}

/** Measures what the parts of a timeline hold. For archives with no other part near them, the bounds are enough. */
export class MeasuredHoldings {
  readonly #parts: readonly TimelinePart[];
  /** Typical seconds between samples, by archive, metric and start. */
  readonly #spacings = new Map<string, number>();

  constructor(parts: readonly TimelinePart[]) {
    this.#parts = parts;
  }

  /** What each part holds of each metric (undefined: of any). @param isAll also measures archives with no part near them */
  async of(
    metrics: readonly (JoinedMetric | undefined)[],
    isAll: boolean,
    signal: AbortSignal | undefined,
  ): Promise<(Holding | undefined)[][]> {
    const bounds = metrics.map((metric) => this.#parts.map((part, place) => boundsOf(part, metric, place)));
    const holdings = metrics.map(() => this.#parts.map((): Holding | undefined => undefined));
    for (const [place, { live, archive }] of this.#parts.entries()) {
      const measured = new Map<number, Measured>();
      for (const [m, metric] of metrics.entries()) {
        const span = bounds[m]![place];
        if (!span) continue;
        const pmid = metric?.parts[place]?.pmid;
        if (live) holdings[m]![place] = measureMoments(live.moments(pmid), live.marks());
        else {
          const overlap = isAll ? span : overlapOf(bounds[m]!, place);
          holdings[m]![place] = { spans: [span], spacingSec: Infinity, setBacks: archive?.setBacks };
          if (overlap || isNearAnother(bounds[m]!, place))
            measured.set(m, { pmid, overlap, from: (overlap ?? span).from });
        }
      }
      if (!archive || measured.size === 0) continue;
      try {
        const found = await this.#measure(archive, [...measured.values()], signal);
        for (const [i, m] of [...measured.keys()].entries()) holdings[m]![place] = found[i]!;
      } catch (error) {
        // Reading it reports the problem.
        if (!(error instanceof PmError) || signal?.aborted === true) throw error;
      }
    }
    return holdings;
  }

  /** An archive's spans where it overlaps others, and the spacing of samples there. */
  async #measure(
    archive: ArchivePart,
    wanted: readonly Measured[],
    signal: AbortSignal | undefined,
  ): Promise<Holding[]> {
    const { start, setBacks } = archive;
    await this.#findSpacings(archive, wanted, signal);
    const isUnknown = (one: Measured): boolean => this.#spacings.get(keyOf(archive, one)) === Infinity;
    const atStart = wanted.filter(isUnknown).map((one) => ({ ...one, from: start }));
    await this.#findSpacings(archive, atStart, signal);
    const spans = new Map<string, Promise<HeldSpan[]>>();
    return Promise.all(
      wanted.map(async (one) => {
        const key = one.overlap ? `${formatTimestamp(one.overlap.from)} ${formatTimestamp(one.overlap.to)}` : '';
        const held = getOrMake(spans, key, () => spansIn(archive, one.overlap, signal));
        const known = this.#spacings.get(keyOf(archive, isUnknown(one) ? { ...one, from: start } : one));
        return { spans: await held, spacingSec: known ?? Infinity, setBacks };
      }),
    );
  }

  async #findSpacings(
    archive: ArchivePart,
    wanted: readonly Measured[],
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const missing = wanted.filter((one) => !this.#spacings.has(keyOf(archive, one)));
    if (this.#spacings.size + missing.length > SPACINGS_KEPT) this.#spacings.clear();
    const groups = new Map<string, Measured[]>();
    for (const one of missing) {
      const start = formatTimestamp(one.from);
      addTo(groups, start, one);
    }
    for (const group of groups.values()) {
      const pmids = group.map(({ pmid }) => pmid);
      const found = await spacingsFrom(archive, pmids, group[0]!.from, signal);
      for (const [i, one] of group.entries()) this.#spacings.set(keyOf(archive, one), found[i]!);
    }
  }
}

/** An archive that grows is measured again. */
function keyOf({ name, source }: ArchivePart, { pmid, from }: Measured): string {
  return `${name} ${source.generation} ${pmid ?? ''} ${formatTimestamp(from)}`;
}

function boundsOf(
  { archive, live }: TimelinePart,
  metric: JoinedMetric | undefined,
  place: number,
): HeldSpan | undefined {
  const own = metric?.parts[place];
  if (metric && !own) return undefined;
  if (archive) return { from: archive.start, to: archive.end };
  const moments = live!.moments(own?.pmid);
  return moments.length > 0 ? { from: moments[0]!, to: moments.at(-1)! } : undefined;
}

function measureMoments(moments: readonly Timestamp[], marks: readonly Timestamp[]): Holding {
  const spacingSec = typicalSpacing(moments);
  return { spans: spansOf(moments, marks, spacingSec), spacingSec };
}

async function spansIn(
  { source, start, end }: ArchivePart,
  overlap: HeldSpan | undefined,
  signal: AbortSignal | undefined,
): Promise<HeldSpan[]> {
  const spans: HeldSpan[] = [];
  let from = start;
  for (const gap of (overlap && (await source.interruptions?.(overlap.from, overlap.to, { signal }))) ?? []) {
    if (compareTimestamps(from, gap.from) <= 0) spans.push({ from, to: gap.from });
    from = gap.to;
  }
  spans.push({ from, to: end });
  return spans;
}

/** Typical seconds between the samples of metrics, from a moment on; undefined stands for the metric with the most samples. */
async function spacingsFrom(
  { source, end }: ArchivePart,
  pmids: readonly (number | undefined)[],
  from: Timestamp,
  signal: AbortSignal | undefined,
): Promise<number[]> {
  const named = pmids.filter((pmid) => pmid !== undefined);
  // Groups of metrics are recorded at times of their own.
  const isAny = named.length === 0;
  if (isAny) named.push(...(await someMetrics(source)));
  const moments = named.map((): Timestamp[] => []);
  const isMeasured = (own: readonly Timestamp[]): boolean => own.length === SAMPLES_MEASURED;
  let searched = 0;
  for await (const batch of source.batches(source.prepare(named), NOTHING, from, end, { signal })) {
    for (let row = 0; row < batch.length && !batch.isMark; row++) {
      for (const [i, own] of moments.entries()) {
        if (batch.columns[i]!.holds(row) && !isMeasured(own)) own.push(timeOfRow(batch, row));
      }
    }
    searched += batch.length;
    if (searched >= RECORDS_SEARCHED || (isAny ? moments.some(isMeasured) : moments.every(isMeasured))) break;
  }
  return isAny ? [Math.min(...moments.map(typicalSpacing))] : moments.map(typicalSpacing);
}

/** Metrics of an archive, from all over its namespace. */
async function someMetrics(source: MetricSource): Promise<readonly number[]> {
  const names = await source.traverse('');
  const step = Math.ceil(names.length / METRICS_MEASURED);
  const pmids = await source.lookupNames(names.filter((_, i) => i % step === 0));
  return pmids.filter((pmid) => typeof pmid === 'number');
}

function overlapOf(bounds: readonly (HeldSpan | undefined)[], place: number): HeldSpan | undefined {
  const own = bounds[place]!;
  let found: HeldSpan | undefined;
  for (const [other, span] of bounds.entries()) {
    if (other === place || !span) continue;
    const common = { from: later(own.from, span.from), to: earlier(own.to, span.to) };
    if (compareTimestamps(common.from, common.to) > 0) continue;
    found = found ? { from: earlier(found.from, common.from), to: later(found.to, common.to) } : common;
  }
  return found;
}

function isNearAnother(bounds: readonly (HeldSpan | undefined)[], place: number): boolean {
  const own = bounds[place]!;
  return bounds.some((span, other) => {
    if (other === place || !span) return false;
    return secondsBetween(span.from, own.to) <= NEAR_SEC && secondsBetween(own.from, span.to) <= NEAR_SEC;
  });
}
