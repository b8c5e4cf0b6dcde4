/** The documentation page in a real browser: Debian's chromium. Skipped where there is none. */
import { existsSync } from 'node:fs';
import { type Browser, type Page, chromium } from 'playwright-core';
import { type RunningGateway, startGateway } from '../support/whole-gateway.js';

const CHROMIUM = '/usr/bin/chromium';
/** Operations that are tried, as the page names them; what others send is tested without a browser. */
const TRIED = [
  'metrics-fetchValues',
  'metrics-listInstances',
  'contexts-changeProfile',
  'contexts-listContexts',
  'derived-deriveMetrics',
];

(existsSync(CHROMIUM) ? describe : describe.skip)('/docs in a browser', () => {
  let gateway: RunningGateway;
  let url: string;
  let browser: Browser;
  let page: Page;
  const complaints: string[] = [];
  beforeAll(async () => {
    gateway = await startGateway();
    ({ url } = gateway);
    // Chromium's sandbox does not work for root.
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  });
  beforeEach(async () => {
    complaints.length = 0;
    page = await browser.newPage();
    page.on('pageerror', ({ message }) => complaints.push(message));
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
  });
  afterEach(async () => {
    await page.close();
    expect(complaints).toEqual([]);
  });
  afterAll(async () => {
    await browser.close();
    await gateway.close();
  });

  it('begins with fetch, and has each operation once', async () => {
    await page.goto(`${url}/docs`);
    await page.locator('.opblock').first().waitFor();
    expect(await page.locator('.opblock-summary-path').first().textContent()).toContain('/fetch');
    const shown = await page
      .locator('.opblock')
      .evaluateAll((blocks) => (blocks as { id: string }[]).map(({ id }) => id));
    expect(shown.length).toBeGreaterThan(40);
    expect(shown.filter((id) => id.startsWith('operations-compatibility'))).toEqual([]);
  });

  it('answers what it has filled in', async () => {
    await page.goto(`${url}/docs`);
    const answers: string[] = [];
    for (const operation of TRIED) {
      const block = page.locator(`#operations-${operation}`);
      await block.locator('.opblock-summary-control').click();
      await block.locator('.try-out__btn').click();
      await block.locator('.execute').click();
      const status = block.locator('.live-responses-table tbody .response-col_status').first();
      const request = block.locator('.request-url');
      answers.push(`${await request.innerText()} ${await status.innerText()}`);
      await block.locator('.opblock-summary-control').click();
    }
    expect(answers.filter((answer) => !/\s20[01]\b/.test(answer))).toEqual([]);
    expect(answers[0]).toContain('names=kernel.all.load');
  });

  it.each([
    [320, 'light'],
    [1440, 'dark'],
  ] as const)('leads to the guide, whose pages fit a screen of %i pixels, %s', async (width, colorScheme) => {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    await page.goto(`${url}/docs`);
    await page.locator(colorScheme === 'dark' ? 'html.dark-mode' : 'html:not(.dark-mode)').waitFor();
    await page.getByRole('link', { name: 'Guide', exact: true }).click();
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(page.url()).toBe(`${url}/docs/guide`);
    const background = await page.evaluate('getComputedStyle(document.body).backgroundColor');
    expect(background).toBe(colorScheme === 'dark' ? 'rgb(21, 24, 29)' : 'rgb(255, 255, 255)');
    const links = await page
      .locator('nav a')
      .evaluateAll((found) => found.map((link) => (link as { href: string }).href));
    expect(links.length).toBeGreaterThan(10);
    const tooWide: string[] = [];
    for (const link of links) {
      await page.goto(link);
      const shown = await page.evaluate<number>('document.documentElement.scrollWidth');
      if (shown > width) tooWide.push(`${link}: ${shown}`);
    }
    expect(tooWide).toEqual([]);
  });
});
