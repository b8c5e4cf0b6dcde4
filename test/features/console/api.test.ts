import { createHash } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { runInNewContext } from 'node:vm';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { jest } from '@jest/globals';
import { SCREENS } from '../../../src/features/console/page/state/url-state.js';
import { consoleRoutes, readConsoleFiles } from '../../../src/features/console/operations.js';
import { Api } from '../../support/api.js';
import { memoryGateway } from '../../support/memory-gateway.js';

const SCRIPT = 'main-ABCD1234.js';
const PAGE = `<!DOCTYPE html><script type="module" src="./${SCRIPT}"></script>`;
interface Fetched {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

async function browse(port: number, url: string, more: Record<string, string> = {}): Promise<Fetched> {
  const headers = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8', ...more };
  const answer = await fetch(`http://127.0.0.1:${port}${url}`, { headers, redirect: 'manual' });
  return { status: answer.status, text: await answer.text(), headers: Object.fromEntries(answer.headers) };
}

const built = mkdtempSync(path.join(os.tmpdir(), 'pmgate-console-'));
writeFileSync(path.join(built, 'index.html'), PAGE);
writeFileSync(path.join(built, SCRIPT), 'x'.repeat(5000));
writeFileSync(path.join(built, `${SCRIPT}.br`), brotliCompressSync('precompressed'));
writeFileSync(path.join(built, 'others-1.js'), 'import{a}from"./chunk-2.js";export{a}');
const VIEWER = `the page with <script id="worker">${gzipSync('the worker').toString('base64')}</script>`;
writeFileSync(path.join(built, 'viewer.html'), VIEWER);
writeFileSync(path.join(built, 'notes.txt'), 'not for clients');
const files = readConsoleFiles(built);

const api = Api.serving(memoryGateway(), { routes: consoleRoutes(() => files) });

describe('/console/', () => {
  it.each([...SCREENS])('is the page, for the screen "%s" and whatever the query says', async (screen) => {
    const { status, text, headers } = await browse(api.port, `/console/${screen}?lane=kernel.all.load&on=a&on=b`);
    expect([status, text]).toEqual([200, PAGE]);
    expect(headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' });
    expect(headers.etag).toMatch(/^"/);
    const again = await browse(api.port, `/console/${screen}`, { 'if-none-match': headers.etag! });
    expect(again.status).toBe(304);
  });

  it('runs its own script only, and turns no text into markup', async () => {
    const { headers } = await browse(api.port, '/console/');
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; " +
        "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types pmgate-worker",
    );
    expect(headers['x-content-type-options']).toBe('nosniff');
  });

  it('names the scripts of screens that it begins without, so that they are on their way before it asks for them', async () => {
    const linkOf = async (screen: string): Promise<string | undefined> =>
      (await browse(api.port, `/console/${screen}`)).headers.link;
    expect(await linkOf('hosts')).toBe('<others-1.js>; rel=modulepreload, <chunk-2.js>; rel=modulepreload');
    expect([await linkOf(''), await linkOf('chart')]).toEqual([undefined, undefined]);
  });

  it('has files that never change, compressed when they were built', async () => {
    const { headers, text } = await browse(api.port, `/console/${SCRIPT}`, { 'accept-encoding': 'br' });
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-encoding': 'br',
    });
    expect(text).toBe('precompressed');
  });

  it('has a worker that may send nothing, and the page as one file, for downloading', async () => {
    const { headers, text } = await browse(api.port, '/console/worker.js?abcd1234', { 'accept-encoding': 'gzip' });
    expect(text).toBe('the worker');
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'wasm-unsafe-eval'; connect-src 'none'",
    );
    expect(await browse(api.port, '/console/viewer.html')).toMatchObject({
      text: VIEWER,
      headers: {
        'content-disposition': 'attachment; filename="pmgate-viewer.html"',
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-cache',
      },
    });
  });

  it.each(['now', 'chart/', 'index.html', 'notes.txt', `${SCRIPT}.br`, '..%2Fpackage.json', '__proto__', 'Chart'])(
    'has no %s',
    async (file) => {
      expect(await api.get(`/console/${file}`)).toMatchObject({ status: 404, json: { code: 'NOT_FOUND' } });
    },
  );

  it.each(['/console/now', '/console/chart/', '/docs/guide/nowhere', '/nowhere/at/all'])(
    'has a page with a way back for browsers at %s',
    async (url) => {
      const { status, text, headers } = await browse(api.port, url);
      expect([status, headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
      const [, back = ''] = /href="([^"]*console\/)"/.exec(text) ?? [];
      expect(new URL(back, `http://host/prefix${url}`).pathname).toBe('/prefix/console/');
    },
  );

  it('is found below a prefix that only the browser knows', async () => {
    const { status, text, headers } = await browse(api.port, '/', { 'x-forwarded-for': '192.0.2.1' });
    expect([status, headers.location]).toEqual([200, undefined]);
    const [, script = ''] = /<script>(.*)<\/script>/.exec(text) ?? [];
    const hash = createHash('sha256').update(script).digest('base64');
    expect(headers['content-security-policy']).toContain(`script-src 'sha256-${hash}'`);
    for (const pathname of ['/pm/gate', '/pm/gate/']) {
      const replace = jest.fn();
      runInNewContext(script, { location: { pathname, replace } });
      expect(replace).toHaveBeenCalledWith('/pm/gate/console/');
    }
  });

  it('is where /console and, in browsers, / lead, by relative addresses', async () => {
    expect(await api.get('/console?q=1')).toMatchObject({ status: 308, headers: { location: 'console/?q=1' } });
    expect(await browse(api.port, '/')).toMatchObject({ status: 303, headers: { location: './console/' } });
    expect(await api.get('/')).toMatchObject({ status: 404, json: { code: 'NOT_FOUND' } });
  });
});

describe('without a console', () => {
  it('there is no page, and / leads to /docs', async () => {
    expect(readConsoleFiles(path.join(built, 'none'))).toBeUndefined();
    const bare = await Api.start(memoryGateway());
    try {
      expect(await bare.get('/console/')).toMatchObject({ status: 404, json: { code: 'NOT_FOUND' } });
      expect(await bare.get('/console/chart')).toMatchObject({ status: 404, json: { code: 'NOT_FOUND' } });
      expect(await browse(bare.port, '/')).toMatchObject({ status: 302, headers: { location: './docs' } });
    } finally {
      await bare.stop();
    }
  });
});
