/** The documentation beside the console, in a browser: one product, usable by all. */
import { execFileSync } from 'node:child_process';
import { CHROMIUM, ConsoleHarness, eventually } from './harness.js';

/** Operations that are tried, as the page names them; what others send is tested without a browser. */
const TRIED = [
  'metrics-fetchValues',
  'metrics-listInstances',
  'contexts-changeProfile',
  'contexts-listContexts',
  'derived-deriveMetrics',
];

(CHROMIUM === undefined ? describe.skip : describe)('the documentation', () => {
  const harness = new ConsoleHarness();

  beforeAll(async () => {
    execFileSync(process.execPath, ['config/tooling/build-guide.js']);
    await harness.start();
  });
  afterAll(() => harness.stop());
  beforeEach(() => harness.newPage());
  afterEach(async () => expect(await harness.closePage()).toEqual([]));

  /** What the page is wider than the screen by, at a width. */
  async function excessAt(width: number): Promise<number> {
    return (await harness.widthAt(width)) - width;
  }

  it('begins with fetch, and has each operation once', async () => {
    const { page, base } = harness;
    await page.goto(`${base}/docs`);
    await page.locator('.opblock').first().waitFor();
    expect(await page.locator('.opblock-summary-path').first().textContent()).toContain('/fetch');
    await page.locator('.opblock').nth(40).waitFor();
    const shown = await page
      .locator('.opblock')
      .evaluateAll((blocks) => (blocks as { id: string }[]).map(({ id }) => id));
    expect(shown.filter((id) => id.startsWith('operations-compatibility'))).toEqual([]);
  });

  it('answers what it has filled in', async () => {
    const { page, base } = harness;
    await page.goto(`${base}/docs`);
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

  it.each(['light', 'dark'] as const)(
    'explains the API with nothing that axe finds, and fits: %s',
    async (colorScheme) => {
      const { page } = harness;
      await page.emulateMedia({ colorScheme });
      await page.goto(`${harness.base}/docs`);
      const operation = page.locator('.opblock').first();
      await operation.locator('.opblock-summary-control').first().click();
      await operation.getByRole('button', { name: 'Try it out' }).click();
      await operation.getByRole('textbox', { name: 'names' }).first().waitFor();
      await operation.getByRole('button', { name: 'Execute' }).click();
      await operation.getByRole('heading', { name: 'Server response' }).waitFor();
      // The other scheme differs in colours only.
      expect(await harness.violations(colorScheme === 'dark' ? 'color-contrast' : undefined)).toEqual([]);
      const other = await page.context().newPage();
      await other.emulateMedia({ colorScheme });
      await other.goto(`${harness.base}/console/find`);
      await other.getByRole('searchbox', { name: 'Find metrics' }).waitFor();
      const [paper, console_] = [page, other].map(
        (one) => (): Promise<string> => one.evaluate('getComputedStyle(document.body).backgroundColor'),
      );
      await eventually(async () => expect(await paper!()).toBe(await console_!()));
      const code = 'getComputedStyle(document.querySelector("pre.microlight")).backgroundColor';
      expect(await page.evaluate(code)).toBe(await paper!());
      for (const width of [1440, 768, 320]) expect([width, await excessAt(width)]).toEqual([width, 0]);
    },
  );

  it('takes credentials in a dialog in which axe finds nothing, and which Escape closes', async () => {
    const { page } = harness;
    await page.goto(`${harness.base}/docs`);
    await page.getByRole('button', { name: 'Authorize' }).click();
    const dialog = page.getByRole('dialog', { name: 'Available authorizations' });
    await dialog.getByRole('button', { name: 'Authorize' }).first().waitFor();
    expect(await harness.violations()).toEqual([]);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  it.each(['post', 'put', 'delete'])(
    'explains what is asked for by %s with nothing that axe finds, in either scheme',
    async (method) => {
      const { page } = harness;
      await page.goto(`${harness.base}/docs`);
      const operations = page.locator(`.opblock-${method}`);
      await operations.first().waitFor();
      for (const operation of (await operations.all()).slice(0, 3)) {
        await operation.locator('.opblock-summary-control').click();
        await operation.getByRole('button', { name: 'Try it out' }).click();
        await operation.getByRole('button', { name: 'Execute' }).waitFor();
      }
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await page.locator(colorScheme === 'dark' ? 'html.dark-mode' : 'html:not(.dark-mode)').waitFor();
        // The page around them is looked at above.
        const rule = colorScheme === 'dark' ? 'color-contrast' : undefined;
        expect([colorScheme, await harness.violations(rule, `.opblock-${method}.is-open`)]).toEqual([colorScheme, []]);
      }
      for (const width of [1440, 768, 320]) expect([width, await excessAt(width)]).toEqual([width, 0]);
    },
  );

  it.each([
    [320, 'light'],
    [1440, 'dark'],
  ] as const)('leads to the guide, whose pages fit a screen of %i pixels, %s', async (width, colorScheme) => {
    const { page, base } = harness;
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme });
    await page.goto(`${base}/docs`);
    await page.locator('.opblock').first().waitFor();
    await page.locator(colorScheme === 'dark' ? 'html.dark-mode' : 'html:not(.dark-mode)').waitFor();
    await page.getByRole('link', { name: 'Guide', exact: true }).click();
    // Until it is loaded: its heading is there before its style.
    await page.waitForURL(`${base}/docs/guide`);
    const background = await page.evaluate('getComputedStyle(document.body).backgroundColor');
    expect(background).toBe(colorScheme === 'dark' ? 'rgb(21, 24, 29)' : 'rgb(255, 255, 255)');
    const links = await page
      .locator('#pages a')
      .evaluateAll((found) => found.map((link) => (link as { href: string }).href));
    expect(links.length).toBeGreaterThan(10);
    const tooWide: string[] = [];
    for (const link of links) {
      await page.goto(link);
      const excess = await excessAt(width);
      if (excess > 0) tooWide.push(`${link}: ${excess}`);
    }
    expect(tooWide).toEqual([]);
  });

  it.each(['', '/api', '/options', '/language', '/access', '/changes'])(
    'has a guide whose tables fit any screen: %s',
    async (name) => {
      const { page } = harness;
      await page.goto(`${harness.base}/docs/guide${name}`);
      expect(await harness.violations()).toEqual([]);
      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await harness.violations('color-contrast')).toEqual([]);
      for (const width of [1440, 768, 320]) {
        expect([width, await excessAt(width)]).toEqual([width, 0]);
        const hidden =
          '[...document.querySelectorAll(".wide")].filter((each) => each.scrollWidth > each.clientWidth).length';
        await eventually(async () => expect([width, await page.evaluate(hidden)]).toEqual([width, 0]));
      }
      const ways = page.getByRole('navigation', { name: 'pmgate', exact: true });
      await ways.getByRole('link', { name: 'API' }).click();
      // The guide leads to the console, too.
      await page.waitForURL(`${harness.base}/docs`);
      await page
        .getByRole('navigation', { name: 'pmgate', exact: true })
        .getByRole('link', { name: 'Console' })
        .click();
      await page.waitForURL(`${harness.base}/console/`);
    },
  );
});
