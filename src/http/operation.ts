import type { IncomingHttpHeaders } from 'node:http';
import type { Principal } from '../access/index.js';
import type { components, operations } from '../client/index.js';
import type { Answer, AnyAnswer } from './response/answer.js';
import type { OperationDirectory } from './operation-directory.js';
import type { Call } from './operation-service.js';
import type { HttpOptions } from './options.js';

/** A list may be sent as one text, but is an array by the time that an operation sees it. */
type CoercedValue<T> = [Extract<T, readonly unknown[]>] extends [never] ? T : Extract<T, readonly unknown[]>;
type Coerced<T> = { readonly [K in keyof T]: CoercedValue<T[K]> };

/** The parameters of a route, by the name of their schema in openapi.yaml: validated, lists split, numbers read. */
export type ParametersOf<Name extends keyof components['schemas']> = Coerced<components['schemas'][Name]>;

/** The parameters of an operation that has them in the query alone. */
export type QueryOf<Id extends keyof operations> = Coerced<NonNullable<operations[Id]['parameters']['query']>>;

/** Parameters that every route has which works on a context. */
export type ContextParameters = ParametersOf<'ContextParameters'>;

/** One request, as an operation sees it. */
export interface OperationRequest<Query> {
  readonly query: Query;
  readonly path: {
    readonly context?: number;
    readonly file?: string;
    readonly name?: string;
    readonly page?: string;
  };
  /** The JSON body, whatever it is, of routes that read a document; undefined elsewhere. */
  readonly document: unknown;
  readonly headers: IncomingHttpHeaders;
  /** Whoever sends it; undefined where there is no access control. */
  readonly principal: Principal | undefined;
  readonly options: HttpOptions;
  /** Whether the route is an underscore form, with the shapes of older clients. */
  readonly compat: boolean;
  /** Whether the client is on this machine: it came in over loopback. */
  isLoopback(): boolean;
  /** Have a listener called when the answer is out or the client has gone, whichever comes first. */
  readonly onClose: (listener: () => void) => void;
  /** The request as it came, and the operations that there are: for an operation that calls others on its client's behalf. */
  readonly call: Call;
  readonly directory: OperationDirectory;
  /** What to call when the operation has answered or thrown; undefined: it never counts as one that waits for a host. */
  readonly held: (() => void)[] | undefined;
  /** The context that the request is about, as soon as it is known: errors tell it. */
  contextId?: number;
}

/** What serves a route. It answers, or throws a GatewayError or PmError. */
export interface Operation {
  // A method, so that operations may ask for the parameters of their own schema.
  run(request: OperationRequest<object>): Answer | Promise<AnyAnswer>;
}
