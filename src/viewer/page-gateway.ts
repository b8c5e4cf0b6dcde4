import { ContextManager } from '../context/index.js';
import { DEFAULT_RANGE_LIMITS } from '../context/range/index.js';
import { DefinitionStore } from '../derived/index.js';
import { PAGE_FEATURES, type Surroundings } from '../features/index.js';
import {
  errorBody,
  isStreamed,
  isSubscribed,
  OperationDirectory,
  parseParameterBody,
  READING_ROUTES,
  repeatedFacts,
  viewError,
} from '../http/index.js';
import type { AnyAnswer, Call, HttpOptions, Routes } from '../http/index.js';
import { systemTimers } from '../kit/index.js';
import { GatewayError, systemClock } from '../pmapi/index.js';
import type { ByteFile } from '../sources/archive/index.js';
import { GivenArchives } from './given-archives.js';

/** A request of a page, as `fetch` gets it. */
export interface PageCall {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly contentType?: string;
  readonly body?: string;
}

/** A whole response to a page. */
export interface PageAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: Blob;
}

/** How much a page may ask for, and keep. */
const LIMITS: Omit<HttpOptions['limits'], 'timeouts'> = {
  urlBytes: 1e6,
  bodyBytes: 16e6,
  names: 10_000,
  values: 1_000_000,
  ranges: DEFAULT_RANGE_LIMITS,
  batch: 0,
  batchBytes: 0,
};
const CONTEXTS = { contexts: 100, pollTimeoutMs: 60_000, maxPollTimeoutMs: 3_600_000 };
const free = () => (): void => undefined;
/** A thread that serves one page is never overloaded: what it is asked for takes the time that it takes. */
const overload = { enter: free, leave: free, enterHost: free, enterLargeFetch: free, ranges: { enter: free } };

/** Serves the archives of a page with the operations of a gateway, without its sockets, guards and hosts. */
export class PageGateway {
  readonly #directory: OperationDirectory;
  readonly #contexts: ContextManager;
  readonly #options: HttpOptions;
  readonly #archives = new GivenArchives();

  /** @param definitions files of derived metrics; @param version that of the gateway */
  constructor(definitions: readonly string[], version: string) {
    const store = new DefinitionStore();
    for (const text of definitions) store.load(text, { file: '', origin: 'shipped', lenient: true });
    this.#contexts = new ContextManager({
      sources: this.#archives,
      clock: systemClock,
      definitions: store,
      limits: CONTEXTS,
    });
    const surroundings = {
      config: { diagnosis: { files: [] } },
      clock: systemClock,
      timers: systemTimers,
      contexts: this.#contexts,
    } as unknown as Surroundings;
    this.#options = {
      contexts: this.#contexts,
      directories: { archives: this, namedHosts: () => [] },
      guards: { overload, clients: { context: () => undefined }, store: { enabled: false } },
      limits: LIMITS,
      basePath: '',
      version,
      timers: systemTimers,
    } as unknown as HttpOptions;
    const routes = PAGE_FEATURES.map((feature) => feature.make(surroundings).routes);
    this.#directory = new OperationDirectory(this.#options, Object.assign({}, READING_ROUTES, ...routes) as Routes);
  }

  /** Adds files of archives to those that there are; returns the names of the archives among them. */
  add(files: readonly ByteFile[]): readonly string[] {
    return this.#archives.add(files);
  }

  /** The archives, and those that cannot be opened. @see ArchiveDirectory */
  async list(_filter: unknown, signal?: AbortSignal) {
    const archives = [];
    const broken = [];
    for (const name of this.#archives.names) {
      try {
        archives.push(await this.#archives.describe(name, signal));
      } catch (error) {
        signal?.throwIfAborted();
        broken.push({ name, error: error as Error });
      }
    }
    return { archives, broken };
  }

  /** The response to a request; errors are responses, too. */
  async answer({ method, url, contentType, body = '' }: PageCall, signal: AbortSignal): Promise<PageAnswer> {
    this.#contexts.sweep();
    const headers = contentType === undefined ? {} : { 'content-type': contentType };
    const bytes = new TextEncoder().encode(body);
    const closed = new AbortController();
    const onClose = (listener: () => void): void => closed.signal.addEventListener('abort', listener);
    const close = (): void => closed.abort();
    signal.addEventListener('abort', close, { signal: closed.signal });
    let call: Call | undefined;
    try {
      const { service, path } = this.#directory.find(method, url);
      call = {
        method,
        url,
        path,
        headers,
        remoteAddress: undefined,
        requestId: '',
        readBody: (_most, described) => Promise.resolve(parseParameterBody(bytes, headers, described)),
        readDocument: () => Promise.reject(new Error('no document')),
        readBytes: () => Promise.resolve(bytes),
        connection: this,
        onClose,
        isHanded: true,
      };
      return await wholeOf(await service.answer(call));
    } catch (error) {
      const view = viewError(error);
      if (view.code === 'INTERNAL') console.error(error);
      const text = errorBody(view, call && repeatedFacts(call));
      return { status: view.status, contentType: 'application/json', body: new Blob([text]) };
    } finally {
      close();
    }
  }
}

async function wholeOf(answer: AnyAnswer): Promise<PageAnswer> {
  const { contentType } = answer;
  if (isSubscribed(answer)) throw new GatewayError('NOT_FOUND', 'archives of a page have no streams');
  if (!isStreamed(answer)) return { status: answer.status ?? 200, contentType, body: blobOf([answer.body]) };
  const pieces: (string | Uint8Array)[] = [];
  for await (const piece of answer.pieces) pieces.push(piece);
  return { status: 200, contentType, body: blobOf(pieces) };
}

function blobOf(pieces: readonly (string | Uint8Array)[]): Blob {
  return new Blob(pieces as (string | Uint8Array<ArrayBuffer>)[]);
}
