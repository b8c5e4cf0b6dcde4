/** Times that are typed, and sentences that are true of what stands beside them. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Route } from 'playwright-core';
import { CHROMIUM, ConsoleHarness, eventually } from './harness.js';

/** When it is, of a browser whose clock stands still: a Thursday. */
const NOW = Date.parse('2026-11-26T13:00:00Z');
/** What is typed, and the window that is shown then, in Vienna, an hour east of Greenwich. */
const TYPED = [
  ['yesterday 14:00', '2026-11-25 13:57:30 – 14:02:30 GMT+1'],
  ['2026-11-21', '2026-11-21 00:00:00 GMT+1 – 2026-11-22 00:00:00 GMT+1'],
  ['@14:00', '2026-11-26 13:55:00 – 14:00:00 GMT+1'],
  ['@Nov 21 14:00', '2026-11-21 13:57:30 – 14:02:30 GMT+1'],
  ['13:00/13:30', '2026-11-26 13:00:00 – 13:30:00 GMT+1'],
  ['2026-11-21T10:00:00Z/2026-11-21T11:30:00Z', '2026-11-21 11:00:00 – 12:30:00 GMT+1'],
] as const;
const never = (): void => undefined;

(CHROMIUM === undefined ? describe.skip : describe)('the console, in words', () => {
  const harness = new ConsoleHarness();
  const open = (address: string): Promise<void> => harness.open(address);

  beforeAll(() => harness.start());
  afterAll(() => harness.stop());
  beforeEach(() => harness.newPage());
  afterEach(async () => expect(await harness.closePage()).toEqual([]));

  /** Lets the browser's clock stand still; no values of the gateway's clock come. */
  async function standStill(): Promise<void> {
    await harness.page.clock.setFixedTime(NOW);
    await harness.page.route(/\/(?:diagnosis|timeline|pmapi\/(?:fetch|streams))\b/, never);
  }

  it.each(['?', 'chart?lane=kernel.all.load&', 'process?q=1&', 'processes?'])(
    'shows the window of a time that is typed: %s',
    async (screen) => {
      const { page } = harness;
      await standStill();
      await open(`${screen}z=Europe/Vienna`);
      const field = page.getByRole('textbox', { name: 'Go to a time' });
      const length = page.getByRole('combobox', { name: 'Length of the window' });
      const lengthText = (): Promise<string | null> => length.locator('option:checked').textContent();
      for (const [text, shown] of TYPED) {
        await page.getByRole('button', { name: 'live', exact: true }).click();
        await page.locator('.range', { hasText: /^$/ }).waitFor({ state: 'attached' });
        await field.fill(text);
        await field.press('Enter');
        await page.locator('.range').getByText(shown, { exact: true }).waitFor();
      }
      for (const [text, shown] of [
        ['-3h', 'last 3 h'],
        ['-90sec', 'last 1 min 30 s'],
        ['last 7 days', 'last 7 d'],
        ['24 h', 'last 1 d'],
        ['7d', 'last 7 d'],
      ] as const) {
        await field.fill(text);
        await field.press('Enter');
        await eventually(async () => expect(await lengthText()).toBe(shown));
      }
      for (const [shown, span] of [
        ['last 1 d', /t=-1440min/],
        ['last 7 d', /t=-10080min/],
      ] as const) {
        await length.selectOption(shown);
        await page.waitForURL(span);
      }
    },
  );

  it.each<readonly [string, string]>([
    ...TYPED,
    ['-3h', '2026-11-26 11:00:00 – 14:00:00 GMT+1'],
    ['yesterday', '2026-11-25 00:00:00 GMT+1 – 2026-11-26 00:00:00 GMT+1'],
  ])('compares what is typed with the time before: %s', async (text, shown) => {
    const { page } = harness;
    await standStill();
    const nothing = { compared: 0, tooFew: 0, total: 0, findings: [] };
    await page.route('**/changes?*', (route) => {
      const [start, finish] = (new URL(route.request().url()).searchParams.get('after') ?? '0,0')
        .split(',')
        .map(Number);
      const after = { start, finish };
      return route.fulfill({ json: { ...nothing, compared: 1, after, before: after } });
    });
    await open('changes?z=Europe/Vienna');
    const field = page.getByRole('textbox', { name: 'What happened' });
    await field.fill(text);
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    await page.getByText(`${shown} (`).first().waitFor();
  });

  it('takes a time on Hosts, which has no field for it, by Ctrl+K', async () => {
    const { page } = harness;
    await standStill();
    for (const [text, address] of [
      ['yesterday 14:00', '?t=2026-11-25T12:57:30Z/2026-11-25T13:02:30Z'],
      ['-3h', '?t=-180min'],
    ] as const) {
      await open('hosts?z=Europe/Vienna');
      await page.getByRole('link', { name: 'Hosts', exact: true }).waitFor();
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Go to' }).fill(text);
      await harness.firstOption(text).waitFor();
      await page.keyboard.press('Enter');
      await page.waitForURL(`${harness.base}/console/${address}&z=Europe/Vienna`);
      await page.getByRole('textbox', { name: 'Go to a time' }).waitFor();
    }
  });

  /** Answers with the last samples of resources and of processes, of which no more follow. */
  type Values = readonly (number | null)[];
  async function sample(of: Readonly<Record<string, Values | Readonly<Record<string, Values>>>>, ofProcesses = 2) {
    const { page } = harness;
    const last = Math.floor(Date.now() / 1000);
    const answer = (route: Route): Promise<void> => {
      const names = new URL(route.request().url()).searchParams.get('names')!.split(',');
      const isOfProcesses = names.some((name) => name.startsWith('proc.'));
      // Processes are sampled later than their resources: these have a sample more.
      const times = [4, 2, 0]
        .slice(0, isOfProcesses ? ofProcesses : 3)
        .map((ago) => new Date((last - ago) * 1000).toISOString());
      const metrics = names.flatMap((name) => {
        const given = of[name];
        if (given === undefined) return [];
        const all = Array.isArray(given) ? [[null, '', given] as const] : Object.entries(given);
        const series = all.map((each) =>
          each.length === 3
            ? { instance: null, values: each[2] }
            : { instance: Number.parseInt(each[0]), name: each[0], values: each[1] },
        );
        return [
          { name, pmid: '1.2.3', type: 'double', sem: 'instant', units: /rss|mem/.test(name) ? 'Kbyte' : '', series },
        ];
      });
      return route.fulfill({ json: { context: 1, times, metrics } });
    };
    await page.route('**/pmapi/fetch?*', (route) =>
      /kernel\.cpu\.util\.user|proc\.cpu\.util/.test(route.request().url()) ? answer(route) : route.continue(),
    );
    await page.route(/\/(?:timeline|pmapi\/streams)\b/, never);
  }
  const MACHINE = {
    'hinv.ncpu': [2, 2, 2],
    'kernel.cpu.util.user': [20, 60, 98],
    'mem.physmem': [8 * 2 ** 20, 8 * 2 ** 20, 8 * 2 ** 20],
    'mem.util.available': [4 * 2 ** 20, 4 * 2 ** 20, 4 * 2 ** 20],
    'mem.util.free': [2 ** 20, 2 ** 20, 2 ** 20],
  };

  it('calls nothing usual above processors that are full', async () => {
    const { page } = harness;
    const resources = [{ resource: 'processor', state: 'usual', sentence: 'Nothing is wrong with the processor.' }];
    await page.route('**/diagnosis?*', (route) =>
      route.fulfill({ json: { state: 'usual', finish: Date.now() / 1000, resources } }),
    );
    await sample(MACHINE);
    await open('');
    await page.locator('.resource-value', { hasText: '98.0 %' }).waitFor();
    await page.locator('.sentence', { hasText: 'Nothing unusual. But the processors are full now.' }).waitFor();
  });

  // Above what Linux numbers processes with: a process that this machine has would be called by its own command line.
  it('has all of a resource in its rows, of the moment when processes were sampled', async () => {
    const { page } = harness;
    await sample({
      ...MACHINE,
      'proc.cpu.util': { '4194401 init': [0, 20], '4194477 hog': [0, 60] },
      'proc.psinfo.rss': { '4194401 init': [1, 2 ** 19], '4194477 hog': [1, 2 ** 20] },
    });
    await open('');
    const rows = (title: string): Promise<readonly string[]> =>
      page
        .getByRole('list', { name: `Processes: ${title}` })
        .getByRole('listitem')
        .allTextContents();
    await eventually(async () => {
      expect(await rows('Processor')).toEqual(['hog (4194477)30.0 %', 'init (4194401)10.0 %', 'others20.0 %']);
      expect(await rows('Memory')).toEqual(['hog (4194477)1 GiB', 'init (4194401)512 MiB', 'others2.5 GiB']);
    });
  });

  it('calls processes by their command lines, and those of which there are none by their names', async () => {
    const own = { [`${process.pid} node`]: [0, 60], '4194477 hog': [0, 40] };
    await sample({ ...MACHINE, 'proc.cpu.util': own });
    await open('');
    const rows = harness.page.getByRole('list', { name: 'Processes: Processor' }).getByRole('link');
    await eventually(async () => {
      const titles = await rows.evaluateAll((all) => all.map((row) => String((row as { title?: string }).title)));
      expect(titles).toEqual([expect.stringMatching(`^${process.pid} .*node.*jest`), '4194477 hog']);
    });
    expect(await rows.allTextContents()).toEqual([expect.stringMatching(/^node .*…? \(\d+\)$/), 'hog (4194477)']);
  });

  it.each([
    ['None at the moment.', 0],
    ['Measuring…', null],
  ])('says %s of processes whose last use is %s', async (text, last) => {
    const of = { '4194401 init': [null, 20, last] };
    await sample({ ...MACHINE, 'proc.cpu.util': of, 'proc.psinfo.rss': { '4194401 init': [1, 1, 1] } }, 3);
    await open('');
    await harness.page.getByRole('list', { name: 'Processes: Memory' }).getByRole('link').waitFor();
    await harness.page.getByRole('region', { name: 'Processor' }).locator('.people', { hasText: text }).waitFor();
  });

  it('says why rows are more than their resource', async () => {
    const { page } = harness;
    await sample({
      ...MACHINE,
      'proc.cpu.util': { '4194401 init': [0, 50], '4194477 hog': [0, 90] },
      'proc.psinfo.rss': { '4194401 init': [1, 3 * 2 ** 20], '4194477 hog': [1, 3 * 2 ** 20] },
    });
    await open('');
    for (const [title, why] of [
      ['Processor', 'read one after another'],
      ['Memory', 'each has what they share'],
    ] as const) {
      const card = page.getByRole('region', { name: title });
      await card.getByText(`Together more than ${title}: ${why}.`).waitFor();
      expect(await card.getByText('others').count()).toBe(0);
    }
  });

  it('says nothing of the numbers of a process that is not there', async () => {
    const { page } = harness;
    await open('process?q=4194303');
    await page.getByText(/Nothing was sampled of it in this time/).waitFor();
    expect(await page.getByText('of one processor').count()).toBe(0);
    await open(`process?q=${process.pid}`);
    await page.getByText('Processor time is in per cent of one processor').waitFor();
  });

  it('does not say of what a role may not see that it is not there', async () => {
    const { page } = harness;
    harness.expectComplaints(/404 \(Not Found\)|net::ERR_/);
    await open('explain?q=no.such.metric');
    await page.getByText('localhost has no metric no.such.metric.').waitFor();
    const file = path.join(harness.directory, 'access.yaml');
    writeFileSync(file, 'roles:\n  guest: { permissions: [read], metrics: ["*", "!mem"] }\n');
    await harness.gateway.close();
    await harness.startGateway({ PMGATE_ACCESS_FILE: file, PMGATE_ACCESS_ANONYMOUS_ROLES: 'guest' });
    try {
      for (const address of ['explain?q=mem.physmem', 'chart?lane=mem.physmem']) {
        await open(address);
        await page.getByText('localhost has no metric mem.physmem that you may see.').waitFor();
      }
    } finally {
      await harness.gateway.close();
      await harness.startGateway();
    }
  });
});
