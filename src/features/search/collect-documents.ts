import { formatIndom, INDOM_NULL, onPmError, type Label, type MetricDescriptor } from '../../pmapi/index.js';
import { labelText } from '../../http/index.js';
import type { SearchDocument, SearchLimits, SearchableIndom, SearchableMetric, SearchableNames } from './searchable.js';

/** Names looked up in one request to the source. */
const NAMES_AT_ONCE = 256;
/** Metrics whose metadata is requested at once; a source may answer them all in one turn of the event loop. */
const METRICS_AT_ONCE = 16;
const OF_PROCESSES = /^(?:hot)?proc\./;

/** The part of a view to read: all, or only what comes in one response for all metrics. */
export type Depth = 'names' | 'texts';

type Read = Partial<SearchableMetric> & Pick<SearchableMetric, 'descriptor'>;

/**
 * Everything searchable in a view: metrics in order, then their instance domains, then instances. Without metadata, names alone; names
 * above the limit of texts are omitted. With `names`, no texts and labels.
 */
export async function* collectDocuments(
  view: SearchableNames,
  limits: SearchLimits,
  depth: Depth = 'texts',
): AsyncGenerator<SearchDocument, void> {
  const texts = new KeptTexts(limits.textLength);
  const names = await view.traverse('');
  const indoms = new Set<number>();
  /** Of an archive, the processes that ran at some time: they would be most of what is found. */
  const leftOut = new Set<number>();
  for (let start = 0; start < names.length; start += NAMES_AT_ONCE) {
    const some = names.slice(start, start + NAMES_AT_ONCE);
    const pmids = await view.lookupNames(some);
    // For all metrics first, so that the descriptors are known when metadata is read.
    const descriptors = await descriptorsOf(view, pmids);
    for (let i = 0; i < some.length; i += METRICS_AT_ONCE) {
      const batch = some.slice(i, i + METRICS_AT_ONCE);
      const found = await Promise.all(
        batch.map(async (_, k): Promise<Read | undefined> => {
          const descriptor = descriptors.get(pmids[i + k]!);
          if (depth === 'names') return descriptor && { descriptor };
          const pmid = pmids[i + k] ?? -1;
          return pmid < 0 ? undefined : view.metadata(pmid, 'archive').catch(absent);
        }),
      );
      for (const [k, metric] of found.entries()) {
        const indom = metric?.descriptor.indom ?? INDOM_NULL;
        if (indom !== INDOM_NULL) indoms.add(indom);
        const name = batch[k]!;
        if (view.kind === 'archive' && OF_PROCESSES.test(name)) leftOut.add(indom);
        if (name.length > limits.textLength) continue;
        yield {
          type: 'metric',
          name,
          indom: indom === INDOM_NULL ? '' : formatIndom(indom),
          ...texts.helpOf(metric?.oneline, metric?.help),
          labels: texts.labelsOf(metric?.labels),
        };
      }
    }
  }
  const metadata = new Map<number, SearchableIndom | undefined>();
  for (const indom of indoms) {
    const about = depth === 'names' ? undefined : await view.indomMetadata(indom, 'archive').catch(absent);
    metadata.set(indom, about);
    const name = formatIndom(indom);
    yield {
      type: 'indom',
      name,
      indom: name,
      ...texts.helpOf(about?.oneline, about?.help),
      labels: texts.labelsOf(about?.labels),
    };
  }
  for (const indom of indoms) {
    if (leftOut.has(indom)) continue;
    const domain = await view.instances(indom, 'archive').catch(absent);
    const instanceLabels = metadata.get(indom)?.instanceLabels;
    for (const { id, name } of (domain?.instances ?? []).slice(0, limits.instancesPerIndom)) {
      if (name.length > limits.textLength) continue;
      const labels = texts.labelsOf(instanceLabels?.get(id));
      yield { type: 'instance', name, indom: formatIndom(indom), oneline: '', helptext: '', labels };
    }
  }
}

async function descriptorsOf(
  view: SearchableNames,
  pmids: readonly number[],
): Promise<ReadonlyMap<number, MetricDescriptor>> {
  const found = pmids.filter((pmid) => pmid >= 0);
  const described = await view.describe(found);
  return new Map(
    found.flatMap((pmid, i): [number, MetricDescriptor][] => {
      const descriptor = described[i];
      return typeof descriptor === 'object' ? [[pmid, descriptor]] : [];
    }),
  );
}

/** For what the source does not have. */
const absent = onPmError(() => undefined);

/** Truncates texts, and keeps one copy of labels that many metrics share. The parts cut off do not stay in memory. */
class KeptTexts {
  readonly #textLength: number;
  readonly #labels = new WeakMap<readonly Label[], Readonly<Record<string, string>>>();
  readonly #byText = new Map<string, Readonly<Record<string, string>>>();

  constructor(textLength: number) {
    this.#textLength = textLength;
  }

  helpOf(oneline = '', help = ''): Pick<SearchDocument, 'oneline' | 'helptext'> {
    // Sources without a long text repeat the short one.
    return { oneline: this.#cut(oneline), helptext: help === oneline ? '' : this.#cut(help) };
  }

  labelsOf(labels: readonly Label[] = []): Readonly<Record<string, string>> {
    const known = this.#labels.get(labels);
    if (known) return known;
    const record = Object.fromEntries(labels.map((label) => [label.name, this.#cut(labelText(label))]));
    const text = JSON.stringify(record);
    const same = this.#byText.get(text) ?? record;
    this.#byText.set(text, same);
    this.#labels.set(labels, same);
    return same;
  }

  #cut(text: string): string {
    if (text.length <= this.#textLength) return text;
    // A copy: a slice in V8 keeps the whole text alive.
    return JSON.parse(JSON.stringify(text.slice(0, this.#textLength))) as string;
  }
}
