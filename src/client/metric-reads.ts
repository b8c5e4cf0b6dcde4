import type {
  ChildrenAnswer,
  ColumnsAnswer,
  FetchAnswer,
  IndomAnswer,
  Metric,
  MetricsAnswer,
  MetricSummary,
  Moment,
  RangeSample,
  Schemas,
  StreamSample,
  Times,
  Warning,
  WhyAnswer,
} from './answers.js';
import { callOptions, type Call, type CallOptions } from './call.js';
import type { ClientSettings } from './client-options.js';
import { jsonOrUndefined, type OpenAnswer } from './connection.js';
import { expectAnswer, type AnswerSchema } from './expect-answer.js';
import { linesOf } from './body-lines.js';
import { errorDetails, errorOf, PmgateError } from './pmgate-error.js';
import type {
  FetchOptions,
  FetchRequest,
  IndomRequest,
  MetadataOptions,
  MetricsRequest,
  Names,
  RangeOptions,
  RangeRequest,
  StoreOptions,
  StreamExtras,
  StreamOptions,
  StreamRequest,
  SummaryOptions,
  WarningOptions,
} from './requests.js';
import { samplesOf } from './sample-stream.js';

/** A call of PMWEBAPI: `fetch` stands for /pmapi/fetch, or /pmapi/{context}/fetch. */
export interface PmapiCall extends Pick<Call, 'parameters' | 'headers' | 'signal' | 'timeoutMs'> {
  readonly method?: Call['method'];
  readonly operation: string;
  /** Whether it moves the context on an archive along. */
  readonly moves?: boolean;
}

/** A call below a path. */
export function callBelow(path: string, { operation, method = 'GET', ...call }: PmapiCall): Call {
  return { ...call, method, path: `${path}/${operation}`, hasPost: true, isRead: method === 'GET' };
}

/** What can be read of a source, `W` saying which where that is not settled. The client and its contexts have it alike. */
export abstract class MetricReads<W extends object> {
  protected abstract readonly settings: ClientSettings;
  protected abstract json(call: PmapiCall): Promise<unknown>;
  protected abstract open(call: PmapiCall): Promise<OpenAnswer>;

  /** The values of metrics now (of an archive: at its position). Metrics that are not available are in `warnings`. @see pmFetch(3) */
  async fetch<T extends Times = 'epoch'>(
    what: Names | (FetchRequest<T> & W),
    options?: FetchOptions<T> & W,
  ): Promise<FetchAnswer<T>> {
    return (await this.#read('Fetch', { ...readCall('fetch', 'names', what, options), moves: true })) as FetchAnswer<T>;
  }

  /**
   * The values over a window of time, sample by sample as the gateway reads them: it reads no faster than the loop takes them, and
   * leaving the loop ends the request. Where recording was interrupted there is a sample with `mark` and without values.
   */
  async *range<T extends Times = 'epoch'>(
    what: Names | (RangeRequest<T> & RangeExtras & W),
    options?: RangeOptions<T> & RangeExtras & W,
  ): AsyncGenerator<RangeSample<T>, void> {
    const answer = await this.#openRange('ndjson', what, options);
    const { onWarnings }: RangeExtras = { ...(isNames(what) ? {} : what), ...options };
    for await (const line of linesOf(answer.text, 'is-an-error')) {
      const sample = jsonOrUndefined(line);
      const details = errorDetails(sample);
      if (details) throw errorOf(details, { status: 200 });
      if (isWarnings(sample)) {
        onWarnings?.(sample.warnings);
        continue;
      }
      yield expectAnswer(sample, 'RangeSample') as RangeSample<T>;
    }
  }

  /** The values over a window of time as arrays: times, and values by metric and instance. */
  async columns<T extends Times = 'epoch'>(
    what: Names | (RangeRequest<T> & W),
    options?: RangeOptions<T> & W,
  ): Promise<ColumnsAnswer<T>> {
    const call = readCall('fetch', 'names', what, options);
    const parameters = { ...call.parameters, format: 'columns' };
    return (await this.#read('RangeColumns', { ...call, parameters })) as ColumnsAnswer<T>;
  }

  /**
   * The values over a window of time as CSV, in pieces of text as they arrive. What goes wrong after the first row, such as a damaged
   * archive, is in a trailer, which `fetch` does not show; {@link range} reports them. @see RFC 4180
   */
  async *csv(
    what: Names | (RangeRequest & RangeExtras & W),
    options?: RangeOptions & RangeExtras & W,
  ): AsyncGenerator<string, void> {
    yield* (await this.#openRange('csv', what, options)).text;
  }

  /**
   * The values over a window of time as a PCP archive: a tar of its files (`.meta`, `.index`, `.0` …), in pieces as they arrive. Throws
   * END_OF_ARCHIVE when there are no samples.
   */
  async *archive(
    what: Names | (RangeRequest & RangeExtras & W),
    options?: RangeOptions & RangeExtras & W,
  ): AsyncGenerator<Uint8Array, void> {
    yield* (await this.#openRange('archive', what, options)).bytes;
  }

  /** Why the values of metrics are what they are; with a window of time, those of its last sample. */
  async why<T extends Times = 'epoch'>(
    what: Names | (RangeRequest<T> & W),
    options?: RangeOptions<T> & W,
  ): Promise<WhyAnswer<T>> {
    const call = readCall('fetch', 'names', what, options);
    const isRange = ['start', 'finish', 'interval', 'samples'].some((name) => call.parameters?.[name] !== undefined);
    const parameters = { ...call.parameters, ...(isRange && { format: 'rows' }), why: true };
    const answer = await this.#read(isRange ? 'RangeRows' : 'Fetch', { ...call, parameters, moves: !isRange });
    const sample = 'samples' in answer ? answer.samples.findLast(({ mark }) => !mark) : answer;
    const { why, warnings = [] } = answer;
    const timestamp = sample?.timestamp as Moment<T> | undefined;
    return { timestamp, source: why?.source, metrics: why?.metrics ?? [], warnings };
  }

  /**
   * The values over a window of time as Apache Arrow's stream of record batches, in pieces as they arrive: a column of times, and one for
   * each metric and instance.
   */
  async *arrow(
    what: Names | (RangeRequest & RangeExtras & W),
    options?: RangeOptions & RangeExtras & W,
  ): AsyncGenerator<Uint8Array, void> {
    yield* (await this.#openRange('arrow', what, options)).bytes;
  }

  /** The metadata of metrics: of names, where an interior node stands for everything below it. */
  async metrics(what: Names | (MetricsRequest & W), options?: MetadataOptions & W): Promise<MetricsAnswer> {
    const { metrics, ...rest } = await this.#read('Metrics', readCall('metric', 'prefix', what, options));
    return { ...rest, metrics: metrics.filter((metric): metric is Metric => !('success' in metric)) };
  }

  /** Some of the metadata of metrics: that of thousands is much smaller without labels and help texts. */
  async metricSummaries(what: Names, options: SummaryOptions & W): Promise<readonly MetricSummary[]> {
    const { metrics } = await this.#read('Metrics', readCall('metric', 'prefix', what, options));
    return metrics.filter((metric): metric is MetricSummary => !('success' in metric));
  }

  /** The direct children of a node of the namespace, the root unless said otherwise. @see pmGetChildrenStatus(3) */
  children(prefix = '', options?: CallOptions & W): Promise<ChildrenAnswer> {
    return this.#read('Children', readCall('children', 'prefix', prefix === '' ? {} : prefix, options));
  }

  /** An instance domain: that of a metric, or by its number. @see pmGetInDom(3) */
  indom(what: string | (IndomRequest & W), options?: MetadataOptions & W): Promise<IndomAnswer> {
    return this.#read('Indom', readCall('indom', 'name', what, options));
  }

  /**
   * The values of metrics again and again, pushed by the gateway; of an archive, replayed. It never ends (except for an archive,
   * at its end); leaving the loop or the signal closes the connection, and a lost connection is reopened.
   */
  async *stream<T extends Times = 'epoch'>(
    what: Names | (StreamRequest<T> & W),
    options?: StreamOptions<T> & W,
  ): AsyncGenerator<StreamSample<T>, void> {
    const call = readCall('stream', 'names', what, options);
    const extras: StreamExtras = { ...(isNames(what) ? {} : what), ...options };
    yield* samplesOf<T>(
      {
        open: (lastEventId) => {
          const resume = lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId };
          return this.open({ ...call, headers: { Accept: 'text/event-stream, application/json', ...resume } });
        },
        settings: this.settings,
        signal: call.signal,
      },
      extras,
    );
  }

  /** Stores a value, parsed according to the metric's type. The gateway rejects it unless storing is enabled. @see pmStore(3) */
  async store(name: string, value: string | number | bigint, options?: StoreOptions & W): Promise<void> {
    const call = readCall('store', 'name', name, options);
    await this.json({ ...call, method: 'POST', parameters: { ...call.parameters, value: String(value) } });
  }

  async #read<S extends AnswerSchema>(schema: S, call: PmapiCall): Promise<Schemas[S]> {
    return expectAnswer(await this.json(call), schema);
  }

  async #openRange(
    format: 'ndjson' | 'csv' | 'archive' | 'arrow',
    what: Names | object,
    options?: object,
  ): Promise<OpenAnswer> {
    const call = readCall('fetch', 'names', what, options);
    const { onWarnings }: RangeExtras = { ...(isNames(what) ? {} : what), ...options };
    const answer = await this.open({ ...call, parameters: { ...call.parameters, format } });
    const warnings = warningsOf(answer.headers);
    if (warnings.length > 0) onWarnings?.(warnings);
    return answer;
  }
}

/** Whether a line of a range is what was found damaged on the way. */
function isWarnings(line: unknown): line is { readonly warnings: readonly Warning[] } {
  return typeof line === 'object' && line !== null && 'warnings' in line && !('timestamp' in line);
}

export type RangeExtras = WarningOptions<Warning>;

/** The call that a helper's arguments stand for. */
export function readCall(
  operation: string,
  nameOfNames: string,
  what: Names | object,
  options: object | undefined,
): PmapiCall {
  return { operation, ...callOptions({ ...(isNames(what) ? { [nameOfNames]: what } : what), ...options }) };
}

function isNames(what: Names | object): what is Names {
  return typeof what === 'string' || Array.isArray(what);
}

/** The warnings of an answer that has no place for them in its body. */
function warningsOf(headers: Headers): readonly Warning[] {
  const text = headers.get('x-pmgate-warnings');
  if (text === null) return [];
  const warnings = jsonOrUndefined(text);
  if (Array.isArray(warnings)) return warnings as readonly Warning[];
  throw new PmgateError('UNEXPECTED_ANSWER', 'the header X-Pmgate-Warnings is not a JSON array');
}
