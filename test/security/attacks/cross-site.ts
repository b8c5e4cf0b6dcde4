import { type Attack, type Verdict, open, refused, skipped, verdictOf } from '../attack.js';
import type { RequestParts, Target } from '../target.js';

const AREA = 'cross-site request forgery';

/** Every request that changes something: contexts, definitions, values, positions. 4711 is nobody's context. */
const CHANGES: readonly (readonly [string, string])[] = [
  ['GET', '/pmapi/context'],
  ['GET', '/pmapi/_context'],
  ['POST', '/pmapi/context'],
  ['GET', '/pmapi/derive?name=evil.made&expr=1'],
  ['POST', '/pmapi/derive?name=evil.made&expr=1'],
  ['GET', '/pmapi/profile?expr=del'],
  ['GET', '/pmapi/store?name=evil.made&value=1'],
  ['POST', '/pmapi/store?name=evil.made&value=1'],
  ['POST', '/pmapi/4711/store?name=evil.made&value=1'],
  ['DELETE', '/pmapi/4711'],
  ['POST', '/pmapi/4711/dup'],
  ['POST', '/pmapi/4711/reconnect'],
  ['POST', '/derived?name=evil.made&expr=1'],
  ['PUT', '/derived/evil.made?expr=1'],
  ['DELETE', '/derived/evil.made'],
  ['POST', '/pmapi/4711/mode?mode=forward'],
  ['GET', '/pmapi/4711/records'],
];

/** The origin that the browser reports. */
const PAGES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'a script or form of another origin': { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' },
  'a page without an origin of its own': { Origin: 'null', 'Sec-Fetch-Site': 'cross-site' },
  'an image, script or link of another site': { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors' },
  'an image of a sibling of ours': { 'Sec-Fetch-Site': 'same-site', 'Sec-Fetch-Mode': 'no-cors' },
  'an origin that begins like localhost': { Origin: 'http://localhost.evil.example' },
  'an origin that ends like localhost': { Origin: 'http://evil-localhost' },
};

/** The same where it says less: by plain HTTP beyond loopback, and what is old. */
const PLAIN_PAGES: typeof PAGES = {
  'an image of a page that only Referer tells of': { Referer: 'http://evil.example/page' },
  'an image of a page whose Referer begins like us': { Referer: 'http://localhost.evil.example/' },
  'an image of a page that hides where it is': { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101' },
};

/** What takes time to answer, or much memory; 4711 is nobody's context. */
const READS: readonly (readonly [string, string])[] = [
  ['GET', '/derived/check?expr=1'],
  ['POST', '/derived/check'],
  ['GET', '/search?q=cpu'],
  ['GET', '/search/text?query=cpu'],
  ['GET', '/search/suggest?query=cpu'],
  ['GET', '/metrics'],
  ['GET', '/pmapi/metrics'],
  ['GET', '/pmapi/fetch?prefix='],
  ['POST', '/pmapi/fetch'],
  ['GET', '/pmapi/fetch?names=hinv.ncpu&archive=built&start=0'],
  ['GET', '/pmapi/stream?names=hinv.ncpu&samples=1'],
  ['GET', '/pmapi/metric?prefix='],
  ['GET', '/pmapi/_metric?prefix='],
  ['GET', '/pmapi/children?prefix='],
  ['GET', '/pmapi/indom?name=disk.dev.read'],
  ['GET', '/pmapi/contexts'],
  ['GET', '/pmapi/4711'],
  ['GET', '/archives'],
  ['GET', '/derived'],
];

/** A form needs nobody's leave; what it sends is text. */
const FORM: RequestParts = { headers: { 'Content-Type': 'text/plain' }, body: 'name=evil.made&expr=1' };

async function sendFrom(
  target: Target,
  requests: readonly (readonly [string, string])[],
  page: Readonly<Record<string, string>>,
): Promise<Verdict> {
  // A token is nothing that a browser adds by itself: with one this would be the client's own will.
  if (target.token !== undefined) return skipped('made without a token only');
  const findings = await Promise.all(
    requests.map(async ([method, path]) => {
      const { headers, ...rest } = method === 'POST' ? FORM : {};
      const { status } = await target.request(method, path, { headers: { ...headers, ...page }, ...rest });
      return status === 403 || status === 401 || status === 405 ? undefined : `${method} ${path}: ${status}`;
    }),
  );
  return verdictOf(findings, `${requests.length} refused`);
}

const GETS = CHANGES.filter(([method]) => method === 'GET');

async function readFrom(target: Target): Promise<Verdict> {
  const { headers } = await target.get('/pmapi/metric?name=pmcd.version', { Origin: 'https://evil.example' });
  const allowed = headers['access-control-allow-origin'];
  return allowed === undefined ? refused('no leave to read') : open(`Access-Control-Allow-Origin: ${allowed}`);
}

async function preflight(target: Target): Promise<Verdict> {
  const { headers } = await target.request('OPTIONS', '/derived/evil.made', {
    headers: { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'PUT' },
  });
  const allowed = headers['access-control-allow-origin'];
  return allowed === undefined ? refused('no leave to send') : open(`Access-Control-Allow-Origin: ${allowed}`);
}

/** A batch is JSON, which a page may not send unasked; told to be text it must not be read. */
async function batchAsText(target: Target): Promise<Verdict> {
  const { status } = await target.request('POST', '/pmapi/batch', {
    headers: { 'Content-Type': 'text/plain', Origin: 'https://evil.example' },
    body: '[{"path":"/pmapi/context"}]',
  });
  return status >= 400 ? refused(String(status)) : open('it was read');
}

/** Even a page that may send JSON gets no change past the batch. */
async function batchFromPage(target: Target): Promise<Verdict> {
  const { status, body } = await target.request('POST', '/pmapi/batch', {
    headers: { 'Content-Type': 'application/json', Origin: 'https://evil.example' },
    body: '[{"path":"/pmapi/context"},{"method":"PUT","path":"/derived/evil.made?expr=1"}]',
  });
  if (status >= 400) return refused(String(status));
  return /"status":20/.test(body) ? open(body.slice(0, 100)) : refused('each entry by itself');
}

/** What a page of somebody else has a visitor's browser send here. */
export const CROSS_SITE: readonly Attack[] = [
  ...Object.entries(PAGES).map(([name, page]) => ({
    area: AREA,
    name,
    run: (target: Target) => sendFrom(target, CHANGES, page),
  })),
  // Images and links are GETs; forms tell their origin.
  ...Object.entries(PLAIN_PAGES).map(([name, page]) => ({
    area: AREA,
    name,
    run: (target: Target) => sendFrom(target, GETS, page),
  })),
  ...Object.entries(PAGES).map(([name, page]) => ({
    area: AREA,
    name: `costly reads: ${name}`,
    run: (target: Target) => sendFrom(target, READS, page),
  })),
  {
    area: AREA,
    name: 'costly reads: a frame of another site',
    run: (target) =>
      sendFrom(
        target,
        READS.filter(([method]) => method === 'GET'),
        { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'iframe' },
      ),
  },
  { area: AREA, name: 'reading an answer', run: readFrom },
  { area: AREA, name: 'asking for leave first', run: preflight },
  { area: AREA, name: 'a batch that says it is text', run: batchAsText },
  { area: AREA, name: 'changes inside a batch', run: batchFromPage },
];
