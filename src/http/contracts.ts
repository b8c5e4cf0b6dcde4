/** What the parts of the room hand to one another: types only, so that no part has to know the others. */
import type { LargeBody } from './request/read-body.js';
import type { IncomingHttpHeaders } from 'node:http';
import type { Permission, Principal } from '../access/index.js';
import type { components, operations } from '../client/index.js';
import type { Context } from '../context/index.js';
import type { StreamSink, StreamSubscription } from '../context/stream/index.js';
import type { Cost } from './guards/overload/overload-guard.js';
import type { HttpOptions } from './options.js';
import type { OperationDescription } from './request/openapi.js';
import type { RawParameters } from './request/validate.js';

export type RequestBody = RawParameters['body'];

/** A request to one operation: one that came by itself, or an entry of a batch. */
export interface Call {
  readonly method: string;
  readonly url: string;
  readonly path: Readonly<Record<string, string | string[]>>;
  readonly headers: IncomingHttpHeaders;
  readonly remoteAddress: string | undefined;
  /** The id of the request in the log; the entries of a batch share it. */
  readonly requestId: string;
  /** Read the body; called once, by operations that have one. */
  readonly readBody: (
    maxBytes: number,
    operation: Pick<OperationDescription, 'textParameter' | 'takesAnyType'>,
  ) => Promise<RequestBody>;
  /** The same for operations whose body is a JSON document: whatever it holds. */
  readonly readDocument: (maxBytes: number) => Promise<unknown>;
  /** The same for operations whose body is neither parameters nor JSON. */
  readonly readBytes: (maxBytes: number, large?: LargeBody) => Promise<Uint8Array>;
  readonly connection: object;
  /** Add a listener that is called once the answer is sent or the client has left, whichever comes first. */
  readonly onClose: (listener: () => void) => void;
  /** Whether it is an entry of a batch, which itself was admitted already. */
  readonly isPart?: boolean;
  /** Whether another gateway of the fleet handed it over: it passed that one's stages. */
  readonly isHanded?: boolean;
  /** Who sends it, once identified. */
  principal?: Principal | undefined;
  /** Its body, once read: errors repeat `client` from there. */
  body?: RequestBody;
  /** What the operation gets to see, once its parameters are read: errors name its context. */
  request?: AnyRequest;
}

/** A list may be sent as one text, but is an array by the time that an operation sees it. */
type CoercedValue<T> = [Extract<T, readonly unknown[]>] extends [never] ? T : Extract<T, readonly unknown[]>;
type Coerced<T> = { readonly [K in keyof T]: CoercedValue<T[K]> };

/** The parameters of a route, by the name of their schema in openapi.yaml: validated, lists split, numbers read. */
export type ParametersOf<Name extends keyof components['schemas']> = Coerced<components['schemas'][Name]>;

/** The parameters of an operation of openapi.yaml that has them in the query. */
export type QueryOf<Id extends keyof operations> = Coerced<NonNullable<operations[Id]['parameters']['query']>>;

/** The parameters of every route that works on a context. */
export type ContextParameters = QueryOf<'createContext'>;

/** A request of any operation, where its parameters do not matter. */
export type AnyRequest = OperationRequest<object>;
/** A request about a context or a source. */
export type SourceRequest = OperationRequest<ContextParameters>;

export interface OperationRequest<Query> {
  readonly query: Query;
  readonly path: {
    readonly context?: number;
    readonly file?: string;
    readonly name?: string;
    readonly page?: string;
    readonly archive?: number;
    readonly volume?: number;
  };
  /** The body of routes that read a document: JSON, or bytes; undefined elsewhere. */
  readonly document: unknown;
  readonly headers: IncomingHttpHeaders;
  /** Who sends it; undefined where there is no access control. */
  readonly principal: Principal | undefined;
  readonly options: HttpOptions;
  /** Whether the route is an underscore form, with the shapes of older clients. */
  readonly compat: boolean;
  /** Whether the client is on this machine: it came in over loopback. */
  isLoopback(): boolean;
  readonly onClose: Call['onClose'];
  /** The request as it came, and where operations are found: for an operation that calls others on its client's behalf. */
  readonly call: Call;
  readonly directory: OperationFinder;
  /** Called when the operation has answered or thrown. */
  readonly held: (() => void)[];
  /** Whether the request counts as one that waits for the host of its context. */
  readonly waitsForHost: boolean;
  /** The context that the request is about, as soon as it is known: errors name it. */
  contextId?: number;
  context?: Context;
}

/** The function that serves a route. It answers, or throws a GatewayError or PmError. */
export interface Operation {
  // A method, so that operations may ask for the parameters of their own schema.
  run(request: AnyRequest): Answer | Promise<AnyAnswer>;
}

/**
 * What a request does. `reads`: nothing changes. `moves`: it fetches, which moves the position of a context on an archive. `changes`: it
 * changes a context, what other clients see, or a host, even where it is sent with GET.
 */
export type Effect = 'reads' | 'moves' | 'changes';

/** What serves some of the operations of openapi.yaml, each in all its forms, by their ids. */
export type Routes = Readonly<Record<string, Route>>;

/** What the HTTP room needs to know, and what features serve besides its own operations. */
export interface AppOptions extends HttpOptions {
  readonly routes?: Routes;
}

/** What serves one operation of openapi.yaml, in all its forms. */
export interface Route extends Operation {
  /** Why it is not served, where it is not: the message of a 404. */
  readonly off?: string | undefined;
  /** Whether clients of an address need no credentials for it. */
  readonly isOpenTo?: (address: string | undefined) => boolean;
  /** `reads` when absent. */
  readonly effect?: Effect;
  /** What its clients must be permitted: to read when absent; `none` for what tells nothing of any source. */
  readonly permission?: Permission | 'none';
  /** Whether each call is logged as an audit record: it changes what others see, or a host. */
  readonly isAudited?: boolean;
  /** Whether all gateways of a fleet answer it together, unless it names a source. */
  readonly asksAll?: boolean;
  /** The media type of the answer to HEAD, when the operation is not run for it; JSON when absent. */
  readonly contentType?: string;
  /** Whether its answer seldom changes: with GET it has an entity tag then. */
  readonly isMetadata?: boolean;
  /** Whether it reads a body of its own instead of parameters: JSON, or bytes whose media type it checks; `itself`: when it is ready. */
  readonly readsDocument?: boolean | 'bytes' | 'itself';
  /** The query belongs to the returned page and is not validated. */
  readonly leavesQuery?: boolean;
  /** What it costs under overload: usual when absent. */
  readonly cost?: Cost;
  /** Whether it cannot be an entry of a batch. */
  readonly standsAlone?: boolean;
  /** Whether its work grows with its text: all such entries of a batch may have so much of it together. */
  readonly growsWithText?: boolean;
  /** Whether clients with the same request receive the same events, so that one stream between gateways is enough. */
  readonly isRelayed?: boolean;
  /** Whether it is an underscore form, with the shapes of older clients: set by `routeOf`. */
  readonly compat?: boolean;
}

export interface CallableOperation {
  readonly operation: OperationDescription;
  readonly route: Route;
  /** Answer a call. Throws, or rejects with, what errorAnswer() understands. */
  answer(call: Call): Answer | Promise<AnyAnswer>;
  /**
   * Whether a call must wait for those before it, and those after for it: because it changes something, or moves a context on an archive.
   * @param context the one that it names; an unknown one is an error of the call itself
   */
  mustTakeTurn(context: number | undefined): boolean;
}

export interface FoundOperation {
  readonly service: CallableOperation;
  readonly path: Readonly<Record<string, string>>;
}

export interface OperationFinder {
  /** Throws NOT_FOUND and METHOD_NOT_ALLOWED. */
  find(method: string, url: string): FoundOperation;
  serves(id: string): boolean;
}

/** What an operation answers: the boundary turns it into one writeHead and one end. */
export interface Answer {
  /** HTTP status; 200 when absent. */
  readonly status?: number;
  readonly contentType: string;
  /** A `Uint8Array` must never change: its compressed forms are cached with it. */
  readonly body: string | Uint8Array;
  /** When absent `no-cache` for metadata, which has an entity tag, and `no-store` for all else: nearly all of it are samples. */
  readonly cacheControl?: string;
  /** Further header fields, as a flat list of names and values. */
  readonly headers?: readonly string[];
}

/** An answer that is written as it is made, however long it is. */
export interface StreamedAnswer {
  readonly contentType: string;
  /**
   * The body in pieces of any size, texts or bytes, asked for one by one as the client takes them. What the first of them throws is answered as
   * an error; when the client leaves the iterator is closed.
   */
  readonly pieces: AsyncIterable<string | Uint8Array>;
  /** Whether the pieces are compressed already, in a coding that `headers` name. */
  readonly isCoded?: boolean;
  /** Text after a failure behind the first piece. Without it, the connection is closed, so that a part is not taken for the whole. */
  readonly lastWords?: (error: unknown) => string;
  /** Bytes, about, that are kept until the last piece is out; they count as those of a large answer then. */
  readonly heldBytes?: number;
  /** Whether the pieces may be gone through more than once, and are the same each time: metadata has an entity tag then. */
  readonly isRepeatable?: boolean;
  readonly headers?: readonly string[];
  /** A field whose value is known once the last piece is written: sent as a trailer, if there is a value then. */
  readonly trailer?: { readonly name: string; readonly value: () => string | undefined };
}

/** An answer that others push into for as long as the client stays: one text may go to a thousand of them. */
export interface SubscribedAnswer {
  readonly contentType: string;
  /** Starts to push; what is thrown before anything was written becomes an error response. The caller limits what is left unread. */
  subscribe(sink: StreamSink): StreamSubscription;
  readonly headers?: readonly string[];
}

export type AnyAnswer = Answer | StreamedAnswer | SubscribedAnswer;
