/** Who it is and when: pages of processes, the ribbon, replay, the keys, and how each number came about. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import type { Locator } from 'playwright-core';
import { CHROMIUM, ConsoleHarness, eventually } from './harness.js';
import { HIT, HOG, OVER, writeStory } from './story.js';

const STORY = 'on=archive:story';
const isoOf = (sec: number): string => new Date(sec * 1000).toISOString().replace('.000Z', 'Z');
const CHANGES = `changes?${STORY}&a=${isoOf(HIT)}/${isoOf(OVER)}&b=${isoOf(HIT - 900)}/${isoOf(HIT - 60)}`;

(CHROMIUM === undefined ? describe.skip : describe)('the console, asked who and when', () => {
  const harness = new ConsoleHarness();
  const open = (address: string): Promise<void> => harness.open(address);

  beforeAll(async () => {
    await harness.start();
    writeStory(harness.archives);
  });
  afterAll(() => harness.stop());
  beforeEach(() => harness.newPage());
  afterEach(async () => expect(await harness.closePage()).toEqual([]));

  const timeOf = (): string => new URL(harness.page.url()).searchParams.get('t') ?? '';
  const lanes = (): Locator => harness.page.getByRole('img', { name: / last / });

  describe('of a process', () => {
    let child: ChildProcess;
    beforeEach(() => (child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 5)', 'a-name-of-its-own'])));
    afterEach(() => void child.kill());

    it('says who it is and what it uses, and keeps its name when it has ended', async () => {
      const { page } = harness;
      await open(`process?q=${child.pid}`);
      await page.getByText(/ -e setInterval\(\(\) => \{\}, 5\) a-name-of-its-own$/).waitFor();
      await page.getByRole('heading', { name: new RegExp(`^node ${child.pid}$`) }).waitFor();
      expect(await page.getByText(String(process.pid), { exact: true }).getAttribute('href')).toBe(
        `process?q=${process.pid}`,
      );
      for (const name of ['proc.cpu.util', 'proc.psinfo.rss', 'proc.psinfo.threads', 'proc.fd.count']) {
        await page.getByRole('img', { name: new RegExp(`^${name}: .* last `) }).waitFor();
      }
      await page.getByRole('img', { name: /^proc\.io: read_bytes \+ write_bytes: / }).waitFor();
      expect(await harness.violations()).toEqual([]);
      child.kill();
      await page.getByRole('term').filter({ hasText: 'last seen' }).waitFor();
      await page.getByRole('heading', { name: new RegExp(`^node ${child.pid}$`) }).waitFor();
    });

    it('is where the rows of the first screen lead to', async () => {
      const { page } = harness;
      await open('');
      await page.getByRole('list', { name: 'Processes: Memory' }).getByRole('link').first().click();
      await page.waitForURL(/process\?q=\d+$/);
      await page.getByRole('heading', { level: 2, name: /^\S+ \d+$/ }).waitFor();
      await page.goBack();
      await page.getByRole('heading', { name: 'Processor' }).waitFor();
    });

    it('is in the table of all, which filters, sorts and leads to it', async () => {
      const { page } = harness;
      await open('processes');
      const table = page.getByRole('region', { name: 'Table of processes' });
      const rows = table.locator('tbody').getByRole('row');
      await rows.nth(1).waitFor();
      await table.getByRole('button', { name: 'memory' }).click();
      const memory = table.getByRole('columnheader', { name: 'memory' });
      await eventually(async () => expect(await memory.getAttribute('aria-sort')).toBe('descending'));
      await page.getByRole('searchbox', { name: 'Filter processes and groups' }).fill(`${child.pid} node`);
      await page.waitForURL(/processes\?q=\d+%20node$/);
      await rows.nth(1).waitFor({ state: 'detached' });
      // The second sample has the rate.
      await rows.getByText(/^\d+\.\d %$|^0 %$/).waitFor();
      expect(await harness.violations()).toEqual([]);
      await rows.getByRole('link', { name: `node (${child.pid})` }).click();
      await page.waitForURL(new RegExp(`process\\?q=${child.pid}$`));
    });

    it('leads to its control group, which has a page, too', async () => {
      const { page } = harness;
      await open(`process?q=${child.pid}`);
      await page.getByRole('term').filter({ hasText: 'began' }).waitFor();
      const group = page.getByRole('definition').getByRole('link', { name: /^\// }).first();
      // Not every machine has groups besides the root.
      if ((await group.count()) === 0) return;
      const name = await group.textContent();
      await group.click();
      await page.getByRole('heading', { level: 2, name: name! }).waitFor();
      // The busiest of its processes, whichever these are.
      await page
        .getByRole('link', { name: /\(\d+\)/ })
        .first()
        .waitFor();
      expect(await harness.violations()).toEqual([]);
    });
  });

  it('shows a process of a recording, and that others were not recorded', async () => {
    const { page } = harness;
    await open(`process?${STORY}&q=${HOG}`);
    await page.getByRole('heading', { level: 2, name: `hog ${HOG}` }).waitFor();
    await page.getByRole('img', { name: /^proc\.cpu\.util: .* to 150\.0 %, last / }).waitFor();
    await page.getByText('2026-11-19 14:34:00 UTC', { exact: true }).waitFor();
    await open(`process?${STORY}&q=4711`);
    await page.getByText(/Nothing was sampled of it in this time/).waitFor();
  });

  it('has all processes of a recording at any time, and what is missing', async () => {
    const { page } = harness;
    await open(`?${STORY}`);
    await page.getByRole('link', { name: 'Overview', exact: true }).waitFor();
    await open(`processes?${STORY}&cur=${isoOf(HIT + 100)}&z=UTC`);
    const row = (name: string): Locator => page.getByRole('row', { name });
    await row('hog (77)').getByText('75.0 %', { exact: true }).waitFor();
    await row('others').getByText('24.5 %', { exact: true }).waitFor();
    await page.getByText('As of 2026-11-19 14:31:40 UTC.').waitFor();
    await page.getByRole('slider', { name: 'values at' }).press('End');
    await row('hog (77)').waitFor({ state: 'detached' });
    await row('init (1)').getByText('0 %', { exact: true }).waitFor();
    // So has the first screen, below its cards, without a field that filters.
    await open(`?${STORY}&cur=${isoOf(HIT + 100)}&z=UTC`);
    await row('hog (77)').getByText('75.0 %', { exact: true }).waitFor();
    await row('others').getByText('24.5 %', { exact: true }).waitFor();
    expect(await page.getByRole('searchbox', { name: 'Filter processes and groups' }).count()).toBe(0);
    // Below the sentence are the ways on.
    const why = page.getByRole('region', { name: 'What is unusual' }).getByRole('link', { name: 'why' });
    expect(await why.getAttribute('href')).toMatch(/^explain\?.*q=kernel\./);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy as command' }).click();
    const copied = (): Promise<string> => page.evaluate<string>('navigator.clipboard.readText()');
    const command = /^pmgate diagnose --start \S+ --finish \S+ -a story --url http:\/\/\S+$/;
    await eventually(async () => expect(await copied()).toMatch(command));
    expect(await harness.violations()).toEqual([]);
    await row('hog (77)').getByRole('link').click();
    await page.getByRole('heading', { level: 2, name: `hog ${HOG}` }).waitFor();
    await open('processes?on=archive:live-v3');
    await page.getByText('No processes were recorded just before this time.').waitFor();
  });

  it('has the shares of processes of the same time as their resource, or says of which time they are', async () => {
    const { page } = harness;
    const begun = page.waitForRequest(
      (request) =>
        request.url().endsWith('/pmapi/streams') &&
        ['proc.cpu.util', 'kernel.cpu.util.user'].every((name) => request.postData()!.includes(name)),
    );
    await open('');
    const streams = (await begun).postDataJSON() as { readonly body: { readonly interval: string } }[];
    expect(streams.map(({ body }) => body.interval)).toEqual(['2', '2']);
    writeStory(harness.archives, 'seldom', { processesEvery: 60 });
    await open('?on=archive:seldom&z=UTC');
    await page
      .getByRole('region', { name: 'Processor' })
      .getByText('Sampled 2026-11-19 14:01:00 – 15:00:00 UTC, every 1 min.')
      .waitFor();
  });

  it('says once what is wrong with all lanes', async () => {
    const { page } = harness;
    harness.expectComplaints(/status of 503/);
    const body = { success: false, code: 'OVERLOADED', message: 'not now' };
    await page.route('**/pmapi/fetch?*', (route) => route.fulfill({ status: 503, json: body }));
    for (const address of [`process?q=${process.pid}`, 'chart?lane=kernel.all.load&lane=kernel.all.nprocs']) {
      await open(address);
      await page.getByText('not now (OVERLOADED)').first().waitFor();
      await eventually(async () => expect(await page.locator('.trouble').count()).toBe(1));
    }
  });

  it('has all known time in a ribbon, with what is unusual in it a click away', async () => {
    const { page } = harness;
    await open(`?${STORY}`);
    const ribbon = page.getByRole('slider', { name: 'The time that is shown' });
    await ribbon.waitFor();
    await eventually(async () =>
      expect(await ribbon.getAttribute('aria-valuetext')).toBe('2026-11-19 14:00:00 UTC, 1 h'),
    );
    const [choice, unusual] = [
      page.getByLabel('What the ribbon shows'),
      page.getByRole('button', { name: '1 unusual ›' }),
    ];
    await unusual.waitFor();
    expect(await choice.inputValue()).toBe('Processor');
    // #b0430f: the odd stretch is seen from afar.
    harness.expectComplaints(/^Canvas2D: Multiple readback/);
    const isWarm = `(() => {
      const { width, height } = document.querySelector('.ribbon-plot canvas');
      const { data } = document.querySelector('.ribbon-plot canvas').getContext('2d').getImageData(0, 0, width, height);
      return data.some((red, i) => i % 4 === 0 && red === 176 && data[i + 1] === 67 && data[i + 2] === 15);
    })()`;
    while (!(await page.evaluate<boolean>(isWarm)));
    await choice.selectOption('Memory');
    await unusual.waitFor({ state: 'detached' });
    while (await page.evaluate<boolean>(isWarm));
    await choice.selectOption('Processor');
    await unusual.click();
    const [start, end] = (await waitForTime()).split('/').map((each) => Date.parse(each) / 1000);
    expect([start! < HIT, start! > HIT - 120, end! > OVER, end! < OVER + 120]).toEqual([true, true, true, true]);
    await page
      .locator('.sentence', { hasText: /^The processors were \d.* from 14:30:10 to 14:34:00.*hog \(77\) took 7\d/ })
      .waitFor();
    expect(await harness.violations()).toEqual([]);
    // By keyboard, and by dragging.
    await ribbon.press('PageDown');
    const startOf = (): number => Date.parse(timeOf().split('/')[0]!) / 1000;
    await eventually(async () => expect(startOf()).toBeGreaterThan(start!));
    const later = startOf();
    const box = (await ribbon.boundingBox())!;
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x - 200, box.y + box.height / 2, { steps: 4 });
    await page.mouse.up();
    await eventually(async () => expect(startOf()).toBeLessThan(later));
  });

  async function waitForTime(): Promise<string> {
    await harness.page.waitForURL(/[?&]t=/);
    return timeOf();
  }

  it('asks seldom for all known time, while values come', async () => {
    const { page } = harness;
    await open('');
    await page.locator('.sentence', { hasText: /\S/ }).waitFor();
    const until: number[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/timeline?')) until.push(Number(new URL(request.url()).searchParams.get('finish')));
    });
    for (let judged = 0; judged < 4; judged++) await page.waitForRequest(/\/diagnosis\?/);
    // By the page's clock: how long four answers take, says the machine.
    const apart = until.slice(1).map((finish, i) => finish - until[i]!);
    expect(apart.filter((seconds) => seconds < 14)).toEqual([]);
  });

  it('plays what was recorded: values, processes, the network and the sentence follow', async () => {
    const { page } = harness;
    await open(`?${STORY}&cur=${isoOf(HIT - 10)}`);
    const network = page.getByRole('region', { name: 'Network' });
    await network.getByText('179 KiB/s', { exact: true }).first().waitFor();
    const processor = page.getByRole('region', { name: 'Processor' });
    await processor.getByText('10.0 %', { exact: true }).waitFor();
    const moment = (): number => Date.parse(new URL(page.url()).searchParams.get('cur')!) / 1000;
    const begun = performance.now();
    const [start, pinned] = [moment(), page.getByRole('slider', { name: 'values at' })];
    await page.keyboard.press('Space');
    while (Number(await pinned.inputValue()) <= start);
    await page.keyboard.press('Space');
    await page.waitForURL((url) => url.searchParams.get('cur') !== isoOf(start));
    expect(moment() - start).toBeLessThanOrEqual((performance.now() - begun) / 1000);
    await page.getByRole('combobox', { name: 'Speed' }).selectOption('×10');
    await page.evaluate('document.activeElement.blur()');
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'pause' }).waitFor();
    await processor.getByText('99.5 %', { exact: true }).waitFor();
    await processor.getByRole('link', { name: 'hog (77)' }).waitFor();
    await processor
      .getByRole('listitem')
      .filter({ hasText: /^others24\.5 %$/ })
      .waitFor();
    await page.locator('.sentence', { hasText: 'hog (77)' }).waitFor();
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'play' }).waitFor();
    await page.waitForURL(({ searchParams }) => Date.parse(searchParams.get('cur') ?? '') / 1000 > HIT);
    await page.getByText(/^Of the minute before 14:3/).waitFor();
    // Each sample has a KiB per second more; in the middle between two, either may be shown.
    const at = Number(await pinned.inputValue());
    const [low, high] = [at - 0.5, at + 0.5].map((near) => 180 + Math.round((near - HIT) / 10));
    const received = new RegExp(`^(?:${low}|${high}) KiB/s$`);
    await network.locator('.resource-value', { hasText: received }).waitFor();
    await network.getByRole('list', { name: 'Devices: Network' }).getByText(received).waitFor();
  });

  it.each(['mouse', 'keyboard'])('copies why a value is what it is, for a report: by %s', async (by) => {
    const { page } = harness;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await open(`explain?${STORY}&q=kernel.cpu.util.user&cur=${isoOf(HIT + 100)}&z=UTC`);
    const lines = page.getByRole('list', { name: 'Why', exact: true }).getByRole('listitem');
    await lines
      .getByText(/kernel\.all\.cpu\.user/)
      .first()
      .waitFor();
    const button = page.getByRole('button', { name: 'Copy as text' });
    await (by === 'mouse' ? button.click() : button.press('Enter'));
    await page.getByText('Copied as text.').waitFor();
    const text = await page.evaluate<string>('navigator.clipboard.readText()');
    // All that is shown, each line once: the value, and the readings under it.
    expect(text).toMatch(/^99\.5.*\n(?:.*\n)* +kernel\.all\.cpu\.user = .*14:31:40 UTC/);
    const shown = await lines.evaluateAll((all) => all.map((each) => (each as { innerText: string }).innerText));
    expect(text.trimEnd().split('\n')).toHaveLength(shown.length);
  });

  it.each([
    ['', '**/diagnosis?*', /^Of the minute before 14:(?!00:30)/],
    ['processes', '**/pmapi/fetch?*', /^(?:As|The last samples before .* are) of 2026-11-19 14:(?!00:30)/],
  ])('waits for what it asks about a time that is played fast: /%s', async (screen, asked, answer) => {
    const { page } = harness;
    await page.clock.install();
    await open(`${screen}?${STORY}&cur=2026-11-19T14:00:30Z&z=UTC`);
    await page.locator('.sentence, .listing tbody tr').filter({ hasText: /\S/ }).first().waitFor();
    await page.clock.pauseAt(Date.now() + 60_000);
    const ended: string[] = [];
    page.on('requestfailed', (request) => ended.push(request.url()));
    let isAsked = false as boolean;
    let answerIt = (): void => undefined;
    const thought = new Promise<void>((resolve) => (answerIt = resolve));
    await page.route(
      asked,
      async (route) => {
        isAsked = true;
        await thought;
        await route.continue();
      },
      { times: 1 },
    );
    await page.getByRole('combobox', { name: 'Speed' }).selectOption('×60');
    await page.getByRole('button', { name: 'play' }).click();
    while (!isAsked) await page.clock.runFor(20);
    await page.clock.runFor(2000);
    answerIt();
    do await page.clock.runFor(20);
    while (!(await page.getByText(answer).isVisible()));
    expect([ended, await page.getByRole('button', { name: 'pause' }).isVisible()]).toEqual([[], true]);
  });

  it('selects a stretch by keyboard, and goes into it', async () => {
    const { page } = harness;
    await open(`chart?${STORY}&lane=kernel.cpu.util.user&z=UTC`);
    await lanes().waitFor();
    await page.keyboard.press('Shift+ArrowLeft');
    await page.keyboard.press('Shift+ArrowLeft');
    await page.getByText(/^selected 2026-11-19 14:58:48 – 15:00:00 UTC/).waitFor();
    await page.keyboard.press('Shift+ArrowRight');
    await page.getByText(/^selected 2026-11-19 14:59:24 – /).waitFor();
    await page.keyboard.press('Enter');
    expect(await waitForTime()).toBe('2026-11-19T14:59:24Z/2026-11-19T15:00:00Z');
  });

  it('takes its keys everywhere but in fields', async () => {
    const { page } = harness;
    await open(`chart?${STORY}&lane=kernel.cpu.util.user`);
    await lanes().waitFor();
    await page.getByRole('combobox', { name: 'Add a lane' }).press('w');
    expect(timeOf()).toBe('');
    await page.evaluate('document.activeElement.blur()');
    await page.keyboard.press('w');
    await waitForTime();
    await page.keyboard.press('/');
    await page.locator('[aria-label="Add a lane"]:focus').waitFor();
    await page.keyboard.press('Escape');
    await open('find');
    await page.getByRole('searchbox', { name: 'Find metrics' }).waitFor();
    await page.evaluate('document.activeElement.blur()');
    await page.keyboard.press('/');
    await page.locator('[type=search]:focus').waitFor();
  });

  it('has one stop for Tab in a legend, and arrow keys from there', async () => {
    const { page } = harness;
    await open('chart?on=archive:live-v3&lane=kernel.all.load&lane=kernel.all.nprocs');
    await lanes().nth(1).waitFor();
    const stops = page.locator('.legend').first().locator('table :is(a, button)');
    const tabbable = (): Promise<readonly number[]> =>
      stops.evaluateAll((all) => all.map((each) => (each as unknown as { tabIndex: number }).tabIndex));
    await eventually(async () => expect(await tabbable()).toEqual([-1, 0, -1, -1, -1, -1]));
    const focused = (): Promise<string> => page.evaluate('document.activeElement.textContent');
    await stops.nth(1).focus();
    await page.keyboard.press('ArrowDown');
    const isAt = (stop: number): Promise<void> =>
      eventually(async () => expect(await focused()).toBe(await stops.nth(stop).textContent()));
    await isAt(3);
    await eventually(async () => expect(await tabbable()).toEqual([-1, -1, -1, 0, -1, -1]));
    await page.keyboard.press('ArrowLeft');
    await isAt(2);
    await page.keyboard.press('ArrowUp');
    await isAt(0);
  });

  it('gives a lane that is alone the room of several', async () => {
    const heightOf = async (): Promise<number> => (await lanes().first().boundingBox())!.height;
    await open('chart?on=archive:live-v3&lane=kernel.all.load');
    await lanes().waitFor();
    const alone = await heightOf();
    await open('chart?on=archive:live-v3&lane=kernel.all.load&lane=kernel.all.nprocs');
    await lanes().nth(1).waitFor();
    await eventually(async () => expect(alone).toBeGreaterThan(2 * (await heightOf())));
  });

  it('says beside a picture of what changed what it shows', async () => {
    const { page } = harness;
    await open(CHANGES);
    await page.locator('.picture').first().waitFor();
    const [picture, words] = await Promise.all(
      ['.picture', '.picture + div .sentence'].map((each) => page.locator(each).first().boundingBox()),
    );
    expect(words!.x - picture!.x - picture!.width).toBeLessThan(32);
  });

  it.each([
    ['hosts', /^localhost: \S+ = kernel\.all\.load\[1 minute\]/, '.matrix a'],
    [CHANGES, /= of the samples in both times of /, '.finding .sentence'],
    [`?${STORY}`, /^Processor: \S+ % = mean over time of \d+ samples of /, '.resource-value'],
    ['find?q=kernel.all.load', /^kernel\.all\.load: \S+ = kernel\.all\.load\[\d+ minute\]/, '.row-value'],
    [
      'chart?on=archive:live-v3&lane=kernel.all.nprocs~as:table&z=UTC',
      /^kernel\.all\.nprocs: \d+ = kernel\.all\.nprocs/,
      'td',
    ],
    [
      'derive?def=a.b:100*mem.util.free/mem.physmem',
      /= 100 ?\* ?mem\.util\.free ?\/ ?mem\.physmem.*mem\.physmem = /,
      '.figure',
    ],
    [
      'processes',
      /^Processes · .* = proc\.cpu\.util\[.*\] \/ hinv\.ncpu/,
      // Groups may have rates before processes have.
      '[aria-label=Processes] td[data-label=processor] [data-proof]',
    ],
    [
      `process?${STORY}&q=${HOG}`,
      /= mean over time of the samples that are shown of proc\.cpu\.util\[/,
      '.legend .value',
    ],
    ['archives', /^live-v3: \d+ = metrics in the metadata of the archive$/, 'td'],
    ['explain?q=kernel.all.pswitch', /kernel\.all\.pswitch/, '.legend .value'],
  ])('says on %s how each number came about', async (address, number, sign) => {
    const { page } = harness;
    await open(address);
    await page.locator(`main ${sign}`).filter({ hasText: /\d/ }).first().waitFor();
    // Its frame stays: what is around the proof is made once.
    await page.evaluate(`for (const part of document.body.children) part.isFirst = true`);
    await harness.tap('p');
    const proof = page.getByRole('complementary', { name: 'How each number came about' });
    await proof.getByRole('listitem').filter({ hasText: number }).first().waitFor();
    expect(await harness.violations()).toEqual([]);
    // Each value says it, but for times, counts in headings, and Why, which is one.
    const bare = `[...document.querySelectorAll('main *')].filter((each) => each.children.length === 0 &&
      /^[≥ ]*[\\d.,]+ ?(?:%|[KMGT]?i?B(?:\\/s)?|ms|s|\\/s)?$/.test(each.textContent.trim()) &&
      each.closest('[data-proof], [aria-hidden], [hidden], .why, .hidden, .tree, th, dl, h2, h3, option') === null)
      .map(({ outerHTML }) => outerHTML)`;
    expect(await page.evaluate(bare)).toEqual([]);
    expect(
      await page.evaluate(
        `[...document.body.children].filter(({ isFirst, open }) => isFirst !== true && open !== false).map(({ className }) => className)`,
      ),
    ).toEqual(['proof']);
  });

  it('says how each number came about while p is held, and copies that', async () => {
    const { page } = harness;
    await open('chart?on=archive:live-v3&lane=kernel.all.load~i:1*&z=UTC');
    await lanes().waitFor();
    const proof = page.getByRole('complementary', { name: 'How each number came about' });
    await page.keyboard.down('p');
    const numbers = proof.getByRole('listitem');
    const last = numbers.filter({ hasText: /1 minute: 2\.89 = kernel\.all\.load\[1 minute\]/ }).first();
    const reading = last.getByText(
      /^kernel\.all\.load\[1 minute\] = 2\.89(?: \(2\.89\d*\))? of 2026-11-20 17:25:37 UTC in live-v3, volume 0$/,
    );
    await reading.waitFor();
    await numbers
      .filter({ hasText: 'greatest of the samples that are shown of kernel.all.load[1 minute]' })
      .first()
      .waitFor();
    // It goes with the key that was held.
    await page.evaluate(`(async () => {
      const begun = performance.now();
      while (performance.now() - begun < 400) await new Promise(requestAnimationFrame);
    })()`);
    await page.keyboard.up('p');
    await proof.waitFor({ state: 'detached' });
    // A tap keeps it: on a busy machine, one of the browser's driver would be long.
    await harness.tap('p');
    await proof.waitFor();
    await reading.waitFor();
    expect(await harness.violations()).toEqual([]);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.keyboard.press('c');
    await page.getByText('Copied as text.').waitFor();
    const text = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(text).toMatch(
      /1 minute: 2\.89 = kernel\.all\.load\[1 minute\] \(archive:live-v3\)\n {4}kernel\.all\.load\[1 minute\] = 2\.89/,
    );
    await page.keyboard.press('Escape');
    await proof.waitFor({ state: 'detached' });
  });
});
