/** The console as one file, in Chromium: what it reads of archives that a user opens, and when it shows what. */
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { CHROMIUM } from '../../features/console/browser/harness.js';

/** What a worker of the page has read, put before its script: its reads, and when they were asked for. */
const COUNTED = `
  self.reads = { count: 0, bytes: 0, ms: 0 };
  const read = Blob.prototype.arrayBuffer;
  Blob.prototype.arrayBuffer = async function () {
    const begun = performance.now();
    const bytes = await read.call(this);
    reads.count++;
    reads.bytes += bytes.byteLength;
    reads.ms += performance.now() - begun;
    return bytes;
  };
`;
const COUNTING = `
  const { click } = HTMLInputElement.prototype;
  HTMLInputElement.prototype.click = function () {
    this.addEventListener('change', () => (globalThis.givenMs = performance.now()));
    click.call(this);
  };
  const make = URL.createObjectURL;
  URL.createObjectURL = (blob) =>
    make(blob.type === 'text/javascript' ? new Blob([${JSON.stringify(COUNTED)}, blob], { type: blob.type }) : blob);
`;

/** Milliseconds from when files are there until they are listed, and until the first chart; what was read until then. */
export interface LookedAt {
  readonly listedMs: number;
  readonly chartMs: number;
  readonly reads: { readonly count: number; readonly bytes: number; readonly ms: number };
}

/** Opens a page of its own for each look at files, of which one archive is. */
export async function withLocalPage(
  use: (look: (files: readonly string[]) => Promise<LookedAt>) => Promise<void>,
): Promise<void> {
  execFileSync(process.execPath, ['config/tooling/build-console.js']);
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const browser = await chromium.launch({ executablePath: CHROMIUM!, args });
  try {
    await use(async (files) => {
      const page = await browser.newPage({ viewport: { width: 1200, height: 800 } });
      page.setDefaultTimeout(120_000);
      await page.addInitScript(COUNTING);
      await page.goto(`file://${path.resolve('dist/console/viewer.html')}`);
      const choosing = page.waitForEvent('filechooser');
      await page.getByRole('button', { name: 'Open files…' }).click();
      await (await choosing).setFiles([...files]);
      const nowMs = () => page.evaluate<number>('performance.now()');
      await page.waitForFunction('globalThis.givenMs');
      await page.getByText('nothing leaves this machine').waitFor();
      const givenMs = await page.evaluate<number>('givenMs');
      const listedMs = (await nowMs()) - givenMs;
      await page.getByRole('img', { name: /^Memory.* last / }).waitFor();
      const chartMs = (await nowMs()) - givenMs;
      const reads = await page.workers()[0]!.evaluate<LookedAt['reads']>('reads');
      await page.close();
      return { listedMs, chartMs, reads };
    });
  } finally {
    await browser.close();
  }
}
