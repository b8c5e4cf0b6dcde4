/** The ways to an answer: the time, the pointer, the palette, and the first screen. */
import { CHROMIUM, ConsoleHarness } from './harness.js';

const LOAD = /^kernel\.all\.load: .* last /;

(CHROMIUM === undefined ? describe.skip : describe)('the console, asked', () => {
  const harness = new ConsoleHarness();
  const open = (address: string): Promise<void> => harness.open(address);

  beforeAll(() => harness.start());
  afterAll(() => harness.stop());
  beforeEach(() => harness.newPage());
  afterEach(async () => expect(await harness.closePage()).toEqual([]));

  it('goes to a time that is typed, and says what it does not understand', async () => {
    const { page } = harness;
    await open('chart?lane=kernel.all.load&z=UTC');
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
    await page.getByRole('img', { name: LOAD }).waitFor();
  });

  it('has the time and the values beside the pointer, in all lanes at once', async () => {
    const { page } = harness;
    await open('chart?on=archive:live-v3&lane=kernel.all.load&lane=kernel.all.nprocs');
    await page.getByRole('img', { name: LOAD }).waitFor();
    await page.getByRole('img', { name: /^kernel\.all\.nprocs: .* last / }).waitFor();
    await page.locator('.pointer').first().hover();
    const pointed = page.locator('.pointer-values');
    await pointed.nth(1).waitFor();
    expect(await pointed.nth(0).textContent()).toMatch(/^\d\d:\d\d:\d\d\.\d\d+ minute [\d.]+/);
    expect(await pointed.nth(1).textContent()).toMatch(/^\d\d:\d\d:\d\d\.\dkernel\.all\.nprocs \d+$/);
  });

  it('goes anywhere with Ctrl+K, by keyboard alone', async () => {
    const { page } = harness;
    await open('chart?lane=kernel.all.load');
    await page.getByRole('img', { name: LOAD }).waitFor();
    const goTo = async (text: string, option: string | RegExp): Promise<void> => {
      await page.keyboard.press('Control+k');
      const box = page.getByRole('combobox', { name: 'Go to' });
      await box.pressSequentially(text);
      await page.getByRole('option', { name: option }).first().waitFor();
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
    await goTo('-3h', '-3h');
    await page.waitForURL(/t=-180min/);
    await goTo('changes', /^Changes screen/);
    await page.waitForURL(/\/changes\?/);
    await goTo('localhost', /^localhost host/);
    await page.waitForURL(/\/changes(?:\?lane=.*)?$/);
    // The archive has no such metric.
    harness.expectComplaints(/404 \(Not Found\)/);
  });
});
