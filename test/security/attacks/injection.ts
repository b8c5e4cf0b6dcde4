import { type Attack, type Verdict, open, refused, verdictOf } from '../attack.js';
import type { Target } from '../target.js';

const AREA = 'injection';

/** What would end a header and begin another one, as clients may write it. */
const CRLF = '%0d%0aX-Evil:%20yes';
const UNICODE_CRLF = '%e5%98%8a%e5%98%8dX-Evil:%20yes';

/** Every place of a request whose text comes back. */
const ECHOES: readonly string[] = [
  `/pmapi/metric?name=pmcd.version&client=${CRLF}`,
  `/pmapi/metrics?names=pmcd.version,${CRLF}`,
  `/metrics?names=pmcd.version,${CRLF}`,
  `/pmapi/metrics?names=pmcd.version,${UNICODE_CRLF}`,
  `/pmapi/fetch?names=pmcd.version,${UNICODE_CRLF}`,
  `/pmapi/fetch?hostspec=${CRLF}&names=a`,
  `/pmapi/context?archive=${CRLF}`,
  `/pmapi/fetch?archive=${CRLF}&names=a&start=-1h&format=csv`,
  `/docs/${CRLF}`,
  `/derived/${CRLF}`,
  `/${CRLF}`,
  `/pmapi/fetch?${CRLF}=1`,
];

async function headers(target: Target): Promise<Verdict> {
  const findings = await Promise.all(
    ECHOES.map(async (path) => {
      const reply = await target.get(path);
      const isHeader = Object.keys(reply.headers).some((name) => name === 'x-evil');
      return isHeader || reply.status === 0 || reply.status === 500 ? `${path}: ${reply.status}` : undefined;
    }),
  );
  return verdictOf(findings, `${ECHOES.length} places`);
}

/** Header fields that come back must be harmless or be replaced. */
async function echoedFields(target: Target): Promise<Verdict> {
  const asked = ['a\tb', 'a b', '<script>', 'x'.repeat(200), 'é', '"'];
  const findings = await Promise.all(
    asked.map(async (id) => {
      const { headers: answered } = await target.get('/healthz', {
        'X-Request-Id': id,
        Traceparent: `00-${id}-${id}-01`,
        Origin: `http://localhost/${id}`,
      });
      const texts = [answered['x-request-id'], answered.traceparent, answered['access-control-allow-origin']];
      return texts.some((text) => text?.includes(id)) ? `${JSON.stringify(id)} came back` : undefined;
    }),
  );
  return verdictOf(findings, 'replaced by our own');
}

/** Nothing that a client wrote is ever sent as something that a browser runs. */
async function markup(target: Target): Promise<Verdict> {
  const script = '%3Cscript%3Ealert(1)%3C/script%3E';
  const paths = [`/${script}`, `/pmapi/fetch?names=${script}`, `/search?q=${script}&highlight=name`, `/docs/${script}`];
  const findings = await Promise.all(
    paths.map(async (path) => {
      const reply = await target.get(path);
      const type = reply.headers['content-type'] ?? '';
      const sniffed = reply.headers['x-content-type-options'] !== 'nosniff';
      return type.startsWith('text/html') || sniffed ? `${path}: ${type}` : undefined;
    }),
  );
  return verdictOf(findings, 'JSON, not to be sniffed');
}

/** JSON members that are the language's own. */
async function prototypes(target: Target): Promise<Verdict> {
  const bodies = [
    '{"__proto__":{"names":["pmcd.version"]}}',
    '{"constructor":{"prototype":{"evil":1}}}',
    '{"names":{"__proto__":{"evil":1}}}',
  ];
  const texts = ['/pmapi/fetch?__proto__=1', '/pmapi/fetch?constructor=1', '/pmapi/fetch?__proto__[evil]=1'];
  const replies = await Promise.all([
    ...bodies.map((body) => target.postJson('/pmapi/fetch', body)),
    ...texts.map((path) => target.get(path)),
  ]);
  const findings = replies.map(({ status }, i) => (status >= 400 && status < 500 ? undefined : `case ${i}: ${status}`));
  return verdictOf(findings, 'unknown parameters');
}

async function responseHeaders(target: Target): Promise<Verdict> {
  const { headers: page } = await target.get('/docs');
  const { headers: answer } = await target.get('/healthz');
  const policy = page['content-security-policy'] ?? '';
  return verdictOf(
    [
      answer['x-content-type-options'] === 'nosniff' ? undefined : 'no nosniff',
      answer.server === undefined && answer['x-powered-by'] === undefined ? undefined : 'says what it is made of',
      policy.includes("default-src 'none'") ? undefined : 'the page may load from anywhere',
      policy.includes("frame-ancestors 'none'") ? undefined : 'the page may be framed',
      policy.includes('unsafe') ? 'the page runs scripts within it' : undefined,
      ['no-referrer', 'same-origin'].includes(page['referrer-policy'] ?? '')
        ? undefined
        : 'the page tells where it was',
    ],
    'nosniff, a strict policy for the page',
  );
}

/** A defect must not tell how the gateway is made. */
async function internals(target: Target): Promise<Verdict> {
  const paths = ['/%ff', '/pmapi/%2e%2e/%2e%2e/etc/passwd', '/pmapi/9007199254740993/fetch', '/pmapi/fetch?names=%00'];
  const replies = await Promise.all(paths.map((path) => target.get(path)));
  const told = replies.find(({ body }) => /node_modules|\/src\/|\/dist\/|\bat \w+ \(/.test(body));
  return told ? open(told.body.slice(0, 100)) : refused('no stack, no path');
}

/** Text of a client's that would become something else on its way. */
export const INJECTION: readonly Attack[] = [
  { area: AREA, name: 'header fields through every text that comes back', run: headers },
  { area: AREA, name: 'header fields that are echoed', run: echoedFields },
  { area: AREA, name: 'markup', run: markup },
  { area: AREA, name: 'members of every object', run: prototypes },
  { area: AREA, name: 'what answers say to browsers', run: responseHeaders },
  { area: AREA, name: 'stacks and paths in errors', run: internals },
];
