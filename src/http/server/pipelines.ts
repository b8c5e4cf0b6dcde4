import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests of one connection that may wait behind earlier ones: programs that send so many at once are none of ours. */
const MOST_WAITING = 100;

/**
 * Requests that come before an earlier one of their connection was answered (pipelining). Node has them answered at once and keeps the
 * answers back; when the connection closes meanwhile, it tells the first of them only.
 */
export class Pipelines {
  readonly #waiting = new WeakMap<Socket, Set<ServerResponse>>();

  /**
   * See to it that a response which has to wait hears of the end of its connection (`close`). False when too many wait: the connection is
   * closed then, and the request is not to be served.
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

  /** The socket itself is listened to: a request whose body was read is closed long before. */
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

/** Whether what a response holds waits for earlier ones of its connection. */
export function isWaiting(res: ServerResponse): boolean {
  return res.socket === null;
}
