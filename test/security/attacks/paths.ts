import { type Attack, type Verdict, open, refused, verdictOf } from '../attack.js';
import type { Target } from '../target.js';

const AREA = 'paths';

/** Names that would lead out of the roots of archives. */
const WAYS_OUT: readonly string[] = [
  '../outside',
  '../../../../../../etc/passwd',
  '/etc/passwd',
  '//etc/passwd',
  'recorded/../../outside',
  './../outside',
  'recorded/../..',
  '..',
  '.../...//outside',
  '..\\outside',
  'recorded\\..\\..\\outside',
  '%2e%2e/outside',
  '%2e%2e%2foutside',
  '..%2foutside',
  '..%00/outside',
  'built\0',
  'built\0.meta',
  'built,../outside',
  'built, /etc/passwd',
  ',',
  '~/outside',
  '~root/outside',
  '$HOME/outside',
  'file:///etc/passwd',
  'built/../../outside',
  '/proc/self/root/etc/passwd',
  '/dev/stdin',
  '／etc／passwd',
  '‥/outside',
  'a'.repeat(5000),
  `${'a/'.repeat(2000)}b`,
];

/** Pages of the documentation that there are not. */
const FILES: readonly string[] = [
  '/docs/..%2f..%2fpackage.json',
  '/docs/%2e%2e%2fpackage.json',
  '/docs/../package.json',
  '/docs/index.js',
  '/docs/swagger-ui-bundle.js%00.html',
  '/docs/__proto__',
  '/docs/swagger-ui.css.map',
  '/docs/guide/..%2f..%2fnode_modules%2fswagger-ui-dist%2findex',
  '/docs/guide/..%2findex',
  '/docs/guide/api.html',
  '/docs/guide/..%2f..%2fpackage.json%00',
  '/../../../etc/passwd',
  '/%2e%2e/%2e%2e/etc/passwd',
  '//etc/passwd',
  '/openapi.yaml/../package.json',
];

async function archives(target: Target): Promise<Verdict> {
  const findings = await Promise.all(
    WAYS_OUT.flatMap((name) => [
      `/pmapi/context?archive=${encodeURIComponent(name)}`,
      `/pmapi/fetch?names=a.b&archive=${encodeURIComponent(name)}`,
    ]).map(async (path) => {
      const { status, body } = await target.get(path);
      if (status >= 400 && status < 500 && !/root:/.test(body)) return undefined;
      return `${path.slice(0, 80)}: ${status}`;
    }),
  );
  return verdictOf(findings, `${WAYS_OUT.length} names`);
}

async function files(target: Target): Promise<Verdict> {
  const replies = await Promise.all(FILES.map((path) => target.get(path)));
  const found = replies.findIndex(
    ({ status, body }) => status < 400 && /root:|"dependencies"|"mappings"|<title>Swagger UI/.test(body),
  );
  const odd = replies.findIndex(({ status }) => status >= 500 || status === 0);
  if (found !== -1) return open(`${FILES[found]!} was served`);
  return odd === -1 ? refused(`${FILES.length} files`) : open(`${FILES[odd]!}: ${replies[odd]!.status}`);
}

/** Paths that a proxy in front may have rules for, written so that they begin otherwise. */
const SLASHES: readonly (readonly [string, string])[] = [
  ['PUT', '//derived/evil.made?expr=1'],
  ['PUT', '///derived/evil.made?expr=1'],
  ['DELETE', '//derived/evil.made'],
  ['POST', '//pmapi/store?name=evil.made&value=1'],
  ['GET', '//pmapi/derive?name=evil.made&expr=1'],
  ['GET', '//pmapi/context'],
  ['GET', '////metrics'],
  ['HEAD', '//metrics'],
  ['GET', '/.//metrics'],
  ['GET', '/\\metrics'],
];

/** Where a redirection must not lead. */
const ELSEWHERE: readonly string[] = [
  '//evil.example',
  '//evil.example/pmapi/fetch',
  '///evil.example/metrics',
  '//\\evil.example/metrics',
  '//%5cevil.example/metrics',
  '//pmapi//evil.example',
  '//metrics/..//evil.example',
  '//@evil.example/metrics',
];

async function slashes(target: Target): Promise<Verdict> {
  const findings = await Promise.all(
    SLASHES.map(async ([method, path]) => {
      const { status } = await target.request(method, path);
      return status >= 300 && status < 500 ? undefined : `${method} ${path}: ${status}`;
    }),
  );
  return verdictOf(findings, `${SLASHES.length} paths are redirected or unknown`);
}

async function redirections(target: Target): Promise<Verdict> {
  const findings = await Promise.all(
    ELSEWHERE.map(async (path) => {
      const { status, headers } = await target.get(path);
      const { location } = headers;
      const isHere = location === undefined || /^\/[^/\\]/.test(location);
      return isHere && status < 500 ? undefined : `${path}: ${status}, ${String(location)}`;
    }),
  );
  return verdictOf(findings, `${ELSEWHERE.length} paths`);
}

/** Files that are nobody's business. */
export const PATHS: readonly Attack[] = [
  { area: AREA, name: 'out of the roots of archives', run: archives },
  { area: AREA, name: 'out of the documentation', run: files },
  { area: AREA, name: 'around the rules of a proxy by more slashes', run: slashes },
  { area: AREA, name: 'redirections to other sites', run: redirections },
];
