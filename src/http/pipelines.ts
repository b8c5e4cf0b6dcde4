import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests of one connection that may wait behind earlier ones: programs that send so many at once are none of ours. */
const MOST_WAITING = 100;

/**
 * Requests that come before an earlier one of their connection was answered (pipelining). Node has them answered at once and keeps the
 * answers back; when the connection closes meanwhile, it tells the first of them only.
 */
export class Pipelines {
  readonly #waiting = new WeakMap<Socket, number>();

  /**
   * See to it that a response which has to wait hears of the end of its connection (`close`). False when too many wait: the connection is
   * closed then, and the request is not to be served.
   */
  admit(req: IncomingMessage, res: ServerResponse): boolean {
    if (!isWaiting(res)) return true;
    const { socket } = req;
    const waiting = this.#waiting.get(socket) ?? 0;
    if (waiting >= MOST_WAITING) {
      socket.destroy();
      return false;
    }
    this.#waiting.set(socket, waiting + 1);
    let isClosed = false;
    res.once('close', () => {
      isClosed = true;
      this.#waiting.set(socket, this.#waiting.get(socket)! - 1);
    });
    req.once('close', () => {
      if (isClosed || !socket.destroyed) return;
      res.destroy();
      res.emit('close');
    });
    return true;
  }
}

/** Whether what a response holds waits for earlier ones of its connection. */
export function isWaiting(res: ServerResponse): boolean {
  return res.socket === null;
}
