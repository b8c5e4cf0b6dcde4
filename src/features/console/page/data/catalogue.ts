import { computed, signal, type Signal } from '@preact/signals';
import { getOrMake } from '../../../../kit/index.js';
import { client, persistently, troubleOf, whereOf } from './gateway.js';
import type { ArchiveEntry, MetricSummary, SearchResult, Trouble } from './gateway.js';

/** All metrics of a source, ordered by name. */
export interface Catalogue {
  readonly metrics: readonly MetricSummary[];
  readonly byName: ReadonlyMap<string, MetricSummary>;
}

/** A catalogue that is loading, loaded, or failed. */
export interface CatalogueState {
  readonly catalogue: Catalogue | undefined;
  readonly trouble: Trouble | undefined;
}

const states = new Map<string, Signal<CatalogueState>>();
const WAITING: CatalogueState = { catalogue: undefined, trouble: undefined };

/** The catalogue of a source; requested at first use, and again after {@link askAgain}. */
export function catalogueOf(source: string): Signal<CatalogueState> {
  return getOrMake(states, source, () => {
    const state = signal(WAITING);
    void load(source, state);
    return state;
  });
}

/** Request failed catalogues again. */
export function askAgain(): void {
  for (const [source, state] of states) {
    if (!state.peek().trouble) continue;
    state.value = WAITING;
    void load(source, state);
  }
  archiveEntries.value = undefined;
}

async function load(source: string, state: Signal<CatalogueState>): Promise<void> {
  try {
    // Labels and help texts would be most of it.
    const ask = () => client.metricSummaries('', { ...whereOf(source), fields: ['indom', 'oneline', 'display'] });
    const metrics = [...(await persistently(ask, (trouble) => (state.value = { catalogue: undefined, trouble })))];
    metrics.sort((a, b) => (a.name < b.name ? -1 : 1));
    state.value = {
      catalogue: { metrics, byName: new Map(metrics.map((metric) => [metric.name, metric])) },
      trouble: undefined,
    };
  } catch (error) {
    state.value = { catalogue: undefined, trouble: troubleOf(error) };
  }
}

/** The archives of the gateway; undefined until they are requested. */
export const archiveEntries = signal<readonly ArchiveEntry[] | undefined>(undefined);
/** Those that can be read, as they are named on this page, with their hosts. */
export const openArchives = computed(() =>
  (archiveEntries.value ?? []).flatMap(({ name, hostspec = '', error }) =>
    error ? [] : [{ name: `archive:${name}`, hostspec }],
  ),
);
/** Why archives cannot be listed. */
export const archiveTrouble = signal<Trouble | undefined>(undefined);

/** List the archives, unless they are listed already. */
export async function wantArchives(): Promise<void> {
  if (archiveEntries.peek()) return;
  try {
    archiveEntries.value = await client.archives();
    archiveTrouble.value = undefined;
  } catch (error) {
    archiveTrouble.value = troubleOf(error);
  }
}

/** The metrics that were found: those of a found instance are the metrics that have values for it. */
export function foundMetrics(
  { metrics, byName }: Catalogue,
  results: readonly SearchResult[],
): readonly MetricSummary[] {
  return results.flatMap(({ type, name, indom }) => {
    if (type === 'instance') return metrics.filter((metric) => metric.indom === indom);
    const metric = byName.get(name ?? '');
    return metric ? [metric] : [];
  });
}
