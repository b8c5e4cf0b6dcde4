/** Several things beside one another: sources, hosts, times, archives. */
import { CHROMIUM, ConsoleHarness } from './harness.js';

(CHROMIUM === undefined ? describe.skip : describe)('the console, comparing', () => {
  const harness = new ConsoleHarness();
  const open = (address: string): Promise<void> => harness.open(address);

  beforeAll(() => harness.start());
  afterAll(() => harness.stop());
  beforeEach(() => harness.newPage());
  afterEach(async () => expect(await harness.closePage()).toEqual([]));

  it('has two sources in one lane, with one axis, each series named after its source, and goes back to one', async () => {
    const { page } = harness;
    await open('chart?lane=kernel.all.load~i:1*&lane=kernel.all.nprocs');
    await page.getByRole('img', { name: /^kernel\.all\.nprocs: .* last / }).waitFor();
    await page.getByRole('combobox', { name: 'Another host or archive' }).fill('embedded');
    await page.getByRole('button', { name: 'Add' }).click();
    await page.waitForURL(/on=localhost&on=embedded/);
    const load = page.getByRole('region', { name: 'kernel.all.load' });
    for (const name of ['localhost 1 minute', 'embedded 1 minute'])
      await load.getByRole('rowheader', { name, exact: true }).waitFor();
    const processes = page.getByRole('region', { name: 'kernel.all.nprocs' });
    for (const name of ['localhost', 'embedded'])
      await processes.getByRole('rowheader', { name, exact: true }).waitFor();
    expect(await page.locator('.lane').count()).toBe(2);
    expect(await harness.violations()).toEqual([]);
    await processes
      .getByRole('link', { name: /why\?$/ })
      .nth(1)
      .click();
    // Why is asked of the host that the value is of.
    await page.waitForURL(/explain\?(?:on=embedded&)?.*q=kernel\.all\.nprocs/);
  });

  it('says which of two sources lacks a metric, and draws the other', async () => {
    const { page } = harness;
    await open('chart?on=archive:live-v3&on=archive:later-v3&on=archive:nosuch&lane=kernel.all.nprocs');
    await page.getByRole('rowheader', { name: 'archive:live-v3', exact: true }).waitFor();
    await page.locator('.trouble', { hasText: 'archive:nosuch' }).first().waitFor();
    harness.expectComplaints(/status of \d+/);
  });

  it('has the vitals of both, named', async () => {
    const { page } = harness;
    await open('?on=localhost&on=embedded');
    for (const name of ['localhost', 'embedded']) {
      await page.getByRole('region', { name, exact: true }).getByRole('heading', { name: 'Processor' }).waitFor();
    }
    expect(await harness.violations()).toEqual([]);
  });
});
