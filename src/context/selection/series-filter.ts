import { getOrMake, inTurns } from '../../kit/index.js';
import { GatewayError, INDOM_NULL, mergeLabels } from '../../pmapi/index.js';
import type { FetchResult, Instance, Label, MetricDescriptor } from '../../pmapi/index.js';
import type { RangeMetric } from '../range/index.js';
import type { Selection } from './selection.js';

/** Instance names and labels for a filter. Unknown ones are empty. */
export interface SeriesDirectory {
  /** Changes when instance names or labels may be outdated. */
  readonly generation: number;
  instances(indom: number): Promise<readonly Instance[]>;
  /** Merged labels of a metric, without those of instances. */
  metricLabels(descriptor: MetricDescriptor): Promise<readonly Label[]>;
  instanceLabels(indom: number): Promise<ReadonlyMap<number, readonly Label[]>>;
}

interface KnownDomain {
  readonly names: ReadonlyMap<number, string>;
  readonly byName: ReadonlySet<string>;
  readonly labels: ReadonlyMap<number, readonly Label[]>;
}

/** The size of a verdict, of an instance name in two places besides its characters, and of a label. */
const VERDICT_BYTES = 40;
const NAME_BYTES = 150;
const LABEL_BYTES = 250;

const BATCH = 64;

/** Maximum values of a result to select from: more would block the event loop. */
const VALUES_MAX = 1_000_000;

const UNKNOWN_DOMAIN: KnownDomain = { names: new Map(), byName: new Set(), labels: new Map() };

/** Values selected by names and labels of instances. Verdicts are cached until the directory's generation changes. */
export class SeriesFilter {
  readonly #selection: Selection;
  readonly #metrics: readonly RangeMetric[];
  readonly #directory: SeriesDirectory;
  readonly #domains = new Map<number, KnownDomain>();
  readonly #metricLabels = new Map<number, readonly Label[]>();
  /** Verdicts by metric and instance; metrics share them by instance domain if labels do not matter. */
  readonly #verdicts: readonly Map<number, boolean>[];
  #generation: number | undefined;
  #loading: Promise<void> | undefined;

  constructor(selection: Selection, metrics: readonly RangeMetric[], directory: SeriesDirectory) {
    this.#selection = selection;
    this.#metrics = metrics;
    this.#directory = directory;
    const shared = new Map<string, Map<number, boolean>>();
    this.#verdicts = metrics.map(({ pmid, descriptor }) => {
      const key = selection.labels ? `${pmid}` : `indom ${descriptor.indom}`;
      return getOrMake(shared, key, () => new Map());
    });
  }

  /** Loads what judging a result needs, if anything. Throws as the directory, and LIMIT_EXCEEDED. */
  prepare(result: FetchResult): Promise<void> | undefined {
    let values = 0;
    for (const { status } of result.sets) values += Math.max(0, status);
    if (values > VALUES_MAX) return Promise.reject(tooMany(values, result.sets.length));
    return this.#outdated(result) ? this.#learn(result) : undefined;
  }

  async prepareAll(): Promise<void> {
    await this.#load(new Set(this.#metrics.map(({ descriptor }) => descriptor.indom)));
  }

  get width(): number {
    return this.#metrics.length;
  }

  /** Whether an instance (INSTANCE_NULL if singular) is selected. Only after {@link prepare}. */
  includes(metric: number, instance: number): boolean {
    const verdicts = this.#verdicts[metric]!;
    const known = verdicts.get(instance);
    if (known !== undefined) return known;
    const verdict = this.#judge(this.#metrics[metric]!, instance);
    verdicts.set(instance, verdict);
    return verdict;
  }

  /** The name of an instance of a metric, as far as known. Only after {@link prepare}. */
  nameOf(metric: number, instance: number): string | undefined {
    return this.#domains.get(this.#metrics[metric]!.descriptor.indom)?.names.get(instance);
  }

  get bytes(): number {
    let bytes = 0;
    for (const verdicts of new Set(this.#verdicts)) bytes += VERDICT_BYTES * (verdicts.size + 1);
    for (const { names, labels } of this.#domains.values()) {
      for (const name of names.values()) bytes += NAME_BYTES + 2 * name.length;
      for (const ofInstance of labels.values()) bytes += LABEL_BYTES * (ofInstance.length + 1);
    }
    for (const labels of this.#metricLabels.values()) bytes += LABEL_BYTES * (labels.length + 1);
    return bytes;
  }

  /** Requested names without a known instance. */
  get unmatched(): readonly string[] {
    const { exactNames } = this.#selection;
    if (exactNames.length === 0) return exactNames;
    const known = [...this.#domains.values()];
    return exactNames.filter((name) => !known.some(({ byName }) => byName.has(name)));
  }

  #judge({ pmid, descriptor }: RangeMetric, instance: number): boolean {
    const { instances, labels } = this.#selection;
    const isSingular = descriptor.indom === INDOM_NULL;
    const { names, labels: instanceLabels } = this.#domains.get(descriptor.indom) ?? UNKNOWN_DOMAIN;
    if (instances && !isSingular && !instances(instance, names.get(instance))) return false;
    if (!labels) return true;
    const ofMetric = this.#metricLabels.get(pmid) ?? [];
    const ofInstance = isSingular ? undefined : instanceLabels.get(instance);
    return labels.matches(ofInstance ? mergeLabels([ofMetric, ofInstance]) : ofMetric);
  }

  /** The instance domains that must be loaded; undefined: none. */
  #outdated(result: FetchResult): ReadonlySet<number> | undefined {
    const { byName, inames, labels } = this.#selection;
    if (!byName && !inames && !labels) return undefined;
    if (this.#generation !== this.#directory.generation) {
      return new Set(this.#metrics.map(({ descriptor }) => descriptor.indom));
    }
    let outdated: Set<number> | undefined;
    for (let m = 0; m < this.#metrics.length; m++) {
      const { indom } = this.#metrics[m]!.descriptor;
      if (indom === INDOM_NULL || outdated?.has(indom) === true) continue;
      const { instances, status } = result.sets[m]!;
      const verdicts = this.#verdicts[m]!;
      for (let i = 0; i < status; i++) {
        if (verdicts.has(instances[i]!)) continue;
        (outdated ??= new Set()).add(indom);
        break;
      }
    }
    return outdated;
  }

  async #learn(result: FetchResult): Promise<void> {
    // Fetches may overlap; one of them loads for all.
    while (this.#loading) await this.#loading;
    const outdated = this.#outdated(result);
    if (!outdated) return;
    this.#loading = this.#loadAndJudge(outdated, result).finally(() => {
      this.#loading = undefined;
    });
    await this.#loading;
  }

  async #loadAndJudge(outdated: ReadonlySet<number>, result: FetchResult): Promise<void> {
    await this.#load(outdated);
    // Instances that the directory does not know now have a verdict, too: they are not requested again.
    for await (const { metric, from, to } of inTurns(partsOf(result))) {
      const { instances } = result.sets[metric]!;
      for (let i = from; i < to; i++) this.includes(metric, instances[i]!);
    }
  }

  async #load(indoms: ReadonlySet<number>): Promise<void> {
    const { labels, byName, inames } = this.#selection;
    const { generation } = this.#directory;
    const isMoved = generation !== this.#generation;
    const domains = [...indoms].filter((indom) => indom !== INDOM_NULL);
    const known = await Promise.all(
      domains.map((indom) => this.#loadDomain(indom, byName || inames, labels !== undefined)),
    );
    if (labels && isMoved) await this.#loadMetricLabels();
    for (const [i, indom] of domains.entries()) this.#domains.set(indom, known[i]!);
    for (const [m, { descriptor }] of this.#metrics.entries()) {
      if (isMoved || indoms.has(descriptor.indom)) this.#verdicts[m]!.clear();
    }
    this.#generation = generation;
  }

  async #loadMetricLabels(): Promise<void> {
    const descriptors = [...new Map(this.#metrics.map(({ pmid, descriptor }) => [pmid, descriptor])).values()];
    for (let i = 0; i < descriptors.length; i += BATCH) {
      await Promise.all(
        descriptors.slice(i, i + BATCH).map(async (descriptor) => {
          this.#metricLabels.set(descriptor.pmid, await this.#directory.metricLabels(descriptor));
        }),
      );
    }
  }

  async #loadDomain(indom: number, byName: boolean, byLabels: boolean): Promise<KnownDomain> {
    const [instances, labels] = await Promise.all([
      byName ? this.#directory.instances(indom) : [],
      byLabels ? this.#directory.instanceLabels(indom) : UNKNOWN_DOMAIN.labels,
    ]);
    const names = new Map<number, string>();
    const known = new Set<string>();
    for await (const start of inTurns(startsOf(instances.length))) {
      for (const { id, name } of instances.slice(start, start + PART)) {
        names.set(id, name);
        known.add(name);
      }
    }
    return { names, byName: known, labels };
  }
}

const PART = 1000;

function* startsOf(length: number): Generator<number, void> {
  for (let start = 0; start < length; start += PART) yield start;
}

/** The values of a result, a part of one set after the other. */
function* partsOf({ sets }: FetchResult): Generator<{ metric: number; from: number; to: number }, void> {
  for (const [metric, { status }] of sets.entries()) {
    for (const from of startsOf(status)) yield { metric, from, to: Math.min(status, from + PART) };
  }
}

function tooMany(values: number, metrics: number): GatewayError {
  const message = `cannot select instances from ${values} values of ${metrics} metrics: at most ${VALUES_MAX} are allowed`;
  return new GatewayError('LIMIT_EXCEEDED', message, { expected: 'fewer metrics at once' });
}
