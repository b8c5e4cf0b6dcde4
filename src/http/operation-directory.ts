import { GatewayError } from '../pmapi/index.js';
import { noSuchPath } from './response/no-such-path.js';
import { listOperations, openapiDocument, type OperationDescription } from './request/openapi.js';
import { RequestPipeline } from './pipeline.js';
import type { FoundOperation, Route, Routes } from './contracts.js';
import type { HttpOptions } from './options.js';

export interface PathServices {
  readonly path: string;
  readonly services: readonly RequestPipeline[];
  /** For `Allow`: HEAD comes with GET, and OPTIONS with every path. */
  readonly methods: readonly string[];
}

interface FoundService extends FoundOperation {
  readonly service: RequestPipeline;
}

/** Every operation of openapi.yaml that some routes serve, with its function. A path whose last segment is a parameter comes after those that it would hide. */
export class OperationDirectory {
  readonly paths: readonly PathServices[];
  readonly #routes: Routes;
  #patterns: readonly (readonly [RegExp, PathServices])[] | undefined;

  constructor(options: HttpOptions, routes: Routes) {
    const byPath = new Map<string, (readonly [OperationDescription, Route])[]>();
    this.#routes = routes;
    for (const operation of listOperations(openapiDocument())) {
      const route = routeOf(this.#routes, operation);
      if (route) byPath.set(operation.path, [...(byPath.get(operation.path) ?? []), [operation, route]]);
    }
    const endsOpen = (path: string): number => (path.endsWith('}') ? 1 : 0);
    const sorted = [...byPath].sort(([a], [b]) => endsOpen(a) - endsOpen(b));
    this.paths = sorted.map(([path, operations]) => ({
      path,
      services: operations.map(([operation, route]) => new RequestPipeline(operation, route, options, this)),
      methods: allowedMethods(operations.map(([operation]) => operation)),
    }));
  }

  /** As the router does. Throws NOT_FOUND, METHOD_NOT_ALLOWED, and URIError for invalid percent-encoding. */
  find(method: string, url: string): FoundService {
    const { groups, entry } = this.#match(url);
    const service = entry.services.find(({ operation }) => operation.method === method.toLowerCase());
    if (!service) throw methodNotAllowed(method, entry.methods);
    const parameters = Object.entries(groups).map(([name, text]) => [name, decodeURIComponent(text)]);
    return { service, path: Object.fromEntries(parameters) as Record<string, string> };
  }

  serves(id: string): boolean {
    const route = this.#routes[id];
    return route !== undefined && route.off === undefined;
  }

  methodsOf(url: string): readonly string[] {
    return this.#match(url).entry.methods;
  }

  #match(url: string): { readonly groups: Readonly<Record<string, string>>; readonly entry: PathServices } {
    const pathname = url.replace(/\?.*$/s, '');
    this.#patterns ??= this.paths.map((entry) => [patternOf(entry.path), entry]);
    for (const [pattern, entry] of this.#patterns) {
      const match = pattern.exec(pathname);
      if (match) return { groups: match.groups ?? {}, entry };
    }
    throw noSuchPath(pathname);
  }
}

export function methodNotAllowed(method: string, methods: readonly string[]): GatewayError {
  const expected = methods.join(', ');
  return new GatewayError('METHOD_NOT_ALLOWED', `method ${method} is not allowed; use ${expected}`, { expected });
}

function allowedMethods(operations: readonly OperationDescription[]): readonly string[] {
  const methods = operations.map(({ method }) => method.toUpperCase());
  return [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'];
}

/** A path as a regular expression; a context is a number, anything else is an unknown path. */
function patternOf(path: string): RegExp {
  const source = path
    .replace(/^\/pmapi\/\{context\}$/, String.raw`/pmapi/(?<context>\d+)`)
    .replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')
    .replaceAll('.', String.raw`\.`);
  return new RegExp(`^${source}/?$`);
}

const UNDERSCORE_PATH = /^\/pmapi\/(?:\{context\}\/)?_/;

/** The route of an operation or of any of its forms; undefined for one that is not served. */
export function routeOf(
  routes: Routes,
  { formOf, path }: Pick<OperationDescription, 'formOf' | 'path'>,
): Route | undefined {
  const route = Object.hasOwn(routes, formOf) ? routes[formOf] : undefined;
  return route && UNDERSCORE_PATH.test(path) ? { ...route, compat: true } : route;
}
