/** Archives of this machine in the page: with a gateway, and in a page that is a file of its own. Nothing of them is sent. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, linkSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { openArchives } from '../../../../src/cli/open.js';
import { CHROMIUM, ConsoleHarness, eventually } from './harness.js';
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
  beforeEach(async () => {
    await harness.newPage();
    // It becomes a complaint.
    await harness.page.addInitScript(
      'addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) => console.error("policy", violatedDirective, blockedURI))',
    );
  });
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
  /** Drops some files, and at once some others, and so on. */
  async function drop(...lots: readonly (readonly string[])[]): Promise<void> {
    const { page } = harness;
    const read = (file: string) => [path.basename(file), readFileSync(file, 'base64')];
    // Once what takes them is there, the browser is kept from opening them itself.
    await page.evaluate('dispatchEvent(new DragEvent("dragenter"))');
    while (await page.evaluate('dispatchEvent(new DragEvent("dragover", { cancelable: true }))'));
    await page.evaluate(`for (const files of ${JSON.stringify(lots.map((files) => files.map(read)))}) {
      const data = new DataTransfer();
      for (const [name, text] of files)
        data.items.add(new File([Uint8Array.from(atob(text), (unit) => unit.charCodeAt(0))], name));
      document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
    }`);
  }
  /** No request gets out from now on; whatever the page sends is a complaint. */
  async function cut(): Promise<void> {
    await harness.page.context().route(/^https?:/, (route) => route.abort());
  }

  /** The page that `pmgate --html` writes. */
  async function htmlOf(paths: readonly string[], start?: string, finish?: string): Promise<string> {
    const target = path.join(harness.directory, 'out.html');
    const command = { kind: 'open', paths, port: undefined, isPageOpened: false, html: target, start, finish } as const;
    await openArchives(command, () => Promise.reject(new Error('nothing is served')));
    return `file://${target}`;
  }

  /** Every screen about the story, one after the other. */
  async function walk(go: (address: string) => Promise<unknown>): Promise<void> {
    const { page } = harness;
    await go(`./?${ON}`);
    await lane('Processor').waitFor();
    await page.getByRole('button', { name: '1 unusual ›' }).click();
    const sentence = page.locator('.sentence', { hasText: /from 14:30:10 to 14:34:00.*hog \(77\)/ });
    await sentence.waitFor();
    await page.getByRole('list', { name: 'Processes: Processor' }).getByText('hog (77)').waitFor();
    await go(`./?${ON}&cur=${isoOf(HIT - 20)}`);
    // Slow enough that no machine misses what is shown meanwhile.
    await page.getByRole('combobox', { name: 'Speed' }).selectOption('10');
    await page.getByRole('button', { name: 'play' }).click();
    await page.getByRole('region', { name: 'Processor' }).getByText('99.5 %', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'pause' }).click();
    await page.locator('main').press('p');
    await page
      .getByRole('complementary', { name: 'How each number came about' })
      .getByRole('listitem')
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Close' }).last().click();
    await go(`chart?${ON}&lane=kernel.all.cpu.user`);
    await lane('kernel.all.cpu.user').waitFor();
    await go(`derive?${ON}`);
    const box = page.getByRole('textbox', { name: 'Expression' });
    await box.pressSequentially('rat');
    await page.getByRole('option', { name: /^rate/ }).waitFor();
    await box.fill('rate(kernel.all.cpu.user)/hinv.ncpu');
    await page.locator('.outcome .figure').first().waitFor();
    // Which are of a gateway.
    expect(await page.getByRole('button', { name: /^Register|curl/ }).count()).toBe(0);
    expect(await page.getByRole('region', { name: 'Registered' }).count()).toBe(0);
    await page.locator('.actions').getByRole('link', { name: 'Chart' }).click();
    await lane('my.metric').waitFor();
    await go(`explain?${ON}&q=kernel.all.cpu.user&cur=${isoOf(HIT + 60)}`);
    await page.getByText(/^199\.0 % = \(479400 − 459500\) ms × 0\.001 in 10 s$/).waitFor();
    await page.getByRole('button', { name: 'Copy pmgate' }).waitFor();
    expect(await page.getByRole('button', { name: /curl/ }).count()).toBe(0);
    await go(`changes?${ON}&b=${isoOf(HIT + 10)}/${isoOf(OVER)}`);
    await page.getByText(/^kernel\.all\.cpu\.user rose from 20 to 199 %/).waitFor();
    await go(`find?${ON}&q=processor`);
    await page
      .getByText(/^\d+ of \d+ metrics/)
      .first()
      .waitFor();
    await go(`processes?${ON}&cur=${isoOf(HIT + 60)}`);
    await page.getByRole('region', { name: 'Table of processes' }).getByRole('link', { name: 'hog (77)' }).click();
    await page.getByRole('heading', { name: 'hog 77' }).waitFor();
    await lane('proc.cpu.util').waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Go to' }).pressSequentially('archives');
    await page.getByRole('option', { name: /^Archives screen/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'local:story', exact: true }).waitFor();
  }

  it('are on every screen without the gateway, once they are open', async () => {
    const { page } = harness;
    await harness.open('archives');
    await give(story());
    await badge().waitFor();
    await lane('Processor').waitFor();
    await page.waitForLoadState('networkidle');
    await cut();
    // What a host may be is asked of the gateway when Ctrl+K is pressed.
    harness.expectComplaints(/ERR_FAILED .*\/hosts$/);
    await walk((address) =>
      page.evaluate(
        `history.pushState(null, '', ${JSON.stringify(address)}); dispatchEvent(new PopStateEvent('popstate'))`,
      ),
    );
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it.each([320, 768, 1440])('leave room for what is shown, at %d pixels', async (width) => {
    const { page } = harness;
    await page.setViewportSize({ width, height: 800 });
    await harness.open('archives');
    await give(story());
    await lane('Processor').waitFor();
    // Nothing but the badge is where it is.
    const covers = `(() => {
      const { left, top, width, height } = document.querySelector('#here .notice').getBoundingClientRect();
      const others = [...document.querySelectorAll('header *, main *')].filter((each) => each.checkVisibility());
      return others.filter((each) => {
        const box = each.getBoundingClientRect();
        return box.width > 0 && box.left < left + width && box.right > left && box.top < top + height - 1 && box.bottom > top + 1;
      }).length + (document.documentElement.scrollWidth > innerWidth ? 1 : 0);
    })()`;
    await eventually(async () => expect(await page.evaluate(covers)).toBe(0));
    await eventually(async () => expect(await page.locator('.said:visible').count()).toBe(0));
  });

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

  it.each(['gz', 'xz'])('are in a sos report that is dropped, as .tar.%s', async (packed) => {
    const { page } = harness;
    const name = 'sosreport-web1-2026-11-20-abcdefg';
    const root = path.join(harness.directory, packed, name);
    const pcp = path.join(root, 'var/log/pcp/pmlogger');
    mkdirSync(path.join(pcp, 'story.example'), { recursive: true });
    mkdirSync(path.join(root, 'sos_commands/pcp'), { recursive: true });
    for (const suffix of ['index', 'meta', '0']) {
      copyFileSync(path.join(given, `story.${suffix}`), path.join(pcp, `story.example/20261119.14.00.${suffix}`));
      if (suffix !== 'index') execFileSync('xz', [path.join(pcp, `story.example/20261119.14.00.${suffix}`)]);
    }
    writeFileSync(path.join(root, 'var/log/messages.1'), 'rotated\n'.repeat(10_000));
    writeFileSync(path.join(root, 'sos_commands/pcp/pcp'), 'Performance Co-Pilot configuration');
    // As tar has them: a name of another file, and a link to what is outside.
    linkSync(path.join(root, 'var/log/messages.1'), path.join(root, 'var/log/messages.2'));
    linkSync(path.join(pcp, 'story.example/20261119.14.00.index'), path.join(pcp, 'story.example/latest.index'));
    symlinkSync('/etc/passwd', path.join(pcp, 'story.example/passwd.meta'));
    symlinkSync('story.example', path.join(pcp, 'web1'));
    const report = path.join(harness.directory, `${name}.tar.${packed}`);
    execFileSync('tar', [
      '--create',
      '--sort=name',
      '--auto-compress',
      `--file=${report}`,
      `--directory=${path.dirname(root)}`,
      name,
    ]);
    await harness.open('archives');
    await drop([report]);
    const archive = `archive:local:${name}/var/log/pcp/pmlogger/story.example/20261119.14.00`;
    await page.waitForURL(new RegExp(`\\?on=${archive}$`));
    await page.getByText('1 local archive ·').waitFor();
    await page.getByRole('button', { name: '1 unusual ›' }).click();
    await page.locator('.sentence', { hasText: /from 14:30:10 to 14:34:00.*hog \(77\)/ }).waitFor();
    const address = page.url();
    // Who gets the link has the report, too.
    await harness.open('archives');
    await page.evaluate(`location.href = ${JSON.stringify(address)}`);
    await page.getByText('is not open in this page: open its files again').first().waitFor();
    harness.expectComplaints(/404|^(?:file|blob):/);
    await page.getByRole('link', { name: 'Archives' }).click();
    await give([report]);
    await badge().waitFor();
    await page.goBack();
    await page.locator('.sentence', { hasText: /from 14:30:10 to 14:34:00.*hog \(77\)/ }).waitFor();
    // Or a page with it inside.
    await page.goto(await htmlOf([report]));
    await page.getByRole('button', { name: '1 unusual ›' }).click();
    await page.locator('.sentence', { hasText: /from 14:30:10 to 14:34:00.*hog \(77\)/ }).waitFor();
  });

  it('can be dropped anywhere', async () => {
    const { page } = harness;
    await harness.open('find');
    await page.getByRole('textbox', { name: 'Find a metric' }).or(page.locator('main input')).first().waitFor();
    await drop(story());
    await badge().waitFor();
    await lane('Processor').waitFor();
  });

  it('are those of the last opening, which ends the one before', async () => {
    const { page } = harness;
    await harness.open('find');
    const live = filesIn(harness.archives).filter((file) => path.basename(file).startsWith('live-v3.'));
    await drop(live, story());
    await page.waitForURL(/on=archive:local:story$/);
    await lane('Processor').waitFor();
    await page.getByText('1 local archive ·').waitFor();
  });

  describe('in a page that is a file of its own', () => {
    beforeEach(async () => {
      harness.expectComplaints(/^(?:file|blob):/);
      await cut();
    });
    const go = async (address: string): Promise<void> => {
      await harness.page.evaluate(`location.hash = ${JSON.stringify(address)}`);
    };

    it('are on every screen', async () => {
      await harness.page.goto(`file://${path.resolve('dist/console/viewer.html')}`);
      await give(story());
      await walk(go);
    });

    it('are in the page that pmgate --html wrote: all of them, or what they have of a window', async () => {
      const { page } = harness;
      const html = (start?: string, finish?: string): Promise<string> =>
        htmlOf([path.join(given, 'story')], start, finish);
      await page.goto(await html());
      await lane('Processor').waitFor();
      await page.getByText('2026-11-19 14:00:00 – 15:00:00 UTC').waitFor();
      await walk(go);
      await page.goto('about:blank');
      await page.goto(await html(isoOf(HIT - 60), isoOf(OVER + 60)));
      await lane('Processor').waitFor();
      await page.getByText('2026-11-19 14:29:00 – 14:35:00 UTC').waitFor();
      await page.getByRole('list', { name: 'Processes: Processor' }).getByText('hog (77)').waitFor();
    });
  });
});
