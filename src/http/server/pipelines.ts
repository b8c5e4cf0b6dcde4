import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests of one connection that may wait behind earlier ones: no regular client sends more at once. */
const MOST_WAITING = 100;

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
