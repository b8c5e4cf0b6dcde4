import { formatColumnNumber, formatPmid, INSTANCE_NULL, OPEN_METRICS_NON_FINITE } from '../../pmapi/index.js';
import type { FetchResult, Label, ValueSet } from '../../pmapi/index.js';
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
  /** Whether each value carries its time. */
  readonly times: boolean;
}

/** One value with its labels: names and values in order, each name once. */
export interface ExposedSample {
  readonly labels: ReadonlyMap<string, string>;
  /** The number as OpenMetrics writes it. */
  readonly value: string;
}

const pairs = new WeakMap<readonly Label[], readonly (readonly [string, string])[]>();

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
export function samplesOf(exposition: Exposition, index: number): readonly ExposedSample[] {
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

/** Whether a value set has anything to expose. */
export function hasValues(set: ValueSet): boolean {
  return set.status > 0;
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
