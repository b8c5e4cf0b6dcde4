import { open, refused, skipped, verdictOf } from '../attack.js';
import type { Attack, Verdict } from '../attack.js';
import type { RequestParts, Target } from '../target.js';

const AREA = 'cross-site request forgery';

/** Every request that changes something: contexts, definitions, values, positions. 4711 is nobody's context. */
export const CHANGES: readonly (readonly [string, string])[] = [
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

/** What the browser says of whence a request comes. */
const PAGES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'a script or form of another origin': { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' },
  'a page without an origin of its own': { Origin: 'null', 'Sec-Fetch-Site': 'cross-site' },
  'an image, script or link of another site': { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors' },
  'an image of a sibling of ours': { 'Sec-Fetch-Site': 'same-site', 'Sec-Fetch-Mode': 'no-cors' },
  'an origin that begins like localhost': { Origin: 'http://localhost.evil.example' },
  'an origin that ends like localhost': { Origin: 'http://evil-localhost' },
};

/** A form needs nobody's leave; what it sends is text. */
const FORM: RequestParts = {
  headers: { 'Content-Type': 'text/plain' },
  body: 'name=evil.made&expr=1',
};

async function changeFrom(target: Target, page: Readonly<Record<string, string>>): Promise<Verdict> {
  const findings = await Promise.all(
    CHANGES.map(async ([method, path]) => {
      const { headers, ...rest } = method === 'POST' ? FORM : {};
      const { status } = await target.request(method, path, { headers: { ...headers, ...page }, ...rest });
      return status === 403 || status === 401 || status === 405 ? undefined : `${method} ${path}: ${status}`;
    }),
  );
  return verdictOf(findings, `${CHANGES.length} changes refused`);
}

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
    // A token is nothing that a browser adds by itself: with one this would be the client's own will.
    run: (target: Target) =>
      target.token === undefined ? changeFrom(target, page) : Promise.resolve(skipped('made without a token only')),
  })),
  { area: AREA, name: 'reading an answer', run: readFrom },
  { area: AREA, name: 'asking for leave first', run: preflight },
  { area: AREA, name: 'a batch that says it is text', run: batchAsText },
  { area: AREA, name: 'changes inside a batch', run: batchFromPage },
];
