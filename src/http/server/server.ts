import http from 'node:http';
import https from 'node:https';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Express } from 'express';
import { ERROR_CATALOGUE, GatewayError, type ErrorCode } from '../../pmapi/index.js';
import { createApp } from '../app.js';
import { errorBody, viewError } from '../response/error-response.js';
import type { AppOptions } from '../contracts.js';
import type { RequestRecord } from '../options.js';
import { Pipelines } from './connections.js';
import { requestIdOf } from '../request/exchange.js';

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
