import { once } from 'node:events';
import { type Server, type Socket, connect, createServer } from 'node:net';
import { FakePmcd } from '../support/fake-pmcd.js';

/** How a host behaves: well; says nothing; breaks connections in the middle; sends noise; is not there. */
export const MOODS = ['well', 'silent', 'cutting', 'garbage', 'gone'] as const;
export type Mood = (typeof MOODS)[number];

/** In which share of the pieces of a cutting or noisy host something happens. */
const TROUBLE_SHARE = 0.2;
/** Ports of which none is given to a connection that goes out: a host that is gone finds its own free again. @see ip(7), ip_local_port_range */
const PORTS = { from: 20_000, to: 32_000 };
const NO_INDOM = 0xffffffff;
const INDOM = 0x0f000001;
const U32 = 1;
const [COUNTER, INSTANT] = [1, 3];

/** A pmcd on one port that changes its mood; killed and started again, it is on the same port. */
export class FlakyHost {
  readonly #pmcd: FakePmcd;
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #port = 0;
  #mood: Mood = 'well';

  private constructor(pmcd: FakePmcd) {
    this.#pmcd = pmcd;
  }

  static async start(): Promise<FlakyHost> {
    const pmcd = await FakePmcd.start();
    let count = 0;
    pmcd.metrics = [
      {
        name: 'soak.gauge',
        descriptor: [1, U32, NO_INDOM, INSTANT, 0],
        values: () => [[-1, ++count]],
        oneline: 'A gauge',
      },
      {
        name: 'soak.counter',
        descriptor: [2, U32, INDOM, COUNTER, 0],
        values: () => Array.from({ length: 8 }, (_, id) => [id, ++count] as const),
        oneline: 'A counter',
      },
    ];
    pmcd.indoms.set(
      INDOM,
      Array.from({ length: 8 }, (_, id) => [id, `disk${id}`] as const),
    );
    const host = new FlakyHost(pmcd);
    while (!(await host.#listen(randomPort())));
    return host;
  }

  get hostspec(): string {
    return `127.0.0.1:${this.#port}`;
  }

  /** Behave like this from now on; a host whose port somebody has taken stays away. */
  async become(mood: Mood): Promise<void> {
    if (mood === 'gone') await this.#vanish();
    else if (this.#mood === 'gone' && !(await this.#listen(this.#port))) return;
    this.#mood = mood;
    // What it keeps of every request is for tests; here it would fill the memory.
    this.#pmcd.requests.length = 0;
  }

  async stop(): Promise<void> {
    await this.#vanish();
    await this.#pmcd.stop();
  }

  async #listen(port: number): Promise<boolean> {
    const server = createServer({ noDelay: true }, (socket) => this.#relay(socket));
    try {
      await once(server.listen(port, '127.0.0.1'), 'listening');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false;
      throw error;
    }
    this.#server = server;
    this.#port = port;
    return true;
  }

  async #vanish(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    for (const socket of this.#sockets) socket.resetAndDestroy();
    if (server) await new Promise((resolve) => server.close(resolve));
  }

  #relay(client: Socket): void {
    const upstream = connect(this.#pmcd.port, '127.0.0.1');
    this.#sockets.add(client);
    client.on('error', () => undefined);
    upstream.on('error', () => undefined);
    client.once('close', () => {
      this.#sockets.delete(client);
      upstream.destroy();
    });
    upstream.once('close', () => client.destroy());
    client.on('data', (chunk: Buffer) => {
      if (this.#mood !== 'silent') upstream.write(chunk);
    });
    upstream.on('data', (chunk: Buffer) => {
      if (this.#mood === 'silent') return;
      const isTrouble = Math.random() < TROUBLE_SHARE;
      if (this.#mood === 'cutting' && isTrouble)
        client.end(chunk.subarray(0, Math.floor(Math.random() * chunk.length)));
      else if (this.#mood === 'garbage' && isTrouble) client.write(scrambled(chunk));
      else client.write(chunk);
    });
  }
}

function randomPort(): number {
  return PORTS.from + Math.floor(Math.random() * (PORTS.to - PORTS.from));
}

/** The bytes with some of them wrong, or others instead. */
function scrambled(chunk: Buffer): Buffer {
  if (Math.random() < 0.3) return Buffer.from(Array.from({ length: 64 }, () => Math.floor(Math.random() * 256)));
  const bytes = Buffer.from(chunk);
  for (let i = 0; i < 4; i++) bytes[Math.floor(Math.random() * bytes.length)] = Math.floor(Math.random() * 256);
  return bytes;
}
