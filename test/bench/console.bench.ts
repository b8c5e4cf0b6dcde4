/**
 * What the console costs, in Chromium: how soon it shows something, how long a redraw takes, and what all processes of the browser
 * need while charts are live, for as long as BENCH_SECONDS says. The heap is watched for an hour of samples, which come as fast as they are drawn.
 */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { build } from 'esbuild';
import { type Browser, type CDPSession, type Page, chromium } from 'playwright-core';
import { withoutNode } from '../../config/tooling/bundle-console.js';
import { buildMmv } from '../support/mmv-builder.js';
import { BUDGETS } from './budgets.js';
import { heading, IS_QUICK, quantile, report, skip } from './support/report.js';
import { startServer } from './support/server-process.js';
import { writeSmallArchive } from './support/small-archive.js';

const CHROMIUM = process.env.PMGATE_CHROMIUM ?? '/usr/bin/chromium';
const ROUNDS = IS_QUICK ? 2 : 7;
const SECONDS = Number(process.env.BENCH_SECONDS ?? 60);
const [LANES, SERIES, POINTS] = [20, 10, 300];
/** Samples are taken this far apart, so that charts are filled before the measurement. */
const FILL_MS = 50;
/** Seconds that live lanes show: in longer runs samples leave as others come, and the heap should stay as it is. */
const SHOWN_SEC = Math.ceil((POINTS * FILL_MS) / 1000) + 60;
const FORM_POINTS = 1320;
const DOUBLE = 5;
/** The label of a chart that shows values. */
const DRAWN = ' last ';
/** More samples than the gateway sends for the width of a chart: series, points, and the budget. */
const LONG = [
  [10, 10_000, BUDGETS.consoleDrawLong.limit],
  [1, 100_000, BUDGETS.consoleDrawLongest.limit],
  [100, 1300, BUDGETS.consoleDrawMany.limit],
] as const;

/** What each page measures of itself, before its own scripts run. */
const WATCH = `
  window.bench = { drawn: 0 };
  const frame = requestAnimationFrame.bind(window);
  const look = () => {
    if (document.querySelector('canvas[aria-label*="${DRAWN}"]')) window.bench.drawn = performance.now();
    else frame(look);
  };
  frame(look);
`;

/** In place of streams: a sample in each frame, a second after the one before. */
const FAST = `
  const ask = fetch;
  window.fetch = async (input, init) => {
    if (!String(input).endsWith('/pmapi/streams')) return ask(input, init);
    const subscriptions = JSON.parse(init.body);
    const instances = () => Array.from({ length: ${SERIES} }, (_, i) => ({ instance: i, name: 'part ' + i, value: 100 * Math.random() }));
    window.bench.time ??= Math.ceil(Date.now() / 1000);
    const body = new ReadableStream({
      pull: async (controller) => {
        await new Promise(requestAnimationFrame);
        if (init.signal.aborted) return controller.close();
        const timestamp = window.bench.time++;
        for (const { id: subscription, body } of subscriptions) {
          const values = body.names.map((name) => ({ pmid: '1.1.1', name, instances: instances() }));
          controller.enqueue('id: ' + timestamp + '.000000000\\ndata: ' + JSON.stringify({ subscription, timestamp, values }) + '\\n\\n');
        }
        window.bench.samples = (window.bench.samples ?? 0) + 1;
      },
    });
    return new Response(body.pipeThrough(new TextEncoderStream()), { headers: { 'content-type': 'text/event-stream' } });
  };
`;
const HOUR_SEC = 3600;

/** The console's own code for drawing a lane, and `draw(series, points, rounds)`: how long each of some redraws took while panning. */
const DRAWING = `
  import { drawLane, heightOf, plotOf } from './chart/draw-lane.js';
  import { laneModel } from './chart/lane-model.js';
  import { SeriesTable } from './data/series-table.js';
  import { UTC_ZONE } from '../../../pmapi/index.js';
  const grey = Object.fromEntries(['ink', 'ink2', 'line', 'gap', 'accent', 'paper'].map((name) => [name, '#808080']));
  const colours = { ...grey, series: Array(8).fill('#808080') };
  window.draw = (count, points, rounds) => {
    const times = Array.from({ length: points }, (_, i) => i);
    // Neither straight lines nor noise: fifty waves with a ripple.
    const values = (s) => times.map((i) => s + 50 * Math.sin((i * 314) / points + s) + 5 * Math.sin(i * 1.7));
    const series = Array.from({ length: count }, (_, s) => ({ instance: s, name: 'part ' + s, values: values(s) }));
    const table = new SeriesTable();
    table.fill({ times, metrics: [{ name: 'wave', units: 'Kbyte', series }] });
    const asked = { lane: { metrics: ['wave'], top: count, isRaw: false, fits: false }, names: ['wave'], facts: new Map() };
    const canvas = document.body.appendChild(document.createElement('canvas'));
    const context = canvas.getContext('2d');
    const took = [];
    for (let round = 0; round < rounds; round++) {
      const start = ((round % 10) * points) / 100;
      const window = { start, end: start + points * 0.9 };
      const begun = performance.now();
      const model = laneModel(table, { ...asked, window });
      const height = heightOf(model);
      if (canvas.height !== height) [canvas.width, canvas.height] = [1000, height];
      context.clearRect(0, 0, 1000, height);
      const places = model.drawn.map((_, i) => i);
      drawLane(context, plotOf(1000, height, window), { table, model, gaps: table.gaps(), window, zone: UTC_ZONE, colours, places });
      took.push(performance.now() - begun);
    }
    return took;
  };
`;

if (!existsSync(CHROMIUM)) skip(`no Chromium at ${CHROMIUM} (PMGATE_CHROMIUM)`);
else await measure();

async function measure(): Promise<void> {
  const directory = mkdtempSync(path.join(os.tmpdir(), 'pmgate-console-bench-'));
  const names = writeApplication(directory);
  writeSmallArchive(directory, 'rows', FORM_POINTS, SERIES);
  writeSmallArchive(directory, 'wide', FORM_POINTS, 64);
  const gateway = await startServer(['dist/pmgate.js', '--port', '0'], {
    PMGATE_ARCHIVES_ROOTS: directory,
    PMGATE_LOCAL_SOURCE: 'embedded',
    PMGATE_LOCAL_MMV_DIRECTORY: directory,
    PMGATE_STATE_DIRECTORY: path.join(directory, 'state'),
    PMGATE_RECORD_ENABLED: 'false',
  });
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: [...args, '--js-flags=--expose-gc'] });
  const base = `http://127.0.0.1:${gateway.port}`;
  try {
    await firstPictures(browser, base);
    await archiveLanes(browser, base);
    await redraws(browser, base);
    await drawing(browser);
    await dryRun(browser, base);
    await liveLanes(browser, base, names);
    await hour(browser, base, names);
  } finally {
    await browser.close();
    await gateway.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

function writeApplication(directory: string): readonly string[] {
  const instances = Array.from({ length: SERIES }, (_, i) => [i, `part ${i}`] as const);
  const bytes = buildMmv({
    indoms: [{ serial: 1, instances }],
    metrics: Array.from({ length: LANES }, (_, lane) => ({
      ...{ name: `lane${lane}`, type: DOUBLE, serial: 1, semantics: 3 },
      value: instances.map(([i]) => [i, lane + i] as const),
    })),
  });
  writeFileSync(path.join(directory, 'bench'), bytes);
  return Array.from({ length: LANES }, (_, lane) => `mmv.bench.lane${lane}`);
}

async function openPage(browser: Browser, address: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
  const page = await context.newPage();
  await page.addInitScript(WATCH);
  await page.goto(address);
  return page;
}

async function drawnMs(page: Page): Promise<number> {
  await page.locator(`canvas[aria-label*="${DRAWN}"]`).first().waitFor();
  for (;;) {
    const at = await page.evaluate<number>('window.bench.drawn');
    if (at > 0) return at;
  }
}

async function firstPictures(browser: Browser, base: string): Promise<void> {
  heading('from opening the page');
  const [paint, history, rate, first]: [number[], number[], number[], number[]] = [[], [], [], []];
  const counters = [
    'kernel.all.pswitch',
    'kernel.all.intr',
    'mem.vmstat.pgfault',
    'network.tcp.insegs',
    'vfs.inodes.count',
  ];
  await fetch(`${base}/pmapi/fetch?names=kernel.all.load`);
  for (let round = 0; round < ROUNDS; round++) {
    const page = await openPage(browser, `${base}/console/chart?lane=kernel.all.load`);
    history.push(await drawnMs(page));
    paint.push(await page.evaluate<number>(`performance.getEntriesByName('first-paint')[0].startTime`));
    await page.context().close();
    const other = await openPage(browser, `${base}/console/chart?t=-1sec&lane=${counters[round % counters.length]!}`);
    rate.push(await drawnMs(other));
    await other.context().close();
    const now = await openPage(browser, `${base}/console/`);
    first.push(await drawnMs(now));
    await now.context().close();
  }
  report('first paint', paint, 'ms', BUDGETS.consolePaint.limit);
  report('first chart with what is remembered', history, 'ms', BUDGETS.consoleChart.limit);
  report('first chart of Now', first, 'ms', BUDGETS.consoleChart.limit);
  report('first rate of a counter', rate, 'ms', BUDGETS.consoleRate.limit);
}

async function archiveLanes(browser: Browser, base: string): Promise<void> {
  heading(`four lanes of an archive with ${FORM_POINTS} records of ${SERIES} instances`);
  const lanes = ['disk0', 'disk1', 'disk2', '*'].map((glob) => `lane=small.counter~i:${glob}`).join('&');
  const took: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const page = await openPage(browser, `${base}/console/chart?on=archive:rows&${lanes}`);
    await page.locator(`canvas[aria-label*="${DRAWN}"]`).nth(3).waitFor();
    // The first one reads the archive.
    if (round > 0) took.push(await drawnMs(page));
    await page.context().close();
  }
  report('warm', took, 'ms', BUDGETS.consoleArchive.limit);
}

async function redraws(browser: Browser, base: string): Promise<void> {
  heading('a redraw after panning: scripts, styles and layout, 95th percentile');
  for (const [archive, top, budget] of [
    ['rows', SERIES, BUDGETS.consoleRedrawFew.limit],
    ['wide', 64, BUDGETS.consoleRedrawMany.limit],
  ] as const) {
    const page = await openPage(browser, `${base}/console/chart?on=archive:${archive}&lane=small.counter~top:${top}`);
    await drawnMs(page);
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable');
    // What is asked meanwhile is not answered: that would be another redraw.
    await page.route('**/pmapi/**', () => undefined);
    const times: number[] = [];
    for (let i = 0; i < (IS_QUICK ? 10 : 100); i++) {
      const before = await spentMs(session);
      await page.evaluate(`new Promise((done) => {
        const event = new KeyboardEvent('keydown', { key: '${i % 2 ? 'a' : 'd'}', bubbles: true });
        document.querySelector('.instant input').dispatchEvent(event);
        requestAnimationFrame(() => requestAnimationFrame(done));
      })`);
      times.push((await spentMs(session)) - before);
    }
    report(`${top} series of 600 points`, quantile(times, 0.95), 'ms', budget);
    await page.context().close();
  }
}

/** What the thread of a page has spent so far on scripts, styles and layout. */
async function spentMs(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  const own = metrics.filter(({ name }) => /^(?:Script|RecalcStyle|Layout)Duration$/.test(name));
  return 1000 * own.reduce((sum, { value }) => sum + value, 0);
}

async function drawing(browser: Browser): Promise<void> {
  heading('drawing alone, of more points than the gateway sends: scripts, 95th percentile');
  const { outputFiles } = await build({
    stdin: { contents: DRAWING, resolveDir: 'src/features/console/page', loader: 'ts' },
    ...{ bundle: true, minify: true, write: false, platform: 'browser', format: 'iife', plugins: [withoutNode] },
  });
  const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
  await page.addScriptTag({ content: outputFiles[0]!.text });
  for (const [series, points, budget] of LONG) {
    const times = await page.evaluate<number[]>(`draw(${series}, ${points}, ${IS_QUICK ? 10 : 100})`);
    report(`${series} series of ${points} points`, quantile(times, 0.95), 'ms', budget);
  }
  await page.close();
}

async function dryRun(browser: Browser, base: string): Promise<void> {
  heading('from the last letter of an expression to its value');
  const page = await openPage(browser, `${base}/console/derive`);
  const box = page.getByRole('textbox', { name: 'Expression' });
  const took: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await box.fill(`mem.util.free / ${round + 2}`);
    await page.locator('.outcome .figure').waitFor();
    const begun = page.evaluate<number>(`new Promise((done) => {
      const area = document.querySelector('textarea');
      const begun = performance.now();
      const before = document.querySelector('.outcome .figure').textContent;
      new MutationObserver((_, observer) => {
        const now = document.querySelector('.outcome .figure')?.textContent;
        if (now === undefined || now === before) return;
        observer.disconnect();
        done(performance.now() - begun);
      }).observe(document.body, { subtree: true, childList: true, characterData: true });
      area.value = '7000 * ' + area.value;
      area.dispatchEvent(new Event('input', { bubbles: true }));
    })`);
    took.push(await begun);
  }
  await page.context().close();
  report('shown', took, 'ms', BUDGETS.consoleDryRun.limit);
}

async function browserCpu(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  return processInfo.reduce((sum, { cpuTime }) => sum + cpuTime, 0);
}

async function liveLanes(browser: Browser, base: string, names: readonly string[]): Promise<void> {
  heading(`${LANES} live lanes of ${SERIES} series with ${POINTS} points, for ${SECONDS} s`);
  for (let i = 0; i < POINTS; i++) {
    await Promise.all([fetch(`${base}/pmapi/fetch?names=${names.join(',')}`), pause(FILL_MS)]);
  }
  const lanes = names.map((name) => `lane=${name}~top:${SERIES}`).join('&');
  const page = await openPage(browser, `${base}/console/chart?t=-${SHOWN_SEC}sec&${lanes}`);
  await drawnMs(page);
  const [cpuBefore, begunMs] = [await browserCpu(browser), performance.now()];
  await pause(SECONDS * 1000);
  const share = (await browserCpu(browser)) - cpuBefore;
  report(
    'CPU time of all processes of the browser, of one core',
    (100 * share) / ((performance.now() - begunMs) / 1000),
    '%',
    BUDGETS.consoleLive.limit,
  );
  await page.context().close();
}

async function hour(browser: Browser, base: string, names: readonly string[]): Promise<void> {
  heading(`${LANES} live lanes of ${SERIES} series for an hour of samples, after garbage collection`);
  const page = await openPage(browser, 'about:blank');
  await page.addInitScript(FAST);
  await page.goto(`${base}/console/chart?${names.map((name) => `lane=${name}~top:${SERIES}`).join('&')}`);
  const session = await page.context().newCDPSession(page);
  const heaps: number[] = [];
  for (const part of [1, 2, 3]) {
    await page.waitForFunction(hasSamples, (part * HOUR_SEC) / 3, { timeout: 0 });
    await session.send('HeapProfiler.collectGarbage');
    heaps.push((await session.send('Runtime.getHeapUsage')).usedSize / 1e6);
  }
  report('heap at its end', heaps[2]!, 'Mbyte', BUDGETS.consoleHeap.limit);
  report('of that after 20 minutes', (100 * heaps[2]!) / heaps[0]!, '%', BUDGETS.consoleHeapGrowth.limit);
  await page.context().close();
}

/** In the page: whether so many samples have come. */
function hasSamples(count: number): boolean {
  return (globalThis as unknown as { bench: { samples?: number } }).bench.samples! >= count;
}
