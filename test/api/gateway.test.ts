import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { GUIDE_PAGES } from '../../config/tooling/guide.js';
import { renderGuide } from '../../config/tooling/render-guide.js';
import type { Readiness } from '../../src/http/index.js';
import { Api } from '../support/api.js';
import { fakeFleet } from '../support/fake-fleet.js';
import { memoryGateway } from '../support/memory-gateway.js';

let readiness: Readiness = { ready: true };
const fleet = fakeFleet();
const api = Api.serving(memoryGateway(), { readiness: () => readiness, fleet });

describe('/healthz and /readyz', () => {
  it('answer', async () => {
    expect((await api.get('/healthz')).json).toEqual({ status: 'ok', success: true });
    expect((await api.get('/readyz')).json).toEqual({ status: 'ready', success: true });
  });

  it('tell alive from ready', async () => {
    readiness = { ready: false, reason: 'draining' };
    expect((await api.get('/healthz')).status).toBe(200);
    expect(await api.get('/readyz')).toMatchObject({
      status: 503,
      json: { message: 'not ready: draining', code: 'UNAVAILABLE' },
      headers: { 'retry-after': '1' },
    });
  });
});

describe('a gateway of a fleet', () => {
  afterAll(() => {
    readiness = { ready: true };
    fleet.isAlone = false;
  });

  it('tells clients on this machine, and no others, about the fleet', async () => {
    const cluster = { state: 'member', members: 3, version: 7, differs: ['web2:44322#1'] } as const;
    readiness = { ready: true, cluster };
    expect((await api.get('/readyz')).json).toEqual({ status: 'ready', success: true, cluster });
    expect((await api.get('/readyz', { headers: { 'X-Forwarded-For': '192.0.2.1' } })).json).not.toHaveProperty(
      'cluster',
    );
  });

  it('says that it is alone in every response, errors included', async () => {
    expect((await api.get('/derived')).headers).not.toHaveProperty('pmgate-cluster');
    fleet.isAlone = true;
    for (const url of ['/derived', '/derived/no.such', '/no/such/path']) {
      expect((await api.get(url)).headers).toMatchObject({ 'pmgate-cluster': 'alone' });
    }
  });
});

describe('the description of the API', () => {
  it('is served as it stands in the repository', async () => {
    for (const file of ['openapi.yaml', 'config/openapi.compat.yaml']) {
      const { text, headers } = await api.get(`/${path.basename(file)}`);
      expect(text).toBe(readFileSync(file, 'utf8'));
      expect(headers['content-type']).toBe('application/yaml');
    }
  });

  it('is the same as JSON: the generated copy is fresh', async () => {
    const { json } = await api.get('/openapi.json');
    expect(json).toEqual(parse(readFileSync('openapi.yaml', 'utf8')));
  });
});

describe('/docs', () => {
  it('loads nothing from elsewhere', async () => {
    const { text, headers } = await api.get('/docs');
    const policy = headers['content-security-policy']!;
    expect(policy).toMatch(/^default-src 'none';/);
    expect(policy).not.toMatch(/unsafe|https?:/);
    expect(text).not.toMatch(/https?:|<script>|style=|onload/);
    const files = [...text.matchAll(/(?:src|href)="([^":]+)"/g)].map(
      ([, link]) => new URL(link!, `${api.url}/docs`).pathname,
    );
    expect(files).toEqual([
      '/docs/swagger-ui.css',
      '/docs/explorer.css',
      '/',
      '/docs/guide',
      '/docs',
      '/docs/swagger-ui-bundle.js',
      '/docs/start.js',
    ]);
    for (const file of files.filter((name) => name.includes('.'))) {
      const answer = await api.get(file);
      expect(answer.status).toBe(200);
      expect(answer.text.length).toBeGreaterThan(50);
      expect(answer.headers['content-type']).toMatch(file.endsWith('.css') ? /^text\/css/ : /^text\/javascript/);
    }
  });
});

describe('/docs/guide', () => {
  const names = Object.keys(GUIDE_PAGES);
  const urlOf = (name: string): string => (name === '' ? '/docs/guide' : `/docs/guide/${name}`);

  it.each(names)('has the page "%s", which loads nothing but a stylesheet', async (name) => {
    const { status, text, headers } = await api.get(urlOf(name));
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'self';/);
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(headers['content-security-policy']).not.toMatch(/unsafe|https?:|script-src/);
    expect(text).not.toMatch(/<script|<style|<img|<iframe| style=| on\w+=/);
    const at = (link: string | undefined): string => new URL(link!, api.url + urlOf(name)).href;
    expect([...text.matchAll(/<link [^>]*href="([^"]+)"/g)].map(([, link]) => at(link))).toEqual([
      'data:,',
      `${api.url}/docs/guide.css`,
    ]);
    const [, current] = /<a href="([^"]+)" aria-current="page">/.exec(text)!;
    expect(at(current)).toBe(api.url + urlOf(name));
  });

  it('has links that lead to pages, headings and files that the gateway serves', async () => {
    const pages = new Map(renderGuide().map(([name, html]) => [urlOf(name), html]));
    const broken: string[] = [];
    let count = 0;
    for (const [url, html] of pages) {
      for (const [, target] of html.matchAll(/<a href="([^"]+)"/g)) {
        if (/^https:/.test(target!)) continue;
        count++;
        const [aim, anchor] = new URL(target!, api.url + url).href.slice(api.url.length).split('#') as [
          string,
          string?,
        ];
        // It leads browsers to the console.
        if (aim === '/') continue;
        const page = pages.get(aim);
        const isThere =
          page === undefined
            ? (await api.get(aim)).status === 200
            : anchor === undefined || page.includes(` id="${anchor}"`);
        if (!isThere) broken.push(`${url}: ${target!}`);
      }
    }
    expect(broken).toEqual([]);
    expect(count).toBeGreaterThan(names.length ** 2);
  });

  it('has a light and a dark stylesheet in one', async () => {
    const { text, headers } = await api.get('/docs/guide.css');
    expect(headers['content-type']).toBe('text/css; charset=utf-8');
    expect(text).toContain('prefers-color-scheme: dark');
  });

  it.each(['no-such-page', 'guide.css', '__proto__'])('has no page %s, and says where the pages are', async (name) => {
    expect(await api.get(`/docs/guide/${name}`)).toMatchObject({
      status: 404,
      json: { code: 'NOT_FOUND', parameter: 'page', expected: 'a page that /docs/guide links to' },
    });
  });

  it('refuses names that are too long', async () => {
    expect(await api.get(`/docs/guide/${'a'.repeat(65)}`)).toMatchObject({
      status: 400,
      json: { code: 'BAD_PARAMETER' },
    });
  });
});

describe('paths that do not exist', () => {
  const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

  it.each(['*/*', 'application/json', undefined])(
    'tell clients that accept %s where the documents are',
    async (accept) => {
      for (const path of ['/', '/nowhere']) {
        const { status, json } = await api.get(path, accept === undefined ? {} : { headers: { accept } });
        expect({ status, json }).toEqual({
          status: 404,
          json: {
            message: `no such path: ${path}`,
            success: false,
            code: 'NOT_FOUND',
            expected: expect.stringMatching(/\/openapi\.yaml.*\/docs/),
          },
        });
      }
    },
  );

  it('lead browsers to the documentation', async () => {
    const browse = (path: string, method = 'GET'): Promise<Response> =>
      fetch(`${api.url}${path}`, { method, headers: BROWSER, redirect: 'manual' });
    const root = await browse('/');
    expect([root.status, root.headers.get('location'), root.headers.get('cache-control')]).toEqual([
      302,
      './docs',
      'no-store',
    ]);
    const missing = await browse('/<script>');
    expect([missing.status, missing.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    const page = await missing.text();
    expect(page).toContain('<a href="./docs">');
    expect(page).not.toContain('script');
    expect(await (await browse('/', 'DELETE')).json()).toMatchObject({ code: 'NOT_FOUND' });
  });
});
