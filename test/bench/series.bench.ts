/** What series cost: the catalogue of 100 archives, queries over it, and values. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { loadConfig } from '../../src/config/index.js';
import { Archives } from '../../src/gateway/targets/archives.js';
import { systemClock } from '../../src/pmapi/index.js';
import { Series } from '../../src/features/series/series.js';
import type { SeriesView } from '../../src/features/series/series-view.js';
import { BUDGETS } from './budgets.js';
import { heading, median, report } from './support/report.js';
import { watchTurns } from './support/turns.js';
import { workDirectory } from './support/work-directory.js';

const ARCHIVES = 100;
const ROUNDS = 50;

const root = workDirectory();
const fixtures = path.resolve('test/fixtures/series/multi');
const plain = path.join(root, 'host0');
mkdirSync(plain);
for (const file of readdirSync(fixtures)) copyFileSync(path.join(fixtures, file), path.join(plain, file));
execFileSync('xz', [
  '-d',
  ...readdirSync(plain).flatMap((file) => (file.endsWith('.xz') ? [path.join(plain, file)] : [])),
]);
for (let i = 1; i < ARCHIVES / 4; i++) {
  const directory = path.join(root, `host${i}`);
  mkdirSync(directory);
  for (const file of readdirSync(plain)) copyFileSync(path.join(plain, file), path.join(directory, file));
}
const archives = new Archives(systemClock, { ...loadConfig({}).archives, roots: [root] });
const makeSeries = (): Series =>
  new Series({
    stores: [archives],
    clock: systemClock,
    limits: { series: 100_000, values: 1_000_000, bytes: 2 ** 28, lookUps: 5e6 },
  });
const viewOf = (series: Series): Promise<SeriesView> => series.view(() => ({ filter: undefined }));

const cold = [];
for (let i = 0; i < 5; i++) cold.push((await watchTurns(() => viewOf(makeSeries()))).ms);
heading(`${ARCHIVES} archives of some 80 metrics each`);
report('the catalogue, for the first time', median(cold), 'millisec', BUDGETS.seriesCold.limit);

const series = makeSeries();
await viewOf(series);
const QUERIES = ['kernel.all.load', 'kernel.all.*', 'max(kernel.all.load)'];
for (const text of QUERIES) {
  const times = [];
  for (let i = 0; i < ROUNDS; i++) times.push((await watchTurns(async () => (await viewOf(series)).query(text))).ms);
  report(`query: ${text}`, median(times), 'millisec', BUDGETS.seriesWarm.limit);
}
const WINDOWS = ['samples:2', 'start:1431100200,finish:1431100800'];
for (const window of WINDOWS) {
  const times = [];
  for (let i = 0; i < 10; i++) {
    times.push((await watchTurns(async () => (await viewOf(series)).query(`kernel.all.load[${window}]`))).ms);
  }
  report(`values of 100 archives: ${window}`, median(times), 'millisec');
}
await archives.close();
