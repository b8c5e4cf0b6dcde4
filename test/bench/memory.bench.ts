/**
 * What memory a gateway has that does next to nothing: it records this machine, as it does when it is installed, while a browser shows the console.
 * Without Chromium it only records.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { BUDGETS } from './budgets.js';
import { residentMbyte } from './support/proc.js';
import { heading, IS_QUICK, report, skip } from './support/report.js';
import { startServer } from './support/server-process.js';
import { workDirectory } from './support/work-directory.js';

const CHROMIUM = process.env['PMGATE_CHROMIUM'] ?? '/usr/bin/chromium';
const IDLE_SEC = IS_QUICK ? 2 : 20;

const gateway = await startServer(['dist/pmgate.js', '--port', '0'], {
  PMGATE_STATE_DIRECTORY: path.join(workDirectory(), 'state'),
  PMGATE_LOCAL_SOURCE: 'embedded',
});
try {
  const resident = (): number => residentMbyte(gateway.child.pid!);
  heading(`resident memory of a gateway that records, after ${IDLE_SEC} s`);
  await pause(IDLE_SEC * 1000);
  report('alone', resident(), 'Mbyte');
  if (!existsSync(CHROMIUM)) skip(`no Chromium at ${CHROMIUM} (PMGATE_CHROMIUM)`);
  else {
    const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
    const browser = await chromium.launch({ executablePath: CHROMIUM, args });
    try {
      const page = await browser.newPage();
      await page.goto(`http://127.0.0.1:${gateway.port}/console/`);
      await pause(IDLE_SEC * 1000);
      report('with the console open', resident(), 'Mbyte', BUDGETS.memoryIdle.limit);
    } finally {
      await browser.close();
    }
  }
} finally {
  await gateway.stop();
}
