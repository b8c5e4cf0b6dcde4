import express from 'express';
import type { ErrorRequestHandler, Express, NextFunction, Request, RequestHandler, Response } from 'express';
import { GatewayError } from '../pmapi/index.js';
import { isStreamed } from './answer.js';
import type { Answer, StreamedAnswer } from './answer.js';
import { CorsPolicy } from './cors.js';
import { respondError } from './error-response.js';
import { foreignOrigin, foreignPageError } from './foreign-page.js';
import { listOperations, openapiDocument } from './openapi.js';
import type { OperationDescription } from './openapi.js';
import type { OperationRequest } from './operation.js';
import type { HttpOptions } from './options.js';
import { isLoopback } from './loopback.js';
import { readParameterBody } from './read-body.js';
import { respond, respondStream } from './respond.js';
import type { Exchange } from './respond.js';
import { routeOf } from './routes.js';
import type { Route } from './routes.js';
import { ParameterValidator } from './validate.js';
import type { RawParameters } from './validate.js';

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
  const begin = (req: Request, res: Response, route: string): Exchange => {
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
    for (const operation of operations) route[operation.method](serve(operation, options, begin, cors));
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
    const exchange = begin(req, res, 'unmatched');
    if (req.method === 'OPTIONS' && req.url === '*') {
      respondMethods(exchange, ['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS']);
      return;
    }
    const path = req.path.slice(0, 200);
    const { urlBytes } = options.limits;
    respondError(exchange, tooLong(req, urlBytes) ?? new GatewayError('NOT_FOUND', `no such path: ${path}`));
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

function tooLong(req: Request, urlBytes: number): GatewayError | undefined {
  if (req.originalUrl.length <= urlBytes) return undefined;
  return new GatewayError(
    'URL_TOO_LONG',
    `the URL is longer than ${urlBytes} bytes (limits.urlBytes): send the parameters in a POST body`,
    { expected: `at most ${urlBytes} bytes` },
  );
}

/** The error for a page that may not change anything and asks to. */
function foreignChange(req: Request, route: Route, cors: CorsPolicy): GatewayError | undefined {
  if (route.changesState !== true) return undefined;
  const origin = foreignOrigin(req.headers, cors);
  return origin === undefined ? undefined : foreignPageError(origin, 'change anything here');
}

/** The handler of one operation. Its schemas are compiled when the first request comes. */
function serve(
  operation: OperationDescription,
  options: HttpOptions,
  begin: (req: Request, res: Response, route: string) => Exchange,
  cors: CorsPolicy,
): RequestHandler {
  const route = routeOf(operation.operationId);
  if (!route) throw new Error(`openapi.yaml has the operation ${operation.operationId}, routes.ts has not`);
  let validator: ParameterValidator | undefined;

  return (req, res) => {
    const exchange = begin(req, res, operation.path);
    let request: OperationRequest<object> | undefined;
    const fail = (error: unknown): void => {
      try {
        respondError(exchange, error, request?.contextId ?? namedContext(req));
      } catch (defect) {
        // Nobody is left to catch it, and one request must not take the gateway down.
        options.observer?.defect?.({ requestId: 'none', route: operation.path, url: req.url, error: defect });
        res.destroy();
      }
    };
    const run = (body: RawParameters['body']): Answer | Promise<Answer | StreamedAnswer> => {
      validator ??= new ParameterValidator(operation, options.limits.names);
      request = readRequest(validator, req, res, route, options, body);
      // All that HEAD tells of a GET that would change something: that it may be asked.
      if (req.method === 'HEAD' && (route.changesState === true || movesPosition(route, request))) {
        return { contentType: route.contentType ?? 'application/json', body: '' };
      }
      return route.run(request);
    };
    try {
      const error = tooLong(req, options.limits.urlBytes) ?? foreignChange(req, route, cors);
      if (error) throw error;
      const { hasBody, textParameter } = operation;
      const answer = hasBody
        ? readParameterBody(req, options.limits.bodyBytes, textParameter).then(run)
        : run(undefined);
      if (answer instanceof Promise) {
        answer
          .then((given) => (isStreamed(given) ? respondStream(exchange, given) : respond(exchange, given)))
          .catch(fail);
      } else respond(exchange, answer);
    } catch (error) {
      fail(error);
    }
  };
}

/** Whether running a request would move its context along an archive. Throws UNKNOWN_CONTEXT. */
function movesPosition(route: Route, request: OperationRequest<{ readonly context?: number }>): boolean {
  const id = request.query.context ?? request.path.context;
  if (route.takesSample !== true || id === undefined) return false;
  return request.options.contexts.use(id).kind === 'archive';
}

/** The context that a request names, for errors that come before its parameters are read. */
function namedContext(req: Request): number | undefined {
  const named = /[?&]context=(\d+)(?:&|$)/.exec(req.url)?.[1] ?? req.params.context;
  const id = typeof named === 'string' && /^\d+$/.test(named) ? Number(named) : Number.NaN;
  return Number.isSafeInteger(id) ? id : undefined;
}

function readRequest(
  validator: ParameterValidator,
  req: Request,
  res: Response,
  route: Route,
  options: HttpOptions,
  body: RawParameters['body'],
): OperationRequest<object> {
  const { url } = req;
  const mark = url.indexOf('?');
  const query = mark === -1 ? '' : url.slice(mark + 1);
  const { query: read, path } = validator.read({ query, path: req.params, ...(body ? { body } : {}) });
  return {
    query: read,
    path,
    headers: req.headers,
    options,
    compat: route.compat === true,
    isLoopback: () => isLoopback(req.socket.remoteAddress),
    onClose: (listener) => void res.once('close', listener),
  };
}
