import { type Attack, type Verdict, open, refused, verdictOf } from '../attack.js';
import type { Target } from '../target.js';

const AREA = 'scanning through the gateway';

/** Ways of writing this machine, whose ports nobody may look at; `PORT` is one of them. */
export const WAYS_HOME: readonly string[] = [
  '127.0.0.1:PORT',
  'localhost:PORT',
  'LOCALHOST:PORT',
  'localhost.:PORT',
  'foo.localhost:PORT',
  '127.1:PORT',
  '127.0.1:PORT',
  '0:PORT',
  '0.0.0.0:PORT',
  '2130706433:PORT',
  '0x7f000001:PORT',
  '0x7f.1:PORT',
  '017700000001:PORT',
  '0177.0.0.1:PORT',
  '127.000.000.001:PORT',
  '[::1]:PORT',
  '[::]:PORT',
  '[0:0:0:0:0:0:0:1]:PORT',
  '[::ffff:127.0.0.1]:PORT',
  '[::ffff:7f00:1]:PORT',
  '[::127.0.0.1]:PORT',
  '[64:ff9b::7f00:1]:PORT',
  '[::1%lo]:PORT',
  '127.0.0.1:44321,PORT',
  'localhost:44321,PORT',
  'pcp://127.0.0.1:PORT',
  'pcps://127.0.0.1:PORT',
  'localhost@127.0.0.1:PORT',
  'evil.example@127.0.0.1:PORT',
  'localhost:44321@localhost:PORT',
  '127.0.0.1:PORT?container=a',
  '127.0.0.1:PORT?secure=relaxed',
  'user@127.0.0.1:PORT',
  'http://127.0.0.1:PORT/',
  '127.0.0.1:PORT/',
  '127.0.0.1:PORT#',
  '127.0.0.1:PORT\r\nX: y',
  '127.0.0.1\0.evil.example:PORT',
  '①②⑦.⓪.⓪.①:PORT',
  'ⓛocalhost:PORT',
  'localhost:PORT;127.0.0.1:PORT',
];

/** Ways of asking for a host. */
const ROUTES: readonly ((hostspec: string) => string)[] = [
  (hostspec) => `/pmapi/fetch?names=a.b&hostspec=${hostspec}`,
  (hostspec) => `/pmapi/metrics?hostspec=${hostspec}`,
  (hostspec) => `/search?q=a&hostspec=${hostspec}`,
  (hostspec) => `/derived/check?expr=1&hostspec=${hostspec}`,
  (hostspec) => `/pmapi/indom?name=a.b&hostspec=${hostspec}`,
];

/** What a hostspec was answered, without what it repeats of itself and what never is the same twice. */
const signature = ({ status, body }: { status: number; body: string }): string =>
  `${status} ${body.replaceAll(/"(?:requestId|hostspec|context)":(?:"(?:[^"\\]|\\.)*"|\d+),?/g, '')}`;

/** Clients on this machine are told the truth; this one comes from elsewhere through a proxy. */
const FROM_ELSEWHERE = { 'X-Forwarded-For': '203.0.113.7' };

/** Hosts that may not be reached, that there are not, and that do not answer are told alike. */
async function alike(target: Target): Promise<Verdict> {
  const hosts = [
    '127.0.0.1:1',
    '127.0.0.1:22',
    '127.0.0.1:65535',
    'no.such.host.invalid',
    '192.0.2.1',
    '[2001:db8::1]',
  ];
  const findings: (string | undefined)[] = [];
  for (const route of ROUTES) {
    const replies = await Promise.all(hosts.map((host) => target.get(route(encodeURIComponent(host)), FROM_ELSEWHERE)));
    const [first] = replies;
    const odd = replies.findIndex((reply) => signature(reply) !== signature(first!));
    if (odd !== -1) findings.push(`${route(hosts[odd]!)}: ${signature(replies[odd]!)} and ${signature(first!)}`);
    if (replies.some(({ status }) => status < 400)) findings.push(`${route('')} reached one`);
    const again = await Promise.all(hosts.map((host) => target.get(route(encodeURIComponent(host)), FROM_ELSEWHERE)));
    const times = replies.map(({ elapsedMs }, i) => Math.min(elapsedMs, again[i]!.elapsedMs));
    // One that is refused at once would stand out by far; those that wait do so for the same limit.
    const spreadMs = Math.max(...times) - Math.min(...times);
    if (spreadMs > 2000 && Math.min(...times) < Math.max(...times) / 2)
      findings.push(`${route('')}: ${spreadMs} ms apart`);
  }
  return verdictOf(findings, `${hosts.length} hosts by ${ROUTES.length} routes`);
}

/** Nothing of this machine but its pmcd, however it is written. The gateway's own port stands for all: it would answer. */
async function waysHome(target: Target): Promise<Verdict> {
  const port = target.url.port || '80';
  const replies = await Promise.all(
    WAYS_HOME.map((way) => target.get(`/pmapi/context?hostspec=${encodeURIComponent(way.replaceAll('PORT', port))}`)),
  );
  const findings = replies.map(({ status, body }, i) => {
    if (status >= 500 && status !== 503 && status !== 504) return `${WAYS_HOME[i]!}: ${status}`;
    return status < 400 && !body.includes('"error"') ? `${WAYS_HOME[i]!}: ${status}` : undefined;
  });
  return verdictOf(findings, `${WAYS_HOME.length} ways`);
}

async function sockets(target: Target): Promise<Verdict> {
  const specs = [
    'unix:///run/docker.sock',
    'unix:/run/pcp/pmcd.socket',
    'local:///run/pcp/pmcd.socket',
    'local:',
    'unix:',
  ];
  const replies = await Promise.all(
    specs.map((spec) => target.get(`/pmapi/context?hostspec=${encodeURIComponent(spec)}`)),
  );
  // Not even whether there is such a socket.
  const told = replies.findIndex(({ status }) => ![400, 401, 403].includes(status));
  return told === -1
    ? refused(replies.map(({ status }) => status).join())
    : open(`${specs[told]!}: ${replies[told]!.status}`);
}

/** A network behind the gateway stays unknown to its clients. */
export const SCANNING: readonly Attack[] = [
  { area: AREA, name: 'telling hosts apart by their answers', run: alike },
  { area: AREA, name: 'ways of writing this machine', run: waysHome },
  { area: AREA, name: 'sockets of this machine', run: sockets },
];
