import http from 'node:http';

/** How a request is sent: with GET unless it has a form in its body. */
interface Sending {
  readonly agent: http.Agent;
  readonly form?: string;
}

/** Read an answer to its last byte, and do nothing with it. Throws unless its status is 200. */
export function readWhole(port: number, path: string, { agent, form }: Sending): Promise<Buffer> {
  const method = form === undefined ? 'GET' : 'POST';
  const headers = form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' };
  return new Promise((resolve, reject) => {
    http
      .request({ host: '127.0.0.1', port, path, method, headers, agent }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const body = Buffer.concat(chunks);
          if (response.statusCode === 200) resolve(body);
          else reject(new Error(`${path}: ${response.statusCode} ${body.toString('utf8', 0, 500)}`));
        });
      })
      .on('error', reject)
      .end(form);
  });
}

/** How long some work takes, in milliseconds. */
export async function timed(work: () => unknown): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}
