/** The console in a real browser, when something is unusual or goes wrong; skipped where there is no browser. */
import { cpSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { CHROMIUM, ConsoleHarness, eventually } from './harness.js';

const harness = new ConsoleHarness();
const open = (address: string): Promise<void> => harness.open(address);
const LOAD = /^kernel\.all\.load: .* last /;

(CHROMIUM === undefined ? describe.skip : describe)('the console in trouble', () => {
  beforeAll(() => harness.start());
  beforeEach(() => harness.newPage());
  afterEach(async () => expect(await harness.closePage()).toEqual([]));
  afterAll(() => harness.stop());

  it('releases the connection of a hidden tab, and catches up when it is looked at', async () => {
    const { page } = harness;
    await page.clock.install();
    const look = (hidden: boolean): Promise<void> =>
      page.evaluate(
        `Object.defineProperty(document, 'hidden', { value: ${hidden}, configurable: true }); document.dispatchEvent(new Event('visibilitychange'))`,
      );
    const isStream = (request: { url(): string }): boolean => request.url().endsWith('/pmapi/streams');
    const begun = page.waitForRequest(isStream);
    await open('chart?lane=kernel.all.pswitch');
    const lane = page.getByRole('img', { name: /^kernel\.all\.pswitch: .* last / });
    await lane.waitFor();
    await begun;
    // Samples come by the stream.
    const labels = new Set<string | null>();
    while (labels.size < 4) labels.add(await lane.getAttribute('aria-label'));
    const ended = page.waitForEvent('requestfailed', isStream);
    await look(true);
    await page.clock.fastForward(11_000);
    await ended;
    const resumed = page.waitForRequest(isStream);
    await look(false);
    expect((await resumed).postData()).toMatch(/"lastEventId":"\d+\.\d{9}"/);
  });

  it('keeps 10,000 instances usable, whatever their names hold', async () => {
    const { page } = harness;
    const nasty = `<img src=x onerror=alert(1)>"'&\u202e ${'long '.repeat(20_000)}`;
    const COUNT = 10_000;
    await page.route('**/pmapi/fetch?*', (route) =>
      route.fulfill({
        json: {
          times: [1000, 1001],
          metrics: [
            {
              ...{ name: 'kernel.all.load', type: 'float', sem: 'instant', units: 'none', samples: 2 },
              series: Array.from({ length: COUNT }, (_, i) => ({
                instance: i,
                name: i === COUNT - 1 ? nasty : `instance ${i}`,
                values: [i, i],
              })),
            },
          ],
        },
      }),
    );
    await page.route('**/pmapi/indom?*', (route) =>
      route.fulfill({
        json: {
          ...{ context: 1, indom: '60.2', labels: {} },
          instances: Array.from({ length: COUNT }, (_, i) => ({
            ...{ instance: i, name: i === 0 ? nasty : `instance ${i}`, labels: {} },
          })),
        },
      }),
    );
    await open('chart?on=archive:live-v3&t=1970-01-01T00:16:30Z/1970-01-01T00:16:45Z&lane=kernel.all.load');
    await page.getByText('8 of 10000').waitFor();
    expect(await page.getByRole('rowheader').count()).toBe(8);
    expect(await page.locator('img').count()).toBe(0);
    await page.getByRole('searchbox', { name: 'Filter instances' }).fill('instance 4711');
    await page.getByRole('searchbox', { name: 'Filter instances' }).press('Enter');
    await page.getByText('1 of 10000').waitFor();
    await page.getByRole('button', { name: 'all', exact: true }).click();
    await page.getByRole('combobox', { name: 'How kernel.all.load is drawn' }).selectOption('heat');
    await page.getByText('64 of 10000').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await open('explain?on=archive:live-v3&q=kernel.all.load');
    await page.getByText('and 9800 more').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  });

  it('goes on with an archive that was replaced', async () => {
    const { page } = harness;
    const put = (name: string): void => {
      for (const part of ['0', 'index', 'meta']) {
        cpSync(`test/fixtures/archives/${name}.${part}`, path.join(harness.archives, `changing.${part}`));
      }
    };
    put('live-v3');
    await open('chart?on=archive:changing&lane=kernel.all.load');
    await page.getByRole('img', { name: LOAD }).waitFor();
    put('later-v3');
    // What is there stays; a new request either succeeds, or its lane says why not.
    const answered = page
      .locator(`canvas[aria-label*=" last "], .trouble`)
      .or(page.getByText('No values in this window.'))
      .first();
    await page.getByRole('button', { name: 'Zoom out' }).click();
    await answered.waitFor();
    await open('chart?on=archive:changing&lane=kernel.all.load');
    await answered.waitFor();
    expect(await page.getByText('Internal error in this page').count()).toBe(0);
    harness.expectComplaints(/status of \d+/);
  });

  it("uses the gateway's clock, not the browser's", async () => {
    const { page } = harness;
    const DAYS_SEC = 10 * 86_400;
    await page.addInitScript(`{ const now = Date.now.bind(Date); Date.now = () => now() - ${DAYS_SEC * 1000}; }`);
    await open('chart?lane=kernel.all.load');
    await page.getByRole('img', { name: LOAD }).waitFor();
    await page.getByRole('button', { name: 'Earlier' }).click();
    await page.waitForURL(/[?&]t=/);
    const [start = ''] = (new URL(page.url()).searchParams.get('t') ?? '').split('/');
    expect(Math.abs(Date.parse(start) - Date.now())).toBeLessThan((DAYS_SEC * 1000) / 2);
  });

  it('says which metrics a source without the usual ones has', async () => {
    const { page } = harness;
    await page.route(/\/pmapi\/(?:metric|fetch)\?/, (route) =>
      route.fulfill({ status: 400, json: { success: false, code: 'UNKNOWN_METRIC', message: 'Unknown metric name' } }),
    );
    await open('?on=archive:live-v3');
    await page.getByText('archive:live-v3 has none of the usual metrics.').waitFor();
    await page.locator('.empty').getByRole('link', { name: 'Find' }).click();
    await page.waitForURL(/find\?on=archive:live-v3$/);
    harness.expectComplaints(/400 \(Bad Request\)/);
  });

  it.each(['', 'chart', 'processes', 'process', 'find', 'explain', 'derive', 'changes'])(
    'says of which source an error is, and what helps, and does not say that an archive is live: %s',
    async (screen) => {
      const { page } = harness;
      harness.expectComplaints(/status of 4\d\d/);
      await open(`${screen}?on=archive:nosuch&on=localhost&lane=kernel.all.load&q=1&def=a.b:kernel.all.load`);
      const text =
        /^archive:nosuch(?: and localhost)?: no archive "nosuch" .* \(UNKNOWN_ARCHIVE\)\. Archives lists those that there are\.$/;
      await page.locator('.trouble', { hasText: text }).first().waitFor();
      await eventually(async () => {
        expect(await page.getByRole('button', { name: 'live', exact: true }).count()).toBe(0);
        for (const hidden of ['Length of the window', 'values at', 'Go to a time'])
          expect(await page.getByLabel(hidden).filter({ visible: true }).count()).toBe(0);
        expect(await page.title()).not.toMatch(/^Now/);
      });
    },
  );

  it.each(['', 'chart?lane=kernel.all.load&', 'process?q=1&'])(
    'says once that a host is not reached: %s',
    async (screen) => {
      const { page } = harness;
      harness.expectComplaints(/status of \d+/);
      await open(`${screen === '' ? '?' : screen}on=nohost.invalid`);
      await page.locator('.trouble').first().waitFor();
      await page.getByText('What is recorded could not be read.').waitFor();
      await eventually(async () => expect(await page.getByText(/\(SOURCE_[A-Z]+\)/).count()).toBe(1));
    },
  );

  it('names the second of two sources when that one has the trouble', async () => {
    const { page } = harness;
    harness.expectComplaints(/status of 4\d\d/);
    await open('?on=localhost&on=archive:nosuch');
    await page.locator('.trouble', { hasText: /^archive:nosuch: no archive "nosuch"/ }).waitFor();
    await page.getByRole('img', { name: /^Processor: .* last / }).waitFor();
    await page.route('**/pmapi/fetch?*embedded*', (route) =>
      route.fulfill({ status: 403, json: { success: false, code: 'FORBIDDEN', message: 'not for you' } }),
    );
    await open('chart?on=localhost&on=embedded&lane=kernel.all.load');
    await page
      .locator('.trouble', {
        hasText: 'embedded: not for you (FORBIDDEN). Sign in under Settings with a role that permits it.',
      })
      .waitFor();
    await page.getByRole('img', { name: LOAD }).waitFor();
  });

  it('goes on after a stream that was cut in the middle of an event', async () => {
    const { page } = harness;
    let streams = 0;
    await page.route('**/pmapi/streams', (route) =>
      streams++ === 0
        ? route.fulfill({ contentType: 'text/event-stream', body: 'event: sample\ndata: {"timestamp": 12' })
        : route.continue(),
    );
    const again = page.waitForResponse((response) => response.url().endsWith('/pmapi/streams') && streams > 1);
    await open('chart?lane=kernel.all.load');
    await again;
    await page.getByRole('img', { name: LOAD }).waitFor();
    await page.getByText(/\(STREAM|\(PAGE\)/).waitFor({ state: 'detached' });
  });

  it.each([
    ['derive?def=a.b:rate(kernel.all.pswitch)', '.outcome .figure'],
    ['chart?lane=kernel.all.pswitch', '.legend .value'],
    [`process?q=${process.pid}`, '.legend .value'],
    ['processes', '.listing tbody td'],
    ['', '.resource-value'],
    ['?on=localhost&on=embedded', '.resource-value'],
    ['find?q=kernel.all.pswitch', '.row-value'],
    ['explain?q=kernel.all.pswitch', '.legend .value'],
  ])('says nothing to screen readers while only values change: %s', async (address, values) => {
    const { page } = harness;
    // What is said of the machine is the same, though how busy it is differs.
    let share = 0;
    await page.route('**/diagnosis?*', (route) => {
      const usual = { resource: 'processor', state: 'usual', sentence: `The processors are ${share++} % busy.` };
      return route.fulfill({ json: { state: 'usual', finish: Date.now() / 1000, resources: [usual] } });
    });
    await open(address);
    await page.locator(values).filter({ hasText: /\d/ }).first().waitFor();
    if (address.startsWith('?') || address === '') await page.getByText('Nothing unusual.').first().waitFor();
    const shown = (): Promise<string> => page.locator(values).allTextContents().then(String);
    let spoken: string[];
    do {
      // On a busy machine, streams are refused for a while, which is said.
      await page.getByText('(OVERLOADED)').first().waitFor({ state: 'detached' });
      await page.evaluate(`globalThis.spoken = [];
        const said = () => [...document.querySelectorAll('output, [role=status], [role=alert], [aria-live]')]
          .map(({ textContent }) => textContent).join();
        let last = said();
        new MutationObserver(() => {
          if (said() !== last) spoken.push((last = said()));
        }).observe(document.body, { characterData: true, childList: true, subtree: true })`);
      for (let changes = 0, before = await shown(); changes < 3;) {
        const after = await shown();
        if (after !== before) changes++;
        before = after;
      }
      spoken = await page.evaluate('spoken');
    } while (spoken.some((text) => text.includes('(OVERLOADED)')));
    expect(spoken).toEqual([]);
  });

  it('has the time at the pointer', async () => {
    const { page } = harness;
    await open('?');
    await page.getByRole('img', { name: /^Processor: .* last / }).waitFor();
    await page.locator('.lane .pointer').first().hover();
    await page
      .locator('.cursor-time', { hasText: /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/ })
      .first()
      .waitFor();
  });

  it('says what a role does not show, and what it does not permit only in the lane that needs it', async () => {
    const { page } = harness;
    harness.expectComplaints(/401 \(Unauthorized\)|net::ERR_/);
    const file = path.join(harness.directory, 'access.yaml');
    writeFileSync(file, 'roles:\n  guest: { permissions: [read], metrics: ["*", "!proc"] }\n');
    await harness.gateway.close();
    await harness.startGateway({ PMGATE_ACCESS_FILE: file, PMGATE_ACCESS_ANONYMOUS_ROLES: 'guest' });
    try {
      await open('');
      await page.getByText('localhost does not show its processes here.').waitFor();
      expect(await page.getByText('Measuring for').count()).toBe(0);
      await open('process?q=1');
      await page.getByText('Nothing was sampled of it in this time').waitFor();
      expect(await page.locator('.trouble').count()).toBe(0);
      await open('chart?lane=kernel.all.load&lane=my.own&def=my.own:kernel.all.nprocs*2');
      await page.getByRole('img', { name: LOAD }).waitFor();
      const troubles = page.locator('.trouble');
      await troubles.filter({ hasText: 'derive' }).waitFor();
      // The gateway may just have been too busy for something: that goes by.
      await troubles.filter({ hasNotText: 'derive' }).first().waitFor({ state: 'detached' });
      await eventually(async () => expect(await page.locator('.lane .trouble').count()).toBe(1));
    } finally {
      await harness.gateway.close();
      await harness.startGateway();
    }
  });

  it('says once that the gateway does not respond', async () => {
    const { page } = harness;
    harness.expectComplaints(/net::ERR_/);
    await open('hosts?on=embedded');
    await page.getByRole('row', { name: /^localhost/ }).waitFor();
    const failed = page.waitForEvent('requestfailed', (request) => request.url().includes('/hosts'));
    await page.route(/:\d+\/(pmapi|hosts)/, (route) => route.abort());
    await failed;
    await page.getByRole('alert').filter({ hasText: 'The gateway does not respond.' }).waitFor();
    await page.evaluate('new Promise((shown) => requestAnimationFrame(() => requestAnimationFrame(shown)))');
    expect(await page.getByRole('alert').count()).toBe(1);
  });

  it('says that the gateway has too much to do, and asks again', async () => {
    const { page } = harness;
    await page.clock.install();
    let isBusy = true;
    const body = { success: false, code: 'OVERLOADED', message: 'overloaded' };
    await page.route('**/pmapi/**', (route) =>
      isBusy ? route.fulfill({ status: 503, json: body, headers: { 'retry-after': '1' } }) : route.continue(),
    );
    await open('chart?lane=kernel.all.load');
    const banner = page.getByRole('alert').filter({ hasText: 'too much to do (503)' });
    await banner.waitFor();
    isBusy = false;
    const shown = page.getByRole('img', { name: LOAD });
    do await page.clock.fastForward(6000);
    while (!(await shown.isVisible()));
    await banner.waitFor({ state: 'detached' });
  });

  it('asks for the windows of a held key 150 ms apart, and for the last one', async () => {
    const { page } = harness;
    await page.clock.install();
    await open('chart?on=archive:live-v3&lane=kernel.all.load');
    await page.getByRole('img', { name: LOAD }).waitFor();
    // Answers are none of its concern, and the clock stands still.
    await page.evaluate('window.asked = []; window.fetch = (url) => (window.asked.push(url), new Promise(() => {}))');
    await page.clock.pauseAt(Date.now() + 60_000);
    const starts = (): Promise<number[]> =>
      page.evaluate(
        'asked.filter((url) => /=kernel.all.load&/.test(url)).map((url) => Number(/start=([^&]*)/.exec(url)[1]))',
      );
    await page.evaluate(`(async () => {
      for (let i = 0; i < 5; i++) {
        document.querySelector('.instant input').dispatchEvent(new KeyboardEvent('keydown', { key: 'd', bubbles: true }));
        for (let turn = 0; turn < 50; turn++) await undefined;
      }
    })()`);
    expect(await starts()).toHaveLength(1);
    await page.clock.runFor(150);
    await eventually(async () => expect(await starts()).toHaveLength(2));
    const [first, last] = (await starts()) as [number, number];
    const span = Number(await page.getByRole('slider', { name: 'values at' }).getAttribute('max')) - last;
    expect((last - first) / span).toBeCloseTo(4 * 0.2);
  });

  it('draws recorded samples as they are, and no others', async () => {
    const { page } = harness;
    const answer = await fetch(
      `${harness.base}/pmapi/fetch?archive=live-v3&names=kernel.all.nprocs&format=columns&start=0&finish=4000000000`,
    );
    const { times } = (await answer.json()) as { times: number[] };
    await open('chart?on=archive:live-v3&lane=kernel.all.nprocs~as:table');
    const rows = page.getByRole('region', { name: 'Values' }).getByRole('row');
    await rows.nth(times.length).waitFor();
    expect(await rows.count()).toBe(times.length + 1);
  });

  it('draws with the colours that the system forces', async () => {
    const { page } = harness;
    await page.emulateMedia({ forcedColors: 'active', colorScheme: 'dark' });
    await open('chart?on=archive:live-v3&lane=kernel.all.load');
    await page.getByRole('img', { name: LOAD }).waitFor();
    expect(await harness.violations('color-contrast')).toEqual([]);
    const isDrawn = `(() => {
      const canvas = document.querySelector('canvas[role=img]');
      return new Set(new Uint32Array(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer)).size > 2;
    })()`;
    while (!(await page.evaluate<boolean>(isDrawn))) await page.evaluate('new Promise(requestAnimationFrame)');
    // Also where another scheme is chosen.
    const ink = `(() => {
      document.documentElement.dataset.theme = 'dark';
      return getComputedStyle(document.documentElement).getPropertyValue('--ink').trim();
    })()`;
    expect(await page.evaluate(ink)).toBe('CanvasText');
  });

  it('writes what can be read in the colours that the system forces', async () => {
    const { page } = harness;
    await page.emulateMedia({ forcedColors: 'active' });
    await open('changes?on=archive:live-v3');
    await page
      .getByText(/no differences/)
      .first()
      .waitFor();
    const button = page.locator('main .primary');
    await button.evaluate('({ style }) => void (style.font = "14px monospace")');
    const text = await button.screenshot();
    // On a plate of its own colour, another text looks the same.
    await eventually(async () => {
      await button.evaluate('button => button.textContent = "Erapmoc"');
      expect(text.equals(await button.screenshot())).toBe(false);
    });
  });

  it('prints what is on the screen, as it is there, without what only a screen needs', async () => {
    const { page } = harness;
    await open('chart?on=archive:live-v3&lane=kernel.all.load');
    await page.getByRole('img', { name: LOAD }).waitFor();
    const drawn = 'document.querySelector("canvas[role=img]").clientWidth';
    const width = await page.evaluate<number>(drawn);
    await page.evaluate('dispatchEvent(new Event("beforeprint"))');
    await page.emulateMedia({ media: 'print' });
    // About that of a sheet.
    expect(await harness.widthAt(1000)).toBe(1000);
    expect(await page.evaluate(drawn)).toBe(width);
    expect(await page.getByRole('button', { name: 'Copy link' }).isVisible()).toBe(false);
    expect(await page.getByText('archive:live-v3').first().isVisible()).toBe(true);
  });
});
