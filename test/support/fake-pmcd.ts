import { once } from 'node:events';
import { type AddressInfo, type Server, type Socket, createServer } from 'node:net';
import { TLSSocket } from 'node:tls';
import {
  challengePdu,
  descPdu,
  descsPdu,
  errorPdu,
  highresResultPdu,
  idsPdu,
  instancePdu,
  labelPdu,
  namesPdu,
  resultPdu,
  textPdu,
} from './pdu-builder.js';
import type { BuiltDescriptor, BuiltSet, BuiltValue } from './pdu-builder.js';

/** A metric of the fake. */
export interface FakeMetric {
  readonly name: string;
  readonly descriptor: BuiltDescriptor;
  /** Values by instance (-1 when singular), or an error code; a function is asked at each fetch. */
  readonly values: FakeValues | (() => FakeValues);
  readonly oneline?: string;
}
export type FakeValues = readonly (readonly [instance: number, value: BuiltValue])[] | number;

/** A request as it arrived. */
export interface FakeRequest {
  readonly type: number;
  readonly bytes: Buffer;
  readonly connection: number;
  readonly socket: Socket;
}

/** What to do with a request: send these bytes, send nothing, or (undefined) answer as pmcd would. */
export type Intercept = (request: FakeRequest) => Buffer | 'nothing' | undefined;

const NULL_ID = 0xffffffff;
const ERR_NAME = -12357;
const ERR_PMID = -12358;
const ERR_INDOM = -12359;
const ERR_TEXT = -12349;
const ERR_NOPROFILE = -12381;
const ERR_NONLEAF = -12394;
const ERR_IPC = -12366;
const ALL_FEATURES = 0x0e44;

/**
 * A pmcd to be told how to misbehave. Speaks the whole protocol over a loopback port, from bytes that it builds by itself;
 * replies can be held back, cut into pieces, replaced or left out.
 */
export class FakePmcd {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #slots = new Map<string, Map<number, (indom: number, instance: number) => boolean>>();
  #held: (() => void)[] | undefined;
  #arrivals: (() => void)[] = [];

  metrics: FakeMetric[] = [];
  readonly indoms = new Map<number, readonly (readonly [id: number, name: string])[]>();
  features = ALL_FEATURES;
  /** Replaces the first PDU; 'nothing' makes the fake accept and stay silent. */
  challenge: Buffer | 'nothing' | undefined;
  intercept: Intercept | undefined;
  /** PEM texts: with them, a client that asks for TLS gets it (announce 0x0011 in `features`). */
  tls: { readonly key: string; readonly cert: string } | undefined;
  /** Changes a reply before it is sent. */
  garbleReply: ((reply: Buffer, request: FakeRequest) => Buffer) | undefined;
  /** Tells after how many bytes of its reply to hang up; undefined for a whole reply. */
  cutReplyAt: ((request: FakeRequest) => number | undefined) | undefined;
  /** State-change bits to report with each connection's next fetch. */
  stateChange = 0;
  /** Send replies in pieces of so many bytes, each in a write of its own. */
  pieceBytes = Infinity;
  /** The time of results: seconds count up with each fetch. */
  now = { sec: 1_700_000_000, nsec: 5 };

  /** Everything that arrived beyond the handshake, in order. */
  readonly requests: FakeRequest[] = [];
  connections = 0;

  private constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket) => this.#serve(socket, this.connections++));
  }

  /** Listen on a loopback port, or on the path of a Unix socket. */
  static async start(at: string | number = 0): Promise<FakePmcd> {
    const server = createServer({ noDelay: true });
    const fake = new FakePmcd(server);
    if (typeof at === 'number') server.listen(at, '127.0.0.1');
    else server.listen(at);
    await once(server, 'listening');
    return fake;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get hostspec(): string {
    return `127.0.0.1:${this.port}`;
  }

  get openConnections(): number {
    return this.#sockets.size;
  }

  requestsOf(type: number): FakeRequest[] {
    return this.requests.filter((request) => request.type === type);
  }

  async arrived(type: number, count: number): Promise<void> {
    while (this.requestsOf(type).length < count) await new Promise<void>((resolve) => this.#arrivals.push(resolve));
  }

  /** Keep replies back from now on. */
  hold(): void {
    this.#held ??= [];
  }

  /** Send the replies that were kept back, and answer at once again. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const send of held) send();
  }

  /** Cut every connection, as a pmcd that dies does. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Wait until no connection is open any more. */
  async drained(): Promise<void> {
    await Promise.all([...this.#sockets].map((socket) => once(socket, 'close')));
  }

  async stop(): Promise<void> {
    this.cut();
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    await closed;
  }

  #serve(socket: Socket, connection: number): void {
    this.#sockets.add(socket);
    this.#slots.set(String(connection), new Map());
    socket.on('close', () => this.#sockets.delete(socket)).on('error', () => undefined);
    if (this.challenge !== 'nothing') this.#send(socket, this.challenge ?? challengePdu(this.features));
    this.#listen(socket, connection);
  }

  #listen(socket: Socket, connection: number): void {
    let unread = Buffer.alloc(0);
    const isSecure = socket instanceof TLSSocket;
    const onData = (chunk: Buffer): void => {
      unread = Buffer.concat([unread, chunk]);
      // As pmcd 6.0.3: over TLS the second PDU of a record is not seen before the next record.
      for (
        let seen = 0;
        unread.length >= 12 && unread.length >= unread.readInt32BE(0) && !(isSecure && seen > 0);
        seen++
      ) {
        const bytes = unread.subarray(0, unread.readInt32BE(0));
        unread = unread.subarray(bytes.length);
        const wantsTls = bytes.readInt32BE(4) === 0x700c && (bytes.readUInt16BE(18) & 1) !== 0;
        if (wantsTls && this.tls) {
          socket.off('data', onData);
          socket.write(errorPdu(0));
          const secured = new TLSSocket(socket, { isServer: true, ...this.tls });
          secured.on('error', () => undefined);
          this.#listen(secured, connection);
          return;
        }
        this.#receive({ type: bytes.readInt32BE(4), bytes, connection, socket });
      }
    };
    socket.on('data', onData);
  }

  #receive(request: FakeRequest): void {
    this.requests.push(request);
    const honest = this.intercept?.(request) ?? this.#answer(request);
    const reply = honest === 'nothing' ? honest : (this.garbleReply?.(honest, request) ?? honest);
    if (reply !== 'nothing') {
      const cutAt = this.cutReplyAt?.(request);
      const send = (): void => {
        if (cutAt === undefined) this.#send(request.socket, reply);
        else request.socket.end(reply.subarray(0, cutAt));
      };
      if (this.#held) this.#held.push(send);
      else send();
    }
    for (const wake of this.#arrivals.splice(0)) wake();
  }

  #send(socket: Socket, bytes: Buffer): void {
    if (this.pieceBytes === Infinity) socket.write(bytes);
    else
      for (let at = 0; at < bytes.length; at += this.pieceBytes) socket.write(bytes.subarray(at, at + this.pieceBytes));
  }

  /** What a pmcd answers. */
  #answer({ type, bytes, connection }: FakeRequest): Buffer | 'nothing' {
    const word = (offset: number): number => bytes.readUInt32BE(offset);
    const text = (lengthAt: number): string =>
      bytes.toString('utf8', lengthAt + 4, lengthAt + 4 + bytes.readInt32BE(lengthAt));
    switch (type) {
      case 0x700c:
      case 0x7011:
        return 'nothing';
      case 0x7002:
        this.#slots.get(String(connection))!.set(word(12), readProfile(bytes));
        return 'nothing';
      case 0x7003:
      case 0x7014:
        return this.#fetch(bytes, connection, type === 0x7014);
      case 0x7004:
        return this.#describe(word(12));
      case 0x7016: {
        const pmids = Array.from({ length: word(16) }, (_, i) => word(20 + 4 * i));
        if (pmids.length === 1) return this.#describe(pmids[0]!);
        return descsPdu(pmids.map((pmid) => this.#metric(pmid)?.descriptor ?? [NULL_ID, 0, 0, 0, 0]));
      }
      case 0x7006: {
        const instances = this.indoms.get(word(12));
        return instances ? instancePdu(word(12), instances) : errorPdu(ERR_INDOM);
      }
      case 0x7008: {
        const line = this.#metric(word(12))?.oneline;
        return line === undefined ? errorPdu(ERR_TEXT) : textPdu(word(12), line);
      }
      case 0x700d: {
        const names = this.metrics.filter(({ descriptor }) => descriptor[0] === word(20)).map(({ name }) => name);
        return names.length > 0 ? namesPdu(names) : errorPdu(ERR_PMID);
      }
      case 0x700e:
        return this.#lookup(bytes);
      case 0x700f:
        return this.#children(text(16));
      case 0x7010: {
        const found = this.#below(text(16));
        return found.length > 0 ? namesPdu(found) : errorPdu(ERR_NAME);
      }
      case 0x7012:
        return labelPdu(word(12), word(16), word(16) === 1 ? [[-1, [['hostname', '"fake"']]]] : []);
      case 0x7001:
        return errorPdu(0);
      default:
        return errorPdu(ERR_IPC);
    }
  }

  #metric(pmid: number): FakeMetric | undefined {
    return this.metrics.find(({ descriptor }) => descriptor[0] === pmid);
  }

  #describe(pmid: number): Buffer {
    const metric = this.#metric(pmid);
    return metric ? descPdu(metric.descriptor) : errorPdu(ERR_PMID);
  }

  #below(prefix: string): string[] {
    return this.metrics
      .map(({ name }) => name)
      .filter((name) => prefix === '' || name === prefix || name.startsWith(`${prefix}.`));
  }

  #lookup(bytes: Buffer): Buffer {
    const count = bytes.readInt32BE(20);
    const pmids: number[] = [];
    let at = 24;
    for (let i = 0; i < count; i++) {
      const length = bytes.readInt32BE(at);
      const name = bytes.toString('utf8', at + 4, at + 4 + length);
      at += 4 + Math.ceil(length / 4) * 4;
      const found = this.metrics.find((metric) => metric.name === name);
      if (!found && count === 1) return errorPdu(this.#below(name).length > 0 ? ERR_NONLEAF : ERR_NAME);
      pmids.push(found?.descriptor[0] ?? NULL_ID);
    }
    return idsPdu(pmids);
  }

  #children(prefix: string): Buffer {
    const below = this.#below(prefix);
    if (below.length === 0) return errorPdu(ERR_NAME);
    const skip = prefix === '' ? 0 : prefix.length + 1;
    const rests = below.map((name) => name.slice(skip)).filter((rest) => rest !== '');
    const children = [...new Set(rests.map((rest) => rest.split('.')[0]!))];
    return namesPdu(
      children,
      children.map((child) => (rests.includes(child) ? 0 : 1)),
    );
  }

  #fetch(bytes: Buffer, connection: number, highres: boolean): Buffer {
    const passes = this.#slots.get(String(connection))!.get(bytes.readInt32BE(12));
    if (!passes) return errorPdu(ERR_NOPROFILE);
    const count = bytes.readInt32BE(24);
    const sets: BuiltSet[] = [];
    for (let i = 0; i < count; i++) {
      const pmid = bytes.readUInt32BE(28 + 4 * i);
      const metric = this.#metric(pmid);
      const values = typeof metric?.values === 'function' ? metric.values() : (metric?.values ?? ERR_PMID);
      const indom = metric?.descriptor[2] ?? NULL_ID;
      const kept =
        typeof values === 'number' ? values : values.filter(([id]) => indom === NULL_ID || passes(indom, id));
      sets.push({ pmid, values: kept });
    }
    this.now.sec++;
    const { sec, nsec } = this.now;
    const result = highres
      ? highresResultPdu(BigInt(sec), BigInt(nsec), sets)
      : resultPdu(sec, Math.floor(nsec / 1000), sets);
    if (this.stateChange === 0) return result;
    const notice = errorPdu(this.stateChange);
    this.stateChange = 0;
    return Buffer.concat([notice, result]);
  }
}

function readProfile(bytes: Buffer): (indom: number, instance: number) => boolean {
  const count = bytes.readInt32BE(20);
  const rules = new Map<number, { readonly state: number; readonly ids: readonly number[] }>();
  let at = 28 + 16 * count;
  for (let i = 0; i < count; i++) {
    const head = 28 + 16 * i;
    const ids = Array.from({ length: bytes.readInt32BE(head + 8) }, (_, k) => bytes.readInt32BE(at + 4 * k));
    at += 4 * ids.length;
    rules.set(bytes.readUInt32BE(head), { state: bytes.readInt32BE(head + 4), ids });
  }
  const byDefault = bytes.readInt32BE(16) === 0;
  return (indom, instance) => {
    const rule = rules.get(indom);
    return rule ? (rule.state === 0) !== rule.ids.includes(instance) : byDefault;
  };
}
