/** The ways to an answer: the time, the pointer, the palette, and the first screen. */
import { CHROMIUM, ConsoleHarness, eventually } from './harness.js';
import { writeStory } from './story.js';

const LOAD = /^kernel\.all\.load: .* last /;

(CHROMIUM === undefined ? describe.skip : describe)('the console, asked', () => {
  const harness = new ConsoleHarness();
  const open = (address: string): Promise<void> => harness.open(address);

  beforeAll(async () => {
    await harness.start();
    writeStory(harness.archives);
  });
  afterAll(() => harness.stop());
  beforeEach(() => harness.newPage());
  afterEach(async () => expect(await harness.closePage()).toEqual([]));

  it('goes to a time that is typed, and says what it does not understand', async () => {
    const { page } = harness;
    await open('chart?lane=kernel.all.load&z=UTC');
    const parts = page.getByText(/ each: mean and min–max/);
    await page.getByRole('img', { name: LOAD }).waitFor();
    expect(await parts.count()).toBe(0);
    const field = page.getByRole('textbox', { name: 'Go to a time' });
    await field.fill('2025-07-07');
    await field.press('Enter');
    await page.waitForURL(/[?&]t=2025-07-07T00:00:00Z\/2025-07-08T00:00:00Z/);
    await field.fill('-3h');
    await field.press('Enter');
    await page.waitForURL(/[?&]t=-180min/);
    await field.fill('soon');
    await field.press('Enter');
    await page.getByText(/^soon: unexpected value/).waitFor();
    expect(await field.inputValue()).toBe('soon');
    expect(await harness.violations()).toEqual([]);
    await page.getByRole('combobox', { name: 'Length of the window' }).selectOption('last 7 d');
    // Only here samples are not drawn as they are.
    await parts.waitFor();
  });

  it('has the time and the values beside the pointer, in all lanes at once', async () => {
    const { page } = harness;
    await open('chart?on=archive:live-v3&lane=kernel.all.load&lane=kernel.all.nprocs');
    await page.getByRole('img', { name: LOAD }).waitFor();
    await page.getByRole('img', { name: /^kernel\.all\.nprocs: .* last / }).waitFor();
    await page.locator('.pointer').first().hover();
    const pointed = page.locator('.pointer-values');
    await pointed.nth(1).waitFor();
    await eventually(async () => {
      expect(await pointed.nth(0).textContent()).toMatch(/^\d\d:\d\d:\d\d\.\d\d+ minute [\d.]+/);
      expect(await pointed.nth(1).textContent()).toMatch(/^\d\d:\d\d:\d\d\.\dkernel\.all\.nprocs \d+$/);
    });
    // The head of the lane that is used has its menu, and no other.
    const shown = (): Promise<readonly string[]> =>
      page.evaluate('[...document.querySelectorAll(".lane-menu")].map((menu) => getComputedStyle(menu).opacity)');
    await eventually(async () => expect(await shown()).toEqual(['1', '0']));
    await page.getByRole('button', { name: 'Remove kernel.all.nprocs' }).focus();
    await page.getByRole('combobox', { name: 'Add a lane' }).hover();
    await eventually(async () => expect(await shown()).toEqual(['0', '1']));
  });

  it('goes anywhere with Ctrl+K, by keyboard alone', async () => {
    const { page } = harness;
    await open('chart?lane=kernel.all.load');
    await page.getByRole('img', { name: LOAD }).waitFor();
    const goTo = async (text: string, option: string | RegExp): Promise<void> => {
      await page.keyboard.press('Control+k');
      const box = page.getByRole('combobox', { name: 'Go to' });
      await box.pressSequentially(text);
      await harness.firstOption(option).waitFor();
      await page.keyboard.press('Enter');
    };
    await page.keyboard.press('Control+k');
    await page.getByRole('option', { name: /^Hosts screen/ }).waitFor();
    expect(await harness.violations()).toEqual([]);
    await page.keyboard.press('Escape');
    await goTo('mem.util.free', /^mem\.util\.free metric/);
    await page.waitForURL(/lane=kernel\.all\.load&lane=mem\.util\.free$/);
    await goTo('live-v3', /^archive:live-v3 archive/);
    await page.waitForURL(/on=archive:live-v3/);
    // What was recorded is not now.
    await page.keyboard.press('Control+k');
    await page.getByRole('option', { name: /^Overview screen/ }).waitFor();
    await page.keyboard.press('Escape');
    await goTo('-3h', '-3h');
    await page.waitForURL(/t=-180min/);
    await goTo('changes', /^Changes screen/);
    await page.waitForURL(/\/changes\?/);
    await goTo('localhost', /^localhost host/);
    await page.waitForURL(/\/changes(?:\?lane=.*)?$/);
    // The archive has no such metric.
    harness.expectComplaints(/404 \(Not Found\)/);
  });

  /** Answer as a gateway that finds these states. */
  async function diagnose(resources: () => readonly object[]): Promise<void> {
    await harness.page.route('**/diagnosis?*', (route) =>
      route.fulfill({
        json: { state: 'usual', finish: Date.now() / 1000, resources: resources() },
      }),
    );
  }
  const usual = { resource: 'processor', state: 'usual', sentence: 'The processors are 3 % busy.' };

  it('says first what is wrong, and speaks only when that changes', async () => {
    const { page } = harness;
    let share = 90;
    let resources: readonly object[] = [usual];
    await diagnose(() => resources);
    await open('');
    const sentence = page.locator('.sentence');
    await sentence.filter({ hasText: 'Nothing unusual.' }).waitFor();
    const odd = page.locator('.odd, .culprit, .sentence strong:not(:empty)');
    expect(await odd.count()).toBe(0);
    await page.evaluate(`globalThis.spoken = 0;
      new MutationObserver((all) => globalThis.spoken += all.length)
        .observe(document.querySelector('.headline [role=status]'), { characterData: true, childList: true, subtree: true })`);
    for (; share < 93; share++) {
      const text = `The processors are full since 13:00:00 (was 15 %): node ${share} %.`;
      resources = [
        { ...usual, state: 'saturated', since: Date.now() / 1000 - 60, before: 15.2, unit: '%', sentence: text },
      ];
      await sentence.filter({ hasText: text }).waitFor();
    }
    expect(await sentence.locator('strong').textContent()).toBe('The processors are full');
    await page
      .locator('.resource.odd', { hasText: /^Processor/ })
      .getByText(/^since \d\d:\d\d:\d\d, was 15 %$/)
      .waitFor();
    await eventually(async () => expect(await odd.count()).toBe(2));
    await eventually(async () => expect(await page.evaluate('globalThis.spoken')).toBe(1));
    expect(await harness.violations()).toEqual([]);
  });

  it('says for how long nothing was unusual, and what was and is over, with a way there', async () => {
    const { page } = harness;
    let past: object = {};
    const finish = Math.floor(Date.now() / 1000);
    await page.route('**/diagnosis?*', (route) => {
      const isPast = new URL(route.request().url()).searchParams.get('start') === '-30min';
      const json = { state: 'usual', finish, resources: [usual], ...(isPast ? past : {}) };
      return route.fulfill({ json });
    });
    past = { sampledSince: finish - 755 };
    await open('');
    await page.locator('.sentence', { hasText: /^Nothing unusual in the last 12 min\./ }).waitFor();
    const [since, until] = [finish - 600, finish - 480];
    const sentence =
      'The processors were 98 % busy from 13:00:00 to 13:02:00 (it had been 3 %): pid 4194711 hog took 160 %.';
    const who = [{ kind: 'process', name: 'hog', pid: 4_194_711, use: 160, share: 1, gone: 'ended', metrics: [] }];
    const over = { ...usual, state: 'saturated', sentence, since, until, who, whoUnit: '%', evidence: [] };
    past = { resources: [over], sampledSince: finish - 1800 };
    await open('');
    await page.locator('.sentence', { hasText: /^Nothing unusual now\./ }).waitFor();
    const line = page.locator('.headline', {
      hasText: /98 % busy from .* \(it had been 3 %\): hog \(4194711\) took \d\d/,
    });
    await line.waitFor();
    expect(await page.locator('.odd, .culprit, .sentence strong:not(:empty)').count()).toBe(0);
    expect(await page.locator('.headline [role=status]').textContent()).toBe('Nothing unusual.');
    await line.getByRole('link', { name: 'Look at that time' }).click();
    const [from, to] = [since - 60, until + 60].map((at) => new Date(at * 1000).toISOString().replace('.000', ''));
    await page.waitForURL((url) => url.searchParams.get('t') === `${from}/${to}`);
    await line.waitFor({ state: 'detached' });
    expect(await harness.violations()).toEqual([]);
  });

  it('asks again what is wrong when there was no answer', async () => {
    const { page } = harness;
    await page.clock.install();
    const body = { success: false, code: 'TIMEOUT', message: 'not now' };
    await page.route('**/diagnosis?*', (route) => route.fulfill({ status: 504, json: body }));
    const failed = page.waitForResponse(/\/diagnosis\?/);
    await open('');
    await failed;
    await diagnose(() => [usual]);
    const sentence = page.locator('.sentence', { hasText: 'Nothing unusual.' });
    do await page.clock.fastForward(11_000);
    while (!(await sentence.isVisible()));
  });

  it('has places for all before anything comes, and does not count the loopback', async () => {
    const { page } = harness;
    await diagnose(() => [usual]);
    await open('');
    await page.getByRole('img', { name: /^Processor: .* last / }).waitFor();
    await page.getByRole('list', { name: 'Processes: Processor' }).getByRole('link').first().waitFor();
    expect(await harness.layoutShift()).toBeLessThan(0.05);
    expect(
      await page.getByRole('region', { name: 'Network' }).getByRole('listitem').filter({ hasText: /^lo\d/ }).count(),
    ).toBe(0);
  });

  it.each([
    ['?on=archive:story', /^Processor: .* last /],
    ['chart?lane=kernel.all.load&lane=kernel.all.nprocs', /^kernel\.all\.nprocs: .* last /],
    ['chart?on=archive:live-v3&lane=kernel.all.load&lane=kernel.all.nprocs', /^kernel\.all\.nprocs: .* last /],
  ])('has places for all before anything comes: %s', async (address, name) => {
    const { page } = harness;
    await open(address);
    await page.getByRole('img', { name }).waitFor();
    // What comes last: the ribbon, and who it was.
    await page.getByRole('slider', { name: 'The time that is shown' }).waitFor();
    if (address.startsWith('?')) await page.locator('.sentence', { hasText: 'hog (77)' }).waitFor();
    expect(await harness.layoutShift()).toBeLessThan(0.05);
  });
});
