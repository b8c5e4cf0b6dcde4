import http from 'node:http';
import net from 'node:net';

/** What a request came to. */
export interface Reply {
  /** 0 when there was no answer. */
  readonly status: number;
  readonly body: string;
}

/** How a request differs from a plain GET. */
export interface CallOptions {
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const TIMEOUT_MS = 30_000;
/** Answers with status 500, and requests without an answer, that are kept to be shown. */
const EXAMPLES = 10;

/** Sends requests, and counts what they came to, by who sent them. */
export class Caller {
  readonly #port: number;
  readonly #agent = new http.Agent({ keepAlive: true, maxSockets: 64 });
  /** Counts of status, or of what went wrong, by visitor. */
  readonly tally = new Map<string, Map<string, number>>();
  /** Requests that were answered 500, or not at all. */
  readonly examples: string[] = [];

  constructor(port: number) {
    this.#port = port;
  }

  get port(): number {
    return this.#port;
  }

  /** Send a request and read its answer; never rejects. */
  call(visitor: string, path: string, options: CallOptions = {}): Promise<Reply> {
    return new Promise((resolve) => {
      const done = (reply: Reply, outcome: string): void => {
        this.count(visitor, outcome);
        const isOdd = reply.status === 500 || reply.status === 0;
        if (isOdd && this.examples.length < EXAMPLES) {
          this.examples.push(
            `${visitor}: ${options.method ?? 'GET'} ${path.slice(0, 200)}: ${outcome} ${reply.body.slice(0, 300)}`,
          );
        }
        resolve(reply);
      };
      const headers = {
        ...(options.body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...options.headers,
      };
      const { method = 'GET' } = options;
      const request = http.request(
        { host: '127.0.0.1', port: this.#port, path, method, headers, agent: this.#agent },
        (answer) => {
          let body = '';
          answer.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
          answer.once('end', () => done({ status: answer.statusCode ?? 0, body }, String(answer.statusCode)));
          answer.once('error', (error) => done({ status: 0, body }, `broken: ${error.message}`));
        },
      );
      request.setTimeout(TIMEOUT_MS, () => request.destroy(new Error(`no answer within ${TIMEOUT_MS} ms`)));
      request.once('error', (error: NodeJS.ErrnoException) => {
        // A keep-alive connection that the gateway closed just then: no fault of either.
        const wasStale = request.reusedSocket && error.code === 'ECONNRESET';
        if (wasStale) resolve(this.call(visitor, path, options));
        else done({ status: 0, body: '' }, error.code ?? error.message);
      });
      request.end(options.body);
    });
  }

  /** Send bytes as they are, and hang up after a while; the first line of the answer, if one came. */
  raw(visitor: string, bytes: string | Buffer, hangUpMs: number): Promise<string> {
    return new Promise((resolve) => {
      let text = '';
      const socket = net.connect(this.#port, '127.0.0.1', () => socket.write(bytes));
      const timer = setTimeout(() => socket.resetAndDestroy(), hangUpMs);
      socket.on('error', () => undefined);
      socket.on('data', (chunk: Buffer) => {
        if (text.length < 100) text += chunk.toString('latin1');
      });
      socket.once('close', () => {
        clearTimeout(timer);
        const status = /^HTTP\/1.1 (\d{3})/.exec(text)?.[1];
        this.count(visitor, status ?? 'hung up');
        if (status === '500' && this.examples.length < EXAMPLES)
          this.examples.push(`${visitor}: ${bytes.toString().slice(0, 200)}`);
        resolve(text.split('\r\n')[0]!);
      });
    });
  }

  count(visitor: string, outcome: string): void {
    const counts = this.tally.get(visitor) ?? new Map<string, number>();
    this.tally.set(visitor, counts);
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  }

  total(outcome: string): number {
    return [...this.tally.values()].reduce((sum, counts) => sum + (counts.get(outcome) ?? 0), 0);
  }

  close(): void {
    this.#agent.destroy();
  }
}
