/** Several things beside one another: sources, hosts, times, archives. */
import type { Request } from 'playwright-core';
import { CHROMIUM, ConsoleHarness, eventually } from './harness.js';
import { HIT, OVER, writeStory } from './story.js';

(CHROMIUM === undefined ? describe.skip : describe)('the console, comparing', () => {
  const harness = new ConsoleHarness();
  const open = (address: string): Promise<void> => harness.open(address);

  beforeAll(async () => {
    await harness.start();
    writeStory(harness.archives);
    writeStory(harness.archives, 'next', { later: 86_400 });
  });
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
    await eventually(async () => expect(await page.locator('.lane').count()).toBe(2));
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
    // Side by side: what was added is in sight.
    const [left, right] = await Promise.all(
      ['localhost', 'embedded'].map((name) => page.getByRole('heading', { name, exact: true }).boundingBox()),
    );
    expect([right!.y, right!.x > left!.x + 400]).toEqual([left!.y, true]);
    expect(await harness.violations()).toEqual([]);
  });

  it('has archives of different days in step, each at its own time', async () => {
    const { page } = harness;
    const both = 'on=archive:story&on=archive:next&z=UTC';
    await open(`?${both}`);
    const next = page.getByRole('region', { name: 'archive:next', exact: true });
    await next.getByRole('heading', { name: 'archive:next 1 d later' }).waitFor();
    await next.getByRole('img', { name: /^Processor: .* last / }).waitFor();
    const shown = next.getByRole('slider', { name: 'The time that is shown' });
    await eventually(async () =>
      expect(await shown.getAttribute('aria-valuetext')).toBe('2026-11-20 14:00:00 UTC, 1 h'),
    );
    await next.getByRole('button', { name: '1 unusual ›' }).click();
    await page.waitForURL(/[?&]t=/);
    const [start, end] = new URL(page.url()).searchParams
      .get('t')!
      .split('/')
      .map((each) => Date.parse(each) / 1000);
    expect([start! < HIT, start! > HIT - 120, end! > OVER, end! < OVER + 120]).toEqual([true, true, true, true]);
    for (const archive of ['story', 'next']) {
      const own = page.getByRole('region', { name: `archive:${archive}`, exact: true });
      await own.locator('.sentence', { hasText: /from 14:30:10 to 14:34:00.*hog \(77\)/ }).waitFor();
      const links = [own.locator('.resource-value').first(), own.locator('.culprit a').first()];
      const address = new RegExp(`on=archive:${archive}&t=2026-11-${archive === 'story' ? 19 : 20}`);
      for (const link of links) await eventually(async () => expect(await link.getAttribute('href')).toMatch(address));
    }
    await open(`chart?${both}&lane=kernel.cpu.util.user&cur=2026-11-19T14:32:00Z`);
    await page.getByText('archive:next 1 d later').waitFor();
    const row = (archive: string) => page.getByRole('row', { name: new RegExp(`^archive:${archive} `) });
    await eventually(async () => {
      const [ours, others] = [row('next'), row('story')].map((each) => each.getByRole('cell').allTextContents());
      expect((await ours!).join()).toMatch(/\d/);
      expect(await ours).toEqual(await others);
    });
    await row('next').getByRole('link').click();
    await page.waitForURL(/on=archive:next&.*cur=2026-11-20T14:32:00Z/);
    await page
      .getByText(/99\.5 %/)
      .first()
      .waitFor();
  });

  /** Answer as a gateway of 50 hosts does, of which web3 waits for its disk, and db7 does not answer. */
  async function showHosts(await_ms = (): number => 48): Promise<void> {
    const names = Array.from({ length: 50 }, (_, i) => `${i % 2 === 0 ? 'db' : 'web'}${i}`).map((name) =>
      name === 'db0' ? 'embedded' : name,
    );
    const valueOf = (host: string, metric: string): number =>
      metric === 'disk.dev.await' ? (host === 'web3' ? await_ms() : 2 + names.indexOf(host) / 50) : 20;
    await harness.page.route(`${harness.base}/hosts`, (route) =>
      route.fulfill({ json: { hosts: names.map((hostspec) => ({ hostspec, origin: 'named', open: true })) } }),
    );
    const of = (name: string): object => ({ name, pmid: '1.1.1', type: 'double', sem: 'instant', units: 'none' });
    const pastOf = (parameters: URLSearchParams): object => {
      const end = Number(parameters.get('finish'));
      const times = Array.from({ length: 90 }, (_, i) => end - 1790 + i * 20);
      const series = (name: string): object => ({
        ...(name.startsWith('disk') ? { instance: 0, name: 'vda' } : { instance: null }),
        values: times.map(() => valueOf(parameters.get('hostspec')!, name)),
      });
      const names = parameters.get('names')!.split(',');
      return {
        context: 1,
        times,
        metrics: names.map((name) => ({ ...of(name), samples: 90, series: [series(name)] })),
      };
    };
    await harness.page.route('**/pmapi/batch', (route) => {
      const entries = route.request().postDataJSON() as { path: string }[];
      const bodies = entries.map(({ path }) => pastOf(new URL(path, harness.base).searchParams));
      return route.fulfill({ json: { responses: bodies.map((body) => ({ status: 200, headers: {}, body })) } });
    });
    await harness.page.route(/\/pmapi\/fetch\?/, (route) => {
      const parameters = new URL(route.request().url()).searchParams;
      const metrics = (parameters.get('names') ?? '').split(',');
      const hosts = (parameters.get('hostspec') ?? '').split(';');
      if (parameters.get('format') === 'columns') return route.fulfill({ json: pastOf(parameters) });
      const answers = hosts.map((hostspec) =>
        hostspec === 'db8'
          ? { hostspec, error: { code: 'SOURCE_TIMEOUT', message: 'no answer within 5 s' } }
          : {
              ...{ hostspec, context: 1, timestamp: 1 },
              values: metrics.map((name) => ({
                ...of(name),
                instances: [{ instance: name.startsWith('disk') ? 0 : null, value: valueOf(hostspec, name) }],
              })),
            },
      );
      return route.fulfill({ json: { hosts: answers } });
    });
  }

  it.each(['mouse', 'keyboard'])(
    'shows which of 50 hosts is odd, before the band of the others: by %s',
    async (hand) => {
      const { page } = harness;
      await showHosts();
      let pasts = 0;
      page.on('request', (request) => (pasts += Number(/batch|format=columns/.test(request.url()))));
      // Noted in the page: the driver of the browser is late.
      await page.addInitScript(`new MutationObserver((_, observer) => {
        if (document.querySelector('.matrix .oddest span:not(:empty)') === null) return;
        observer.disconnect();
        requestAnimationFrame(() => (globalThis.shownMs = performance.now()));
      }).observe(document, { childList: true, subtree: true, characterData: true })`);
      await open('hosts');
      const rows = page.getByRole('region', { name: 'Hosts' }).getByRole('row');
      await rows.nth(1).getByText('disk wait 48 ms, half of the others ').waitFor();
      const shownMs = await page.evaluate<number>('globalThis.shownMs');
      process.stderr.write(`50 hosts after ${Math.round(shownMs)} ms\n`);
      if (process.env.PMGATE_QUIET !== undefined) expect(shownMs).toBeLessThan(1000);
      await page.getByText('1 of 51 hosts is unlike the others: web3 (disk wait). db8 does not answer.').waitFor();
      await rows.last().getByText('does not answer: no answer within 5 s').waitFor();
      // The oddest is shown already; another cell is one action away, and its chart the next.
      const oddest = page.getByRole('region', { name: 'disk wait of web3' });
      await oddest.getByRole('img', { name: / and 1 more series$/ }).waitFor();
      // The past of all hosts comes with one request.
      expect(pasts).toBe(1);
      expect(await harness.layoutShift()).toBeLessThan(0.05);
      const cell = rows.nth(1).getByRole('link', { name: '60', exact: true }).first();
      if (hand === 'mouse') await cell.click();
      else {
        await cell.focus();
        await page.keyboard.press('Enter');
      }
      await page.waitForURL(/hosts\?q=processors%20of%20web3$/);
      const band = page.getByRole('region', { name: 'processors of web3' });
      await band.getByRole('img', { name: / and 1 more series$/ }).waitFor();
      expect(await harness.violations()).toEqual([]);
      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await harness.violations('color-contrast')).toEqual([]);
      await band.getByRole('link', { name: 'chart' }).click();
      await page.waitForURL(/chart\?on=web3&lane=kernel\.cpu/);
      harness.expectComplaints(/status of \d+/);
    },
  );

  it('sorts hosts by any column, and speaks only when another one is odd', async () => {
    const { page } = harness;
    await page.clock.install();
    let waits = 48;
    await showHosts(() => waits);
    await open('hosts');
    const first = page.getByRole('region', { name: 'Hosts' }).getByRole('row').nth(1).getByRole('rowheader');
    await first.filter({ hasText: 'web3' }).waitFor();
    await page.getByRole('button', { name: 'host', exact: true }).click();
    await first.filter({ hasText: 'db2' }).waitFor();
    await page.getByRole('button', { name: /^disk wait/ }).press('Enter');
    await first.filter({ hasText: 'web3' }).waitFor();
    expect(await page.getByRole('columnheader', { name: /^disk wait/ }).getAttribute('aria-sort')).toBe('descending');
    await page.evaluate(`globalThis.spoken = [];
      for (const each of document.querySelectorAll('[role=status], [role=alert], [aria-live]')) {
        let last = each.textContent;
        new MutationObserver(() => {
          if (each.textContent !== last) spoken.push((last = each.textContent));
        }).observe(each, { characterData: true, childList: true, subtree: true });
      }`);
    const cell = page.getByRole('region', { name: 'Hosts' }).getByRole('row').nth(1);
    for (waits of [49, 50]) {
      await page.clock.fastForward(6000);
      await cell.getByRole('link', { name: `${waits}.0` }).waitFor();
    }
    expect(await page.evaluate('spoken')).toEqual([]);
    waits = 2;
    await page.clock.fastForward(6000);
    await page.getByText('None of 51 hosts is unlike the others.').waitFor();
    expect(await page.evaluate('spoken')).toEqual(['None of 51 hosts is unlike the others. db8 does not answer.']);
    // A column that would be empty is none.
    expect(await page.getByRole('columnheader', { name: 'oddest' }).count()).toBe(0);
    harness.expectComplaints(/status of \d+/);
  });

  it('compares two archives of different times, all of each', async () => {
    await open('changes?on=archive:live-v3&on=archive:later-v3&z=UTC');
    await harness.page.getByText(/17:25:34 – 17:25:37 UTC.* compared with .*17:25:37 – 17:25:39 UTC/).waitFor();
    expect(await harness.page.locator('.trouble').count()).toBe(0);
    const hour = (day: number, from = '14:00', to = '15:00'): string => `2026-11-${day} ${from}:00 – ${to}:00 UTC`;
    await open('changes?on=archive:story&on=archive:next&z=UTC');
    await harness.page
      .getByText(`archive:story, ${hour(19)} (1 h) compared with archive:next, ${hour(20)} (1 h): `)
      .waitFor();
    // A stretch of the first is compared with the same of the other's day, which is known a moment later.
    const { page } = harness;
    const isOf = (request: Request, name: string): boolean => request.postData()?.includes(name) === true;
    const firstKnown = page.waitForResponse((response) => isOf(response.request(), 'story'));
    let held = 0;
    await page.route('**/pmapi/context', async (route) => {
      if (isOf(route.request(), 'next')) {
        held++;
        await firstKnown;
        for (let frame = 0; frame < 10; frame++) await page.evaluate('new Promise(requestAnimationFrame)');
      }
      return route.continue();
    });
    await open('changes?on=archive:story&on=archive:next&z=UTC&b=2026-11-19T14:10:00Z/2026-11-19T14:20:00Z');
    const [first, other] = [19, 20].map((day) => hour(day, '14:10', '14:20'));
    await harness.page
      .getByText(`archive:story, ${first} (10 min) compared with archive:next, ${other} (10 min): `)
      .waitFor();
    await harness.page.getByText('There is no remarkable difference.').waitFor();
    expect(held).toBe(1);
  });

  it('pictures a difference between two sources with the values of each', async () => {
    const { page } = harness;
    const asked: string[] = [];
    await page.route(`${harness.base}/changes?*`, (route) => {
      const [before, after] = [
        { start: HIT, finish: HIT + 60, parts: 24 },
        { start: HIT, finish: HIT + 60, parts: 24 },
      ];
      const sentence = 'kernel.cpu.util.user is 99.5 % on story, 10 % on next (×9.9)';
      const finding = { kind: 'number', score: 4, sentence, name: 'kernel.cpu.util.user', href: '/' };
      return route.fulfill({
        json: { context: 1, before, after, compared: 1, tooFew: 0, total: 1, findings: [finding] },
      });
    });
    await page.route(/\/pmapi\/fetch\?.*decimation=average/, (route) => {
      asked.push(new URL(route.request().url()).searchParams.get('archive')!);
      return route.continue();
    });
    await open('changes?on=archive:story&on=archive:next&z=UTC');
    await page.getByText('kernel.cpu.util.user is 99.5 % on story, 10 % on next (×9.9)').waitFor();
    await eventually(async () => expect(asked).toEqual(['story', 'next']));
  });

  it('says of which of two sources details are, has the values of both, and switches', async () => {
    const { page } = harness;
    const both = 'on=localhost&on=embedded';
    await open(`explain?${both}&q=hinv.ncpu`);
    for (const name of ['localhost', 'embedded']) {
      await page.getByRole('heading', { name: `Why these values on ${name}?` }).waitFor();
      await page.getByRole('rowheader', { name, exact: true }).waitFor();
    }
    await eventually(async () => expect(await page.getByRole('list', { name: 'Why' }).count()).toBe(2));
    expect(await harness.violations()).toEqual([]);
    await page.getByText(/^Details of localhost/).waitFor();
    await page.locator('main').getByRole('link', { name: 'embedded', exact: true }).click();
    await page.getByText(/^Details of embedded · switch to localhost/).waitFor();
    await page.waitForURL(/explain\?on=embedded&on=localhost&/);
    await open(`derive?${both}&def=my.two:2*hinv.ncpu`);
    const two = page.getByRole('region', { name: 'my.two' });
    const parts = page.getByRole('region', { name: 'hinv.ncpu' });
    for (const name of ['localhost', 'embedded']) {
      // A host has one colour in all lanes.
      const swatchIn = (lane: typeof two) =>
        lane.getByRole('rowheader', { name, exact: true }).locator('.swatch').getAttribute('style');
      await eventually(async () => expect(await swatchIn(two)).toBe(await swatchIn(parts)));
    }
    await page.getByText(/^Value and parts of localhost/).waitFor();
    expect(await harness.violations()).toEqual([]);
    for (const [address, what] of [
      ['find?q=disk&', 'Metrics'],
      ['chart?lane=hinv.ncpu&', 'Known time and names'],
      [`process?q=${process.pid}&`, 'Process'],
    ] as const) {
      await open(`${address}${both}`);
      await page.getByText(`${what} of localhost · switch to embedded`).waitFor();
    }
    await open('find?q=disk');
    await page.getByRole('searchbox').waitFor();
    expect(await page.getByText('switch to').count()).toBe(0);
  });

  it('names the source in what is said of each, and asks what changed of it alone', async () => {
    const { page } = harness;
    await page.route('**/diagnosis?*', (route) =>
      route.fulfill({
        json: {
          ...{ state: 'usual', finish: Date.now() / 1000 },
          resources: [{ resource: 'memory', state: 'usual', sentence: 'Memory is as usual.' }],
        },
      }),
    );
    await open('?on=localhost&on=embedded');
    for (const name of ['localhost', 'embedded']) {
      const own = page.getByRole('region', { name: `What is unusual: ${name}` });
      await own
        .getByRole('status')
        .filter({ hasText: `${name}: Nothing unusual.` })
        .waitFor();
      const address = await own.getByRole('link', { name: 'what changed' }).getAttribute('href');
      expect(address).toMatch(name === 'localhost' ? /changes$/ : /changes\?on=embedded$/);
    }
  });

  it('says who does not answer of real hosts, and what to do with only one', async () => {
    const { page } = harness;
    await open('hosts?on=embedded&on=nohost.invalid');
    await page.getByRole('row', { name: /^nohost\.invalid does not answer/ }).waitFor();
    await open('find?q=disk&on=nohost.invalid');
    await page.getByText(/not in hosts\.allow \(SOURCE_UNREACHABLE\)\. The configuration lists hosts/).waitFor();
    await page.goBack();
    await page
      .getByRole('row', { name: /^localhost/ })
      .getByRole('link', { name: 'localhost' })
      .click();
    await page.waitForURL(/console\/$/);
  });

  it('compares now with ten minutes ago, and today with yesterday, in one action each; and says who it was', async () => {
    const { page } = harness;
    const asked: URLSearchParams[] = [];
    await page.route(`${harness.base}/changes?*`, (route) => {
      asked.push(new URL(route.request().url()).searchParams);
      const finding = { kind: 'state', score: 4, sentence: 'a.b is now 2, and was 1', name: 'a.b', href: '/' };
      const who = [
        { kind: 'process', name: 'node', pid: 31, share: 0.62 },
        { kind: 'group', name: 'build.service', share: 0.2 },
        { kind: 'others', name: 'others', share: 0.18 },
      ];
      const window = { start: 1, finish: 2, parts: 24 };
      const json = { context: 1, before: window, after: window, compared: 9, tooFew: 0, total: 1, note: 'All by ×2' };
      return route.fulfill({ json: { ...json, findings: [{ ...finding, who }] } });
    });
    await open('changes?z=UTC');
    await page.getByText('node (31) 62 %, group build.service 20 %, others 18 %').waitFor();
    await page.getByText('1 difference. All by ×2.').waitFor();
    const lengths = (): readonly number[] => {
      const [after = [], before = []] = ['after', 'before'].map((name) =>
        asked.at(-1)!.get(name)?.split(',').map(Number),
      );
      return [after[1]! - after[0]!, before[1]! - before[0]!, after[0]! - before[0]!].map(Math.round);
    };
    let known = asked.length;
    await page.getByRole('button', { name: 'now against 10 minutes ago' }).press('Enter');
    await page.waitForURL(/[?&]b=.*&a=/);
    await eventually(async () => expect(asked.length).toBeGreaterThan(known));
    await page.getByText('node (31)').waitFor();
    expect(lengths()).toEqual([300, 300, 600]);
    known = asked.length;
    await page.getByRole('button', { name: 'today against yesterday' }).click();
    await eventually(async () => expect(asked.length).toBeGreaterThan(known));
    await page.getByText('node (31)').waitFor();
    const [today, yesterday, between] = lengths();
    expect([yesterday, between]).toEqual([today, 86_400]);
    expect(await harness.violations()).toEqual([]);
  });

  it('finds what people mean first, and instances, of which the chart shows only that one', async () => {
    const { page } = harness;
    const { indom, instances } = (await (await fetch(`${harness.base}/pmapi/indom?name=kernel.all.load`)).json()) as {
      indom: string;
      instances: { name: string }[];
    };
    await page.route(`${harness.base}/search?*`, (route) => {
      const isInstance = route.request().url().includes('minute');
      const result = { source: 'a', hostspec: 'localhost', score: 1, fields: ['name'] };
      const results = isInstance ? [{ ...result, name: instances[0]!.name, type: 'instance', indom }] : [];
      return route.fulfill({
        json: { total: results.length, elapsed: 0, offset: 0, limit: 50, likeness: 'all', results },
      });
    });
    await open('find?q=mem');
    const rows = page.locator('.results a');
    await rows
      .first()
      .filter({ hasText: /^mem\.util\.used/ })
      .waitFor();
    await page.getByRole('searchbox', { name: 'Find metrics' }).fill('minute');
    await rows
      .first()
      .filter({ hasText: `kernel.all.load[${instances[0]!.name}]` })
      .click();
    await page.waitForURL(/chart\?lane=kernel\.all\.load~i:/);
    await page.getByRole('rowheader', { name: instances[0]!.name, exact: true }).waitFor();
    await open('find?q=kernel.all.load');
    await rows
      .first()
      .getByText(/ · 1 minute, 5 minute, 15 minute$/)
      .waitFor();
  });

  it('shows when each archive was recorded, on a scale, at any width', async () => {
    const { page } = harness;
    await open('archives');
    for (const width of [1440, 768, 320]) {
      expect(await harness.widthAt(width)).toBe(width);
      await page
        .locator('.scale span', { hasText: /\d\d:\d\d/ })
        .first()
        .waitFor();
      await eventually(async () => expect(await page.locator('.ribbon:visible').count()).toBe(6));
      expect(await harness.widthAt(width)).toBe(width);
    }
  });

  it.each([
    ['hosts', '.matrix .oddest span:not(:empty)'],
    ['changes?on=archive:live-v3', '.changes [role=status]'],
    ['find?q=disk', '.row'],
    ['archives', '.ribbon'],
    ['processes', '.listing tbody tr'],
    ['chart?on=localhost&on=embedded&lane=kernel.all.load', '.legend tbody tr'],
    ['', '.people li'],
    ['derive?def=a.b:100*mem.util.free/mem.physmem', '.parts td'],
    ['explain?q=kernel.all.load', '.why li'],
    [`process?q=${process.pid}`, '.legend tbody tr'],
  ])('fits at 200 %% zoom, in forced colours and with reduced motion: %s', async (address, sign) => {
    const { page } = harness;
    if (address === 'hosts') await showHosts();
    await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' });
    // Half of 1280 pixels.
    await page.setViewportSize({ width: 640, height: 400 });
    await open(address);
    await page.locator(sign).first().waitFor();
    await eventually(async () => expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(640));
    expect(await harness.violations()).toEqual([]);
    // There is no motion but that of new values.
    expect(
      await page.evaluate('document.getAnimations().filter(({ playState }) => playState === "running").length'),
    ).toBe(0);
    harness.expectComplaints(/status of \d+/);
  });
});
