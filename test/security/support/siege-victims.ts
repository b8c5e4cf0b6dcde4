/**
 * The other clients of a siege, in a process of their own: what the besieger's own work takes is not counted as theirs. Started by
 * {@link ../siege.ts} with the gateway's port; each message begins or ends a watch, whose waits are sent at its end.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { recordedFiles } from '../../features/push/support.js';
import { send } from './send.js';

const port = Number(process.argv[2]);
const VICTIM = '127.0.0.2';
const VICTIM_MS = 50;
const ARCHIVE = recordedFiles('live-v3');
const nowMs = (): number => performance.timeOrigin + performance.now();

/** One answer waited for. Milliseconds; the end since the epoch. */
export interface Wait {
  readonly endMs: number;
  readonly tookMs: number;
  readonly status: number;
}

async function watch(ask: () => Promise<number>, isOver: () => boolean): Promise<readonly Wait[]> {
  const waits: Wait[] = [];
  while (!isOver()) {
    const startMs = nowMs();
    const status = await ask();
    const endMs = nowMs();
    waits.push({ endMs, tookMs: endMs - startMs, status });
    await pause(VICTIM_MS);
  }
  return waits;
}

/** A client may begin 200 archives; pmlogger begins one a day. */
const PUSHES_EACH = 500;

/** A host that pushes an archive, and its last part again and again, as pmlogger does when an answer was lost. */
function pusher(): () => Promise<number> {
  let id: string | undefined;
  let at = 0;
  const bodies = [...ARCHIVE.parts].map(
    ([part, bytes]) => [typeof part === 'number' ? `volume/${part}` : part, bytes] as const,
  );
  return async () => {
    if (id === undefined) {
      const { status, text } = await send('/logger/label', {
        port,
        method: 'POST',
        body: ARCHIVE.label,
        localAddress: VICTIM,
      });
      id = /"archive":(\d+)/.exec(text)?.[1];
      return status;
    }
    const [part, bytes] = bodies[Math.min(at++, bodies.length - 1)]!;
    const { status } = await send(`/logger/${part}/${id}`, { port, method: 'POST', body: bytes, localAddress: VICTIM });
    if (status !== 200 || at === PUSHES_EACH) [id, at] = [undefined, 0];
    return status;
  };
}

const get = (url: string) => async (): Promise<number> => (await send(url, { port, localAddress: VICTIM })).status;
const CLIENTS: Readonly<Record<string, () => () => Promise<number>>> = {
  fetch: () => get('/pmapi/fetch?names=kernel.all.load&hostspec=embedded'),
  'fetch of mmv': () => get('/pmapi/fetch?names=mmv.good.count&hostspec=embedded'),
  healthz: () => get('/healthz'),
  push: pusher,
};

let isWatching = false;
process.on('message', (message) => {
  isWatching = message === 'begin';
  if (!isWatching) return;
  const asking = Object.values(CLIENTS).map((make) => watch(make(), () => !isWatching));
  void Promise.all(asking).then((waits) => process.send!(waits));
});
process.on('disconnect', () => process.exit(0));
process.send!(Object.keys(CLIENTS));
