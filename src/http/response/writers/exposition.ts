import { addTo, getOrMake } from '../../../kit/index.js';
import { formatColumnNumber, formatPmid, INSTANCE_NULL, OPEN_METRICS_NON_FINITE } from '../../../pmapi/index.js';
import type { FetchResult, Label, MetricDescriptor, Timestamp } from '../../../pmapi/index.js';
import type { MetricMetadata } from '../../../context/index.js';
import { PIECE_LENGTH } from '../answer.js';
import type { PlanEntries } from './fetch-writer.js';
import { labelText } from './metadata-writer.js';

/** Names and labels of an instance domain, for exposition formats. */
export interface ExposedIndom {
  readonly names: ReadonlyMap<number, string>;
  readonly labels: ReadonlyMap<number, readonly Label[]>;
}

/** The values of a fetch, with metadata for exposition formats. */
export interface Exposition {
  readonly plan: PlanEntries;
  readonly result: FetchResult;
  readonly metadata: readonly MetricMetadata[];
  readonly indoms: ReadonlyMap<number, ExposedIndom>;
}

/** One value with its labels: names and values in order, each name once. */
export interface ExposedSample {
  readonly labels: ReadonlyMap<string, string>;
  readonly value: string;
}

const pairs = new WeakMap<readonly Label[], readonly (readonly [string, string])[]>();

/** A metric with values, and all that exposition formats say about it. */
export interface ExposedMetric {
  readonly name: string;
  readonly pmid: number;
  readonly descriptor: MetricDescriptor;
  readonly oneline: string;
  readonly samples: Iterable<ExposedSample>;
}

/** One source's metrics, read lazily from the result. */
export interface ExposedSource {
  readonly timestamp: Timestamp;
  readonly contextLabels: readonly Label[];
  readonly metrics: Iterable<ExposedMetric>;
}

/** A fetch for exposition formats, without empty metrics. The result must not change meanwhile. */
export function exposeSource(exposition: Exposition, contextLabels: readonly Label[]): ExposedSource {
  const { timestamp } = exposition.result;
  return { timestamp, contextLabels, metrics: { [Symbol.iterator]: () => metricsOf(exposition) } };
}

function* metricsOf(exposition: Exposition): Generator<ExposedMetric, void> {
  const { plan, result, metadata } = exposition;
  for (const [i, entry] of plan.entries.entries()) {
    if (result.sets[i]!.status <= 0) continue;
    const samples = { [Symbol.iterator]: () => samplesOf(exposition, i) };
    yield { ...entry, oneline: metadata[i]!.oneline, samples };
  }
}

export interface FamilyForm {
  /** Equal for metrics of one family; those of one source all have their own. */
  readonly key: (metric: ExposedMetric) => string;
  /** Gives a new family its name, and the lines that begin it. */
  readonly begin: (metric: ExposedMetric, names: UniqueNames) => { readonly name: string; readonly head: string };
  readonly time: (timestamp: Timestamp) => string;
  /** The line of a sample; undefined to leave it out. */
  readonly line: (
    metric: ExposedMetric,
    name: string,
    labels: string,
    sample: { readonly value: string; readonly time: string },
  ) => string | undefined;
}

interface FamilyMember {
  readonly metric: ExposedMetric;
  readonly time: string;
}

/** The lines of each metric family, in pieces and in order of appearance, all sources together; omits samples with repeated labels. */
export function* writeFamilies(sources: readonly ExposedSource[], form: FamilyForm): Generator<string, void> {
  const names = new UniqueNames();
  let text = '';
  for (const members of familiesOf(sources, form)) {
    const { name, head } = form.begin(members[0]!.metric, names);
    const seen = new Set<string>();
    text += head;
    for (const { metric, time } of members) {
      for (const { labels, value } of metric.samples) {
        const labelText = writeSampleLabels(labels);
        if (seen.has(labelText)) continue;
        const line = form.line(metric, name, labelText, { value, time });
        if (line === undefined) continue;
        seen.add(labelText);
        text += line;
        if (text.length < PIECE_LENGTH) continue;
        yield text;
        text = '';
      }
    }
  }
  yield text;
}

function* familiesOf(sources: readonly ExposedSource[], form: FamilyForm): Generator<readonly FamilyMember[], void> {
  const [only, ...others] = sources;
  if (!only) return;
  if (others.length === 0) {
    const time = form.time(only.timestamp);
    for (const metric of only.metrics) yield [{ metric, time }];
    return;
  }
  const families = new Map<string, FamilyMember[]>();
  for (const { timestamp, metrics } of sources) {
    const time = form.time(timestamp);
    for (const metric of metrics) {
      addTo(families, form.key(metric), { metric, time });
    }
  }
  yield* families.values();
}

/** Labels as names that exposition formats allow, and plain texts. Remembered by list. */
function labelPairs(labels: readonly Label[]): readonly (readonly [string, string])[] {
  return getOrMake(pairs, labels, () => labels.map((label) => [labelName(label.name), labelText(label)] as const));
}

/** A valid label name: letters, digits and underscores; two leading ones are reserved. */
export function labelName(name: string): string {
  const allowed = name.replace(/[^A-Za-z0-9_]/g, '_').replace(/^_+/, '_');
  return allowed === '' || /^[0-9]/.test(allowed) ? `_${allowed}` : allowed;
}

/** A valid metric name, with PCP's dots replaced. */
export function metricName(name: string, dot: '_' | ':'): string {
  const allowed = name.replaceAll('.', dot).replace(/[^A-Za-z0-9_:]/g, '_');
  return /^[A-Za-z_:]/.test(allowed) ? allowed : `_${allowed}`;
}

function* samplesOf(exposition: Exposition, index: number): Generator<ExposedSample, void> {
  const set = exposition.result.sets[index]!;
  const metadata = exposition.metadata[index]!;
  const indom = exposition.indoms.get(metadata.descriptor.indom);
  for (let i = 0; i < set.status; i++) {
    yield {
      labels: labelsOfSample(metadata.labels, set.instances[i]!, indom),
      value: formatColumnNumber(set.column, i, OPEN_METRICS_NON_FINITE),
    };
  }
}

/** Labels of a sample: those of the metric and the instance, with `instname` and `instid` beside them. */
export function labelsOfSample(
  metricLabels: readonly Label[],
  instance: number,
  indom: ExposedIndom | undefined,
): ReadonlyMap<string, string> {
  const labels = new Map(labelPairs(metricLabels));
  if (instance === INSTANCE_NULL) return labels;
  const own = indom?.labels.get(instance);
  if (own) for (const [name, value] of labelPairs(own)) labels.set(name, value);
  const name = indom?.names.get(instance);
  if (name !== undefined && !labels.has('instname')) labels.set('instname', name);
  if (!labels.has('instid')) labels.set('instid', String(instance));
  return labels;
}

/** `{a="1",b="2"}`, or nothing without labels. */
function writeSampleLabels(labels: ReadonlyMap<string, string>): string {
  if (labels.size === 0) return '';
  let text = '{';
  for (const [name, value] of labels) text += `${text === '{' ? '' : ','}${name}="${escapeLabelValue(value)}"`;
  return `${text}}`;
}

/** Escapes backslash, quote and line feed, for both text formats. */
export function escapeLabelValue(value: string): string {
  if (!/[\\"\n]/.test(value)) return value;
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

/** Makes unique names: PCP tells `a.b_c` and `a_b.c` apart, exposition formats do not. The second gets its PMID as a suffix. */
export class UniqueNames {
  readonly #taken = new Set<string>();

  /** A name near `wanted`, free with each suffix, and takes all of them. */
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
