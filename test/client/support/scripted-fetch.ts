/** One request that a client made. */
export interface SeenRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body: string | undefined;
  readonly signal: AbortSignal;
}

/** What answers one request: a response, a failure of the network, or a promise of either. */
export type Step = (request: SeenRequest) => Response | Promise<Response>;

/** A fetch() that answers as a script says, one step for each request; the last step answers all that follow. */
export class ScriptedFetch {
  readonly requests: SeenRequest[] = [];
  readonly #steps: readonly Step[];

  constructor(...steps: readonly Step[]) {
    this.#steps = steps;
  }

  readonly fetch: typeof globalThis.fetch = async (input, init) => {
    const { method = 'GET', headers, body, signal } = init ?? {};
    if (typeof input !== 'string' || !signal) throw new Error('the client gives its URL as text, and a signal');
    const request: SeenRequest = {
      method,
      url: new URL(input),
      headers: new Headers(headers),
      body: typeof body === 'string' ? body : undefined,
      signal,
    };
    this.requests.push(request);
    const step = this.#steps[Math.min(this.requests.length, this.#steps.length) - 1]!;
    signal.throwIfAborted();
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    });
    return Promise.race([Promise.resolve(step(request)), aborted]);
  };
}

/** An answer of JSON. */
export function jsonResponse(body: object, status = 200, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json', ...headers } });
}

/** An error of the gateway. */
export function errorResponse(status: number, code: string, headers: Readonly<Record<string, string>> = {}): Response {
  return jsonResponse({ message: `it is ${code}`, success: false, code }, status, headers);
}

/** A connection that nobody answers. */
export const silence: Step = () => new Promise<never>(() => undefined);

/** A connection that is refused, as node has it. */
export const refused: Step = () => {
  throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 127.0.0.1:1') });
};

/** A body that the test writes piece by piece, and what became of it. */
export class PushedBody {
  pulls = 0;
  isCancelled = false;
  #controller!: ReadableStreamDefaultController<Uint8Array>;
  readonly #stream = new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        this.#controller = controller;
      },
      pull: () => {
        this.pulls++;
      },
      cancel: () => {
        this.isCancelled = true;
      },
    },
    { highWaterMark: 0 },
  );

  /** Answers with this body, and breaks it off when the request is aborted. */
  readonly step: Step = ({ signal }) => {
    signal.addEventListener('abort', () => this.fail(signal.reason));
    return new Response(this.#stream, { status: 200 });
  };

  push(text: string): void {
    this.#controller.enqueue(new TextEncoder().encode(text));
  }

  end(): void {
    this.#controller.close();
  }

  fail(reason: unknown): void {
    this.#controller.error(reason);
  }
}

/** A body that goes on waiting when its request is aborted, as Node's does when that happens at the very end of the body. */
export function deafBody(begin = ''): Step {
  return () => {
    const start = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
      controller.enqueue(new TextEncoder().encode(begin));
    };
    return new Response(new ReadableStream<Uint8Array>({ start, cancel: () => new Promise(() => undefined) }));
  };
}

/** An answer of text that is all there. */
export function textStep(text: string, headers: Readonly<Record<string, string>> = {}): Step {
  return () => new Response(text, { status: 200, headers });
}

/** Let everything that can go on without time go on. */
export async function settled(): Promise<void> {
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
}
