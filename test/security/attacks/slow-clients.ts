import { type Attack, type Verdict, open, refused } from '../attack.js';
import type { Target } from '../target.js';

const AREA = 'slow clients';

/** Longer than any gateway should wait for a request, in milliseconds; a test's own waits far shorter. */
const PATIENCE_MS = 90_000;

/** Send a beginning, then a byte now and then, and see whether the other end has enough of it. */
async function trickle(target: Target, beginning: string, drop: string): Promise<Verdict> {
  const socket = await target.connect();
  const startMs = performance.now();
  const isClosed = await new Promise<boolean>((resolve) => {
    socket.resume();
    socket.write(beginning);
    const feeding = setInterval(() => socket.write(drop), 100);
    const timer = setTimeout(() => finish(false), PATIENCE_MS);
    const finish = (closed: boolean): void => {
      clearInterval(feeding);
      clearTimeout(timer);
      socket.destroy();
      resolve(closed);
    };
    socket.once('close', () => finish(true));
  });
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
  return isClosed ? refused(`closed after ${seconds} s`) : open(`still open after ${seconds} s`);
}

/** Connections that do next to nothing for ever. */
export const SLOW_CLIENTS: readonly Attack[] = [
  {
    area: AREA,
    name: 'a head that never ends',
    run: (target) => trickle(target, `GET /healthz HTTP/1.1\r\nHost: ${target.host}\r\nX-A: `, 'a'),
  },
  {
    area: AREA,
    name: 'a body that never ends',
    run: (target) =>
      trickle(
        target,
        `POST /pmapi/fetch HTTP/1.1\r\nHost: ${target.host}\r\n${target.authorization}` +
          'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100000\r\n\r\nnames=',
        'a',
      ),
  },
  { area: AREA, name: 'a connection that says nothing', run: (target) => trickle(target, '', '') },
  {
    area: AREA,
    name: 'a connection kept for nothing',
    run: (target) => trickle(target, `GET /healthz HTTP/1.1\r\nHost: ${target.host}\r\n\r\n`, ''),
  },
];
