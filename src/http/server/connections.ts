import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server, Socket } from 'node:net';
import type { ClientLimits } from '../guards/client-limits.js';

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

  /** Open now. */
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
export class Pipelines {
  readonly #waiting = new WeakMap<Socket, Set<ServerResponse>>();

  /**
   * Makes sure that a waiting response is notified of the end of its connection (`close`). False if too many wait: the connection
   * is then closed, and the request must not be served.
   */
  admit({ socket }: IncomingMessage, res: ServerResponse): boolean {
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
  #watch(socket: Socket): Set<ServerResponse> {
    const waiting = new Set<ServerResponse>();
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

/** Whether the data of a response waits for earlier ones of its connection. */
export function isWaiting(res: ServerResponse): boolean {
  return res.socket === null;
}
