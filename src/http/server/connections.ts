import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server, Socket } from 'node:net';
import { eventLoopTurns } from '../../kit/index.js';
import type { ClientLimits } from '../guards/client-limits.js';
import { systemLoopTimers, type LoopTimers } from '../guards/overload/loop-load.js';

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
export class Pipelines {
  readonly #waiting = new WeakMap<Socket, Set<ServerResponse>>();

  /** Has a waiting response notified of its connection's end. False if too many wait: the connection is closed then. */
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

/** How long a response may wait for others, in milliseconds, while they are made one after the other. */
const TOGETHER_MS = 1;

/**
 * Sends the responses that are made in one turn of the event loop together, at its end: each one sent alone wakes its reader,
 * which costs more than all the rest of a small response. A response waits for others for a millisecond, and for the one being
 * made then. With only one in a turn, nothing waits.
 */
export class WriteCoalescer {
  readonly #timers: Pick<LoopTimers, 'afterTurn' | 'turnNumber'>;
  #waiting: (() => void)[] = [];
  #sinceMs = 0;
  #turn: number | undefined;
  #inTurn = 0;
  #inLastTurn = 0;
  #isEndAwaited = false;

  constructor(timers: Pick<LoopTimers, 'afterTurn' | 'turnNumber'> = systemLoopTimers) {
    this.#timers = timers;
  }

  /** Sends a response, in the order of the calls; `send` must not throw. `nowMs` counts from any fixed point. */
  add(send: () => void, nowMs: number): void {
    const turn = this.#timers.turnNumber();
    if (turn !== this.#turn) {
      this.#turn = turn;
      this.#inLastTurn = this.#inTurn;
      this.#inTurn = 0;
    }
    if (this.#inTurn++ === 0 && this.#inLastTurn <= 1) {
      send();
      return;
    }
    if (!this.#isEndAwaited) this.#awaitEnd();
    if (this.#waiting.length === 0) this.#sinceMs = nowMs;
    this.#waiting.push(send);
    if (nowMs - this.#sinceMs >= TOGETHER_MS) this.#sendAll();
  }

  #awaitEnd(): void {
    this.#isEndAwaited = true;
    this.#timers.afterTurn(() => {
      this.#isEndAwaited = false;
      this.#sendAll();
    });
  }

  #sendAll(): void {
    if (this.#waiting.length === 0) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const send of waiting) send();
  }
}
