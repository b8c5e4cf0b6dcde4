import http from 'node:http';
import https from 'node:https';
import { Socket, type Server } from 'node:net';
import type { Duplex } from 'node:stream';
import express from 'express';
import type { ErrorRequestHandler, Express, NextFunction, Request, RequestHandler, Response } from 'express';
import { GatewayError, ERROR_CATALOGUE, type ErrorCode } from '../pmapi/index.js';
import { CODINGS } from './response/representation.js';
import { pushOwn, respond, respondAny } from './response/respond.js';
import { CorsPolicy } from './guards/web-pages.js';
import { respondError, errorBody, viewError } from './response/error-response.js';
import { beginExchange, tellAnswered, tellDefect, WriteCoalescer, isWaiting, requestIdOf } from './request/exchange.js';
import type { Exchange, ExchangeBasis } from './request/exchange.js';
import { repeatedFacts, isForwarded, type RepeatedFacts } from './request/request-context.js';
import { noSuchPath, pageForBrowsers } from './response/no-such-path.js';
import { methodNotAllowed, OperationDirectory } from './operation-directory.js';
import { refuseTooLong, type RequestPipeline } from './pipeline.js';
import { CORE_ROUTES } from './routes.js';
import type { AnyAnswer, AppOptions, Call } from './contracts.js';
import { forwardedPrefix, toRoot, withoutBasePath } from './request/path-prefix.js';
import { parseParameterBody, readBytes, readJsonDocument } from './request/read-body.js';
import type { RequestRecord } from './options.js';
import { eventLoopTurns } from '../kit/index.js';
import type { ClientLimits } from './guards/client-limits.js';

/** Room for headers besides the longest URL: node counts both together. */
const HEADER_BYTES = 16_384;

/** How often connections are checked against their timeouts, in milliseconds. */
const CHECKING_MS = 1000;

/** A server whose application can be replaced while it runs: later requests and connections get the new one. */
export interface GatewayServer extends http.Server {
  reload(options: AppOptions): void;
  /** Sets another certificate for later connections; a server cannot change between HTTP and HTTPS. */
  setTls(tls: TlsMaterial): void;
}

/** A certificate chain and its private key, in PEM. */
export interface TlsMaterial {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/**
 * The HTTP server of a gateway, not yet listening. Requests and responses are created with Express's methods, so that Express's
 * setPrototypeOf changes nothing: replacing a prototype for each request costs more than all the rest of Express. Unparsable requests
 * get JSON errors, too. With a certificate it serves HTTPS, TLS 1.2 and later.
 */
export function createHttpServer(options: AppOptions, tls?: TlsMaterial): GatewayServer {
  class GraftedRequest extends http.IncomingMessage {}
  class GraftedResponse extends http.ServerResponse {}
  let app: Express;
  let { observer, limits } = options;
  const serve = (req: http.IncomingMessage, res: http.ServerResponse): void => {
    const problem = ambiguity(req);
    if (problem === undefined) {
      if (pipelines.admit(req, res)) app(req, res);
    }
    // The rest of a rejected request is discarded.
    else if (req.socket.writable) refuse(new Error(problem), req.socket);
  };
  const refuse = (error: NodeJS.ErrnoException, socket: Duplex): void => {
    const refused = refuseConnection(error, socket, limits.urlBytes);
    if (refused) observer?.answered?.(refused, () => refused);
  };
  const pipelines = new Pipelines();
  const settings = {
    IncomingMessage: GraftedRequest,
    ServerResponse: GraftedResponse as typeof http.ServerResponse,
    connectionsCheckingInterval: CHECKING_MS,
  };
  const handshakeTimeout = limits.timeouts.headersMs;
  const server = tls
    ? https.createServer({ ...settings, ...tls, minVersion: 'TLSv1.2', handshakeTimeout }, serve)
    : http.createServer(settings, serve);
  server.on('clientError', refuse);
  // No response is possible before the TLS handshake: it would wait for it, and the connection with it, forever.
  server.on('tlsClientError', (_error: Error, socket: Duplex) => socket.destroy());
  // Unknown expectations may be ignored; node would respond to them without a body.
  server.on('checkExpectation', serve);
  const reload = (next: AppOptions): void => {
    ({ observer, limits } = next);
    app = createApp(next);
    graft(GraftedRequest.prototype, app.request, http.IncomingMessage.prototype);
    graft(GraftedResponse.prototype, app.response, http.ServerResponse.prototype);
    // From now on, the objects already have the prototype that Express sets.
    Object.assign(app, { request: GraftedRequest.prototype, response: GraftedResponse.prototype });
    server.headersTimeout = limits.timeouts.headersMs;
    server.requestTimeout = limits.timeouts.requestMs;
    server.keepAliveTimeout = limits.timeouts.keepAliveMs;
    // Node's server reads its own option for each connection.
    Object.assign(server, { maxHeaderSize: limits.urlBytes + HEADER_BYTES });
  };
  reload(options);
  const setTls = (material: TlsMaterial): void => {
    if (server instanceof https.Server) server.setSecureContext({ ...material, minVersion: 'TLSv1.2' });
  };
  return Object.assign(server, { reload, setTls });
}

/**
 * Why a proxy may have understood a request differently: node uses the first of two Hosts, and accepts HTTP/0.9, which has no
 * headers. Undefined for all others. @see RFC 9112, 3.2
 */
function ambiguity({ httpVersionMajor, rawHeaders, socket }: http.IncomingMessage): string | undefined {
  if (httpVersionMajor !== 1) return 'its HTTP version is not supported';
  if (!socket.writable) return 'it follows a rejected request on the same connection';
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    if (name.length === 4 && name.toLowerCase() === 'host' && ++hosts > 1) return 'it has more than one Host header';
  }
  return undefined;
}

/** Copies what Express put between its prototype and node's onto a class's own prototype. */
function graft(target: object, express: object, node: object): void {
  const chain: object[] = [];
  for (let link: unknown = express; link !== null && link !== node; link = Object.getPrototypeOf(link)) {
    chain.unshift(link as object);
  }
  for (const link of chain) {
    for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(link))) {
      if (name !== 'constructor') Object.defineProperty(target, name, property);
    }
  }
}

/**
 * Responds to a request that node's parser rejected: there is no request object, only the socket. Returns its record, or
 * undefined if no response was possible.
 */
function refuseConnection(
  error: NodeJS.ErrnoException & { rawPacket?: Buffer },
  socket: Duplex & { readonly _httpMessage?: http.ServerResponse },
  urlBytes: number,
): RequestRecord | undefined {
  // A response in progress must not be mixed with another one.
  if (error.code === 'ECONNRESET' || !socket.writable || socket._httpMessage?.headersSent === true) {
    socket.destroy();
    return undefined;
  }
  const refusal = describeRefusal(error, urlBytes);
  const body = errorBody(viewError(refusal));
  const requestId = requestIdOf({});
  const { status } = ERROR_CATALOGUE[refusal.code];
  const sizeBytes = Buffer.byteLength(body);
  socket.end(
    `HTTP/1.1 ${status} ${http.STATUS_CODES[status] ?? ''}\r\nContent-Type: application/json\r\n` +
      `X-Content-Type-Options: nosniff\r\nContent-Length: ${sizeBytes}\r\n` +
      `Cache-Control: no-store\r\nX-Request-Id: ${requestId}\r\n` +
      `Connection: close\r\n\r\n${body}`,
  );
  return {
    method: '',
    route: 'unmatched',
    url: '',
    status,
    durationMs: 0,
    sizeBytes,
    remoteAddress: socket instanceof Socket ? socket.remoteAddress : undefined,
    requestId,
    traceId: undefined,
    spanId: undefined,
    problem: refusal.message,
  };
}

function describeRefusal(error: NodeJS.ErrnoException & { rawPacket?: Buffer }, urlBytes: number): GatewayError {
  const make = (code: ErrorCode, message: string): GatewayError => new GatewayError(code, message);
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW': {
      const lineEnd = error.rawPacket?.indexOf('\r\n') ?? -1;
      return lineEnd === -1 || lineEnd > urlBytes
        ? make('URL_TOO_LONG', `the URL is longer than ${urlBytes} bytes (limits.urlBytes)`)
        : make('HEADERS_TOO_LARGE', `the headers are larger than ${HEADER_BYTES} bytes`);
    }
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return make('BODY_TOO_LARGE', 'the extensions of a chunk are too large');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return make('REQUEST_TIMEOUT', 'the request did not arrive in time');
    default:
      return make('BAD_REQUEST', `the request is not valid HTTP: ${error.message}`);
  }
}

/** Requests of one connection that may wait behind earlier ones: no regular client sends more at once. */
const MOST_WAITING = 100;

/** The connections of a server: counts them, and closes those beyond the limit of a client, without a response. */
export class Connections {
  readonly #clients: ClientLimits;
  readonly #open = new Set<Socket>();
  #dropped = 0;

  constructor(server: Server, clients: ClientLimits) {
    this.#clients = clients;
    server.on('connection', (socket) => this.#take(socket));
    // Those beyond the server's maxConnections.
    server.on('drop', () => this.#dropped++);
  }

  get open(): number {
    return this.#open.size;
  }

  /** Closed since the start because there were too many, of all clients or of one. */
  get refused(): number {
    return this.#dropped + this.#clients.refusedConnections;
  }

  /** Closes all open connections, including those that node's server does not know yet, before the end of the TLS handshake. */
  closeAll(): void {
    for (const socket of this.#open) socket.destroy();
  }

  #take(socket: Socket): void {
    eventLoopTurns.arrived();
    const release = this.#clients.connection(socket.remoteAddress);
    if (!release) {
      socket.destroy();
      return;
    }
    this.#open.add(socket);
    socket.once('close', () => {
      this.#open.delete(socket);
      release();
    });
  }
}

/**
 * Pipelining: requests that come before an earlier one of their connection was answered. Node runs them at once and holds back
 * the responses; when the connection closes meanwhile, it notifies the first of them only.
 */
class Pipelines {
  readonly #waiting = new WeakMap<Socket, Set<http.ServerResponse>>();

  /** Has a waiting response notified of its connection's end. False if too many wait: the connection is closed then. */
  admit({ socket }: http.IncomingMessage, res: http.ServerResponse): boolean {
    if (!isWaiting(res)) return true;
    const waiting = this.#waiting.get(socket) ?? this.#watch(socket);
    if (waiting.size >= MOST_WAITING) {
      socket.destroy();
      return false;
    }
    waiting.add(res);
    res.once('close', () => waiting.delete(res));
    return true;
  }

  /** The socket itself is observed: a request whose body was read is closed long before. */
  #watch(socket: Socket): Set<http.ServerResponse> {
    const waiting = new Set<http.ServerResponse>();
    this.#waiting.set(socket, waiting);
    socket.once('close', () => {
      for (const res of waiting) {
        if (!isWaiting(res)) continue;
        res.destroy();
        res.emit('close');
      }
    });
    return waiting;
  }
}

/** The Express application: a route for each path of openapi.yaml. With `createServer` it is three times as fast. */
export function createApp(options: AppOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', false);
  app.set('case sensitive routing', true);
  const { contexts, observer, guards, fleet, timers, limits, basePath } = options;
  const { overload, strictTransportSec } = guards;
  const basis: ExchangeBasis = {
    clock: contexts.clock,
    timers,
    observer,
    cors: new CorsPolicy(guards.corsOrigins),
    coalescer: new WriteCoalescer(),
    overload,
    strictTransport: strictTransportSec === 0 ? undefined : `max-age=${strictTransportSec}`,
    fleet,
    writeTimeoutMs: limits.timeouts.writeMs,
  };
  if (basePath !== '') {
    app.use((req: Request, _res: Response, next: NextFunction) => {
      req.url = withoutBasePath(req.url, basePath) ?? req.url;
      next();
    });
  }
  const directory = new OperationDirectory(options, { ...CORE_ROUTES, ...options.routes });
  for (const { path, services, methods } of directory.paths) {
    const route = app.route(path.replaceAll(/\{(\w+)\}/g, ':$1'));
    if (path === '/pmapi/{context}') {
      // Anything but a number is no context but an unknown path.
      route.all((req: Request, _res: Response, next: NextFunction) =>
        /^\d+$/.test(String(req.params.context)) ? next() : next('route'),
      );
    }
    for (const service of services) route[service.operation.method](serve(service, basis));
    route.options((req: Request, res: Response) => respondMethods(beginExchange(basis, req, res, path), methods));
    route.all((req: Request, res: Response) => {
      const error = methodNotAllowed(req.method, methods);
      sendError(beginExchange(basis, req, res, path), error, undefined, ['Allow', methods.join(', ')]);
    });
  }

  app.use((req: Request, res: Response) => {
    const exchange = beginExchange(basis, req, res, 'unmatched');
    if (req.url.startsWith('//')) {
      redirectSlashes(exchange, directory);
      return;
    }
    if (req.method === 'OPTIONS' && req.url === '*') {
      respondMethods(exchange, ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS']);
      return;
    }
    const error = unmatchedError(req, limits.urlBytes);
    const isMissing = error instanceof GatewayError && error.code === 'NOT_FOUND';
    const sender = { headers: req.headers, remoteAddress: req.socket.remoteAddress };
    const prefix = req.url === req.originalUrl ? forwardedPrefix(sender, guards.clients) : basePath;
    const isProxied = isForwarded(req.headers);
    const wanted = { method: req.method, path: req.path, accept: req.headers.accept, prefix, isProxied };
    const page = isMissing ? pageForBrowsers(wanted, directory.serves('consolePage')) : undefined;
    if (page) respondAny(exchange, page)?.catch((defect: unknown) => sendError(exchange, defect));
    else sendError(exchange, error);
  });
  const onError: ErrorRequestHandler = (...[error, req, res]) => {
    sendError(beginExchange(basis, req, res, 'unmatched'), error);
  };
  // Express tells error handlers by their four parameters.
  app.use((error: unknown, req: Request, res: Response, next: NextFunction) => onError(error, req, res, next));
  return app;
}

function respondMethods(exchange: Exchange, methods: readonly string[]): void {
  const { origin } = exchange.req.headers;
  const { res } = exchange;
  const cors = origin === undefined ? [] : exchange.cors.preflightHeaders(origin, methods);
  const headers = ['Allow', methods.join(', '), ...cors];
  pushOwn(exchange, headers);
  res.writeHead(204, headers);
  res.end();
  tellAnswered(exchange, 204, 0);
}

/**
 * Send a client that begins its path with several slashes to the path with one. Clients put their paths behind a base URL that may end in a
 * slash: Grafana's plugin does, when it has no proxy. They are not served right here, since a proxy in front may have rules by path. The
 * redirect is relative, for proxies that remove a prefix.
 */
function redirectSlashes(exchange: Exchange, directory: OperationDirectory): void {
  const { method = 'GET', url = '/' } = exchange.req;
  const path = url.replace(/^\/+/, '');
  try {
    // Only to what there is: `//evil.example` leads nowhere.
    const methods = directory.methodsOf(`/${path}`);
    // Browsers follow no redirection before they have asked for leave.
    if (method === 'OPTIONS') respondMethods(exchange, methods);
    else {
      const location = toRoot(url.split('?', 1)[0]!) + path;
      void respond(exchange, { status: 308, contentType: 'text/plain', body: '', headers: ['Location', location] });
    }
  } catch (error) {
    sendError(exchange, error);
  }
}

function serve(service: RequestPipeline, basis: ExchangeBasis): RequestHandler {
  const { operation, route } = service;
  const isMetadata = route.isMetadata === true && operation.method === 'get';
  return (req, res) => {
    const exchange = beginExchange(basis, req, res, operation.path, isMetadata);
    const call: Call = {
      method: req.method,
      url: req.url,
      path: req.params,
      headers: req.headers,
      remoteAddress: req.socket.remoteAddress,
      requestId: exchange.requestId,
      readBody: async (maxBytes, operation) =>
        parseParameterBody(await readBytes(req, maxBytes), req.headers, operation),
      readDocument: (maxBytes) => readJsonDocument(req, maxBytes),
      readBytes: (maxBytes, large) => readBytes(req, maxBytes, large),
      connection: req.socket,
      onClose: (listener) => {
        // A client that has left already will not leave again.
        if (res.destroyed) listener();
        else res.once('close', listener);
      },
    };
    const fail = (error: unknown): void => {
      sendError(exchange, error, repeatedFacts(call));
    };
    const send = (answer: AnyAnswer): void => {
      try {
        respondAny(exchange, answer)?.catch(fail);
      } catch (error) {
        fail(error);
      }
    };
    try {
      requireCoding(exchange);
      const answer = service.answer(call);
      if (answer instanceof Promise) answer.then(send, fail);
      else send(answer);
    } catch (error) {
      fail(error);
    }
  };
}

/** Responds with an error, whatever happens: there is no one to catch a failure here, and one request must not crash the gateway. */
function sendError(exchange: Exchange, error: unknown, repeated?: RepeatedFacts, headers?: readonly string[]): void {
  const { res } = exchange;
  const giveUp = (defect: unknown): void => {
    tellDefect(exchange, defect);
    res.destroy();
  };
  // An error while a response is sent can no longer be answered, and no one must wait for the rest.
  if (res.headersSent && !res.writableEnded) {
    giveUp(error);
    return;
  }
  try {
    respondError(exchange, error, repeated, headers)?.catch(giveUp);
  } catch (defect) {
    giveUp(defect);
  }
}

/** Throw NOT_ACCEPTABLE to a client that takes a body neither as it is nor compressed. */
function requireCoding({ coding }: Exchange): void {
  if (coding) return;
  const message = 'Accept-Encoding excludes every supported coding';
  throw new GatewayError('NOT_ACCEPTABLE', message, { expected: `one of identity, ${CODINGS.join(', ')}` });
}

function unmatchedError(req: Request, urlBytes: number): unknown {
  try {
    refuseTooLong(req.originalUrl, urlBytes);
  } catch (error) {
    return error;
  }
  return noSuchPath(req.path);
}
