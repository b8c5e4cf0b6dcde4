import { once } from 'node:events';
import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net';

/** Texts of the answers that are replaced by others of the same length: addresses lead to other cables. */
export type Replaced = ReadonlyMap<string, string>;

const NOTHING: Replaced = new Map();

/**
 * A TCP proxy on this machine that can be cut as a cable is: nothing closes, and what is sent waits on the way until it is mended.
 */
export class Cable {
  readonly #server: Server | undefined;
  readonly #to: number;
  readonly #replaced: Replaced;
  readonly #ends = new Set<Socket>();
  /** What happens once it is mended. */
  #waiting: (() => void)[] = [];
  #isCut = false;

  private constructor(to: number, replaced: Replaced, server?: Server) {
    this.#to = to;
    this.#replaced = replaced;
    this.#server = server;
    server?.on('connection', (socket: Socket) => this.#whenWhole(() => this.#join(socket)));
  }

  static async lay(to: number, replaced: Replaced = NOTHING): Promise<Cable> {
    const server = createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Cable(to, replaced, server);
  }

  /** Leads there without a proxy, and cannot be cut. */
  static none(to: number): Cable {
    return new Cable(to, NOTHING);
  }

  get port(): number {
    return this.#server ? (this.#server.address() as AddressInfo).port : this.#to;
  }

  set isCut(isCut: boolean) {
    this.#isCut = isCut;
    for (const end of this.#ends) if (isCut) end.pause();
    if (isCut) return;
    for (const end of this.#ends) end.resume();
    for (const go of this.#waiting.splice(0)) go();
  }

  close(): void {
    this.#server?.close();
    for (const end of this.#ends) end.destroy();
  }

  #join(socket: Socket): void {
    const other = connect(this.#to, '127.0.0.1');
    this.#carry(socket, other, (bytes) => bytes);
    this.#carry(other, socket, (bytes) => this.#replace(bytes));
  }

  #carry(from: Socket, to: Socket, change: (bytes: Buffer) => Buffer): void {
    this.#ends.add(from);
    from.setNoDelay(true);
    from.on('data', (bytes) => {
      if (!to.write(change(bytes))) from.pause();
    });
    to.on('drain', () => {
      if (!this.#isCut) from.resume();
    });
    from.on('error', () => undefined);
    from.on('close', () => {
      this.#ends.delete(from);
      this.#whenWhole(() => to.destroy());
    });
    if (!this.#isCut) from.resume();
  }

  #replace(bytes: Buffer): Buffer {
    let text = bytes.toString('latin1');
    for (const [one, other] of this.#replaced) text = text.replaceAll(one, other);
    return Buffer.from(text, 'latin1');
  }

  #whenWhole(go: () => void): void {
    if (this.#isCut) this.#waiting.push(go);
    else go();
  }
}
