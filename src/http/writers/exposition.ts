import { formatColumnNumber, formatPmid, INSTANCE_NULL, OPEN_METRICS_NON_FINITE } from '../../pmapi/index.js';
import type { FetchResult, Label, MetricDescriptor, Timestamp } from '../../pmapi/index.js';
import type { MetricMetadata } from '../../context/index.js';
import type { PlanEntries } from './fetch-writer.js';
import { labelText } from './labels-writer.js';

/** What is known of one instance domain when its values are written. */
export interface ExposedIndom {
  readonly names: ReadonlyMap<number, string>;
  readonly labels: ReadonlyMap<number, readonly Label[]>;
}

/** The values of a fetch with all that exposition formats tell beside them. */
export interface Exposition {
  readonly plan: PlanEntries;
  readonly result: FetchResult;
  /** By place in the plan. */
  readonly metadata: readonly MetricMetadata[];
  readonly indoms: ReadonlyMap<number, ExposedIndom>;
}

/** One value with its labels: names and values in order, each name once. */
export interface ExposedSample {
  readonly labels: ReadonlyMap<string, string>;
  /** The number as OpenMetrics writes it. */
  readonly value: string;
}

const pairs = new WeakMap<readonly Label[], readonly (readonly [string, string])[]>();

/** One metric that has values, with all that exposition formats tell of it. */
export interface ExposedMetric {
  readonly name: string;
  readonly pmid: number;
  readonly descriptor: MetricDescriptor;
  readonly oneline: string;
  readonly samples: readonly ExposedSample[];
}

/** What one source exposes: written down, so that it outlives the fetch. */
export interface ExposedSource {
  readonly timestamp: Timestamp;
  readonly contextLabels: readonly Label[];
  readonly metrics: readonly ExposedMetric[];
}

/** Write down what a fetch gave; metrics without values are left out. */
export function exposeSource(exposition: Exposition, contextLabels: readonly Label[]): ExposedSource {
  const { plan, result, metadata } = exposition;
  const metrics: ExposedMetric[] = [];
  for (const [i, entry] of plan.entries.entries()) {
    if (result.sets[i]!.status <= 0) continue;
    metrics.push({ ...entry, oneline: metadata[i]!.oneline, samples: samplesOf(exposition, i) });
  }
  return { timestamp: result.timestamp, contextLabels, metrics };
}

/**
 * The lines of each metric family, those of several sources together: a family may stand only once in an answer. Families come
 * in the order in which they are first met.
 */
export class Families {
  readonly #names = new UniqueNames();
  readonly #families = new Map<
    string,
    { readonly name: string; readonly head: string; readonly lines: Map<string, string> }
  >();

  /**
   * Add a sample line for each of `samples`, without those that are there already under the same labels.
   * @param key equal for metrics that belong to one family
   * @param begin gives a new family its name, and the lines that begin it
   * @param line gives the line of a sample, undefined to leave it out
   */
  add(
    key: string,
    samples: readonly ExposedSample[],
    begin: (names: UniqueNames) => { readonly name: string; readonly head: string },
    line: (name: string, labels: string, value: string) => string | undefined,
  ): void {
    let family = this.#families.get(key);
    if (!family) {
      family = { ...begin(this.#names), lines: new Map() };
      this.#families.set(key, family);
    }
    const { name, lines } = family;
    for (const { labels, value } of samples) {
      const labelText = writeSampleLabels(labels);
      if (lines.has(labelText)) continue;
      const text = line(name, labelText, value);
      if (text !== undefined) lines.set(labelText, text);
    }
  }

  /** All families, one after the other. */
  text(): string {
    let text = '';
    for (const { head, lines } of this.#families.values()) {
      text += head;
      for (const line of lines.values()) text += line;
    }
    return text;
  }
}

/** Labels as names that exposition formats allow, and plain texts. Remembered by list. */
function labelPairs(labels: readonly Label[]): readonly (readonly [string, string])[] {
  const known = pairs.get(labels);
  if (known) return known;
  const made = labels.map((label) => [labelName(label.name), labelText(label)] as const);
  pairs.set(labels, made);
  return made;
}

/** A name that is allowed as a label: letters, digits and underscores; two at the front are reserved. */
export function labelName(name: string): string {
  const allowed = name.replace(/[^A-Za-z0-9_]/g, '_').replace(/^_+/, '_');
  return allowed === '' || /^[0-9]/.test(allowed) ? `_${allowed}` : allowed;
}

/** A name that is allowed for a metric, the dots of PCP's replaced. */
export function metricName(name: string, dot: '_' | ':'): string {
  const allowed = name.replaceAll('.', dot).replace(/[^A-Za-z0-9_:]/g, '_');
  return /^[A-Za-z_:]/.test(allowed) ? allowed : `_${allowed}`;
}

/** The values of one metric, with `instname` and `instid` beside the labels where the metric has instances. */
function samplesOf(exposition: Exposition, index: number): readonly ExposedSample[] {
  const set = exposition.result.sets[index]!;
  const metadata = exposition.metadata[index]!;
  const indom = exposition.indoms.get(metadata.descriptor.indom);
  const shared = labelPairs(metadata.labels);
  const samples: ExposedSample[] = [];
  for (let i = 0; i < set.status; i++) {
    samples.push({
      labels: sampleLabels(shared, set.instances[i]!, indom),
      value: formatColumnNumber(set.column, i, OPEN_METRICS_NON_FINITE),
    });
  }
  return samples;
}

function sampleLabels(
  shared: readonly (readonly [string, string])[],
  instance: number,
  indom: ExposedIndom | undefined,
): ReadonlyMap<string, string> {
  const labels = new Map(shared);
  if (instance === INSTANCE_NULL) return labels;
  const own = indom?.labels.get(instance);
  if (own) for (const [name, value] of labelPairs(own)) labels.set(name, value);
  const name = indom?.names.get(instance);
  if (name !== undefined && !labels.has('instname')) labels.set('instname', name);
  if (!labels.has('instid')) labels.set('instid', String(instance));
  return labels;
}

/** `{a="1",b="2"}`, or nothing without labels. */
export function writeSampleLabels(labels: ReadonlyMap<string, string>): string {
  if (labels.size === 0) return '';
  let text = '{';
  for (const [name, value] of labels) text += `${text === '{' ? '' : ','}${name}="${escapeLabelValue(value)}"`;
  return `${text}}`;
}

/** Backslash, quote and line feed, as both text formats want them. */
export function escapeLabelValue(value: string): string {
  if (!/[\\"\n]/.test(value)) return value;
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

/**
 * Gives out names that are used once: PCP tells `a.b_c` and `a_b.c` apart, exposition formats do not. The second to come gets its
 * PMID behind its name.
 */
export class UniqueNames {
  readonly #taken = new Set<string>();

  /** A name near `wanted` such that it and it with each suffix are free; all of them are taken then. */
  claim(wanted: string, pmid: number, suffixes: readonly string[] = []): string {
    const withPmid = `${wanted}_${formatPmid(pmid).replace(/[^A-Za-z0-9]+/g, '_')}`;
    for (let attempt = 0; ; attempt++) {
      const name = attempt === 0 ? wanted : attempt === 1 ? withPmid : `${withPmid}_${attempt}`;
      const all = [name, ...suffixes.map((suffix) => name + suffix)];
      if (all.some((candidate) => this.#taken.has(candidate))) continue;
      for (const candidate of all) this.#taken.add(candidate);
      return name;
    }
  }
}
