/**
 * Take the pictures of the README, of a gateway that runs on this machine: `npm run screenshots [-- http://localhost:44322]`.
 * Chromium is PMGATE_CHROMIUM, or Debian's. It takes a minute and a half, so that charts have something to show. The pictures list
 * processes: a gateway in a PID namespace (`unshare -fp --mount-proc`) shows only those that were started there.
 */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { chromium } from 'playwright-core';

const gateway = (process.argv[2] ?? 'http://localhost:44322').replace(/\/$/, '');
const TARGET = path.resolve(import.meta.dirname, '../../src/features/console/page/pictures');
const SIZE = { width: 1200, height: 860 };
/** So long pages are open before their pictures are taken. */
const HISTORY_MS = 90_000;
const PICTURES = [
  ['now-light', 'light', '?t=-90sec'],
  [
    'derive-dark',
    'dark',
    `derive?t=-90sec&def=my.cpu:${encodeURIComponent('100 * rate(kernel.all.cpu.user) / hinv.ncpu')}`,
  ],
];

mkdirSync(TARGET, { recursive: true });
const browser = await chromium.launch({
  executablePath: process.env.PMGATE_CHROMIUM ?? '/usr/bin/chromium',
  // Chromium's sandbox does not work for root.
  args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
});
const pages = await Promise.all(
  PICTURES.map(async ([name, colorScheme, address]) => {
    const page = await browser.newPage({ viewport: SIZE, colorScheme });
    await page.goto(`${gateway}/console/${address}`);
    return { name, page };
  }),
);
await setTimeout(HISTORY_MS);
for (const { name, page } of pages) await page.screenshot({ path: path.join(TARGET, `${name}.png`) });
await browser.close();
