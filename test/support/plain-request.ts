import http from 'node:http';

/** What a request was answered. */
export interface Reply {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

/** How a request is sent: with GET unless it has a body, over a connection of its own unless there is an agent. */
interface Sending {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly agent?: http.Agent | false;
  readonly timeoutMs?: number;
}

/** One request on loopback, exactly as written, whose answer is read whole. */
export function ask(
  port: number,
  path: string,
  { body, method = body === undefined ? 'GET' : 'POST', headers = {}, agent = false, timeoutMs = 0 }: Sending = {},
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const request = http.request({ host: '127.0.0.1', port, path, method, headers, agent }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
      response.on('error', reject);
    });
    request.setTimeout(timeoutMs, () => request.destroy(new Error(`no answer to ${path}`)));
    request.on('error', reject).end(body);
  });
}
