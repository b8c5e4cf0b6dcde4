import { mkdirSync, writeFileSync, readFileSync, existsSync } from 'node:fs';
import path from 'node:path';
import { spawn } from 'node:child_process';
import { ConsoleHarness } from './harness.js';
import { HIT, OVER, HOG, writeStory } from './story.js';

const OUT = '/tmp/c30-two';
const iso = (s: number) => new Date(s * 1000).toISOString().replace('.000Z', 'Z');
const only = process.env.SHOTS ? new RegExp(process.env.SHOTS) : /./;
jest_timeout();
function jest_timeout() {
  (globalThis as any).jest?.setTimeout?.(1_500_000);
}

describe('shots', () => {
  const h = new ConsoleHarness();
  beforeAll(async () => {
    await h.start();
    writeStory(h.archives);
    writeStory(h.archives, 'next', { later: 86_400 });
    mkdirSync(OUT, { recursive: true });
  }, 1_000_000);
  afterAll(() => h.stop());
  const sleep = (ms: number) => new Promise((r) => setTimeout(r, ms));
  async function shots(name: string, dark = true): Promise<void> {
    const { page } = h;
    const files: string[] = [];
    for (const [width, scheme] of [
      [1440, 'light'],
      [768, 'light'],
      [320, 'light'],
      ...(dark ? [[1440, 'dark']] : []),
    ] as [number, 'light' | 'dark'][]) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme: scheme });
      await sleep(350);
      const file = `${OUT}/${name}-${width}${scheme === 'dark' ? '-dark' : ''}.png`;
      await page.screenshot({ path: file, fullPage: true });
      files.push(file);
    }
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 1440, height: 900 });
    const sheet = await h.browser.newPage({ viewport: { width: 1560, height: 1000 } });
    const data = (f: string) => `data:image/png;base64,${readFileSync(f).toString('base64')}`;
    await sheet.setContent(
      `<body style="margin:0;background:#888;display:flex;gap:10px;align-items:flex-start">${files
        .slice(0, 3)
        .map(
          (f, i) =>
            `<div style="max-height:1300px;overflow:hidden;flex:none"><img style="width:${[760, 440, 330][i]}px" src="${data(f)}"></div>`,
        )
        .join('')}`,
    );
    await sheet.screenshot({ path: `${OUT}/sheet-${name}.png`, fullPage: true });
    await sheet.close();
  }
  const withOn = (address: string, on: string) =>
    on === '' ? address : `${address}${address.includes('?') ? '&' : '?'}${on}`;
  const SCREENS: [string, string][] = [
    ['now', ''],
    ['find', 'find?q=disk'],
    [
      'chart',
      'chart?lane=kernel.all.load&lane=kernel.cpu.util.user%2Bkernel.cpu.util.sys~as:stack&lane=disk.dev.read_bytes&lane=proc.psinfo.rss~as:heat&lane=kernel.uname.release&lane=mem.util.free~as:table',
    ],
    ['derive', 'derive?def=my.cpu:100*rate(kernel.all.cpu.user)/hinv.ncpu'],
    ['changes', 'changes'],
    ['hosts', 'hosts'],
    ['archives', 'archives'],
    ['now', ''],
    ['explain', 'explain?q=kernel.all.cpu.user'],
    ['process', `process?q=${process.pid}`],
    ['processes', 'processes'],
  ];
  async function walk(state: string, on: string, screens = SCREENS, wait = 4000, prepare?: () => Promise<void>) {
    for (const [name, address] of screens) {
      if (!only.test(`${state}-${name}`)) continue;
      await h.newPage();
      await h.page.setViewportSize({ width: 1440, height: 900 });
      await prepare?.();
      await h.open(withOn(address, on));
      await sleep(wait);
      await shots(`${state}-${name}`);
      await h.closePage();
    }
  }
  const diagnose = (resources: () => object[]) =>
    h.page.route('**/diagnosis?*', (route) =>
      route.fulfill({ json: { state: 'usual', finish: Date.now() / 1000, resources: resources() } }),
    );
  it('shots', async () => {
    const usual = ['processor', 'memory', 'disk vda', 'network'].map((resource) => ({
      resource,
      state: 'usual',
      sentence: `${resource} is as usual.`,
    }));
    // warm up
    if (only.test('idle') || only.test('busy')) {
      await h.newPage();
      await h.open('');
      await sleep(process.env.WARM ? Number(process.env.WARM) : 20_000);
      await h.closePage();
    }
    await walk('idle', '', SCREENS, 5000, () => diagnose(() => usual));
    const busy = () =>
      diagnose(() => [
        {
          resource: 'processor',
          state: 'saturated',
          since: Date.now() / 1000 - 100,
          before: 15.2,
          unit: '%',
          rule: 'processor.full',
          sentence: `The processors are 99 % busy since ${new Date(Date.now() - 100000).toISOString().slice(11, 19)} (it was 15 %): pid ${process.pid} node takes 140 %, pid 12 bash 20 %, others 38 %.`,
          who: [
            { kind: 'process', name: 'node', pid: process.pid, use: 140, share: 0.7, metrics: [] },
            { kind: 'process', name: 'bash', pid: 12, use: 20, share: 0.1, metrics: [] },
            { kind: 'others', name: 'others', use: 38, share: 0.2, metrics: [] },
          ],
          whoUnit: '%',
        },
        {
          resource: 'memory',
          state: 'busy',
          since: Date.now() / 1000 - 50,
          sentence: 'Memory is filling: 0.9 GiB a minute, full in about 12 min.',
          who: [],
          whoUnit: 'byte',
        },
        ...usual.slice(2),
      ]);
    await walk('busy', '', [SCREENS[0]!], 5000, busy);
    await walk(
      'archive',
      'on=archive:story',
      SCREENS.map(([n, a]) =>
        n === 'process'
          ? [n, `process?q=${HOG}`]
          : n === 'changes'
            ? [n, `changes?b=${iso(HIT)}/${iso(OVER)}`]
            : n === 'chart'
              ? [
                  n,
                  'chart?lane=kernel.all.cpu.user%2Bkernel.all.cpu.idle&lane=proc.cpu.util&lane=proc.psinfo.cmd&lane=mem.util.free',
                ]
              : n === 'processes'
                ? [n, `processes?cur=${iso(HIT + 100)}`]
                : [n, a],
      ),
      3000,
    );
    await walk(
      'archive',
      `on=archive:story&t=${iso(HIT - 60)}/${iso(OVER + 60)}&cur=${iso(HIT + 100)}`,
      [['pinned', '']],
      3000,
    );
    await walk(
      'two',
      'on=localhost&on=embedded',
      SCREENS.map(([n, a]) => (n === 'chart' ? [n, 'chart?lane=kernel.all.load&lane=disk.dev.read_bytes'] : [n, a])),
      5000,
    );
    await walk(
      'twoarch',
      'on=archive:story&on=archive:next',
      [SCREENS[0]!, ['chart', 'chart?lane=kernel.all.cpu.user&lane=proc.cpu.util'], SCREENS[4]!],
      4000,
    );
    await walk('errorhost', 'on=nohost.invalid', SCREENS, 3500);
    await walk('errorarch', 'on=archive:nosuch', SCREENS, 3000);
    await walk(
      'empty',
      '',
      [
        ['find', 'find?q=nosuchmetric'],
        ['chart', 'chart'],
        ['derive', 'derive'],
        ['explain', 'explain'],
        ['explainnone', 'explain?q=kernel.all.laod'],
        ['process', 'process'],
        ['archivesnone', 'archives?q=nosuch'],
        ['changesnone', `changes?on=archive:story&b=${iso(HIT - 900)}/${iso(HIT - 600)}`],
        ['processesnone', 'processes?on=archive:live-v3'],
        ['nowlive', '?on=archive:live-v3'],
        ['chartunknown', 'chart?lane=kernel.all.laod&lane=nosuch.metric&def=a.b'],
        ['deriveerror', 'derive?def=a.b:delta(disk.dev.reads)%2Bfoo('],
        ['changesempty', 'changes?on=archive:live-v3&b=2020-01-01T00:00:00Z/2020-01-01T01:00:00Z'],
      ],
      3000,
    );
  }, 3_000_000);
  /** Answer as a gateway of 50 hosts does, of which web3 waits for its disk, and db7 does not answer. */
  async function showHosts(count: number, isOdd: boolean, await_ms = (): number => (isOdd ? 48 : 3)): Promise<void> {
    const names = Array.from({ length: count }, (_, i) => `${i % 2 === 0 ? 'db' : 'web'}${i}`).map((name) =>
      name === 'db0' ? 'embedded' : name,
    );
    const valueOf = (host: string, metric: string): number =>
      metric === 'disk.dev.await'
        ? host === 'web3'
          ? await_ms()
          : 2 + names.indexOf(host) / 50
        : metric === 'kernel.all.load'
          ? 3 + ((names.indexOf(host) * 7) % 5) / 4
          : metric.startsWith('network')
            ? metric.endsWith('errors')
              ? 0
              : 1e6 * (9 + ((names.indexOf(host) * 3) % 7))
            : 20 + ((names.indexOf(host) * 11) % 13);
    await h.page.route(`${h.base}/hosts`, (route) =>
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
    await h.page.route('**/pmapi/batch', (route) => {
      const entries = route.request().postDataJSON() as { path: string }[];
      const bodies = entries.map(({ path }) => pastOf(new URL(path, h.base).searchParams));
      return route.fulfill({ json: { responses: bodies.map((body) => ({ status: 200, headers: {}, body })) } });
    });
    await h.page.route(/\/pmapi\/fetch\?/, (route) => {
      const parameters = new URL(route.request().url()).searchParams;
      const metrics = (parameters.get('names') ?? '').split(',');
      const hosts = (parameters.get('hostspec') ?? '').split(';');
      if (parameters.get('format') === 'columns') return route.fulfill({ json: pastOf(parameters) });
      const answers = hosts.map((hostspec) =>
        hostspec === 'db8' && isOdd
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

  it('after', async () => {
    if (!only.test('after')) return;
    await walk(
      'after',
      'on=localhost&on=embedded',
      [
        ['now', ''],
        ['explain', 'explain?q=kernel.all.cpu.user'],
        ['derive', 'derive?def=my.cpu:100*rate(kernel.all.cpu.user)/hinv.ncpu'],
        ['rows', 'chart?lane=proc.psinfo.rss~as:heat~i:*node*&lane=kernel.uname.release&lane=proc.psinfo.cmd~i:*node*'],
      ],
      5000,
    );
    await walk(
      'after2',
      `on=archive:story&on=archive:next`,
      [['changes', `changes?b=${iso(HIT)}/${iso(OVER)}&a=2026-11-20T14:00:00Z/2026-11-20T14:20:00Z`]],
      4000,
    );
    await h.newPage();
    const { page } = h;
    await page.setViewportSize({ width: 1440, height: 900 });
    await h.open('');
    await sleep(3000);
    let n = 0;
    const snap = async () => page.screenshot({ path: `${OUT}/journey-${n++}.png` });
    const box = page.getByRole('combobox', { name: 'Another host or archive' });
    await box.click();
    await page.keyboard.type('embedded');
    await snap();
    await page.getByRole('button', { name: 'Add' }).click();
    await sleep(2500);
    await snap();
    await page.getByRole('link', { name: 'Changes', exact: true }).first().click();
    await sleep(8000);
    await snap();
    await page.getByRole('link', { name: 'Chart', exact: true }).first().click();
    await sleep(1000);
    await snap();
    await page.keyboard.press('/');
    await page.keyboard.type('disk.dev.read_bytes');
    await sleep(800);
    await page.keyboard.press('Enter');
    await sleep(2500);
    await snap();
    await page.keyboard.press('Control+k');
    await sleep(500);
    await page.keyboard.type('embedded');
    await sleep(1500);
    await snap();
    await h.closePage();
  }, 600_000);
  it('hosts', async () => {
    if (!only.test('hosts')) return;
    for (const [count, isOdd] of [
      [3, false],
      [10, false],
      [10, true],
      [50, true],
    ] as const) {
      await h.newPage();
      await h.page.setViewportSize({ width: 1440, height: 900 });
      await showHosts(count, isOdd);
      await h.open('hosts');
      await sleep(3000);
      await shots(`hosts${count}${isOdd ? 'odd' : ''}`);
      console.log(
        await h.page.evaluate(
          `JSON.stringify([...document.querySelectorAll('.matrix thead th, .matrix tbody tr:first-child :is(th,td)')].map((e) => { const r = document.createRange(); r.selectNodeContents(e); const b = r.getBoundingClientRect(); return [e.textContent, Math.round(b.left), Math.round(b.right), getComputedStyle(e).padding]; }))`,
        ),
      );
      await h.closePage();
    }
  }, 600_000);
  it('others', async () => {
    const {} = h;
    if (only.test('gone')) {
      for (const [name, address] of [
        ['now', ''],
        ['chart', 'chart?lane=kernel.all.load&lane=kernel.all.pswitch'],
        ['processes', 'processes'],
        ['hosts', 'hosts?on=embedded&on=localhost'],
      ] as const) {
        await h.newPage();
        await h.page.setViewportSize({ width: 1440, height: 900 });
        await h.open(address);
        await sleep(6000);
        await h.gateway.close();
        await sleep(8000);
        await shots(`gone-${name}`);
        await h.startGateway();
        await sleep(12_000);
        await shots(`back-${name}`);
        await h.closePage();
      }
    }
    if (only.test('ended')) {
      const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 5)']);
      await h.newPage();
      await h.page.setViewportSize({ width: 1440, height: 900 });
      await h.open(`process?q=${child.pid}`);
      await sleep(8000);
      child.kill();
      await sleep(10_000);
      await shots('ended-live');
      await h.closePage();
      await h.newPage();
      await h.page.setViewportSize({ width: 1440, height: 900 });
      await h.open(`process?q=${child.pid}`);
      await sleep(5000);
      await shots('ended-reopened');
      await h.open(`process?q=2`);
      await sleep(5000);
      await shots('kernel-thread');
      await h.closePage();
    }
    if (only.test('limited')) {
      const file = path.join(h.directory, 'access.yaml');
      writeFileSync(file, 'roles:\n  guest: { permissions: [read], metrics: ["*", "!proc", "!cgroup"] }\n');
      await h.gateway.close();
      await h.startGateway({ PMGATE_ACCESS_FILE: file, PMGATE_ACCESS_ANONYMOUS_ROLES: 'guest' });
      await walk(
        'limited',
        '',
        [
          SCREENS[0]!,
          SCREENS[1]!,
          SCREENS[3]!,
          SCREENS[4]!,
          SCREENS[5]!,
          SCREENS[6]!,
          SCREENS[8]!,
          SCREENS[9]!,
          ['explain', 'explain?q=proc.psinfo.rss'],
        ],
        5000,
      );
      await h.gateway.close();
      await h.startGateway();
    }
    if (only.test('noarchives')) {
      const dir = path.join(h.directory, 'none');
      mkdirSync(dir);
      await h.gateway.close();
      await h.startGateway({ PMGATE_ARCHIVES_ROOTS: dir });
      await walk('noarchives', '', [SCREENS[6]!], 2500);
      await h.gateway.close();
      await h.startGateway();
    }
    if (only.test('overlays')) {
      for (const [name, keys] of [
        ['palette', 'Control+k'],
        ['proof', 'p'],
        ['settings', ''],
      ] as const) {
        await h.newPage();
        await h.page.setViewportSize({ width: 1440, height: 900 });
        await h.open('?on=archive:story');
        await sleep(3000);
        if (keys === '') await h.page.getByText('Settings').click();
        else await h.page.keyboard.press(keys);
        await sleep(2500);
        await shots(`overlays-${name}`);
        await h.closePage();
      }
    }
  }, 3_000_000);
});
void existsSync;
