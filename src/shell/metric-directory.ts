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

/** Caches the units of the metrics of one source, and requests them as needed. Instances have their names from requests with `inames`. */
export function metricDirectory(
  client: Pick<PmgateClient, 'metrics'>,
  where: Where,
  conversion: Conversion,
  signal: AbortSignal,
) {
  const known = new Map<string, Metric | undefined>();
  const unitsByName = new Map<string, string>();

  /** Takes the units of converted values from the response, if it has them. */
  function knowUnits(metrics: readonly { readonly name: string; readonly units: string }[]): void {
    for (const { name, units } of metrics) unitsByName.set(name, units === 'none' ? '' : units);
  }

  async function nameSample(sample: {
    readonly timestamp: number | string;
    readonly values: readonly MetricValues[];
    readonly mark?: true;
  }): Promise<NamedSample> {
    await learnMetrics(sample.values);
    const values: NamedValues[] = [];
    for (const { name, pmid, instances } of sample.values) {
      const metric = known.get(name);
      values.push({
        name,
        pmid,
        units: unitsByName.get(name) ?? (metric === undefined ? '' : convertedUnits(metric, conversion)),
        instances: instances.map(({ instance, name: of = null, value }) => ({ instance, name: of, value })),
      });
    }
    return { timestamp: isoMoment(sample.timestamp), values, ...(sample.mark && { mark: true }) };
  }

  async function learnMetrics(values: readonly MetricValues[]): Promise<void> {
    const unknown = values.map(({ name }) => name).filter((name) => !known.has(name));
    if (unknown.length === 0) return;
    const { metrics } = await client.metrics({ names: unknown, ...where, signal });
    for (const metric of metrics) known.set(metric.name, metric);
    for (const name of unknown) if (!known.has(name)) known.set(name, undefined);
  }
  return { knowUnits, name: nameSample };
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
