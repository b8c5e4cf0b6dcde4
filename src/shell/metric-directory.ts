import type { Metric, MetricValues, PmgateClient, Value, Where } from '../client/index.js';

/** A value and its instance; `instance` and `name` are null for a metric without instances. */
export interface NamedInstance {
  readonly instance: number | null;
  readonly name: string | null;
  readonly value: Value;
}

export interface NamedValues {
  readonly name: string;
  readonly pmid: string;
  readonly units: string;
  readonly instances: readonly NamedInstance[];
}

/** Values at one moment, in ISO 8601. */
export interface NamedSample {
  readonly timestamp: string;
  readonly values: readonly NamedValues[];
  /** Present where recording was interrupted. */
  readonly mark?: true;
}

/** The options of the request that change units. */
export interface Conversion {
  readonly rate?: boolean | undefined;
  readonly units?: string | undefined;
}

type InstanceNames = ReadonlyMap<number, string>;

/** Caches units and instance names of one source, and requests them as needed. */
export class MetricDirectory {
  readonly #client: Pick<PmgateClient, 'metrics' | 'indom'>;
  readonly #where: Where;
  readonly #conversion: Conversion;
  readonly #signal: AbortSignal;
  readonly #metrics = new Map<string, Metric | undefined>();
  readonly #units = new Map<string, string>();
  readonly #instances = new Map<string, InstanceNames>();
  /** Unknown instances, by domain: they disappeared before they could be looked up. */
  readonly #nameless = new Map<string, Set<number>>();

  constructor(
    client: Pick<PmgateClient, 'metrics' | 'indom'>,
    where: Where,
    conversion: Conversion,
    signal: AbortSignal,
  ) {
    this.#client = client;
    this.#where = where;
    this.#conversion = conversion;
    this.#signal = signal;
  }

  /** Takes the units of converted values from the response, if it has them. */
  knowUnits(metrics: readonly { readonly name: string; readonly units: string }[]): void {
    for (const { name, units } of metrics) this.#units.set(name, units === 'none' ? '' : units);
  }

  async name(sample: {
    readonly timestamp: number | string;
    readonly values: readonly MetricValues[];
    readonly mark?: true;
  }): Promise<NamedSample> {
    await this.#learnMetrics(sample.values);
    const values: NamedValues[] = [];
    for (const { name, pmid, instances } of sample.values) {
      const metric = this.#metrics.get(name);
      const names = await this.#namesOf(metric, instances);
      values.push({
        name,
        pmid,
        units: this.#units.get(name) ?? (metric === undefined ? '' : convertedUnits(metric, this.#conversion)),
        instances: instances.map(({ instance, value }) => ({
          instance,
          name: instance === null ? null : (names?.get(instance) ?? null),
          value,
        })),
      });
    }
    return { timestamp: isoMoment(sample.timestamp), values, ...(sample.mark && { mark: true }) };
  }

  async #learnMetrics(values: readonly MetricValues[]): Promise<void> {
    const unknown = values.map(({ name }) => name).filter((name) => !this.#metrics.has(name));
    if (unknown.length === 0) return;
    const { metrics } = await this.#client.metrics({ names: unknown, ...this.#where, signal: this.#signal });
    for (const metric of metrics) this.#metrics.set(metric.name, metric);
    for (const name of unknown) if (!this.#metrics.has(name)) this.#metrics.set(name, undefined);
  }

  async #namesOf(metric: Metric | undefined, instances: MetricValues['instances']): Promise<InstanceNames | undefined> {
    const indom = metric?.indom;
    if (indom === undefined) return undefined;
    const known = this.#instances.get(indom);
    const nameless = this.#nameless.get(indom);
    const isNew = (instance: number | null): instance is number =>
      instance !== null && known?.has(instance) !== true && nameless?.has(instance) !== true;
    if (!instances.some(({ instance }) => isNew(instance))) return known;
    const answer = await this.#client.indom({ indom, ...this.#where, signal: this.#signal });
    const names = new Map([
      ...(known ?? []),
      ...answer.instances.map(({ instance, name }) => [instance, name] as const),
    ]);
    this.#instances.set(indom, names);
    const missing = instances.flatMap(({ instance }) => (instance !== null && !names.has(instance) ? [instance] : []));
    this.#nameless.set(indom, new Set([...(nameless ?? []), ...missing]));
    return names;
  }
}

function convertedUnits({ units, sem }: Metric, { rate, units: asked }: Conversion): string {
  const own = units === 'none' ? '' : units;
  const isConverted = asked !== undefined && own !== '';
  if (isConverted) return asked;
  if (rate !== true || sem !== 'counter') return own;
  // A counter of time becomes a share of time.
  if (/^(nanosec|microsec|millisec|sec|min|hour)$/.test(own)) return '';
  return own === '' ? '/ sec' : `${own} / sec`;
}

export function isoMoment(moment: number | string): string {
  return typeof moment === 'string' ? moment : new Date(moment * 1000).toISOString();
}
