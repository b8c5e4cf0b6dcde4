import type { IncomingHttpHeaders } from 'node:http';
import { GatewayError } from '../pmapi/index.js';
import type { Principal } from '../access/index.js';
import { Admission } from './guards/admission.js';
import { auditRecord } from './guards/audit.js';
import { isStreamed } from './response/answer.js';
import type { Answer, AnyAnswer } from './response/answer.js';
import { isLoopback } from './guards/loopback.js';
import type { OperationDescription, TextParameter } from './request/openapi.js';
import type { OperationDirectory } from './operation-directory.js';
import type { OperationRequest } from './operation.js';
import type { HttpOptions } from './options.js';
import { RecentParameters } from './request/recent-parameters.js';
import { routeOf } from './routes.js';
import type { Route } from './routes.js';
import { validatorOf } from './request/validate.js';
import type { Parameters as ReadParameters, ParameterValidator, RawParameters } from './request/validate.js';

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
  /** What the log knows the request by; the entries of a batch share it. */
  readonly requestId: string;
  /** Read the body; asked for once, by operations that have one. */
  readonly readBody: (maxBytes: number, textParameter: TextParameter | undefined) => Promise<RawParameters['body']>;
  /** The same for operations whose body is a JSON document: whatever it holds. */
  readonly readDocument: (maxBytes: number) => Promise<unknown>;
  /** Have a listener called when the answer is out or the client has gone, whichever comes first. */
  readonly onClose: (listener: () => void) => void;
  /** Whether it is a part of a batch, which is under way itself. */
  readonly isPart?: boolean;
  /** Whoever sends it, once that is known. */
  principal?: Principal | undefined;
  /** Its body, once that is read: errors repeat `client` from there. */
  body?: RawParameters['body'];
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
  readonly #admission: Admission;
  readonly #directory: OperationDirectory;
  readonly #recent = new RecentParameters();
  #validator: ParameterValidator | undefined;

  /** `directory` holds the operations that this one may call. */
  constructor(operation: OperationDescription, options: HttpOptions, directory: OperationDirectory) {
    const route = routeOf(operation.operationId);
    if (!route) throw new Error(`openapi.yaml has the operation ${operation.operationId}, routes.ts has not`);
    this.operation = operation;
    this.route = route;
    this.#options = options;
    this.#admission = new Admission(route, options);
    this.#directory = directory;
  }

  /** Answer a call, at once where nothing has to be waited for. Throws, or rejects with, what respondError() understands. */
  answer(call: Call): Answer | Promise<AnyAnswer> {
    const { limits } = this.#options;
    refuseTooLong(call.url, limits.urlBytes);
    const { overload } = this.#options;
    if (!overload || call.isPart === true) return this.#admit(call);
    const { cost = 'usual' } = this.route;
    overload.enter(cost);
    return heldUntilDone(
      () => this.#admit(call),
      () => overload.leave(cost),
      call,
    );
  }

  #admit(call: Call): Answer | Promise<AnyAnswer> {
    if (this.route.isAudited === true && call.method !== 'HEAD') return this.#answerOnRecord(call);
    const principal = this.#admission.admit(call);
    if (principal instanceof Promise) return principal.then((found) => this.#count(call, found));
    return this.#count(call, principal);
  }

  /** Answer a call and have what it did, or was not allowed to do, put down. */
  async #answerOnRecord(call: Call): Promise<AnyAnswer> {
    const record = (outcome: Parameters<typeof auditRecord>[2]): void =>
      this.#options.observer?.audited?.(auditRecord(call, this.operation.operationId, outcome));
    try {
      const principal = await this.#admission.admit(call);
      const answer = await this.#count(call, principal);
      record({ answer });
      return answer;
    } catch (error) {
      record({ error });
      throw error;
    }
  }

  /** Run a call as one of its client's. Throws TOO_MANY_REQUESTS. */
  #count(call: Call, principal: Principal | undefined): Answer | Promise<AnyAnswer> {
    const { clients } = this.#options;
    const release = this.route.cost === 'none' ? undefined : clients?.request(call, call.isPart);
    return release ? heldUntilDone(() => this.#read(call, principal), release, call) : this.#read(call, principal);
  }

  #read(call: Call, principal: Principal | undefined): Answer | Promise<AnyAnswer> {
    const { limits } = this.#options;
    const { hasBody, textParameter } = this.operation;
    if (!hasBody) return this.#run(call, principal, undefined);
    if (this.route.readsDocument === true) {
      return call.readDocument(limits.bodyBytes).then((document) => this.#run(call, principal, undefined, document));
    }
    return call.readBody(limits.bodyBytes, textParameter).then((body) => {
      call.body = body;
      return this.#run(call, principal, body);
    });
  }

  #run(
    call: Call,
    principal: Principal | undefined,
    body: RawParameters['body'],
    document?: unknown,
  ): Answer | Promise<AnyAnswer> {
    const { route } = this;
    const request = this.#readRequest(call, principal, body, document);
    call.request = request;
    // All that HEAD tells of a GET that would change something: that it may be asked.
    if (call.method === 'HEAD' && (route.changesState === true || this.#movesPosition(request))) {
      return { contentType: route.contentType ?? 'application/json', body: '' };
    }
    const { held } = request;
    if (!held) return route.run(request);
    return heldUntilDone(
      () => route.run(request),
      () => {
        for (const release of held) release();
      },
    );
  }

  #readRequest(
    call: Call,
    principal: Principal | undefined,
    body: RawParameters['body'],
    document: unknown,
  ): OperationRequest<object> {
    const isKept = this.route.takesSample === true && body === undefined;
    const { query, path } = isKept
      ? this.#recent.of(call.url, () => this.#readParameters(call, body))
      : this.#readParameters(call, body);
    return {
      query,
      path,
      document,
      headers: call.headers,
      principal,
      options: this.#options,
      compat: this.route.compat === true,
      isLoopback: () => isLoopback(call.remoteAddress),
      onClose: call.onClose,
      call,
      directory: this.#directory,
      held: this.#options.overload && this.route.cost !== 'none' ? [] : undefined,
    };
  }

  #readParameters({ url, path }: Call, body: RawParameters['body']): ReadParameters {
    this.#validator ??= validatorOf(this.operation);
    const mark = url.indexOf('?');
    const raw = { query: mark === -1 ? '' : url.slice(mark + 1), path };
    return this.#validator.read(body ? { ...raw, body } : raw, this.#options.limits.names);
  }

  /**
   * Whether a call has to come in its turn among others: because it changes something, or moves a context on an archive along.
   * `context` is the one that it names; an unknown one is for the call itself to notice.
   */
  mustTakeTurn(context: number | undefined): boolean {
    const { changesState, isAudited, takesSample } = this.route;
    if (changesState === true || isAudited === true) return true;
    if (takesSample !== true || context === undefined) return false;
    try {
      return this.#options.contexts.use(context).kind === 'archive';
    } catch {
      return false;
    }
  }

  /** Whether running a request would move its context along an archive. Throws UNKNOWN_CONTEXT. */
  #movesPosition({ query, path }: OperationRequest<{ readonly context?: number }>): boolean {
    const id = query.context ?? path.context;
    if (this.route.takesSample !== true || id === undefined) return false;
    return this.#options.contexts.use(id).kind === 'archive';
  }
}

/**
 * Run something and release something else when it has answered. With a call, an answer that is written as it is made has to be out, too;
 * streams have answered when they begin.
 */
function heldUntilDone(
  run: () => Answer | Promise<AnyAnswer>,
  release: () => void,
  call?: Call,
): Answer | Promise<AnyAnswer> {
  let answer: Answer | Promise<AnyAnswer>;
  try {
    answer = run();
  } catch (error) {
    release();
    throw error;
  }
  if (!(answer instanceof Promise)) {
    release();
    return answer;
  }
  return answer.then(
    (given) => {
      // What is made already and waits for its client counts by its size.
      if (call && isStreamed(given) && given.heldBytes === undefined) call.onClose(release);
      else release();
      return given;
    },
    (error: unknown) => {
      release();
      throw error;
    },
  );
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
