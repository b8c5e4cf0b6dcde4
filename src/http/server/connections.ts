import type { Server, Socket } from 'node:net';
import type { ClientLimits } from '../guards/client-limits.js';

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
