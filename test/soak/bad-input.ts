/** Requests that no client should send. Each must be answered with 4xx, or cut off; none may be answered 500. */
export interface BadRequest {
  readonly path: string;
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const LONG = 'x'.repeat(20_000);
const NESTED = '['.repeat(50_000);

/** Well-formed HTTP with bad content. */
export const BAD_REQUESTS: readonly BadRequest[] = [
  { path: '/pmapi/fetch' },
  { path: '/pmapi/fetch?names=' },
  { path: '/pmapi/fetch?names=no.such.metric' },
  { path: '/pmapi/fetch?names=kernel' },
  { path: '/pmapi/fetch?nmaes=kernel.all.load' },
  { path: `/pmapi/fetch?names=${LONG}` },
  { path: '/pmapi/fetch?pmids=not.a.pmid' },
  { path: '/pmapi/fetch?names=kernel.all.load&format=xml' },
  { path: '/pmapi/fetch?names=%ff%fe' },
  { path: '/pmapi/fetch?names=%00' },
  { path: '/pmapi/fetch?names=%zz' },
  { path: '/pmapi/fetch?names=kernel.all.load&match=(((((((a%2B)%2B)%2B)%2B' },
  { path: '/pmapi/fetch?names=kernel.all.load&units=furlong' },
  { path: '/pmapi/fetch?names=kernel.all.load&start=yesterday%20at%20noon&samples=1e99' },
  { path: '/pmapi/fetch?names=kernel.all.load&hostspec=pcp://127.0.0.1:1' },
  { path: '/pmapi/fetch?names=kernel.all.load&hostspec=:::::' },
  { path: '/pmapi/fetch?archive=../../../etc/passwd&names=a' },
  { path: '/pmapi/fetch?archive=none&names=a' },
  { path: '/pmapi/fetch?archive=soak&names=bench.gauge1&start=-1e400' },
  { path: '/pmapi/fetch?archive=soak&names=bench.gauge1&interval=0s&samples=10' },
  { path: '/pmapi/fetch?archive=soak&names=bench.gauge1&points=100000000' },
  { path: '/pmapi/0/fetch?names=kernel.all.load' },
  { path: '/pmapi/99999999999999999999/fetch?names=kernel.all.load' },
  { path: '/pmapi/1e3/fetch?names=kernel.all.load' },
  { path: '/pmapi/context?polltimeout=-5' },
  { path: '/pmapi/context?archive=/etc&hostspec=localhost' },
  { path: '/pmapi/profile?expr=sideways&name=disk.dev.read' },
  { path: '/pmapi/derive?name=a&expr=1%2B' },
  { path: `/pmapi/derive?name=a.b&expr=${'('.repeat(5000)}` },
  { path: '/pmapi/derive?name=..&expr=1' },
  { path: '/derived/bad..name', method: 'PUT', body: '{"expr":"mem.util.free"}' },
  { path: '/derived/soak.never', method: 'DELETE' },
  { path: '/derived/check?expr=rate(rate(rate(' },
  { path: '/pmapi/store?name=kernel.all.load&value=7' },
  { path: '/pmapi/store', method: 'POST', body: '{"name":"kernel.all.load","value":"seven"}' },
  {
    path: '/pmapi/batch',
    method: 'POST',
    body: '[{"path":"/pmapi/batch"},{"path":"/pmapi/stream?names=mem.util.free"}]',
  },
  { path: '/pmapi/batch', method: 'POST', body: `[${'{"path":"/healthz"},'.repeat(200)}{"path":"/healthz"}]` },
  { path: '/pmapi/batch', method: 'POST', body: '[{"path":"/pmapi/{$5.context}/fetch"}]' },
  { path: '/pmapi/batch', method: 'POST', body: NESTED },
  { path: '/pmapi/fetch', method: 'POST', body: '{"names":' },
  { path: '/pmapi/fetch', method: 'POST', body: '{"names":{"__proto__":{"a":1}}}' },
  { path: '/pmapi/fetch', method: 'POST', body: 'names=a', headers: { 'Content-Type': 'text/xml' } },
  { path: '/pmapi/fetch', method: 'POST', body: `{"names":["${'y'.repeat(2_000_000)}"]}` },
  { path: '/pmapi/fetch', method: 'POST', body: 'zzzz', headers: { 'Content-Encoding': 'gzip' } },
  { path: '/pmapi/fetch', method: 'PATCH', body: '{}' },
  { path: '/pmapi/stream?names=kernel.all.load&interval=1ns' },
  { path: '/pmapi/stream?names=kernel.all.load', headers: { 'Last-Event-ID': 'last tuesday' } },
  { path: '/search?q=' },
  { path: `/search?q=${'a%20'.repeat(2000)}` },
  { path: '/search/suggest?query=%F0%9F%92%A9' },
  { path: '/docs/../../package.json' },
  { path: '/docs/%2e%2e%2f%2e%2e%2fpackage.json' },
  { path: '/constructor' },
  { path: '/pmapi/__proto__/fetch' },
  { path: '/pmapi/fetch?names=kernel.all.load', headers: { Host: 'evil.example.com' } },
  { path: '/pmapi/fetch?names=kernel.all.load', headers: { Authorization: 'Basic %%%%' } },
  { path: '/pmapi/fetch?names=kernel.all.load', headers: { Accept: 'application/x-nothing' } },
  { path: '/pmapi/context', method: 'POST', body: '{}', headers: { Origin: 'https://evil.example.com' } },
];

/** Bytes that are no HTTP, or too much of it. */
export const BAD_BYTES: readonly string[] = [
  '\0\0\0\u0001garbage',
  'GET /pmapi/fetch?names=kernel.all.load\r\n\r\n',
  'GET / HTTP/9.9\r\n\r\n',
  'GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n',
  'GET /healthz HTTP/1.1\r\n\r\n',
  `GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Long: ${'z'.repeat(40_000)}\r\n\r\n`,
  'POST /pmapi/fetch HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /',
  'POST /pmapi/fetch HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"na',
  'POST /pmapi/fetch HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nfffffffff\r\n',
  'POST /pmapi/fetch HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n',
  'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n',
  'GET /hea',
];
