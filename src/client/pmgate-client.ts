import type {
  ArchiveEntry,
  BatchAnswer,
  ChangesAnswer,
  DiagnosisAnswer,
  HostEntry,
  HostsAnswer,
  SearchAnswer,
  StreamSample,
  TimelineAnswer,
  Times,
  WhoamiAnswer,
} from './answers.js';
import type { Call, CallOptions } from './call.js';
import { ownHeaders } from './client-options.js';
import type { ClientSettings, PmgateClientOptions } from './client-options.js';
import { Connection } from './connection.js';
import type { OpenAnswer } from './connection.js';
import { DerivedDefinitions } from './derived-definitions.js';
import { expectAnswer } from './expect-answer.js';
import { GatewayContext } from './gateway-context.js';
import { MetricReads, readCall } from './metric-reads.js';
import type { PmapiCall } from './metric-reads.js';
import { errorDetails, errorOf, PmgateError } from './pmgate-error.js';
import { samplesOf } from './sample-stream.js';
import type {
  ArchivesOptions,
  BatchEntry,
  ContextRequest,
  FetchOptions,
  FetchRequest,
  Names,
  ChangesOptions,
  DiagnosisOptions,
  TimelineOptions,
  SearchOptions,
  StoreOptions,
  StreamExtras,
  Subscription,
  Where,
} from './requests.js';

/**
 * A client of one gateway. Requests that name no source are for the gateway's `localhost`; `hostspec`, `archive` and `context`
 * name another. Such requests share the gateway's contexts; {@link context} creates a private one.
 */
export class PmgateClient extends MetricReads<Where> {
  /** The global derived metrics. */
  readonly derived: DerivedDefinitions;
  readonly #connection: Connection;

  constructor(baseUrl: string, options: PmgateClientOptions = {}) {
    super();
    this.#connection = new Connection(baseUrl, options);
    this.derived = new DerivedDefinitions(this.#connection);
  }

  /** Creates a private context. @see pmNewContext(3) */
  context(request: ContextRequest = {}): Promise<GatewayContext> {
    return GatewayContext.make(this.#connection, request);
  }

  /** The values of metrics of several hosts, fetched concurrently: an entry for each, in order, with values or `error`. */
  async fetchHosts<T extends Times = 'epoch'>(
    hostspecs: readonly string[],
    what: Names | FetchRequest<T>,
    options?: FetchOptions<T>,
  ): Promise<HostsAnswer<T>> {
    const [only] = hostspecs;
    if (only === undefined) return { hosts: [] };
    if (hostspecs.length > 1) {
      const call = readCall('fetch', 'names', what, { ...options, hostspec: hostspecs.join(';') });
      return expectAnswer(await this.json(call), 'FetchOfHosts') as HostsAnswer<T>;
    }
    // A single host responds as to a fetch from it, and fails like one.
    try {
      return { hosts: [{ hostspec: only, ...(await this.fetch(what, { ...options, hostspec: only })) }] };
    } catch (error) {
      if (!(error instanceof PmgateError && error.details)) throw error;
      return { hosts: [{ hostspec: only, error: error.details }] };
    }
  }

  /** The archives below the gateway's roots: of a host, of a window of time, the latest. */
  async archives({ signal, timeoutMs, ...parameters }: ArchivesOptions = {}): Promise<ArchiveEntry[]> {
    return expectAnswer(await this.#get('/archives', { parameters, signal, timeoutMs }), 'Archives').archives;
  }

  /** Who this client is to the gateway, and what it may do. */
  async whoami(options?: CallOptions): Promise<WhoamiAnswer> {
    return expectAnswer(await this.#get('/whoami', options), 'Whoami');
  }

  /** The hosts that the gateway knows; no request is sent to them. */
  async hosts(options?: CallOptions): Promise<HostEntry[]> {
    return expectAnswer(await this.#get('/hosts', options), 'Hosts').hosts;
  }

  #get(path: string, options: Pick<Call, 'parameters' | 'signal' | 'timeoutMs'> = {}): Promise<unknown> {
    return this.#connection.json({ method: 'GET', path, isRead: true, ...options });
  }

  /**
   * Many requests in one: each with its status, in order; those that only read run concurrently. Entries fail separately: a
   * failed one has `error`.
   */
  async batch(entries: readonly BatchEntry[], options?: CallOptions): Promise<BatchAnswer[]> {
    if (entries.length === 0) return [];
    const body = JSON.stringify(entries);
    const answer = await this.#connection.json({ method: 'POST', path: '/pmapi/batch', body, ...options });
    return expectAnswer(answer, 'BatchResponse').responses.map((answered) => {
      const details = answered.status < 400 ? undefined : errorDetails(answered.body);
      return details ? { ...answered, error: errorOf(details, { status: answered.status }) } : answered;
    });
  }

  /**
   * Many streams on one connection, by ids of the caller's own: each sample says in `subscription` which stream it is of. One that fails
   * is reported to `onFailure`, with the id in the error's `details`, and the others continue. A lost connection is reopened.
   */
  async *streams<T extends Times = 'epoch'>(
    subscriptions: Readonly<Record<string, Subscription<T>>>,
    options: Omit<StreamExtras, 'lastEventId'> & CallOptions = {},
  ): AsyncGenerator<StreamSample<T>, void> {
    const left = new Set(Object.keys(subscriptions));
    const lastIds = new Map(Object.entries(subscriptions).map(([id, { lastEventId }]) => [id, lastEventId]));
    const open = (): Promise<OpenAnswer> => {
      const entries = [...left].map((id) => {
        const { parameters } = readCall('stream', 'names', subscriptions[id]!, undefined);
        return { id, method: 'POST', path: '/pmapi/stream', body: { ...parameters, lastEventId: lastIds.get(id) } };
      });
      const headers = { Accept: 'text/event-stream, application/json' };
      const { signal } = options;
      const body = JSON.stringify(entries);
      return this.#connection.open({ method: 'POST', path: '/pmapi/streams', body, headers, signal });
    };
    const source = { open, settings: this.settings, signal: options.signal, left };
    for await (const sample of samplesOf<T>(source, options)) {
      lastIds.set(sample.subscription!, sample.id);
      yield sample;
    }
  }

  /** The archives of a host and what the gateway remembers of it, by time. */
  async timeline(options: TimelineOptions = {}): Promise<TimelineAnswer> {
    const { parameters, signal, timeoutMs } = readCall('timeline', 'names', options, undefined);
    const call: Call = { method: 'GET', path: '/timeline', parameters, isRead: true, signal, timeoutMs };
    return expectAnswer(await this.#connection.json(call), 'Timeline');
  }

  /** What changed between two time windows, or between one host and others: the most remarkable first. */
  async changes(options: ChangesOptions = {}): Promise<ChangesAnswer> {
    const { parameters, signal, timeoutMs } = readCall('changes', 'names', options, undefined);
    const call: Call = { method: 'GET', path: '/changes', parameters, isRead: true, signal, timeoutMs };
    return expectAnswer(await this.#connection.json(call), 'Changes');
  }

  /** What is wrong with a host or archive, since when, and who did it. */
  async diagnose(options: DiagnosisOptions = {}): Promise<DiagnosisAnswer> {
    const { parameters, signal, timeoutMs } = readCall('diagnose', 'names', options, undefined);
    const call: Call = { method: 'GET', path: '/diagnosis', parameters, isRead: true, signal, timeoutMs };
    return expectAnswer(await this.#connection.json(call), 'Diagnosis');
  }

  /** Find metrics, instance domains and instances by words in names, help texts and labels. */
  async search(words: string, options?: SearchOptions): Promise<SearchAnswer> {
    return expectAnswer(await this.#search('/search', 'q', words, options), 'Search');
  }

  /** Completions: names of metrics and instances that a text may become. */
  async suggest(text: string, options?: Pick<SearchOptions, 'limit'> & Where & CallOptions): Promise<string[]> {
    const answer = await this.#search('/search/suggest', 'query', text, options);
    if (Array.isArray(answer)) return answer as string[];
    throw new PmgateError('UNEXPECTED_ANSWER', 'expected a list of names');
  }

  #search(path: string, parameter: string, words: string, options: object | undefined): Promise<unknown> {
    const { parameters, signal, timeoutMs } = readCall('search', parameter, words, options);
    return this.#connection.json({ method: 'GET', path, parameters, isRead: true, signal, timeoutMs });
  }

  /** Stores a value, parsed according to the metric's type. The gateway rejects it unless storing is enabled. @see pmStore(3) */
  async store(name: string, value: string | number | bigint, options?: StoreOptions & Where): Promise<void> {
    const call = readCall('store', 'name', name, options);
    await this.json({ ...call, method: 'POST', parameters: { ...call.parameters, value: String(value) } });
  }

  /** Sends a request that no other method covers, with this client's credentials; the answer as it comes, also where it is an error. */
  async send(path: string, init: RequestInit = {}): Promise<Response> {
    const { baseUrl, settings } = this.#connection;
    const headers = { ...(await ownHeaders(settings)), ...Object.fromEntries(new Headers(init.headers)) };
    return settings.fetch(`${baseUrl}${path}`, { ...init, headers });
  }

  protected get settings(): ClientSettings {
    return this.#connection.settings;
  }

  protected json(call: PmapiCall): Promise<unknown> {
    return this.#connection.json(callOf(call));
  }

  protected open(call: PmapiCall): Promise<OpenAnswer> {
    return this.#connection.open(callOf(call));
  }
}

/** A client of the gateway at `baseUrl` (`http://localhost:44322`), with helpers for common tasks. */
export function createPmgateClient(baseUrl: string, options: PmgateClientOptions = {}): PmgateClient {
  return new PmgateClient(baseUrl, options);
}

function callOf({ operation, method = 'GET', parameters, signal, timeoutMs, headers }: PmapiCall): Call {
  return {
    method,
    path: `/pmapi/${operation}`,
    parameters,
    signal,
    timeoutMs,
    hasPost: true,
    isRead: method === 'GET',
    ...(headers ? { headers } : {}),
  };
}
