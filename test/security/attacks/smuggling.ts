import { type Attack, type Verdict, open, refused, skipped } from '../attack.js';
import type { Target } from '../target.js';

const AREA = 'request smuggling';

/** What a shape would have the gateway take for a second request. It says who it is, and that it is the last. */
const hidden = (host: string): string =>
  `GET /healthz HTTP/1.1\r\nHost: ${host}\r\nX-Request-Id: smuggled\r\nConnection: close\r\n\r\n`;

/** A shape has to be refused before anything is made of what follows it: one answer of 4xx or none, and the end. */
function judge({ statuses, text, closed }: Awaited<ReturnType<Target['send']>>): Verdict {
  if (/^x-request-id: smuggled/im.test(text)) return open('a request hidden in another one was answered');
  const accepted = statuses.find((status) => status < 400);
  if (accepted !== undefined) return open(`taken for a request: ${accepted}`);
  if (statuses.length > 1) return open(`answered ${statuses.length} times`);
  if (!closed) return open('the connection stays open, as if more of it were to come');
  return refused(statuses.length === 0 ? 'closed' : `${statuses.join()} and closed`);
}

/** The header of a POST to a route with a body, as far as its framing. */
const post = (host: string): string =>
  `POST /pmapi/fetch HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/x-www-form-urlencoded\r\n`;

/** Bodies whose end is open to debate: each shape by its framing, from the header fields on. */
const FRAMINGS: Readonly<Record<string, string>> = {
  'Content-Length, then Transfer-Encoding': 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  'Transfer-Encoding, then Content-Length': 'Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n',
  'two lengths that differ': 'Content-Length: 0\r\nContent-Length: 7\r\n\r\n',
  'two lengths that agree': 'Content-Length: 0\r\nContent-Length: 0\r\n\r\n',
  'a list of lengths': 'Content-Length: 0, 0\r\n\r\n',
  'a length with a sign': 'Content-Length: +0\r\n\r\n',
  'a negative length': 'Content-Length: -1\r\n\r\n',
  'a hexadecimal length': 'Content-Length: 0x0\r\n\r\n',
  'a length beyond 64 bits': 'Content-Length: 18446744073709551616\r\n\r\n',
  'a blank before the colon': 'Transfer-Encoding : chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n',
  'a folded header': 'Transfer-Encoding:\r\n chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n',
  'an unknown coding': 'Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n',
  'a coding after chunked': 'Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n',
  'chunked with a vertical tab': 'Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n',
  'a bare line feed at the end of a header': 'X-A: b\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  'a bare carriage return in a header': 'X-A: b\rContent-Length: 0\r\n\r\n',
  'a NUL in a header': 'X-A: b\0c\r\nContent-Length: 0\r\n\r\n',
  'a header without a colon': 'X-A\r\nContent-Length: 0\r\n\r\n',
  'a header name with a blank': 'X A: b\r\nContent-Length: 0\r\n\r\n',
  'a chunk size with 0x': 'Transfer-Encoding: chunked\r\n\r\n0x0\r\n\r\n',
  'a chunk size with a sign': 'Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n',
  'a chunk size beyond 64 bits': 'Transfer-Encoding: chunked\r\n\r\n10000000000000000\r\n\r\n',
  'a chunk that is longer than it says': 'Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n',
  'a chunk that ends in a line feed': 'Transfer-Encoding: chunked\r\n\r\n1\r\na\n0\r\n\r\n',
  'a chunk size that ends in a line feed': 'Transfer-Encoding: chunked\r\n\r\n1\na\r\n0\r\n\r\n',
  'a chunk extension with a line feed': 'Transfer-Encoding: chunked\r\n\r\n1;a\nb\r\na\r\n0\r\n\r\n',
};

/** Heads that are none: each shape from the request line on. */
const HEADS: Readonly<Record<string, (host: string) => string>> = {
  'HTTP/0.9': () => 'GET /healthz\r\n\r\n',
  'HTTP/2 without agreement': () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'a version that there is not': (host) => `GET /healthz HTTP/1.7\r\nHost: ${host}\r\n\r\n`,
  'a method that there is not': (host) => `GIMME /healthz HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
  'a blank in the target': (host) => `GET /health z HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
  'lines that end in a line feed': (host) => `GET /healthz HTTP/1.1\nHost: ${host}\n\n`,
  'no Host': () => 'GET /healthz HTTP/1.1\r\n\r\n',
  'two Hosts': (host) => `GET /healthz HTTP/1.1\r\nHost: ${host}\r\nHost: evil.example\r\n\r\n`,
  'CONNECT, as if it were a proxy': () => 'CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: 127.0.0.1:22\r\n\r\n',
  'the target of somebody else, as if it were a proxy': () =>
    'GET http://evil.example/healthz HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n',
};

/** An upgrade must not turn a connection into one that nobody looks at. */
async function upgrade(target: Target): Promise<Verdict> {
  const { statuses, text } = await target.send(
    `GET /healthz HTTP/1.1\r\nHost: ${target.host}\r\nConnection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\n` +
      'HTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n',
  );
  if (/^HTTP\/1\.1 101/.test(text)) return open('the connection was handed over');
  return statuses.length === 1 ? refused(`ignored: ${statuses.join()}`) : open(`answered ${statuses.length} times`);
}

/** Whoever sends many requests at once gets as many answers, in their order. */
async function pipelining(target: Target): Promise<Verdict> {
  const count = 50;
  const requests = Array.from({ length: count }, (_, i) => {
    const last = i === count - 1 ? 'Connection: close\r\n' : '';
    return `GET /healthz HTTP/1.1\r\nHost: ${target.host}\r\nX-Request-Id: p${i}\r\n${last}\r\n`;
  });
  const { text } = await target.send(requests.join(''));
  const ids = [...text.matchAll(/^x-request-id: p(\d+)/gim)].map(([, i]) => Number(i));
  if (ids.length === 0) return skipped('answers have no X-Request-Id');
  const inOrder = ids.length === count && ids.every((id, i) => id === i);
  return inOrder ? refused(`${count} answers in their order`) : open(`answers ${ids.join()}`);
}

/** Shapes that let two servers disagree on where a request ends, or on what it is. */
export const SMUGGLING: readonly Attack[] = [
  ...Object.entries(FRAMINGS).map(([name, framing]) => ({
    area: AREA,
    name,
    run: async (target: Target) => judge(await target.send(post(target.host) + framing + hidden(target.host), 3000)),
  })),
  ...Object.entries(HEADS).map(([name, head]) => ({
    area: AREA,
    name,
    run: async (target: Target) => judge(await target.send(head(target.host) + hidden(target.host), 3000)),
  })),
  { area: AREA, name: 'an upgrade to another protocol', run: upgrade },
  { area: AREA, name: 'many requests at once', run: pipelining },
];
