/** The console in a real browser: PMGATE_CHROMIUM, or Debian's. Skipped where there is none. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { chromium } from 'playwright-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { loadConfig } from '../../../src/config/index.js';
import { Gateway } from '../../../src/gateway/gateway.js';
import { createLog } from '../../../src/log/log.js';
import { FakeClock } from '../../support/fake-clock.js';
import { PATIENT } from '../../support/patience.js';

const CHROMIUM = [
  process.env.PMGATE_CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((file) => file !== undefined && existsSync(file));
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const WAIT = { timeout: 60_000 };

if (CHROMIUM === undefined)
  process.stderr.write('skipped: no Chromium for the tests of the console (PMGATE_CHROMIUM)\n');

/** Start a gateway on a port; 0 for any that is free. */
async function startGateway(port: number): Promise<{ gateway: Gateway; port: number }> {
  const log = await createLog('error', new FakeClock(), { write: () => undefined });
  const environment = {
    PMGATE_LISTEN_PORT: String(port),
    PMGATE_LOCAL_SOURCE: 'embedded',
    PMGATE_ARCHIVES_ROOTS: path.resolve('test/fixtures/archives'),
    PMGATE_STATE_DIRECTORY: mkdtempSync(path.join(os.tmpdir(), 'pmgate-console-')),
    ...PATIENT,
  };
  const gateway = await Gateway.create({ config: loadConfig({ environment }), log });
  return { gateway, port: (await gateway.listen()).port };
}

(CHROMIUM === undefined ? describe.skip : describe)('the console in a browser', () => {
  let gateway: Gateway;
  let port: number;
  let base: string;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  /** What the page complains of: messages, violations of its policy, requests to elsewhere. */
  const complaints: string[] = [];
  const open = async (address: string): Promise<void> => {
    await page.goto(`${base}/console/${address}`);
  };

  beforeAll(async () => {
    // The page as its sources are now.
    execFileSync(process.execPath, ['config/tooling/build-console.js']);
    ({ gateway, port } = await startGateway(0));
    base = `http://127.0.0.1:${port}`;
    // Chromium's sandbox does not work for root.
    const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
    browser = await chromium.launch({ executablePath: CHROMIUM!, args });
  });
  beforeEach(async () => {
    complaints.length = 0;
    context = await browser.newContext({ viewport: { width: 1200, height: 800 } });
    page = await context.newPage();
    page.setDefaultTimeout(WAIT.timeout);
    page.on('pageerror', ({ message }) => complaints.push(message));
    page.on('console', (message) => {
      // A gateway that is busy says 503, and the page asks again.
      if (!message.text().includes('status of 503')) complaints.push(`${message.text()} ${message.location().url}`);
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(`${base}/`) && !request.url().startsWith('data:')) complaints.push(request.url());
    });
  });
  afterEach(async () => {
    await context.close();
    expect(complaints).toEqual([]);
  });
  afterAll(async () => {
    await browser.close();
    await gateway.close();
  });

  /** What axe finds on the page as it is. */
  async function violations(): Promise<readonly string[]> {
    const found = await page.evaluate<{ id: string; nodes: { html: string }[] }[]>(
      `${AXE};axe.run().then(({ violations }) => violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => ({ html })) })))`,
    );
    return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' ')}`);
  }

  /** The colours of the pixels in the middle of a canvas, from left to right. */
  function pixelsAcross(selector: string): Promise<readonly string[]> {
    return page.locator(selector).evaluate((element) => {
      const canvas = element as unknown as {
        width: number;
        height: number;
        getContext(kind: string): {
          getImageData(x: number, y: number, w: number, h: number): { data: Uint8ClampedArray };
        };
      };
      const { data } = canvas.getContext('2d').getImageData(0, Math.floor(canvas.height / 3), canvas.width, 1);
      return Array.from({ length: canvas.width }, (_, i) => [...data.slice(i * 4, i * 4 + 4)].join(','));
    });
  }

  it('is where the root leads to, and shows live values of this machine', async () => {
    await page.goto(base);
    expect(page.url()).toBe(`${base}/console/`);
    await page.getByRole('heading', { name: 'kernel.all.load' }).waitFor();
    await page.getByRole('img', { name: /^kernel\.all\.load: .* from .* last / }).waitFor();
  });

  it('finds a metric by words and adds a lane, by keyboard alone', async () => {
    await open('find');
    await page.getByRole('searchbox', { name: 'Find metrics' }).waitFor();
    await page.getByText(/of \d+ metrics/).waitFor();
    await page.keyboard.type('kernel.all.load');
    await page.locator('.results a', { hasText: 'kernel.all.load' }).first().waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${base}/console/chart?lane=kernel.all.load`);
    await page.getByRole('img', { name: /^kernel\.all\.load: .* last / }).waitFor();
    await page.keyboard.press('Tab');
    const box = page.getByRole('combobox', { name: 'Add a lane' });
    await box.fill('mem.util.fr');
    await page.getByRole('option', { name: /mem\.util\.free/ }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(/lane=kernel\.all\.load&lane=mem\.util\.free$/);
    await page.goBack();
    await page.waitForURL(`${base}/console/chart?lane=kernel.all.load`);
    expect(await page.getByRole('heading', { level: 2 }).allTextContents()).toContain('kernel.all.load');
  });

  it('shows the same picture to whom a link is sent', async () => {
    const address = 'chart?on=archive:live-v3&lane=kernel.all.load~i:1*&lane=kernel.all.nprocs~fit&z=UTC';
    await open(address);
    const described = (): Promise<readonly string[]> =>
      page.getByRole('img').evaluateAll((images) => images.map((image) => (image as { ariaLabel: string }).ariaLabel));
    await page.getByRole('img', { name: /^kernel\.all\.nprocs: .* last / }).waitFor();
    await page.getByRole('img', { name: /^kernel\.all\.load: 1[5 ]* minute from .* last / }).waitFor();
    const before = await described();
    const other = await browser.newContext();
    const mine = page;
    page = await other.newPage();
    await page.goto(mine.url());
    await page.getByRole('img', { name: before[0]! }).waitFor(WAIT);
    await page.getByRole('img', { name: before[1]! }).waitFor(WAIT);
    expect(await described()).toEqual(before);
    await other.close();
    page = mine;
  });

  it('draws texts as states, many instances as heat rows, and values as a table', async () => {
    await open('chart?lane=kernel.uname.release&lane=proc.psinfo.rss~as:heat&lane=mem.util.free~as:table');
    await page.getByRole('img', { name: /^kernel\.uname\.release: last / }).waitFor();
    await page.getByText(/shades from 0 to/).waitFor();
    await page.getByRole('columnheader', { name: /mem\.util\.free, / }).waitFor();
  });

  it('hatches a gap and draws no line over it', async () => {
    await open('chart?lane=kernel.all.nprocs');
    await page.getByRole('img', { name: /^kernel\.all\.nprocs: .* last / }).waitFor();
    await gateway.close();
    await page.getByRole('alert').waitFor();
    await page.waitForFunction(() => {
      const image = (globalThis as unknown as { document: { querySelector(s: string): { ariaLabel: string } } })
        .document;
      return /gaps$/.test(image.querySelector('canvas').ariaLabel);
    });
    // #e7e9ee is what gaps are filled with. What is before the samples is no gap: nobody has asked then.
    const pixels = await pixelsAcross('canvas');
    const half = Math.floor(pixels.length / 2);
    expect(pixels.slice(0, half)).not.toContain('231,233,238,255');
    expect(pixels.slice(half)).toContain('231,233,238,255');
    ({ gateway } = await startGateway(port));
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await page.getByRole('img', { name: /^kernel\.all\.nprocs: .* last / }).waitFor();
    // Chromium itself tells the console of requests that failed while nobody listened.
    complaints.splice(0, complaints.length, ...complaints.filter((text) => !/net::ERR_/.test(text)));
  });

  it('names what is wrong in the lane that it concerns', async () => {
    await open('chart?lane=kernel.all.laod&lane=kernel.all.load&def=a:b');
    await page.getByText('kernel.all.laod: Unknown metric name').waitFor();
    await page.getByText(/Not understood in the address: def=a:b/).waitFor();
    await page.getByRole('img', { name: /^kernel\.all\.load: .* last / }).waitFor();
    await page.getByRole('button', { name: 'kernel.all.load', exact: true }).first().click();
    await page.waitForURL(/lane=kernel\.all\.load&lane=kernel\.all\.load/);
  });

  it('asks for credentials when the gateway wants them, and sends them from then on', async () => {
    const sent: (string | undefined)[] = [];
    let isOpen = false;
    await page.route('**/pmapi/**', async (route) => {
      sent.push(route.request().headers().authorization);
      if (isOpen) return route.continue({ headers: { ...route.request().headers(), authorization: '' } });
      const body = JSON.stringify({
        success: false,
        code: 'AUTHENTICATION_REQUIRED',
        message: 'credentials are required',
      });
      return route.fulfill({
        status: 401,
        contentType: 'application/json',
        headers: { 'www-authenticate': 'Basic' },
        body,
      });
    });
    await open('chart?lane=kernel.all.load');
    await page.getByRole('dialog', { name: 'Sign in' }).waitFor();
    expect(await violations()).toEqual([]);
    isOpen = true;
    await page.getByRole('radio', { name: 'token' }).check();
    await page.getByRole('textbox', { name: 'Token' }).fill('secret-token');
    await page.getByRole('textbox', { name: 'Token' }).press('Enter');
    await page.getByRole('img', { name: /^kernel\.all\.load: .* last / }).waitFor();
    expect(sent.at(-1)).toBe('Bearer secret-token');
    expect(page.url()).not.toContain('secret');
    complaints.splice(0, complaints.length, ...complaints.filter((text) => !/401 \(Unauthorized\)/.test(text)));
  });

  it('shows names and texts as they are, whatever they hold', async () => {
    const nasty = '<img src=x onerror=alert(1)>"\'&\u202e';
    await page.route('**/pmapi/metric?*', async (route) => {
      const response = await route.fetch();
      const json = (await response.json()) as { metrics: Record<string, unknown>[] };
      for (const metric of json.metrics) metric['text-oneline'] = nasty.repeat(1000);
      await route.fulfill({ response, json });
    });
    await open(`chart?lane=kernel.all.load~i:${encodeURIComponent('<b>*')}&on=localhost`);
    await page.getByText(nasty.slice(0, 20)).first().waitFor();
    await page.getByText('No instance matches the filter of this lane.').waitFor();
    expect(await page.locator('img, b').count()).toBe(0);
    await open('find?q=load');
    await page.locator('.row', { hasText: 'kernel.all.load' }).first().waitFor();
    expect(await page.locator('img, b').count()).toBe(0);
  });

  it.each([
    ['light', 320],
    ['dark', 320],
    ['light', 1440],
    ['dark', 768],
  ] as const)('has nothing that axe finds, %s at %i pixels, and fits', async (colorScheme, width) => {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 800 });
    for (const address of [
      '',
      'find?q=disk',
      'find?q=nosuchmetric',
      'chart',
      'chart?on=archive:live-v3&lane=kernel.all.load',
    ]) {
      await open(address);
      if (address.startsWith('find?q=disk')) await page.locator('.row').first().waitFor();
      else if (address === 'chart' || address.includes('nosuch')) await page.locator('.empty').waitFor();
      else await page.getByRole('img', { name: /^kernel\.all\.load: .* last / }).waitFor();
      expect([address, await violations()]).toEqual([address, []]);
      expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(width);
    }
  });
});
