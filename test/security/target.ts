import net from 'node:net';
import tls from 'node:tls';

/** How long bytes that are no request may go unanswered before a connection is given up, in milliseconds. */
const PATIENCE_MS = 5000;
/** The same for a whole request: longer than anything takes on a machine that is busy with other tests. */
const REQUEST_PATIENCE_MS = 100_000;
const MAX_ANSWER_BYTES = 4_000_000;

/** All that came over a connection. */
export interface Received {
  /** Every byte, as Latin-1. */
  readonly text: string;
  /** The status lines in it. */
  readonly statuses: readonly number[];
  /** Whether the other end closed the connection; false when we gave it up. */
  readonly closed: boolean;
  /** From the first byte sent until the end, in milliseconds. */
  readonly elapsedMs: number;
}

/** One answer. */
export interface Reply {
  readonly status: number;
  /** Header fields in lower case; several of one name are joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly elapsedMs: number;
}

/** What a request has beside its method and path. */
export interface RequestParts {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A gateway to attack: over sockets of our own, for clients of HTTP are too polite. */
export class Target {
  readonly url: URL;
  readonly token: string | undefined;
  readonly #patienceMs: number;

  /**
   * `url` is http: or https:, and nothing but its host and port count.
   * @param token a bearer token to send with whole requests
   * @param patienceMs how long the answer to one may take
   */
  constructor(url: string, token?: string, patienceMs = REQUEST_PATIENCE_MS) {
    this.url = new URL(url);
    this.token = token;
    this.#patienceMs = patienceMs;
  }

  get host(): string {
    return this.url.host;
  }

  /** The header field that proves who we are, with its line end; empty without a token. */
  get authorization(): string {
    return this.token === undefined ? '' : `Authorization: Bearer ${this.token}\r\n`;
  }

  /** Whether it is reached over an address of loopback. */
  get isLoopback(): boolean {
    return /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(this.url.hostname);
  }

  /** A connection, once it is made. Errors after that are as good as its end. */
  connect(localAddress?: string): Promise<net.Socket> {
    const { hostname, protocol, port } = this.url;
    const host = hostname.replace(/^\[|\]$/g, '');
    return new Promise((resolve, reject) => {
      const isTls = protocol === 'https:';
      const from = localAddress === undefined ? {} : { localAddress };
      const options = { host, port: Number(port || (isTls ? 443 : 80)), ...from };
      const socket: net.Socket = isTls ? tls.connect({ ...options, rejectUnauthorized: false }) : net.connect(options);
      socket.once('error', reject);
      socket.once(isTls ? 'secureConnect' : 'connect', () => {
        socket.off('error', reject);
        socket.on('error', () => undefined);
        resolve(socket);
      });
    });
  }

  /** Send bytes and take what comes until the other end closes, or `patienceMs` are over. */
  async send(bytes: string, patienceMs = PATIENCE_MS): Promise<Received> {
    const socket = await this.connect();
    const startMs = performance.now();
    return new Promise((resolve) => {
      let text = '';
      let closed = true;
      const timer = setTimeout(() => {
        closed = false;
        socket.destroy();
      }, patienceMs);
      socket.setEncoding('latin1');
      socket.on('data', (piece: string) => {
        if (text.length < MAX_ANSWER_BYTES) text += piece;
      });
      socket.once('close', () => {
        clearTimeout(timer);
        const statuses = [...text.matchAll(/HTTP\/1\.[01] (\d{3}) /g)].map(([, status]) => Number(status));
        resolve({ text, statuses, closed, elapsedMs: performance.now() - startMs });
      });
      socket.write(Buffer.from(bytes, 'latin1'));
    });
  }

  /** A whole request on a connection of its own. Path and header fields go out as they stand, in Latin-1; the body in UTF-8. */
  async request(method: string, path: string, { headers = {}, body }: RequestParts = {}): Promise<Reply> {
    const fields = Object.entries({ Host: this.host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
    const bytes = body === undefined ? '' : Buffer.from(body).toString('latin1');
    const length = body === undefined ? '' : `Content-Length: ${bytes.length}\r\n`;
    const head = `${method} ${path} HTTP/1.1\r\n${fields.join('')}${this.authorization}${length}Connection: close\r\n\r\n`;
    const { text, elapsedMs } = await this.send(head + bytes, this.#patienceMs);
    return { ...readReply(text), elapsedMs };
  }

  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Reply> {
    return this.request('GET', path, headers ? { headers } : {});
  }

  postJson(path: string, body: string): Promise<Reply> {
    return this.request('POST', path, { headers: { 'Content-Type': 'application/json' }, body });
  }

  postForm(path: string, parameters: Readonly<Record<string, string>>): Promise<Reply> {
    const body = new URLSearchParams(parameters).toString();
    return this.request('POST', path, { headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, body });
  }

  /** Whether it answers before we give up: what an attack must not change. */
  async isWell(): Promise<boolean> {
    return (await this.get('/healthz')).status === 200;
  }
}

function readReply(text: string): Omit<Reply, 'elapsedMs'> {
  const end = text.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = text.slice(0, end === -1 ? text.length : end).split('\r\n');
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  const raw = end === -1 ? '' : text.slice(end + 4);
  const bytes = Buffer.from(headers['transfer-encoding'] === 'chunked' ? unchunk(raw) : raw, 'latin1');
  return { status: Number(statusLine.split(' ')[1] ?? 0), headers, body: bytes.toString('utf8') };
}

function unchunk(text: string): string {
  let whole = '';
  for (let at = 0; at < text.length;) {
    const lineEnd = text.indexOf('\r\n', at);
    const size = parseInt(text.slice(at, lineEnd), 16);
    if (lineEnd === -1 || !(size > 0)) break;
    whole += text.slice(lineEnd + 2, lineEnd + 2 + size);
    at = lineEnd + 2 + size + 2;
  }
  return whole;
}
