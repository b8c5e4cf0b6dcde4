import type { IncomingHttpHeaders } from 'node:http';
import { GatewayError } from '../pmapi/index.js';
import type { Answer, AnyAnswer } from './answer.js';
import { CorsPolicy } from './cors.js';
import { foreignOrigin, foreignPageError } from './foreign-page.js';
import { isLoopback } from './loopback.js';
import type { OperationDescription } from './openapi.js';
import type { OperationRequest } from './operation.js';
import type { HttpOptions } from './options.js';
import { routeOf } from './routes.js';
import type { Route } from './routes.js';
import { ParameterValidator } from './validate.js';
import type { RawParameters } from './validate.js';

/** A request to one operation, be it one of its own or part of a batch. */
export interface Call {
  /** GET, HEAD, POST … */
  readonly method: string;
  /** Path and query as requested. */
  readonly url: string;
  /** The parameters of the path, decoded. */
  readonly path: Readonly<Record<string, string | string[]>>;
  readonly headers: IncomingHttpHeaders;
  readonly remoteAddress: string | undefined;
  /** Read the body; asked for once, by operations that have one. */
  readonly readBody: (maxBytes: number, textParameter: string | undefined) => Promise<RawParameters['body']>;
  /** Have a listener called when the answer is out or the client has gone, whichever comes first. */
  readonly onClose: (listener: () => void) => void;
  /** What the operation gets to see, once that is made: errors tell its context. */
  request?: OperationRequest<object>;
}

/**
 * One operation of openapi.yaml, ready to be called: checks what comes, runs its route, and knows nothing of sockets. Its schemas
 * are compiled when the first call comes.
 */
export class OperationService {
  readonly operation: OperationDescription;
  readonly route: Route;
  readonly #options: HttpOptions;
  readonly #cors: CorsPolicy;
  #validator: ParameterValidator | undefined;

  constructor(operation: OperationDescription, options: HttpOptions) {
    const route = routeOf(operation.operationId);
    if (!route) throw new Error(`openapi.yaml has the operation ${operation.operationId}, routes.ts has not`);
    this.operation = operation;
    this.route = route;
    this.#options = options;
    this.#cors = new CorsPolicy(options.cors.origins);
  }

  /** Answer a call, at once where nothing has to be waited for. Throws, or rejects with, what respondError() understands. */
  answer(call: Call): Answer | Promise<AnyAnswer> {
    const { limits } = this.#options;
    refuseTooLong(call.url, limits.urlBytes);
    this.#refuseForeignChange(call);
    const { hasBody, textParameter } = this.operation;
    if (!hasBody) return this.#run(call, undefined);
    return call.readBody(limits.bodyBytes, textParameter).then((body) => this.#run(call, body));
  }

  #run(call: Call, body: RawParameters['body']): Answer | Promise<AnyAnswer> {
    const { route } = this;
    const request = this.#readRequest(call, body);
    call.request = request;
    // All that HEAD tells of a GET that would change something: that it may be asked.
    if (call.method === 'HEAD' && (route.changesState === true || this.#movesPosition(request))) {
      return { contentType: route.contentType ?? 'application/json', body: '' };
    }
    return route.run(request);
  }

  #readRequest(call: Call, body: RawParameters['body']): OperationRequest<object> {
    const { url } = call;
    this.#validator ??= new ParameterValidator(this.operation, this.#options.limits.names);
    const mark = url.indexOf('?');
    const raw = { query: mark === -1 ? '' : url.slice(mark + 1), path: call.path };
    const { query, path } = this.#validator.read(body ? { ...raw, body } : raw);
    return {
      query,
      path,
      headers: call.headers,
      options: this.#options,
      compat: this.route.compat === true,
      isLoopback: () => isLoopback(call.remoteAddress),
      onClose: call.onClose,
    };
  }

  /** Pages of foreign origins may not change anything. */
  #refuseForeignChange({ headers }: Call): void {
    if (this.route.changesState !== true) return;
    const origin = foreignOrigin(headers, this.#cors);
    if (origin !== undefined) throw foreignPageError(origin, 'change anything here');
  }

  /** Whether running a request would move its context along an archive. Throws UNKNOWN_CONTEXT. */
  #movesPosition({ query, path }: OperationRequest<{ readonly context?: number }>): boolean {
    const id = query.context ?? path.context;
    if (this.route.takesSample !== true || id === undefined) return false;
    return this.#options.contexts.use(id).kind === 'archive';
  }
}

/** Throw URL_TOO_LONG for a URL that is longer than `limits.urlBytes`. */
export function refuseTooLong(url: string, urlBytes: number): void {
  if (url.length <= urlBytes) return;
  throw new GatewayError(
    'URL_TOO_LONG',
    `the URL is longer than ${urlBytes} bytes (limits.urlBytes): send the parameters in a POST body`,
    { expected: `at most ${urlBytes} bytes` },
  );
}
