/** The gateway behind a proxy that puts it below a path. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { ClientLimits } from '../../src/http/guards/client-limits.js';
import { systemClock } from '../../src/pmapi/index.js';
import { Api, type FlatOptions } from '../support/api.js';
import { consoleRoutes, readConsoleFiles } from '../../src/features/console/operations.js';
import { memoryGateway } from '../support/memory-gateway.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const BOUNDS = { requestsPerSec: 0, requests: 0, contexts: 0, streams: 0, connections: 0 };
const built = temporaryDirectory().path;
writeFileSync(path.join(built, 'index.html'), '<!DOCTYPE html>');
const files = readConsoleFiles(built);

/** The options of a gateway that trusts the proxies at `exempt`. */
const trusting = (exempt: readonly string[]): FlatOptions => ({
  routes: consoleRoutes(() => files),
  clients: new ClientLimits({ ...BOUNDS, exempt }, systemClock),
});

/** Where a browser that requests `url` ends up next, seen from outside: `seen` is the path in its address bar. */
async function leadsTo(api: Api, url: string, seen: string, headers: Record<string, string> = {}): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${api.port}${url}`, {
    headers: { ...BROWSER, ...headers },
    redirect: 'manual',
  });
  const location = answer.headers.get('location');
  const link = /<a href="([^"]*)"/.exec(await answer.text())?.[1];
  return new URL(location ?? link ?? 'no:link', `https://example.com${seen}`).href;
}

const statusOf = async (api: Api, url: string): Promise<number> =>
  (await fetch(api.url + url, { headers: BROWSER })).status;

describe('behind a proxy that removes the prefix', () => {
  const api = Api.serving(memoryGateway(), trusting(['127.0.0.0/8']));

  it.each([
    ['/', 'console/'],
    ['/console', 'console/'],
    ['/docs/', 'docs'],
    ['/docs/guide/', 'docs/guide'],
    ['/docs/guide/api/', 'docs/guide/api'],
    ['//pmapi/fetch?names=x', 'pmapi/fetch?names=x'],
    ['/no/such/page', 'console/'],
    ['/nowhere', 'console/'],
  ])('redirects and links of %s stay below it', async (url, target) => {
    expect(await leadsTo(api, url, `/pmgate${url}`)).toBe(`https://example.com/pmgate/${target}`);
  });

  it('pages load their files and the document from below it', async () => {
    for (const page of ['/docs', '/docs/guide', '/docs/guide/api']) {
      const { text } = await api.get(page);
      const links = [...text.matchAll(/(?:src|href)="([^"#:]+)["#]/g)].map(([, link]) => link!);
      expect(links.length).toBeGreaterThan(2);
      for (const link of links) {
        const { pathname } = new URL(link, `https://example.com/pmgate${page}`);
        expect([pathname, await statusOf(api, pathname.replace(/^\/pmgate\//, '/'))]).toEqual([
          expect.stringMatching(/^\/pmgate\//),
          // The console, for browsers.
          pathname === '/pmgate/' ? expect.any(Number) : 200,
        ]);
      }
    }
    const { json } = await api.get('/openapi.json');
    const [{ url }] = (json as unknown as { servers: [{ url: string }] }).servers;
    expect(new URL(url, 'https://example.com/pmgate/openapi.json').pathname).toBe('/pmgate/');
  });

  it('X-Forwarded-Prefix says where / is, even without a slash at the end', async () => {
    const headers = { 'x-forwarded-prefix': '/team/pmgate' };
    expect(await leadsTo(api, '/', '/team/pmgate', headers)).toBe('https://example.com/team/pmgate/console/');
    expect(await leadsTo(api, '/', '/pmgate', { 'x-forwarded-prefix': '/pmgate/' })).toBe(
      'https://example.com/pmgate/console/',
    );
  });

  it.each([
    '//evil.example',
    '/..',
    '/a/../b',
    'https://evil.example',
    'pmgate',
    '/a?b',
    '/a%2f',
    '/a"b',
    '/\\evil.example',
    '/a, /b',
    '/'.padEnd(300, 'a'),
    '',
  ])('a prefix of %j is ignored', async (prefix) => {
    expect(await leadsTo(api, '/', '/', { 'x-forwarded-prefix': prefix })).toBe('https://example.com/console/');
  });
});

describe('a client that is no proxy', () => {
  it('cannot set the prefix', async () => {
    const api = await Api.start(memoryGateway(), trusting(['192.0.2.1']));
    try {
      expect(await leadsTo(api, '/', '/', { 'x-forwarded-prefix': '/mine' })).toBe('https://example.com/console/');
    } finally {
      await api.stop();
    }
  });
});

describe('listen.basePath, behind a proxy that keeps the prefix', () => {
  const api = Api.serving(memoryGateway(), { ...trusting([]), basePath: '/team/pmgate' });

  it('serves requests with the prefix and without', async () => {
    for (const url of ['/team/pmgate/healthz', '/healthz']) expect(await statusOf(api, url)).toBe(200);
    const answer = await fetch(`${api.url}/team/pmgate/pmapi/fetch?names=mem.util.free`);
    expect(await answer.json()).toMatchObject({ values: [{ name: 'mem.util.free' }] });
  });

  it.each(['/team/pmgate', '/team/pmgate/', '/team/pmgate?x=1'])('leads from %s to the console', async (url) => {
    expect(await leadsTo(api, url, url)).toBe('https://example.com/team/pmgate/console/');
  });

  it('redirects and links stay below it', async () => {
    expect(await leadsTo(api, '/team/pmgate/docs/', '/team/pmgate/docs/')).toBe('https://example.com/team/pmgate/docs');
    expect(await leadsTo(api, '/team/pmgate//docs', '/team/pmgate//docs')).toBe('https://example.com/team/pmgate/docs');
    expect(await leadsTo(api, '/team/pmgate/a/b', '/team/pmgate/a/b')).toBe('https://example.com/team/pmgate/console/');
    expect(await leadsTo(api, '/', '/')).toBe('https://example.com/console/');
  });

  it('has nothing at paths that only begin like it', async () => {
    for (const url of ['/team/pmgateway/healthz', '/TEAM/pmgate/healthz', '/team/pmgate/team/pmgate/healthz']) {
      expect(await statusOf(api, url)).toBe(404);
    }
  });
});
