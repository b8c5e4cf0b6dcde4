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
import { callOptions, type CallOptions } from './call.js';
import { ownHeaders, type ClientSettings, type PmgateClientOptions } from './client-options.js';
import { Connection, type OpenAnswer } from './connection.js';
import { DerivedDefinitions } from './derived-definitions.js';
import { expectAnswer } from './expect-answer.js';
import { GatewayContext } from './gateway-context.js';
import { callBelow, MetricReads, readCall, type PmapiCall } from './metric-reads.js';
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
  async archives(options?: ArchivesOptions): Promise<ArchiveEntry[]> {
    return (await this.#connection.ask('Archives', 'GET', '/archives', options)).archives;
  }

  /** Who this client is to the gateway, and what it may do. */
  whoami(options?: CallOptions): Promise<WhoamiAnswer> {
    return this.#connection.ask('Whoami', 'GET', '/whoami', options);
  }

  /** The hosts that the gateway knows; no request is sent to them. */
  async hosts(options?: CallOptions): Promise<HostEntry[]> {
    return (await this.#connection.ask('Hosts', 'GET', '/hosts', options)).hosts;
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
  timeline(options?: TimelineOptions): Promise<TimelineAnswer> {
    return this.#connection.ask('Timeline', 'GET', '/timeline', options);
  }

  /** What changed between two time windows, or between one host and others: the most remarkable first. */
  changes(options?: ChangesOptions): Promise<ChangesAnswer> {
    return this.#connection.ask('Changes', 'GET', '/changes', options);
  }

  /** What is wrong with a host or archive, since when, and who did it. */
  diagnose(options?: DiagnosisOptions): Promise<DiagnosisAnswer> {
    return this.#connection.ask('Diagnosis', 'GET', '/diagnosis', options);
  }

  /** Find metrics, instance domains and instances by words in names, help texts and labels. */
  search(words: string, options?: SearchOptions): Promise<SearchAnswer> {
    return this.#connection.ask('Search', 'GET', '/search', { q: words, ...options });
  }

  /** Completions: names of metrics and instances that a text may become. */
  async suggest(text: string, options?: Pick<SearchOptions, 'limit'> & Where & CallOptions): Promise<string[]> {
    const call = callOptions({ query: text, ...options });
    const answer = await this.#connection.json({ method: 'GET', path: '/search/suggest', isRead: true, ...call });
    if (Array.isArray(answer)) return answer as string[];
    throw new PmgateError('UNEXPECTED_ANSWER', 'expected a list of names');
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
    return this.#connection.json(callBelow('/pmapi', call));
  }

  protected open(call: PmapiCall): Promise<OpenAnswer> {
    return this.#connection.open(callBelow('/pmapi', call));
  }
}

/** A client of the gateway at `baseUrl` (`http://localhost:44322`), with helpers for common tasks. */
export function createPmgateClient(baseUrl: string, options: PmgateClientOptions = {}): PmgateClient {
  return new PmgateClient(baseUrl, options);
}
