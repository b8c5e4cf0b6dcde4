import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below those that the kernel gives to whoever connects: one of these is still free when a server is started again. */
const [FIRST, COUNT] = [12_000, 20_000] as const;

/** A port of 127.0.0.1 that was free a moment ago, and that no connection of other programs takes. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
