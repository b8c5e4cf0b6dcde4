import express from 'express';
import type { ErrorRequestHandler, Express, NextFunction, Request, RequestHandler, Response } from 'express';
import { GatewayError } from '../pmapi/index.js';
import { CorsPolicy } from './cors.js';
import { respondError } from './error-response.js';
import { listOperations, openapiDocument } from './openapi.js';
import type { OperationDescription } from './openapi.js';
import { OperationService, refuseTooLong } from './operation-service.js';
import type { Call } from './operation-service.js';
import type { HttpOptions } from './options.js';
import { readParameterBody } from './read-body.js';
import { respond, respondAny } from './respond.js';
import type { Exchange } from './respond.js';

type Begin = (req: Request, res: Response, route: string) => Exchange;

/**
 * The Express application: one router with a route for every path of openapi.yaml, and nothing before it. Serve it with
 * `createServer` of server.ts, which makes it three times as fast as `app.listen`.
 */
export function createApp(options: HttpOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', false);
  app.set('case sensitive routing', true);
  const cors = new CorsPolicy(options.cors.origins);
  const begin: Begin = (req, res, route) => {
    return { req, res, route, startMs: performance.now(), observer: options.observer, cors };
  };

  for (const [path, operations] of operationsByPath()) {
    const route = app.route(path.replaceAll(/\{(\w+)\}/g, ':$1'));
    if (path === '/pmapi/{context}') {
      // Anything but a number is no context but an unknown path.
      route.all((req: Request, _res: Response, next: NextFunction) =>
        /^\d+$/.test(String(req.params.context)) ? next() : next('route'),
      );
    }
    for (const operation of operations) {
      route[operation.method](serve(new OperationService(operation, options), begin));
    }
    const methods = allowedMethods(operations);
    route.options((req: Request, res: Response) => respondMethods(begin(req, res, path), methods));
    route.all((req: Request, res: Response) => {
      const expected = methods.join(', ');
      const error = new GatewayError('METHOD_NOT_ALLOWED', `${req.method} is not possible here; use ${expected}`, {
        expected,
      });
      respondError(begin(req, res, path), error, undefined, ['Allow', expected]);
    });
  }

  app.use((req: Request, res: Response) => {
    // Clients put their paths behind a base URL that may end in a slash: Grafana's plugin does, when it has no proxy.
    if (req.url.startsWith('//')) {
      req.url = req.url.replace(/^\/+/, '/');
      app(req, res);
      return;
    }
    const exchange = begin(req, res, 'unmatched');
    if (req.method === 'OPTIONS' && req.url === '*') {
      respondMethods(exchange, ['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS']);
      return;
    }
    respondError(exchange, noSuchPath(req, options.limits.urlBytes));
  });
  const onError: ErrorRequestHandler = (...[error, req, res]) => {
    respondError(begin(req, res, 'unmatched'), error);
  };
  // Express tells error handlers by their four parameters.
  app.use((error: unknown, req: Request, res: Response, next: NextFunction) => onError(error, req, res, next));
  return app;
}

/** Operations by path; a path whose last segment is a parameter comes after those that it would hide. */
function operationsByPath(): readonly (readonly [string, readonly OperationDescription[]])[] {
  const byPath = new Map<string, OperationDescription[]>();
  for (const operation of listOperations(openapiDocument())) {
    byPath.set(operation.path, [...(byPath.get(operation.path) ?? []), operation]);
  }
  const endsOpen = (path: string): number => (path.endsWith('}') ? 1 : 0);
  return [...byPath].sort(([a], [b]) => endsOpen(a) - endsOpen(b));
}

function allowedMethods(operations: readonly OperationDescription[]): readonly string[] {
  const methods = operations.map(({ method }) => method.toUpperCase());
  return [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'];
}

function respondMethods(exchange: Exchange, methods: readonly string[]): void {
  const { origin } = exchange.req.headers;
  const { res } = exchange;
  const cors = origin === undefined ? [] : exchange.cors.preflightHeaders(origin, methods);
  res.writeHead(204, ['Allow', methods.join(', '), ...cors]);
  res.end();
}

/** The handler of one operation. */
function serve(service: OperationService, begin: Begin): RequestHandler {
  const { path } = service.operation;
  return (req, res) => {
    const exchange = begin(req, res, path);
    const call: Call = {
      method: req.method,
      url: req.url,
      path: req.params,
      headers: req.headers,
      remoteAddress: req.socket.remoteAddress,
      readBody: (maxBytes, textParameter) => readParameterBody(req, maxBytes, textParameter),
      onClose: (listener) => void res.once('close', listener),
    };
    const fail = (error: unknown): void => {
      try {
        respondError(exchange, error, call.request?.contextId ?? namedContext(req));
      } catch (defect) {
        // Nobody is left to catch it, and one request must not take the gateway down.
        exchange.observer?.defect?.({ requestId: 'none', route: path, url: req.url, error: defect });
        res.destroy();
      }
    };
    try {
      const answer = service.answer(call);
      if (answer instanceof Promise) {
        answer.then((given) => respondAny(exchange, given)).catch(fail);
      } else respond(exchange, answer);
    } catch (error) {
      fail(error);
    }
  };
}

/** The context that a request names, for errors that come before its parameters are read. */
function namedContext(req: Request): number | undefined {
  const named = /[?&]context=(\d+)(?:&|$)/.exec(req.url)?.[1] ?? req.params.context;
  const id = typeof named === 'string' && /^\d+$/.test(named) ? Number(named) : Number.NaN;
  return Number.isSafeInteger(id) ? id : undefined;
}

/** The error for a path that is none. */
function noSuchPath(req: Request, urlBytes: number): unknown {
  try {
    refuseTooLong(req.originalUrl, urlBytes);
  } catch (error) {
    return error;
  }
  return new GatewayError('NOT_FOUND', `no such path: ${req.path.slice(0, 200)}`);
}
