import http from 'node:http';

const PATIENCE_MS = 120_000;

/** What came back; status 0 when nothing did: `text` is the reason then. */
export interface Answer {
  readonly status: number;
  readonly bytes: number;
  readonly text: string;
}

interface Sent {
  readonly port: number;
  readonly method?: string;
  readonly body?: string | Uint8Array;
  readonly headers?: http.OutgoingHttpHeaders;
  readonly signal?: AbortSignal;
  readonly localAddress?: string;
}

/** Sends one request to 127.0.0.1 on a connection of its own. Never rejects. */
export function send(url: string, { body, ...options }: Sent): Promise<Answer> {
  return new Promise((resolve) => {
    const to = { host: '127.0.0.1', path: url, agent: false, ...options };
    const request = http.request(to, (answer) => {
      let [text, bytes] = ['', 0];
      answer.on('data', (chunk: Buffer) => {
        if (bytes < 100_000) text += chunk.toString('latin1');
        bytes += chunk.length;
      });
      answer.on('error', () => undefined);
      answer.on('close', () => resolve({ status: answer.statusCode ?? 0, bytes, text }));
    });
    request.on('error', ({ message }) => resolve({ status: 0, bytes: 0, text: message }));
    request.setTimeout(PATIENCE_MS, () => request.destroy(new Error('no answer')));
    request.end(body);
  });
}
