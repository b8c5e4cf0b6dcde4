/**
 * Take the pictures of the README: `npm run screenshots`. They show recorded incidents (test/features/mcp/incidents/README.md), which followed
 * one another: together they are nine minutes of one machine. Chromium is PMGATE_CHROMIUM, or Debian's.
 */
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { chromium } from 'playwright-core';

const ROOT = path.resolve(import.meta.dirname, '../..');
const TARGET = path.join(ROOT, 'src/features/console/page/pictures');
const SIZE = { width: 1280, height: 860 };
const INCIDENTS = path.join(ROOT, 'test/features/mcp/incidents');
/** A storm of children, calm, and a leak; the ribbon has what was before and after. */
const STORY = 'on=archive:web1&t=2026-11-26T19:07:26Z/2026-11-26T19:08:41Z';
/** Each with what is seen once it is complete. */
const PICTURES = [
  ['now-light', 'light', `?${STORY}`, '.resource .people a'],
  ['now-dark', 'dark', `?${STORY}`, '.resource .people a'],
  [
    'derive-dark',
    'dark',
    `derive?${STORY}&def=my.cpu:${encodeURIComponent('100 * rate(kernel.all.cpu.sys) / hinv.ncpu')}`,
    '.outcome .figure',
  ],
];

const state = mkdtempSync(path.join(os.tmpdir(), 'pmgate-pictures-'));
for (const file of readdirSync(INCIDENTS, { recursive: true })) {
  const [, kind, suffix] = /^(\w+)\/archive\.(.+)$/.exec(file) ?? [];
  if (suffix) cpSync(path.join(INCIDENTS, file), path.join(state, 'shown/web1', `${kind}.${suffix}`));
}
execFileSync(process.execPath, ['config/tooling/build-console.js'], { cwd: ROOT });
const gateway = spawn(process.execPath, ['--import', 'tsx', 'src/main.ts', '--port', '0'], {
  cwd: ROOT,
  stdio: ['ignore', 'inherit', 'pipe'],
  env: {
    ...process.env,
    PMGATE_ARCHIVES_ROOTS: path.join(state, 'shown'),
    PMGATE_STATE_DIRECTORY: state,
    PMGATE_RECORD_ENABLED: 'false',
  },
});
const browser = await chromium.launch({
  executablePath: process.env.PMGATE_CHROMIUM ?? '/usr/bin/chromium',
  // Chromium's sandbox does not work for root.
  args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
});
try {
  const base = await new Promise((resolve, reject) => {
    let said = '';
    gateway.stderr.on('data', (chunk) => {
      said += chunk;
      const found = /http:\/\/[^\s"]*:\d+/.exec(said);
      if (found) resolve(found[0]);
    });
    gateway.once('exit', () => reject(new Error(said)));
  });
  mkdirSync(TARGET, { recursive: true });
  for (const [name, colorScheme, address, sign] of PICTURES) {
    const page = await browser.newPage({ viewport: SIZE, colorScheme });
    await page.goto(`${base}/console/${address}`);
    for (const each of [sign, 'canvas[aria-label*=" last "]']) await page.locator(each).first().waitFor();
    await page.waitForLoadState('networkidle');
    await page.screenshot({ path: path.join(TARGET, `${name}.png`) });
    await page.close();
  }
} finally {
  await browser.close();
  gateway.kill();
  rmSync(state, { recursive: true, force: true });
}
