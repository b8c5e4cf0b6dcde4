/**
 * A model of the client in Grafana's PCP plugin (github.com/performancecopilot/grafana-pcp, version 5), in its Vector mode: what it
 * asks, in which order, which members of the answers it reads, and which texts of errors it looks for. The facts, by file of the plugin:
 *
 * - src/common/services/pmapi/PmApiService.ts: only GET. `{url}/pmapi/{context,metric,indom,fetch,derive,children}`; the context goes into
 *   the query (`context=`), never into the path; lists are joined by commas. An answer must have `context`, `metrics`, `instances` or
 *   `timestamp`, each in its call, else it is "malformed". Of `metrics`, elements with `success: false` are dropped. Errors are told
 *   by `message` holding `Unknown metric name` (of one metric: no metrics), `metric has null indom`, `Duplicate per-context derived metric
 *   name` (counts as success), `Semantic Error`, `Syntax Error`, and after a store `failed to lookup metric`, `No permission to
 *   perform requested operation`, `Bad input`. Status and code are never looked at, beyond being an error.
 * - src/common/utils.ts: every request has `Content-Type: application/json`, though none has a body.
 * - src/datasources/lib/pmapi/datasource_base.ts: the test of the data source makes a context and fetches `pmcd.version`, whose value
 *   is in `values[0].instances[0].value`; a dashboard variable makes a context, fetches one metric, and lists `value`s of `values[0]`.
 * - src/datasources/lib/pmapi/poller/poller.ts: a context per (url, hostspec) with `polltimeout` = refresh interval + 10 s, rounded to
 *   seconds; definitions of derived metrics side by side; metadata of new metrics in one call; one fetch per refresh; `indom` by metric
 *   name when a value has an instance that is not known yet; a metric without values in the answer makes its target pending again;
 *   `unknown context identifier` or `expired context identifier` makes a new context and starts all targets over.
 * - src/datasources/vector/datasource.ts: what is no metric name is an expression, defined as `derived_` and an MD5 sum of it.
 * - src/datasources/vector/components/language/PmapiCompletionItemProvider.ts: completion asks `children` and `metric` with a
 *   `hostspec` and no context, and reads `leaf` and `nonleaf`.
 * - src/datasources/lib/pmapi/data_processor.ts: reads `name`, `type` (32 u32 64 u64 float double string), `sem`, `units`, `indom`,
 *   `labels` of metrics; `instance`, `name`, `labels` of instances; `labels` of the context and of the domain; `timestamp` is in seconds.
 * - src/datasources/lib/pmapi/field_transformations.ts: counters become rates here, in the client, from successive fetches.
 *
 * Grafana's own proxy (pkg/util/proxyutil) takes `Origin` and `Referer` out and puts `X-Grafana-Referer` and `X-Forwarded-For` in; it joins
 * the data source's URL and the path with one slash. Without the proxy the browser sends `Origin`, asks OPTIONS first because of the
 * Content-Type, and joins them as they are, so that a URL that ends in a slash gives two.
 */
import { createHash } from 'node:crypto';

/** Sends one GET and gives the answer as it came. */
export type Ask = (
  target: string,
  headers: Readonly<Record<string, string>>,
) => Promise<{ readonly status: number; readonly text: string }>;

type Labels = Readonly<Record<string, unknown>>;

/** Metadata of a metric, as far as the plugin reads it. */
export interface VectorMetadata {
  readonly name: string;
  readonly type: string;
  readonly sem: string;
  readonly units: string;
  readonly indom?: string;
  readonly labels: Labels;
  readonly success?: boolean;
}

interface InstanceValue {
  readonly instance: number | null;
  readonly value: number | string;
}

interface Indom {
  readonly instance: number;
  readonly name: string;
  readonly labels: Labels;
}

interface Known {
  readonly metadata: VectorMetadata;
  readonly instances: Map<number, Indom>;
  indomLabels: Labels;
  readonly snapshots: { readonly timestampMs: number; readonly values: readonly InstanceValue[] }[];
}

interface Target {
  readonly expr: string;
  state: 'pending' | 'available' | 'error';
  names: readonly string[];
  error: string | undefined;
}

/** One line of a graph. */
export interface VectorSeries {
  readonly name: string;
  readonly labels: Labels;
  /** By time; a counter's are rates, and the first is null. */
  readonly values: readonly (number | string | null)[];
}

/** An answer that was an error, with the text that the plugin looks at. */
class AnswerError extends Error {}

/** The plugin's poller for one data source and host. */
export class GrafanaVector {
  readonly #ask: Ask;
  readonly #base: string;
  readonly #hostspec: string;
  readonly #refreshMs: number;
  readonly #targets: Target[] = [];
  readonly #metrics = new Map<string, Known>();
  #context: { readonly context: number; readonly labels: Labels } | undefined;
  contexts = 0;

  /** `base` goes before every path: empty, or what the URL of the data source has behind its host. */
  constructor(ask: Ask, { base = '', hostspec = 'pcp://127.0.0.1', refreshMs = 1000 } = {}) {
    this.#ask = ask;
    this.#base = base;
    this.#hostspec = hostspec;
    this.#refreshMs = refreshMs;
  }

  get context(): number {
    if (!this.#context) throw new Error('no context yet');
    return this.#context.context;
  }

  get contextLabels(): Labels {
    return this.#context?.labels ?? {};
  }

  metadata(name: string): VectorMetadata | undefined {
    return this.#metrics.get(name)?.metadata;
  }

  add(expr: string): void {
    this.#targets.push({ expr, state: 'pending', names: [], error: undefined });
  }

  /** What became of each expression, in the order in which they were added. */
  get states(): readonly { readonly expr: string; readonly state: string; readonly error: string | undefined }[] {
    return this.#targets.map(({ expr, state, error }) => ({ expr, state, error }));
  }

  /** The name under which an expression is polled. */
  static nameOf(expr: string): string {
    if (/^[a-zA-Z][a-zA-Z0-9_]*(?:\.[a-zA-Z][a-zA-Z0-9_]+)*$/.test(expr)) return expr;
    return `derived_${createHash('md5').update(expr).digest('hex')}`;
  }

  /** "Save & test" of the data source: the version of PCP. */
  async test(): Promise<string> {
    const { context } = await this.#createContext(30);
    const { values } = await this.#fetch(context, ['pmcd.version']);
    return String(values[0]!.instances[0]!.value);
  }

  async variable(metric: string): Promise<readonly string[]> {
    const { context } = await this.#createContext(30);
    const { values } = await this.#fetch(context, [metric]);
    return values[0]!.instances.map(({ value }) => value.toString());
  }

  /** Completions for the beginning of a metric's name. */
  async complete(prefix: string): Promise<{ readonly names: readonly string[]; readonly helps: readonly string[] }> {
    const { hostspec } = { hostspec: this.#hostspec };
    const { leaf, nonleaf } = await this.#call<{ leaf: string[]; nonleaf: string[] }>(
      'children',
      { hostspec, prefix },
      'leaf',
    );
    const whole = (last: string): string => (prefix === '' ? last : `${prefix}.${last}`);
    const metrics = leaf.length === 0 ? [] : await this.#metadata({ hostspec }, leaf.map(whole));
    return { names: [...nonleaf.sort(), ...leaf.sort()].map(whole), helps: metrics.map(({ name }) => name).sort() };
  }

  async poll(): Promise<void> {
    try {
      await this.#poll();
    } catch (error) {
      if (!/(?:unknown|expired) context identifier/.test((error as Error).message)) throw error;
      this.#context = await this.#createContext();
      for (const target of this.#targets) target.state = 'pending';
      await this.#poll();
    }
  }

  series(expr: string): readonly VectorSeries[] {
    const known = this.#metrics.get(GrafanaVector.nameOf(expr));
    if (!known) return [];
    const ids = [...new Set(known.snapshots.flatMap(({ values }) => values.map(({ instance }) => instance)))];
    return ids.map((id) => {
      const instance = id === null ? undefined : known.instances.get(id);
      const values = known.snapshots.map(
        (snapshot) => snapshot.values.find((value) => value.instance === id)?.value ?? null,
      );
      return {
        name: instance ? `${known.metadata.name}[${instance.name}]` : known.metadata.name,
        labels: { ...this.contextLabels, ...known.metadata.labels, ...known.indomLabels, ...instance?.labels },
        values: known.metadata.sem === 'counter' ? rates(values, known.snapshots) : values,
      };
    });
  }

  async #poll(): Promise<void> {
    this.#context ??= await this.#createContext();
    await this.#prepareTargets();
    const available = this.#targets.filter(({ state }) => state === 'available');
    const names = [...new Set(available.flatMap((target) => target.names))];
    if (names.length === 0) return;
    const { timestamp, values } = await this.#fetch(this.context, names);
    for (const { name, instances } of values) {
      const known = this.#metrics.get(name)!;
      if (known.metadata.indom !== undefined && instances.some(({ instance }) => !known.instances.has(instance!))) {
        await this.#refreshInstances(known);
      }
      known.snapshots.push({ timestampMs: timestamp * 1000, values: instances });
    }
    this.#markMissing(names, new Set(values.map(({ name }) => name)));
  }

  async #prepareTargets(): Promise<void> {
    const pending = this.#targets.filter(({ state }) => state === 'pending');
    for (const target of pending) target.error = undefined;
    await Promise.all(
      pending.map(async (target) => {
        try {
          target.names = [await this.#register(target.expr)];
        } catch (error) {
          if (/context identifier/.test((error as Error).message)) throw error;
          Object.assign(target, { state: 'error', error: (error as Error).message });
        }
      }),
    );
    const wanted = new Set(pending.flatMap(({ names }) => names));
    const unknown = [...wanted].filter((name) => !this.#metrics.has(name));
    if (unknown.length > 0) {
      const metrics = await this.#metadata({ context: String(this.context) }, unknown);
      for (const metadata of metrics) {
        this.#metrics.set(metadata.name, { metadata, instances: new Map(), indomLabels: {}, snapshots: [] });
      }
      this.#markMissing(unknown, new Set(metrics.map(({ name }) => name)));
    }
    for (const target of pending) {
      if (target.names.length > 0 && target.names.every((name) => this.#metrics.has(name))) target.state = 'available';
    }
  }

  async #register(expr: string): Promise<string> {
    const name = GrafanaVector.nameOf(expr);
    if (name === expr) return name;
    try {
      const { success } = await this.#call<{ success: boolean }>('derive', {
        context: String(this.context),
        expr,
        name,
      });
      if (!success) throw new Error('unknown error');
    } catch (error) {
      const { message } = error as Error;
      if (message.includes('Duplicate per-context derived metric name')) return name;
      if (message.includes('Semantic Error')) throw new Error('semantic', { cause: error });
      if (message.includes('Syntax Error')) throw new Error('syntax', { cause: error });
      throw error;
    }
    return name;
  }

  async #refreshInstances(known: Known): Promise<void> {
    const answer = await this.#call<{ labels: Labels; instances: Indom[] }>(
      'indom',
      { context: String(this.context), name: known.metadata.name },
      'instances',
    );
    known.indomLabels = answer.labels;
    for (const instance of answer.instances) known.instances.set(instance.instance, instance);
  }

  #markMissing(requested: readonly string[], received: ReadonlySet<string>): void {
    for (const name of requested.filter((wanted) => !received.has(wanted))) {
      for (const target of this.#targets.filter(({ names }) => names.includes(name))) {
        Object.assign(target, { state: 'pending', error: `missing ${name}` });
      }
    }
  }

  async #createContext(
    polltimeout = Math.round((this.#refreshMs + 10_000) / 1000),
  ): Promise<{ context: number; labels: Labels }> {
    this.contexts++;
    return this.#call('context', { hostspec: this.#hostspec, polltimeout: String(polltimeout) }, 'context');
  }

  async #metadata(where: Readonly<Record<string, string>>, names: readonly string[]): Promise<VectorMetadata[]> {
    try {
      const { metrics } = await this.#call<{ metrics: VectorMetadata[] }>(
        'metric',
        { ...where, names: names.join(',') },
        'metrics',
      );
      return metrics.filter((metadata) => metadata.success ?? true);
    } catch (error) {
      if (error instanceof AnswerError && error.message.includes('Unknown metric name')) return [];
      throw error;
    }
  }

  #fetch(
    context: number,
    names: readonly string[],
  ): Promise<{ timestamp: number; values: { name: string; instances: InstanceValue[] }[] }> {
    return this.#call('fetch', { context: String(context), names: names.join(',') }, 'timestamp');
  }

  async #call<T>(command: string, parameters: Readonly<Record<string, string>>, member?: string): Promise<T> {
    const query = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
    const headers = { 'content-type': 'application/json' };
    const { status, text } = await this.#ask(`${this.#base}/pmapi/${command}?${query.join('&')}`, headers);
    const json = JSON.parse(text) as Record<string, unknown>;
    if (status >= 400) throw new AnswerError(String(json.message));
    if (member !== undefined && !(member in json)) throw new Error('Received malformed response.');
    return json as T;
  }
}

/** A counter's values as rates per second; null for the first, and where the counter went back or was missing. */
function rates(
  values: readonly (number | string | null)[],
  snapshots: readonly { readonly timestampMs: number }[],
): readonly (number | null)[] {
  return values.map((value, i) => {
    const before = values[i - 1];
    if (typeof value !== 'number' || typeof before !== 'number' || value < before) return null;
    return (value - before) / ((snapshots[i]!.timestampMs - snapshots[i - 1]!.timestampMs) / 1000);
  });
}
