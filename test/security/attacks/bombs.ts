import { type Attack, type Verdict, open, refused, verdictOf } from '../attack.js';
import type { Reply, Target } from '../target.js';

const AREA = 'bombs';

/**
 * What one request may keep the gateway busy for, in milliseconds: most of it is the bytes' way. How long it does is all that shows this
 * attack from outside; each takes a fraction of a second, and a busy machine may take twenty times as long.
 */
const BUSY_MS = 10_000;

type Maker = (target: Target) => Promise<Reply>;
const text = (unit: string, times: number): string => unit.repeat(times);
const enc = encodeURIComponent;
const check =
  (expr: string): Maker =>
  (target) =>
    target.postForm('/derived/check', { expr });
const match =
  (pattern: string): Maker =>
  (target) =>
    target.get(`/pmapi/fetch?names=kernel.all.load&iname=${enc(pattern)}&match=regex`);

/** Each is answered soon, as a client's error or as what it is, and the gateway is well behind it. */
const BOMBS: Readonly<Record<string, Maker>> = {
  'JSON that nests 200000 lists': (target) =>
    target.postJson('/pmapi/fetch', `{"names":${text('[', 200_000)}${text(']', 200_000)}}`),
  'JSON that nests 100000 objects': (target) =>
    target.postJson('/pmapi/fetch', `{"client":${text('{"a":', 100_000)}1${text('}', 100_000)}}`),
  'JSON that does not end': (target) => target.postJson('/pmapi/batch', text('[', 500_000)),
  'deep JSON inside a batch': (target) =>
    target.postJson(
      '/pmapi/batch',
      `[{"path":"/x","method":"POST","body":{"a":${text('[', 100_000)}${text(']', 100_000)}}}]`,
    ),
  'a batch that refers to itself': (target) =>
    target.postJson('/pmapi/batch', '[{"path":"/pmapi/{$0.context}/fetch"}]'),
  'a number of a million digits': (target) => target.postJson('/pmapi/fetch', `{"context":${text('9', 1_000_000)}}`),
  'ten thousand parameters of other names': (target) =>
    target.get(`/pmapi/fetch?${Array.from({ length: 8000 }, (_, i) => `a${i}=`).join('&')}`),
  'the same parameter a thousand times': (target) => target.get(`/pmapi/fetch?${text('names=a&', 5000)}`),
  'percents and nothing behind them': (target) => target.get(`/pmapi/fetch?names=${text('%', 5000)}`),
  'percents in percents': (target) => target.get(`/pmapi/fetch?names=${text('%25', 5000)}`),
  'a regular expression that backtracks': match(`${text('.?', 64)}!`),
  'a regular expression that repeats repeats': match('((a{100}){100}){100}'),
  'a regular expression of many alternatives': match(text('(a|b?)', 1000)),
  'a glob of many stars': (target) =>
    target.get(`/pmapi/fetch?names=pmcd.version&iname=${enc(text('*a', 500))}&match=glob`),
  'an expression of nothing but parentheses': check(text('(', 100_000)),
  'an expression of nothing but signs': check(`${text('-', 100_000)}1`),
  'an expression of 30000 sums': check(`1${text('+1', 30_000)}`),
  'an expression of conditions in conditions': check(`${text('1?', 20_000)}1${text(':1', 20_000)}`),
  'an expression of ambiguous operators': check(`${text('a.b<', 5000)}a.b`),
  'an expression of brackets behind commas': check(`[${text(',', 20)}${text('[', 15_900)}`),
  'an expression of a million brackets': check(text('[', 1_000_000)),
  'an expression of quotes and brackets': check(`a ",,${text('["', 200_000)}`),
  'an expression of calls that do not end': check(text('rescale(', 100_000)),
  'a constant beyond all numbers': check(text('9', 50_000)),
  'a definition file of 50000 lines': (target) =>
    target.postForm('/pmapi/derive', { expr: Array.from({ length: 30_000 }, (_, i) => `a.b${i} = 1`).join('\n') }),
  'a label selector of many clauses': (target) =>
    target.get(`/pmapi/fetch?names=pmcd.version&labels=${enc(`{${text('a=~"(a+)+",', 800)}b="c"}`)}`),
  'a hostspec of 4000 ports': (target) => target.get(`/pmapi/fetch?names=a.b&hostspec=a:${text('1,', 4000)}1`),
  'a hundred hosts many times': (target) => target.get(`/pmapi/fetch?names=a.b&hostspec=${text('a;', 3000)}b`),
  'a name of 60000 bytes': (target) => target.get(`/pmapi/fetch?names=${text('a.', 3000)}b`),
  'a search for ten thousand words': (target) => target.get(`/search?q=${text('a%20', 1500)}`),
  'many codings': (target) => target.get('/healthz', { 'Accept-Encoding': text('gzip;q=0.1,', 1000) }),
  'many media types': (target) => target.get('/metrics?names=pmcd.version', { Accept: text('a/b;q=0.1,', 1000) }),
  'many entity tags': (target) => target.get('/openapi.json', { 'If-None-Match': text('"x",', 3000) }),
};

/** What is too much by a limit of the configuration, and the status that says so. */
const LIMITS: Readonly<Record<string, readonly [number, Maker]>> = {
  'a body beyond the limit': [
    413,
    (target) => target.postForm('/pmapi/metric', { name: 'pmcd.version', client: text('a', 20_000_000) }),
  ],
  'a hundred thousand names': [413, (target) => target.postForm('/pmapi/fetch', { names: text('a.b,', 100_000) })],
  'a batch of ten thousand entries': [
    413,
    (target) => target.postJson('/pmapi/batch', `[${text('{"path":"/healthz"},', 10_000)}{"path":"/healthz"}]`),
  ],
  'a URL beyond the limit': [
    414,
    (target) => target.get(`/pmapi/metric?name=pmcd.version&client=${text('a', 70_000)}`),
  ],
};

async function judgeLimit(target: Target, expected: number, make: Maker): Promise<Verdict> {
  const { status } = await make(target);
  // Whoever still sends when the refusal comes may hear of nothing but the end.
  if (status === 0) return refused('closed');
  return status === expected || status === 401 ? refused(String(status)) : open(`status ${status} and not ${expected}`);
}

/** A batch within a batch would be as many requests as the square of what one may have. */
async function nestedBatch(target: Target): Promise<Verdict> {
  const inner = {
    method: 'POST',
    path: '/pmapi/batch',
    body: { requests: [{ path: '/healthz' }] },
    headers: { 'content-type': 'application/json' },
  };
  const { body } = await target.postJson('/pmapi/batch', JSON.stringify(Array.from({ length: 50 }, () => inner)));
  return body.split('"responses"').length > 2 ? open('the inner ones were answered') : refused('entry by entry');
}

/** A body that unpacks to a thousand times its size: it is not unpacked. */
async function compressedBody(target: Target): Promise<Verdict> {
  const { gzipSync } = await import('node:zlib');
  const packed = gzipSync(Buffer.alloc(5_000_000, 'a')).toString('latin1');
  const { statuses } = await target.send(
    `POST /pmapi/fetch HTTP/1.1\r\nHost: ${target.host}\r\n${target.authorization}Content-Type: application/json\r\n` +
      `Content-Encoding: gzip\r\nContent-Length: ${packed.length}\r\nConnection: close\r\n\r\n${packed}`,
  );
  return statuses[0] === 415 || statuses[0] === 401 ? refused(String(statuses[0])) : open(`status ${statuses.join()}`);
}

/** Headers without end. */
async function headerFlood(target: Target): Promise<Verdict> {
  const fields = Array.from({ length: 20_000 }, (_, i) => `X-${i}: ${text('a', 50)}\r\n`).join('');
  const { statuses } = await target.send(
    `GET /healthz HTTP/1.1\r\nHost: ${target.host}\r\n${fields}Connection: close\r\n\r\n`,
  );
  return statuses.length === 0 || statuses[0] === 431 ? refused(statuses.join() || 'closed') : open(statuses.join());
}

/** A few bytes of body, each in a chunk with an extension of many kilobytes. */
async function chunkExtensions(target: Target): Promise<Verdict> {
  const { statuses } = await target.send(
    `POST /pmapi/fetch HTTP/1.1\r\nHost: ${target.host}\r\n${target.authorization}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n` +
      `${text(`1;${text('a', 8000)}\r\na\r\n`, 100)}0\r\n\r\n`,
  );
  return statuses.length === 0 || statuses[0]! >= 400 ? refused(statuses.join() || 'closed') : open(statuses.join());
}

/** Who asks whether to go on, and never does, costs a connection and nothing more. */
async function expectations(target: Target): Promise<Verdict> {
  const sockets = await Promise.all(Array.from({ length: 50 }, () => target.connect()));
  for (const socket of sockets) {
    socket.resume();
    socket.write(
      `POST /pmapi/fetch HTTP/1.1\r\nHost: ${target.host}\r\n${target.authorization}Content-Length: 1000\r\nExpect: 100-continue\r\n\r\n`,
    );
  }
  const isWell = await target.isWell();
  for (const socket of sockets) socket.destroy();
  return isWell ? refused('others are served') : open('nobody else is served');
}

async function judge(target: Target, make: Maker): Promise<Verdict> {
  const { status, elapsedMs, body } = await make(target);
  return verdictOf(
    [
      status === 500 || status === 0 ? `status ${status}` : undefined,
      elapsedMs > BUSY_MS ? `${Math.round(elapsedMs)} ms` : undefined,
      /"status":500/.test(body) ? 'an entry broke' : undefined,
      (await target.isWell()) ? undefined : 'the gateway is not well',
    ],
    String(status),
  );
}

/** Little that becomes much: in memory, in time, on the stack. */
export const BOMB_ATTACKS: readonly Attack[] = [
  ...Object.entries(BOMBS).map(([name, make]) => ({ area: AREA, name, run: (target: Target) => judge(target, make) })),
  ...Object.entries(LIMITS).map(([name, [status, make]]) => ({
    area: AREA,
    name,
    run: (target: Target) => judgeLimit(target, status, make),
  })),
  { area: AREA, name: 'a batch of batches', run: nestedBatch },
  { area: AREA, name: 'a compressed body', run: compressedBody },
  { area: AREA, name: 'headers without end', run: headerFlood },
  { area: AREA, name: 'extensions of chunks', run: chunkExtensions },
  { area: AREA, name: 'asking whether to go on', run: expectations },
];
