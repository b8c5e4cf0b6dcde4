import express from 'express';
import type { ErrorRequestHandler, Express, NextFunction, Request, RequestHandler, Response } from 'express';
import { GatewayError } from '../pmapi/index.js';
import { CODINGS } from './response/representation.js';
import { pushOwn, respond, respondAny } from './response/respond.js';
import { CorsPolicy } from './guards/web-pages.js';
import { respondError } from './response/error-response.js';
import { beginExchange, tellAnswered, tellDefect, type Exchange, type ExchangeBasis } from './request/exchange.js';
import { repeatedFacts, type RepeatedFacts } from './request/named-context.js';
import { noSuchPath, pageForBrowsers } from './response/no-such-path.js';
import { methodNotAllowed, OperationDirectory } from './operation-directory.js';
import { refuseTooLong, type RequestPipeline } from './pipeline.js';
import { CORE_ROUTES } from './routes.js';
import type { AppOptions, Call } from './contracts.js';
import { WriteCoalescer } from './server/connections.js';
import { isForwarded } from './request/request-context.js';
import { forwardedPrefix, toRoot, withoutBasePath } from './request/path-prefix.js';
import { parseParameterBody, readBytes, readJsonDocument } from './request/read-body.js';

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
    try {
      requireCoding(exchange);
      const answer = service.answer(call);
      if (answer instanceof Promise) answer.then((given) => respondAny(exchange, given)).catch(fail);
      else respondAny(exchange, answer)?.catch(fail);
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
