/** The console in a real browser; skipped where there is none. */
import type { Locator, Page } from 'playwright-core';
import { CHROMIUM, ConsoleHarness, eventually } from './harness.js';

if (CHROMIUM === undefined) {
  process.stderr.write('skipped: no Chromium for the tests of the console (PMGATE_CHROMIUM)\n');
}

const harness = new ConsoleHarness();
const open = (address: string): Promise<void> => harness.open(address);

(CHROMIUM === undefined ? describe.skip : describe)('the console in a browser', () => {
  beforeAll(() => harness.start());
  beforeEach(() => harness.newPage());
  afterEach(async () => expect(await harness.closePage()).toEqual([]));
  afterAll(() => harness.stop());

  /** The colours of the pixels in the middle of a canvas, from left to right. */
  function pixelsAcross(selector: string): Promise<readonly string[]> {
    return harness.page.locator(selector).evaluate((element) => {
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
    const { page, base } = harness;
    await page.goto(base);
    expect(page.url()).toBe(`${base}/console/`);
    await page.getByRole('heading', { name: 'Processor' }).waitFor();
    await page.getByRole('img', { name: /^Processor: user from .* last / }).waitFor();
  });

  it('finds a metric by words and adds a lane, by keyboard alone', async () => {
    const { page, base } = harness;
    await open('find');
    await page.getByRole('searchbox', { name: 'Find metrics' }).waitFor();
    await page.getByText(/of \d+ metrics/).waitFor();
    await page.keyboard.type('kernel.all.load');
    await page.locator('.results a').first().filter({ hasText: 'kernel.all.load' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${base}/console/chart?lane=kernel.all.load`);
    await page.getByRole('img', { name: /^kernel\.all\.load: .* last / }).waitFor();
    await page.keyboard.press('Tab');
    const box = page.getByRole('combobox', { name: 'Add a lane' });
    await box.fill('mem.util.fr');
    await harness.firstOption(/mem\.util\.free/).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(/lane=kernel\.all\.load&lane=mem\.util\.free$/);
    await page.goBack();
    await page.waitForURL(`${base}/console/chart?lane=kernel.all.load`);
    await page.getByRole('heading', { level: 2, name: 'mem.util.free' }).waitFor({ state: 'detached' });
    await page.getByRole('heading', { level: 2, name: 'kernel.all.load' }).waitFor();
  });

  it('shows the same picture to whom a link is sent', async () => {
    const { page } = harness;
    await open('chart?on=archive:live-v3&lane=kernel.all.load~i:1*&lane=kernel.all.nprocs~fit&z=UTC');
    const described = (from: Page): Promise<readonly string[]> =>
      from.locator('canvas[role=img], .swatch').evaluateAll((all) =>
        all.map((each) => {
          const { ariaLabel, style } = each as { ariaLabel: string | null; style: { color: string } };
          return ariaLabel ?? style.color;
        }),
      );
    await page.getByRole('img', { name: /^kernel\.all\.nprocs: .* last / }).waitFor();
    await page.getByRole('img', { name: /^kernel\.all\.load: 1[5 ]* minute from .* last / }).waitFor();
    const before = await described(page);
    const context = await harness.browser.newContext();
    const other = await context.newPage();
    await other.goto(page.url());
    // Series have their colours wherever they are loaded.
    expect(new Set(before.filter((each) => each.startsWith('var('))).size).toBe(2);
    for (const name of before.filter((each) => !each.startsWith('var(')))
      await other.getByRole('img', { name }).waitFor();
    await eventually(async () => expect(await described(other)).toEqual(before));
    await context.close();
  });

  it('keeps its address true when a key is held down: browsers take so many addresses in a time', async () => {
    const { page } = harness;
    await open('chart?on=archive:live-v3&lane=kernel.all.load');
    await page.getByRole('img', { name: /^kernel\.all\.load: .* last / }).waitFor();
    // The browser of a test takes more than others do.
    const written = await page.evaluate<number>(`(() => {
      let written = 0;
      for (const name of ['pushState', 'replaceState']) {
        const write = history[name].bind(history);
        history[name] = (...address) => (written++, write(...address));
      }
      const press = (key) => document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
      for (let i = 0; i < 250; i++) for (const key of 'sw') press(key);
      press('?');
      return written;
    })()`);
    expect(written).toBeLessThan(100);
    await page.waitForURL('**/console/explain?**');
  });

  it('draws texts as states, many instances as heat rows, and values as a table', async () => {
    const { page } = harness;
    await open('chart?lane=kernel.uname.release&lane=proc.psinfo.rss~as:heat&lane=mem.util.free~as:table');
    await page.getByRole('img', { name: /^kernel\.uname\.release: last / }).waitFor();
    await page.getByText(/shades from 0 to/).waitFor();
    await page.getByRole('columnheader', { name: /mem\.util\.free, / }).waitFor();
  });

  it('says which archive has no such metric, and leads to those that it has', async () => {
    const { page } = harness;
    await open('chart?on=archive:live-v3&lane=mem.physmem');
    await page.getByText('archive:live-v3 has no metric mem.physmem.').waitFor();
    await page.getByText(/Find lists the metrics of archive:live-v3/).waitFor();
    await page.locator('.near').getByRole('link', { name: 'Find' }).click();
    await page.waitForURL(/find\?on=archive:live-v3/);
    harness.expectComplaints(/404 \(Not Found\)/);
  });

  it('leaves lanes that are out of sight as they are, until they are looked at', async () => {
    const { page } = harness;
    await open(`chart?${'lane=kernel.all.pswitch&'.repeat(12)}t=-1min`);
    const lanes = page.getByRole('img', { name: / last / });
    await lanes.nth(11).waitFor();
    const labelOf = (lane: number): Promise<string | null> => lanes.nth(lane).getAttribute('aria-label');
    /** Whether the last lane has changed once the first one has. */
    const changes = async (): Promise<boolean> => {
      const [hidden, seen] = [await labelOf(11), await labelOf(0)];
      while ((await labelOf(0)) === seen);
      return (await labelOf(11)) !== hidden;
    };
    // Samples come before the browser has said which lanes are seen.
    while (await changes());
    await page.evaluate('scrollTo(0, document.body.scrollHeight)');
    for (const before = await labelOf(11); (await labelOf(11)) === before;);
  });

  it('hatches a gap and draws no line over it', async () => {
    const { page } = harness;
    await open('chart?t=-10min&lane=kernel.all.nprocs');
    await page.getByRole('img', { name: /^kernel\.all\.nprocs: .* last / }).waitFor();
    await harness.gateway.close();
    await page.getByRole('alert').waitFor();
    await page.getByRole('img', { name: /gaps$/ }).waitFor();
    // #e7e9ee is what gaps are filled with. What is before the samples is no gap: nobody has asked then.
    const gap = '231,233,238,255';
    let pixels = await pixelsAcross('canvas[role=img]');
    while (!pixels.includes(gap)) {
      await page.evaluate('new Promise(requestAnimationFrame)');
      pixels = await pixelsAcross('canvas[role=img]');
    }
    expect(pixels.slice(0, Math.floor(pixels.length / 2))).not.toContain(gap);
    await harness.startGateway();
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await page.getByRole('img', { name: /^kernel\.all\.nprocs: .* last / }).waitFor();
    harness.expectComplaints(/net::ERR_/);
  });

  it('names what is wrong in the lane that it concerns', async () => {
    const { page } = harness;
    await open('chart?lane=kernel.all.laod&lane=kernel.all.load&def=a.b');
    await page.getByText('localhost has no metric kernel.all.laod.').waitFor();
    await page.getByRole('img', { name: /^kernel\.all\.laod/ }).waitFor({ state: 'hidden' });
    await page.getByText(/Not understood in the address: def=a\.b/).waitFor();
    await page.getByRole('img', { name: /^kernel\.all\.load: .* last / }).waitFor();
    await page.getByRole('button', { name: 'kernel.all.load', exact: true }).first().click();
    await page.waitForURL(/lane=kernel\.all\.load&lane=kernel\.all\.load/);
    harness.expectComplaints(/404 \(Not Found\)/);
  });

  it('asks for credentials when the gateway wants them, and sends them from then on', async () => {
    const { page } = harness;
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
    const dialog = page.getByRole('dialog', { name: 'Sign in' });
    await dialog.getByText('This gateway requires you to sign in: credentials are required.').waitFor();
    expect(await harness.violations()).toEqual([]);
    isOpen = true;
    await page.getByRole('radio', { name: 'token' }).check();
    await page.getByRole('textbox', { name: 'Token' }).fill('secret-token');
    await page.getByRole('textbox', { name: 'Token' }).press('Enter');
    await page.getByRole('img', { name: /^kernel\.all\.load: .* last / }).waitFor();
    expect(sent.at(-1)).toBe('Bearer secret-token');
    expect(page.url()).not.toContain('secret');
    harness.expectComplaints(/401 \(Unauthorized\)/);
  });

  it('shows names and texts as they are, whatever they hold', async () => {
    const { page } = harness;
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

  it('answers what is eating the processors on its first screen', async () => {
    const { page } = harness;
    await open('');
    const processes = (resource: string): Locator =>
      page.getByRole('list', { name: `Processes: ${resource}` }).getByRole('listitem');
    // A process of each ranking, by name, with its value.
    await processes('Processor')
      .filter({ hasText: /^\S.* \(\d+\).*[\d.]+ %$/ })
      .first()
      .waitFor();
    await processes('Memory')
      .filter({ hasText: /^\S.* \(\d+\)[\d.]+ [KMG]iB$/ })
      .first()
      .getByRole('link')
      .click();
    await page.waitForURL(/process\?q=\d+$/);
  });

  it('leads from an archive to a stretch of its time and what changed there', async () => {
    const { page } = harness;
    await open('archives');
    await page.getByRole('searchbox', { name: 'Filter archives' }).fill('live-v3');
    await page.getByText('1 of 4 archives, 1 host').waitFor();
    await page.getByRole('link', { name: 'live-v3' }).click();
    await page.getByRole('img', { name: /^Load: .* last / }).waitFor();
    const whatChanged = page.getByRole('button', { name: 'What changed' });
    await harness.dragUntil(whatChanged, [0.6, 0.9]);
    await whatChanged.click();
    await page.waitForURL(/changes\?on=archive:live-v3&b=/);
    await page.getByText(/series.*differences?/).waitFor();
    await page.getByRole('combobox', { name: 'compared with' }).selectOption('day');
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.waitForURL(/&b=.*&a=/);
    await page.getByRole('alert').filter({ hasText: "the window 'before' is empty" }).waitFor();
    harness.expectComplaints(/400 \(Bad Request\)/);
  });

  it('explains the value at an instant that was clicked, and compares two stretches of a chart', async () => {
    const { page } = harness;
    await open('chart?on=archive:live-v3&lane=kernel.all.load');
    await page.getByRole('img', { name: /^kernel\.all\.load: .* last / }).waitFor();
    await page.locator('.pointer').click();
    await page.waitForURL(/&cur=/);
    const value = page.getByRole('link', { name: /why\?$/ }).first();
    await value.click();
    await page.waitForURL(/explain\?on=archive:live-v3&.*q=kernel\.all\.load%5B\d+%20minute%5D&cur=/);
    // Nothing has to be pressed, and the other instances are not explained.
    const why = page.getByRole('list', { name: 'Why' }).getByRole('listitem');
    await why.getByText(/ minute: .* in live-v3, volume 0$/).waitFor();
    expect(await why.count()).toBe(1);
    await page.goBack();
    await value.press('?');
    await page.waitForURL(/explain\?on=archive:live-v3&.*q=kernel\.all\.load&cur=/);
    await page.goBack();
    await value.waitFor();
    const another = page.getByRole('button', { name: 'Compare with another' });
    await harness.dragUntil(another, [0.2, 0.4]);
    await another.click();
    await page.getByText(/^Select the time to compare with/).waitFor();
    const whatChanged = page.getByRole('button', { name: 'What changed' });
    await harness.dragUntil(whatChanged, [0.6, 0.9]);
    await whatChanged.click();
    await page.waitForURL(/changes\?on=archive:live-v3&.*b=.*&a=/);
    await page.getByText(/compared with.*series/).waitFor();
  });

  it('derives a metric by keyboard alone: a repair, its value, a name, and back', async () => {
    const { page } = harness;
    await open('derive');
    const box = page.getByRole('textbox', { name: 'Expression' });
    await box.focus();
    await page.keyboard.type('100 * mem.util.fre / mem.phy');
    await harness.firstOption(/^mem\.physmem/).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Tab');
    // The repair of all that was typed, and not of what there was halfway.
    await page.getByRole('button', { name: 'Use 100 * mem.util.free / mem.physmem (Alt+Enter)' }).waitFor();
    await page.keyboard.press('Alt+Enter');
    await page
      .getByRole('status')
      .filter({ hasText: /double · instant · no unit · one value/ })
      .waitFor();
    expect(await box.inputValue()).toBe('100 * mem.util.free / mem.physmem');
    const parts = page.getByRole('table', { name: 'Parts of the expression' });
    // The part has a value of its own, in the unit beside it.
    await parts.getByRole('row', { name: /^mem\.util\.free KiB [\d.,]+$/ }).waitFor();
    await page.getByRole('textbox', { name: 'Name' }).fill('my.free');
    await page.getByRole('img', { name: /^my\.free: .* last / }).waitFor();
    await page.getByRole('button', { name: 'Register as my.free' }).press('Enter');
    await page.getByText('my.free is registered').waitFor();
    await page.locator('.actions').getByRole('link', { name: 'Chart' }).press('Enter');
    await page.waitForURL(/chart\?lane=my\.free&def=my\.free:100/);
    await page.getByRole('img', { name: /^my\.free: .* last / }).waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Remove my.free' }).click();
    await page.getByText('my.free is removed.').waitFor();
  });

  it('derives over an archive: it and its parts have the same values, of the last sample that its chart shows', async () => {
    const { page } = harness;
    const parts = page.getByRole('table', { name: 'Parts of the expression' });
    const address = 'derive?on=archive:live-v3&def=my.cpu:delta(kernel.all.cpu.user)';
    await open(address);
    await parts.getByRole('row', { name: /^delta\(kernel\.all\.cpu\.user\) ms 0/ }).waitFor();
    // Not what is between two samples.
    for (const end of ['36.310', '36.370', '36.430']) {
      await open(`${address}&t=2026-11-20T17:25:35Z/2026-11-20T17:25:${end}Z`);
      const label = await page.getByRole('img', { name: /^my\.cpu: .* last / }).getAttribute('aria-label');
      // A chart chooses the unit of its axis.
      const [, number, unit] = /last ([\d.]+) (m?s)$/.exec(label!)!;
      const last = Number(number) * (unit === 's' ? 1000 : 1);
      await page.locator('.derive:not(.unread) .outcome').getByText(`${last} ms`, { exact: true }).waitFor();
      await parts.getByRole('row', { name: `delta(kernel.all.cpu.user) ms ${last}` }).waitFor();
    }
  });

  it('has the samples of another time beneath its lanes, and says where there are none', async () => {
    const { page } = harness;
    await open(
      'chart?on=archive:live-v3&t=2026-11-20T17:25:36.400Z/2026-11-20T17:25:37.900Z&lane=kernel.all.cpu.user&shift=1s',
    );
    const lane = page.locator('.lane');
    await lane.getByText(/dashed: 1 s before/).waitFor();
    await lane.getByRole('columnheader', { name: '1 s before' }).waitFor();
    await page.getByRole('img', { name: /^kernel\.all\.cpu\.user: .*, [\d.]+ % 1 s before/ }).waitFor();
    const choice = page.getByRole('combobox', { name: 'Compare with the time before' });
    await choice.selectOption('1 week before');
    await page.waitForURL(/&shift=7d$/);
    await lane.getByText(/1 week before: no samples/).waitFor();
    await choice.selectOption('other…');
    const own = page.getByRole('textbox', { name: 'How long before' });
    await page.locator('input:focus').and(own).waitFor();
    await page.keyboard.type('soon');
    await page.keyboard.press('Enter');
    await page.getByText(/^soon: not a length of time/).waitFor();
    await own.fill('2 s');
    await own.press('Enter');
    await page.waitForURL(/&shift=2sec$/);
    await page.goBack();
    await lane.getByText(/1 week before: no samples/).waitFor();
    await choice.selectOption('compare with…');
    await lane.getByText(/1 week before: no samples/).waitFor({ state: 'detached' });
    await page.waitForURL((url) => !url.href.includes('shift'));
  });

  it('draws a definition of the address, for this page only', async () => {
    const { page, base } = harness;
    await open('chart?lane=my.own&def=my.own:kernel.all.nprocs*2');
    await page.getByRole('img', { name: /^my\.own: .* last / }).waitFor();
    const { status } = await fetch(`${base}/derived/my.own`);
    expect(status).toBe(404);
  });

  it('explains a metric, and leads to those computed from it', async () => {
    const { page } = harness;
    await open('explain?q=kernel.all.cpu.user');
    await page.getByText(/^A counter: it only grows/).waitFor();
    await page.getByText('counter', { exact: true }).waitFor();
    await page.getByRole('img', { name: /^kernel\.all\.cpu\.user: .* last / }).waitFor();
    await page
      .getByRole('list', { name: 'Why' })
      .getByText(/ = \(\d+ − \d+\).* in [\d.]+ s$/)
      .waitFor();
    await page.getByRole('link', { name: 'kernel.cpu.util.user' }).first().click();
    await page.waitForURL(/explain\?q=kernel\.cpu\.util\.user$/);
    await page.getByText('shipped with pmgate').waitFor();
    await open('explain?q=kernel.all.laod');
    await page.getByRole('link', { name: 'kernel.all.load' }).click();
    await page.getByRole('heading', { name: 'kernel.all.load' }).first().waitFor();
  });

  it('leads from an archive to what changed, and copies a link, by keyboard alone', async () => {
    const { page } = harness;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await open('archives');
    await page.getByText('4 of 4 archives').waitFor();
    await page.getByRole('searchbox', { name: 'Filter archives' }).focus();
    await page.keyboard.type('live-v3');
    await page.getByText('1 of 4 archives, 1 host').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('img', { name: /^Load: .* last / }).waitFor();
    await page.getByRole('slider').first().focus();
    await page.keyboard.press('y');
    await page.getByText('Copied link.').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(page.url());
    await page.keyboard.press('c');
    await page.waitForURL(/changes\?on=archive:live-v3&b=/);
    await page.getByText(/series.*differences?/).waitFor();
  });

  it('takes a new user from the first screen to a link for a colleague', async () => {
    const { page } = harness;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await open('');
    // What is eating the processors?
    await page
      .getByRole('list', { name: 'Processes: Processor' })
      .getByRole('link', { name: / \(\d+\)$/ })
      .first()
      .waitFor();
    // Which disk was busiest in the last hour?
    const screens = page.getByRole('navigation', { name: 'Screens' });
    await screens.getByRole('link', { name: 'Find' }).click();
    await page.getByRole('searchbox', { name: 'Find metrics' }).fill('disk util');
    await page
      .locator('.results')
      .getByRole('link', { name: /^disk\.dev\.util/ })
      .click();
    await page.waitForURL(/chart\?lane=disk\.dev\.util$/);
    await page.getByRole('combobox', { name: 'Length of the window' }).selectOption('last 1 h');
    await page.waitForURL(/chart\?t=-60min&lane=disk\.dev\.util$/);
    // A metric of their own.
    await screens.getByRole('link', { name: 'Derive' }).click();
    await page.getByRole('button', { name: '100 * mem.util.free / mem.physmem' }).click();
    await page.locator('.actions').getByRole('link', { name: 'Chart' }).click();
    await page.getByRole('img', { name: /^my\.mem\.free: .* last / }).waitFor();
    await page.goBack();
    await page.getByRole('textbox', { name: 'Expression' }).waitFor();
    await page.goForward();
    await page.getByRole('img', { name: /^my\.mem\.free: .* last / }).waitFor();
    // The link shows these same minutes, in another browser, too.
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.getByText('Copied link: it shows these same minutes.').waitFor();
    const link = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(link).toMatch(/chart\?t=[^&]+Z\/[^&]+Z&lane=my\.mem\.free&def=/);
    const colleague = await harness.browser.newContext();
    const theirs = await colleague.newPage();
    await theirs.goto(link);
    await theirs.getByRole('img', { name: /^my\.mem\.free: .* last / }).waitFor();
    await colleague.close();
    await page.getByRole('button', { name: 'Copy live link instead' }).click();
    await page.getByText('Copied link: it stays live.').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(page.url());
  });

  /** Answers streams with processes of these sizes, in KiB. Each connection has one sample of its moment, and is followed by the next one. */
  async function showProcesses(sizes: () => readonly number[]): Promise<void> {
    await harness.page.route('**/pmapi/streams', (route) => {
      const subscriptions = route.request().postDataJSON() as { id: string; body: object }[] | null;
      const name = 'proc.psinfo.rss';
      const subscription = subscriptions?.find(({ body }) => JSON.stringify(body).includes(name))?.id;
      const instances = sizes().map((value, i) => ({ instance: i, name: `00000${i} program${i}`, value }));
      const timestamp = Date.now() / 1000;
      const sample = { subscription, timestamp, values: [{ pmid: '3.8.23', name, instances }] };
      const body = `retry: 100\n\nid: ${timestamp.toFixed(9)}\ndata: ${JSON.stringify(sample)}\n\n`;
      return route.fulfill({ contentType: 'text/event-stream', body });
    });
  }

  it('leads from the busiest process to its page, by keyboard alone', async () => {
    const { page } = harness;
    // Real ones may end while a key is pressed, again and again on a busy machine.
    await showProcesses(() => [900, 100]);
    await open('');
    await page.locator('.people li a').first().waitFor();
    const isThere = 'document.activeElement.matches(".people li a")';
    while (!(await page.evaluate<boolean>(isThere))) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL(/process\?q=0$/);
  });

  it('keeps the order of processes while one of them has the focus', async () => {
    const { page } = harness;
    let kbytes = [900, 100];
    await showProcesses(() => kbytes);
    await open('');
    const rows = page.getByRole('list', { name: 'Processes: Memory' }).getByRole('listitem');
    await rows
      .nth(0)
      .filter({ hasText: /program0 \(0\)900 KiB$/ })
      .waitFor();
    await rows.nth(0).getByRole('link').focus();
    kbytes = [200, 800];
    await rows
      .nth(1)
      .filter({ hasText: /program1 \(1\)800 KiB$/ })
      .waitFor();
    await rows
      .nth(0)
      .filter({ hasText: /program0 \(0\)200 KiB$/ })
      .waitFor();
    expect(await page.evaluate('document.activeElement.textContent')).toBe('program0 (0)');
    // A process that has ended keeps its place, too.
    kbytes = [0, 700];
    await rows
      .nth(0)
      .filter({ hasText: /program0 \(0\)–$/ })
      .waitFor();
    await page.getByRole('combobox', { name: 'Add a lane' }).focus();
    await rows
      .nth(0)
      .filter({ hasText: /program1 \(1\)700 KiB$/ })
      .waitFor();
  });

  it('explains the value that the chart shows: of the nearest sample that has one', async () => {
    const { page } = harness;
    await page.route(/[?&]format=columns/, async (route) => {
      const response = await route.fetch();
      const json = (await response.json()) as { metrics: { series: { values: unknown[] }[] }[] };
      for (const { series } of json.metrics) for (const { values } of series) values[values.length - 1] = null;
      await route.fulfill({ response, json });
    });
    const address = 'explain?on=archive:live-v3&q=kernel.all.nprocs&z=UTC';
    for (const [pinned, nearest] of [
      ['', '17:25:37'],
      ['&cur=2026-11-20T17:25:35.300Z', '17:25:35'],
    ] as const) {
      await open(`${address}${pinned}`);
      const why = page.getByRole('list', { name: 'Why' }).getByRole('listitem');
      await why.getByText(/^\d+.* in live-v3, volume 0$/).waitFor();
      await page.getByText(`At 2026-11-20 ${nearest} UTC`).waitFor();
    }
  });

  it('explains the values of a moment that is double-clicked', async () => {
    const { page } = harness;
    await open('chart?on=archive:live-v3&lane=kernel.all.load');
    await page.getByRole('img', { name: /^kernel\.all\.load: .* last / }).waitFor();
    await page.locator('.pointer').dblclick();
    await page.waitForURL(/explain\?on=archive:live-v3&.*q=kernel\.all\.load&cur=/);
    await page.getByRole('list', { name: 'Why' }).getByRole('listitem').first().waitFor();
  });

  it('derives a metric by mouse: the repair, registering, and its chart', async () => {
    const { page } = harness;
    await open(`derive?def=my.mouse:${encodeURIComponent('mem.util.fre / 2')}`);
    await page.getByRole('button', { name: /^Use mem\.util\.free \/ 2/ }).click();
    await page.getByRole('button', { name: 'Register as my.mouse' }).click();
    await page.getByText('my.mouse is registered').waitFor();
    await page.getByRole('button', { name: 'Remove my.mouse' }).click();
    await page.getByText('my.mouse is removed.').waitFor();
  });

  it.each([
    [403, 'FORBIDDEN'],
    [413, 'LIMIT_EXCEEDED'],
    [429, 'TOO_MANY_REQUESTS'],
    [503, 'OVERLOADED'],
  ])('says in the lane why it has no values: %d', async (status, code) => {
    const { page } = harness;
    await page.route('**/pmapi/fetch?*', (route) =>
      route.fulfill({ status, json: { success: false, code, message: 'not now' }, headers: { 'retry-after': '600' } }),
    );
    await open('chart?lane=kernel.all.load');
    await page.getByText(`not now (${code})`).first().waitFor();
    harness.expectComplaints(new RegExp(`status of ${status}`));
  });

  const SCREENS = [
    ['', /^Processor: .* last /],
    ['find?q=disk', '.row'],
    ['find?q=nosuchmetric', '.empty'],
    ['chart', '.empty'],
    [
      'chart?on=archive:live-v3&t=2026-11-20T17:25:36.400Z/2026-11-20T17:25:37.900Z&lane=kernel.all.load&shift=1s',
      /^kernel\.all\.load: .* 1 s before/,
    ],
    ['chart?on=archive:live-v3&lane=kernel.all.load&cur=2026-11-20T17:25:36Z', /^kernel\.all\.load: .* last /],
    ['archives', '.listing'],
    ['archives?q=nosucharchive', '.empty'],
    ['changes?on=archive:live-v3', /series/],
    ['derive', '.empty'],
    ['derive?def=a.b:delta(disk.dev.reads)', '.problems'],
    ['derive?def=a.b:100*mem.util.free/mem.physmem', '.outcome'],
    ['explain?q=kernel.all.load', '.explain dl'],
    ['explain', '.empty'],
    ['hosts', '.listing'],
    ['processes', '.listing tbody tr'],
    ['process', '.empty'],
    ...['', 'processes', 'process', 'chart?lane=a.b', 'find', 'derive?def=a.b:c.d', 'changes', 'explain'].map(
      (screen) => [`${screen}${screen.includes('?') ? '&' : '?'}on=archive:nosuch&q=1`, '.trouble'] as const,
    ),
    [`process?q=${process.pid}`, /^proc\.fd\.count: .* last /],
    ['?on=localhost&on=embedded', /^Processor: .* last /],
    ['chart?on=localhost&on=embedded&lane=kernel.all.load', /^kernel\.all\.load: .* last /],
  ] as const;

  it('has nothing that axe finds in what opens over its screens, which fits, too', async () => {
    const { page } = harness;
    await open('chart?on=archive:live-v3&lane=kernel.all.load');
    await page.getByRole('img', { name: /^kernel\.all\.load: .* last / }).waitFor();
    for (const [key, opened] of [
      ['Control+k', '.palette [role=option]'],
      ['p', '.proof li'],
      ['', '.settings .sheet'],
    ] as const) {
      for (const width of [1200, 320]) {
        await page.setViewportSize({ width, height: 800 });
        if (key === '') await page.getByText('Settings').click();
        else if (key === 'p') await harness.tap(key);
        else await page.keyboard.press(key);
        await page.locator(opened).first().waitFor();
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          expect([opened, width, await harness.violations()]).toEqual([opened, width, []]);
        }
        expect([opened, await harness.widthAt(width)]).toEqual([opened, width]);
        await page.keyboard.press('Escape');
        await page.locator(opened).first().waitFor({ state: 'hidden' });
      }
    }
  });

  it.each(SCREENS)('has nothing that axe finds in either scheme, and fits: %s', async (address, sign) => {
    const { page } = harness;
    if (address.includes('nosuch')) harness.expectComplaints(/status of 4\d\d/);
    await open(address);
    const shown =
      typeof sign === 'string'
        ? page.locator(sign)
        : address.startsWith('changes')
          ? page.getByText(sign)
          : page.getByRole('img', { name: sign });
    await shown.first().waitFor();
    // There are no charts, nor times, of what is not there.
    if (address.includes('nosuch')) await page.locator('canvas[role=img]:visible').waitFor({ state: 'detached' });
    expect(await harness.violations()).toEqual([]);
    // The other scheme differs in colours only.
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await harness.violations('color-contrast')).toEqual([]);
    for (const width of [1440, 768, 320]) expect(await harness.widthAt(width)).toBe(width);
  });
});
