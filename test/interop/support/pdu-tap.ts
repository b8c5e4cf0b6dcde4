import { type AddressInfo, type Server, connect, createServer } from 'node:net';

/** A relay between a client and a pmcd that keeps what pmcd says: so two readers can be shown the very same bytes. */
export class PduTap {
  readonly #server: Server;
  /** Every whole PDU from pmcd, in order. */
  readonly pdus: Buffer[] = [];

  private constructor(server: Server) {
    this.#server = server;
  }

  /** @param hiddenFeatures feature bits to take out of pmcd's first PDU, to make the client speak like an older one */
  static async start(pmcdPort: number, hiddenFeatures = 0): Promise<PduTap> {
    const server = createServer();
    const tap = new PduTap(server);
    server.on('connection', (client) => {
      const pmcd = connect(pmcdPort, '127.0.0.1');
      let unread = Buffer.alloc(0);
      let isFirst = true;
      pmcd.on('data', (chunk: Buffer) => {
        if (isFirst) chunk.writeUInt16BE(chunk.readUInt16BE(18) & ~hiddenFeatures, 18);
        isFirst = false;
        unread = Buffer.concat([unread, chunk]);
        while (unread.length >= 4 && unread.length >= unread.readInt32BE(0)) {
          tap.pdus.push(unread.subarray(0, unread.readInt32BE(0)));
          unread = unread.subarray(unread.readInt32BE(0));
        }
        client.write(chunk);
      });
      client.on('data', (chunk: Buffer) => pmcd.write(chunk));
      client.on('close', () => pmcd.destroy()).on('error', () => undefined);
      pmcd.on('close', () => client.destroy()).on('error', () => undefined);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return tap;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  last(type: number): Buffer {
    const found = this.pdus.findLast((pdu) => pdu.readInt32BE(4) === type);
    if (!found) throw new Error(`no PDU of type ${type.toString(16)} came by`);
    return found;
  }

  stop(): Promise<void> {
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}
