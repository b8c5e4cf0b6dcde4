/** Archives of this machine in the page: with a gateway, and in a page that is a file of its own. Nothing of them is sent. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { openArchives } from '../../../../src/cli/open.js';
import { CHROMIUM, ConsoleHarness } from './harness.js';
import { HIT, OVER, writeStory } from './story.js';

const ON = 'on=archive:local:story';
const isoOf = (sec: number): string => new Date(sec * 1000).toISOString().replace('.000Z', 'Z');

(CHROMIUM === undefined ? describe.skip : describe)('archives of this machine', () => {
  const harness = new ConsoleHarness();
  const given = path.join(harness.directory, 'given');

  beforeAll(async () => {
    await harness.start();
    mkdirSync(given);
    writeStory(given);
    writeFileSync(path.join(harness.directory, 'notes.txt'), 'no archive');
  });
  afterAll(() => harness.stop());
  beforeEach(() => harness.newPage());
  afterEach(async () => expect(await harness.closePage()).toEqual([]));

  const filesIn = (directory: string): string[] => readdirSync(directory).map((name) => path.join(directory, name));
  const story = (): string[] => filesIn(given);
  const lane = (name: string): Locator => harness.page.getByRole('img', { name: new RegExp(`^${name}.* last `) });
  const badge = (): Locator => harness.page.getByText('nothing leaves this machine');
  async function give(files: string[]): Promise<void> {
    const choosing = harness.page.waitForEvent('filechooser');
    await harness.page.getByRole('button', { name: 'Open files…' }).click();
    await (await choosing).setFiles(files);
  }
  /** No request gets out from now on; whatever the page sends is a complaint. */
  async function cut(): Promise<void> {
    await harness.page.context().route(/^https?:/, (route) => route.abort());
  }

  it('are listed and shown beside those of the gateway', async () => {
    const { page } = harness;
    await harness.open('archives');
    await give(story());
    await badge().waitFor();
    await page.waitForURL(/\/console\/\?on=archive:local:story$/);
    await lane('Processor').waitFor();
    await page.getByRole('link', { name: 'Archives' }).click();
    for (const name of ['local:story', 'live-v3']) {
      await page.getByRole('link', { name, exact: true }).waitFor();
    }
    await page.getByRole('combobox', { name: 'Another host or archive' }).fill('archive:live-v3');
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByRole('link', { name: 'Chart' }).click();
    await page.waitForURL(/on=archive:local:story&on=archive:live-v3/);
    // The context on the gateway's archive.
    harness.expectComplaints(/ERR_FAILED .*\/pmapi\/\d+$/);
    await cut();
    await page.evaluate(
      `history.pushState(null, '', 'chart?${ON}&lane=kernel.all.cpu.user'); dispatchEvent(new PopStateEvent('popstate'))`,
    );
    await lane('kernel.all.cpu.user').waitFor();
    expect(await harness.violations()).toEqual([]);
  });

  it('are asked for again where an address is about them', async () => {
    const { page } = harness;
    harness.expectComplaints(/404/);
    await harness.open(`chart?${ON}&lane=kernel.all.cpu.user`);
    await page.getByText('local:story is not open in this page: open its files again').first().waitFor();
    await page.getByRole('link', { name: 'Archives' }).click();
    await give(story());
    await page.goBack();
    await lane('kernel.all.cpu.user').waitFor();
  });

  it('are told from what is none, and what is damaged is named', async () => {
    const { page } = harness;
    await harness.open('archives');
    await give([path.join(harness.directory, 'notes.txt')]);
    await page.getByRole('alert').filter({ hasText: 'expected the files of an archive' }).waitFor();
    await page.getByRole('button', { name: 'Close' }).first().click();
    const broken = path.join(harness.directory, 'broken');
    mkdirSync(broken);
    for (const end of ['0', 'meta', 'index']) writeFileSync(path.join(broken, `broken.${end}`), 'no label');
    await give(filesIn(broken));
    await page.getByRole('region', { name: 'Archives that cannot be read' }).getByText('local:broken').waitFor();
  });

  it('can be dropped anywhere', async () => {
    const { page } = harness;
    await harness.open('find');
    await page.getByRole('textbox', { name: 'Find a metric' }).or(page.locator('main input')).first().waitFor();
    await page.evaluate('dispatchEvent(new DragEvent("dragenter"))');
    const files = story().map((file) => [path.basename(file), execFileSync('base64', ['-w0', file]).toString()]);
    // Once what takes it is there, the browser is kept from opening it itself.
    await page.waitForFunction('!dispatchEvent(new DragEvent("dragover", { cancelable: true }))');
    await page.evaluate(`{
      const data = new DataTransfer();
      for (const [name, text] of ${JSON.stringify(files)})
        data.items.add(new File([Uint8Array.from(atob(text), (unit) => unit.charCodeAt(0))], name));
      document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
    }`);
    await badge().waitFor();
    await lane('Processor').waitFor();
  });

  describe('in a page that is a file of its own', () => {
    beforeEach(async () => {
      harness.expectComplaints(/^(?:file|blob):/);
      await cut();
    });
    const go = async (address: string): Promise<void> => {
      await harness.page.evaluate(`location.hash = ${JSON.stringify(address)}`);
    };

    it('are charted, derived, explained, compared, searched and judged', async () => {
      const { page } = harness;
      await page.goto(`file://${path.resolve('dist/console/viewer.html')}`);
      await give(story());
      await lane('Processor').waitFor();
      await page.getByText('1 unusual').waitFor();
      await page.getByRole('list', { name: 'Processes: Processor' }).getByText('hog (77)').waitFor();
      await go(`chart?${ON}&lane=kernel.all.cpu.user`);
      await lane('kernel.all.cpu.user').waitFor();
      await go(`derive?${ON}&def=my.busy:rate(kernel.all.cpu.user)/hinv.ncpu`);
      await page.locator('.outcome .figure').first().waitFor();
      await go(`chart?${ON}&def=my.busy:rate(kernel.all.cpu.user)/hinv.ncpu&lane=my.busy`);
      await lane('my.busy').waitFor();
      await go(`explain?${ON}&q=kernel.all.cpu.user&cur=${isoOf(HIT + 60)}`);
      await page.getByText(/^199\.0 % = \(479400 − 459500\) × 0\.001 ms in 10 s$/).waitFor();
      await go(`changes?${ON}&b=${isoOf(HIT + 10)}/${isoOf(OVER)}`);
      await page.getByText(/^kernel\.all\.cpu\.user rose from 20 to 199 %/).waitFor();
      await go(`find?${ON}&q=processor`);
      await page
        .getByText(/^\d+ of \d+ metrics/)
        .first()
        .waitFor();
    });

    it('are in the page that pmgate --html wrote: all of them, or what they have of a window', async () => {
      const { page } = harness;
      const html = async (start?: string, finish?: string): Promise<string> => {
        const target = path.join(harness.directory, 'out.html');
        const paths = [path.join(given, 'story')];
        const command = {
          kind: 'open',
          paths,
          port: undefined,
          isPageOpened: false,
          html: target,
          start,
          finish,
        } as const;
        await openArchives(command, () => Promise.reject(new Error('nothing is served')));
        return `file://${target}`;
      };
      await page.goto(await html());
      await lane('Processor').waitFor();
      await page.getByText('2026-11-19 14:00:00 – 15:00:00 UTC').waitFor();
      await page.goto('about:blank');
      await page.goto(await html(isoOf(HIT - 60), isoOf(OVER + 60)));
      await lane('Processor').waitFor();
      await page.getByText('2026-11-19 14:29:00 – 14:35:00 UTC').waitFor();
      await page.getByRole('list', { name: 'Processes: Processor' }).getByText('hog (77)').waitFor();
    });
  });
});
