/**
 * Archives in a page of each browser that is installed: from when a worker has the files until a chart of four metrics can be drawn, and the
 * memory of the tab at the most.
 */
import { execFileSync } from 'node:child_process';
import { openAsBlob, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { BROWSERS, BrowserPage, bundledFor } from '../viewer/browser-page.js';
import { BUDGETS, type Limit } from './budgets.js';
import { INTERVAL_SEC, writeLargeArchive, type LargeArchive } from './support/large-archive.js';
import { heading, IS_QUICK, report, skip } from './support/report.js';
import { withLocalPage } from './support/local-page.js';
import type { Looked } from './support/viewer-work.js';
import { workDirectory } from './support/work-directory.js';

const MEGABYTES = IS_QUICK ? 5 : 100;
const HOSTS = IS_QUICK ? 3 : 20;
const POINTS = 300;
const LOOK_EVERY_MS = 50;

/** A card of the first screen has these. */
const MEMORY = { 'mem.physmem': 2e7, 'mem.util.available': 1e7, 'mem.util.free': 5e6, 'mem.util.cached': 4e6 };

const directory = workDirectory();
const hosts = Array.from({ length: HOSTS }, (_, i) => writeLargeArchive(directory, `host${i}`, MEGABYTES, MEMORY));
const tar = path.join(directory, 'sos.tar.xz');
// Logs make the most of a report: bytes that hardly compress stand for them.
const noise = path.join(directory, 'journal.log');
const script = `head -c ${IS_QUICK ? 2 : 48}M /dev/urandom > ${noise} && tar -C ${directory} -c journal.log host0.0 host0.meta host0.index | xz -T2 -1 > ${tar}`;
execFileSync('/bin/sh', ['-c', script]);

const filesOf = (...names: readonly string[]) =>
  Promise.all(names.map(async (name) => ({ path: name, blob: await openAsBlob(path.join(directory, name)) })));
const namesOf = ({ base }: LargeArchive) => ['meta', 'index', '0'].map((suffix) => `${path.basename(base)}.${suffix}`);

/** A browser's CPU time so far, in milliseconds, and the memory of its largest tab in bytes: what is shared counts in part. */
function usageOf(group: number): { readonly cpuMs: number; readonly tabBytes: number } {
  let [ticks, tabBytes] = [0, 0];
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      // The name may have spaces; behind it are the state, the parent and the group.
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ');
      if (Number(stat[2]) !== group) continue;
      ticks += Number(stat[11]) + Number(stat[12]);
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      if (!/--type=renderer|-contentproc.*\btab\b/s.test(command)) continue;
      const [, kib = '0'] = /^Pss: +(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? [];
      tabBytes = Math.max(tabBytes, 1024 * Number(kib));
    } catch {
      // It has ended.
    }
  }
  return { cpuMs: 10 * ticks, tabBytes };
}

const program = await bundledFor('test/bench/support/viewer-work.ts');
for (const browser of BROWSERS) {
  heading(`archives in a page of ${browser.name}`);
  if (browser.file === undefined) {
    skip(`${browser.name} is not installed`);
    continue;
  }
  const gauges = ['counter0', 'counter2', 'gauge1', 'gauge3'].map((name) => `bench.${name}`);
  const interval = String(Math.round((hosts[0]!.records * INTERVAL_SEC) / POINTS));
  const page = await BrowserPage.open(browser, program);
  let most = 0;
  const gauge = setInterval(() => (most = Math.max(most, usageOf(page.pid).tabBytes)), LOOK_EVERY_MS);
  try {
    const reportLook = async (what: string, names: readonly string[], limit?: Limit): Promise<void> => {
      // They come over HTTP, and are the browser's before the time is taken.
      await page.call('take', await filesOf(...names));
      most = 0;
      const before = usageOf(page.pid).cpuMs;
      const looked = await page.call<Looked>('look', gauges, interval);
      const cpuMs = usageOf(page.pid).cpuMs - before;
      const { openedMs, listedMs, rangeMs, bytesRead, samples } = looked;
      if (samples < 4 * (POINTS - 2)) throw new Error(`${samples} values`);
      report(`${what}: until the first chart`, openedMs + listedMs + rangeMs, 'ms', limit);
      report(`${what}: of that, until it is open`, openedMs, 'ms');
      report(`${what}: of that, until it is listed`, listedMs, 'ms');
      report(`${what}: CPU time of the browser`, cpuMs, 'ms');
      report(`${what}: read of its archives`, bytesRead / 1e6, 'Mbyte');
      report(`${what}: memory of the tab`, most / 1e6, 'Mbyte', BUDGETS.viewerMemory.limit);
    };
    await reportLook(`one archive of ${MEGABYTES} MB`, namesOf(hosts[0]!), BUDGETS.viewerArchive.limit);
    await reportLook(`a folder of ${HOSTS * MEGABYTES} MB`, hosts.flatMap(namesOf), BUDGETS.viewerFolder.limit);
    await reportLook(`a .tar.xz of ${Math.round(statSync(tar).size / 1e6)} MB`, [path.basename(tar)]);
  } finally {
    clearInterval(gauge);
    await page.close();
  }
}

heading('an archive in the console, in Chromium');
if (BROWSERS[0]!.file === undefined) skip('Chromium is not installed');
else {
  await withLocalPage(async (look) => {
    const { listedMs, chartMs, reads } = await look(namesOf(hosts[0]!).map((name) => path.join(directory, name)));
    report(`one archive of ${MEGABYTES} MB: until it is listed`, listedMs, 'ms');
    report(`one archive of ${MEGABYTES} MB: until the first chart`, chartMs, 'ms', BUDGETS.viewerArchive.limit);
    report('reads until then', reads.count, '');
    report('read until then', reads.bytes / 1e6, 'Mbyte');
  });
}
