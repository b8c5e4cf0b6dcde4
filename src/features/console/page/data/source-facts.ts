import { signal, type Signal } from '@preact/signals';
import type { Span } from '../state/time-window.js';
import { getOrMake } from '../../../../kit/index.js';
import { client, persistently, troubleOf, whereOf, type Metric, type Trouble } from './gateway.js';
import { plainSource, readerOf } from './tab-context.js';

/** What is known of a source. */
export interface SourceFacts {
  /** Whether {@link recorded} and {@link zone} are known; always true for a live host. */
  readonly isKnown: boolean;
  readonly recorded: Span | undefined;
  readonly zone: string | undefined;
  readonly trouble: Trouble | undefined;
  /** The metadata of the metrics that lanes show. */
  readonly metrics: ReadonlyMap<string, Metric>;
}

const known = new Map<string, Signal<SourceFacts>>();
/** Metrics that were requested, by source. */
const asked = new Map<string, Set<string>>();

/** What is known of a source; requested at first use. */
export function factsOf(source: string): Signal<SourceFacts> {
  return getOrMake(known, source, () => {
    const isArchive = source.startsWith('archive:');
    const unknown = { recorded: undefined, zone: undefined, trouble: undefined, metrics: new Map<string, Metric>() };
    const facts = signal<SourceFacts>({ ...unknown, isKnown: !isArchive });
    if (isArchive) void describeArchive(source, facts);
    return facts;
  });
}

/** The metadata of metrics by name, of the first source that has each. */
export function metricsOf(sources: readonly string[]): SourceFacts['metrics'] {
  return new Map(sources.toReversed().flatMap((source) => [...factsOf(source).value.metrics]));
}

/** Request the metadata of metrics, unless that was done before. */
export async function wantMetrics(source: string, names: readonly string[]): Promise<void> {
  const facts = factsOf(source);
  const before = getOrMake(asked, source, () => new Set<string>());
  const wanted = names.filter((name) => !before.has(name));
  if (wanted.length === 0) return;
  for (const name of wanted) before.add(name);
  try {
    const { metrics } = await persistently(async () => {
      const { reads, where } = await readerOf(source);
      return reads.metrics({ names: wanted, ...where });
    });
    const all = new Map(facts.peek().metrics);
    for (const metric of metrics) all.set(metric.name, metric);
    facts.value = { ...facts.peek(), metrics: all };
  } catch (error) {
    if (troubleOf(error).code === 'UNKNOWN_METRIC') return;
    // The values fail for the same reason, and their lane says so.
    for (const name of wanted) before.delete(name);
  }
}

/** Repeat failed requests. */
export function askFactsAgain(): void {
  for (const [source, facts] of known) {
    if (!facts.peek().isKnown || facts.peek().trouble) void describeArchive(source, facts);
  }
}

async function describeArchive(source: string, facts: Signal<SourceFacts>): Promise<void> {
  try {
    const where = whereOf(plainSource(source));
    const context = await persistently(
      () => client.context({ ...where, polltimeout: 60 }),
      (trouble) => (facts.value = { ...facts.peek(), trouble }),
    );
    const { start, end, timezone } = context.info;
    void context.destroy().catch(() => undefined);
    const recorded = start === undefined || end === undefined ? undefined : { start, end };
    facts.value = { ...facts.peek(), isKnown: true, recorded, zone: timezone, trouble: undefined };
  } catch (error) {
    facts.value = { ...facts.peek(), isKnown: false, trouble: troubleOf(error) };
  }
}
