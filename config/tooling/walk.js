/**
 * Lists which of our files run for one plain fetch, and how many of their functions: `npm run walk`. GETs of one metric of this machine, of a
 * gateway that is warm, one at a time, counted by V8's precise coverage over the modules in dist/. What runs beside requests (timers) is
 * left out: a function counts if every one of the requests called it. Another request: `npm run walk -- '/pmapi/metric?name=hinv.ncpu'`;
 * `--archives=DIR` lets it name the archives below a directory. With `--most=34` it fails when more files run.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const DIST = path.resolve(import.meta.dirname, '../../dist');
const WARM_UP = 30;
/** Requests that are counted, each by itself. */
const WALKS = 7;
/** If they show more files than may run. */
const MOST_WALKS = 30;
/** Before each of them: longer than a sample of this machine is shared, in milliseconds. */
const REST_MS = 300;

const { values: options, positionals } = parseArgs({
  options: { most: { type: 'string' }, archives: { type: 'string' } },
  allowPositionals: true,
});
const most = Number(options.most ?? Infinity);
const [request = '/pmapi/fetch?names=kernel.all.load'] = positionals;
if (!existsSync(path.join(DIST, 'index.js'))) throw new Error('dist/ is missing: npm run build');
const { createLog, Gateway, loadConfig } = await import(path.join(DIST, 'index.js'));

const state = mkdtempSync(path.join(os.tmpdir(), 'pmgate-walk-'));
const flags = {
  'listen.port': '0',
  'local.source': 'embedded',
  'state.directory': state,
  ...(options.archives && { 'archives.roots': path.resolve(options.archives) }),
};
const log = await createLog('silent', undefined, { write: () => undefined });
const gateway = await Gateway.create({ config: loadConfig({ flags }), log });
const { port } = await gateway.listen();
const ask = async () => {
  const answer = await fetch(`http://127.0.0.1:${port}${request}`);
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
};
for (let i = 0; i < WARM_UP; i++) await ask();

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
/** The functions that one request calls, as `FILE START`. */
const walk = async () => {
  await rest(REST_MS);
  await session.post('Profiler.takePreciseCoverage');
  await ask();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  return result
    .filter(({ url }) => url.startsWith('file:') && fileURLToPath(url).startsWith(DIST))
    .flatMap(({ url, functions }) =>
      functions
        // The function at 0 is the module itself.
        .filter(({ ranges }) => ranges[0].startOffset > 0 && ranges[0].count > 0)
        .map(
          ({ ranges }) => `${path.relative(DIST, fileURLToPath(url)).replace(/\.js$/, '.ts')} ${ranges[0].startOffset}`,
        ),
    );
};
let called = new Set(await walk());
const filesCalled = () => new Set([...called].map((each) => each.split(' ')[0])).size;
// On a busy machine a timer may come into every one of the first walks.
for (let i = 1; i < WALKS || (i < MOST_WALKS && filesCalled() > most); i++) {
  const again = new Set(await walk());
  called = new Set([...called].filter((each) => again.has(each)));
}

const counts = new Map();
for (const file of [...called].map((each) => each.split(' ')[0])) counts.set(file, (counts.get(file) ?? 0) + 1);
for (const [file, count] of [...counts].sort(([a], [b]) => a.localeCompare(b))) {
  console.log(`${String(count).padStart(4)}  src/${file}`);
}
console.log(`${request}: ${called.size} functions in ${counts.size} files`);

if (counts.size > most) {
  console.error(`more than ${most} files: a reader has to open each of them`);
  process.exitCode = 1;
}

await gateway.close();
rmSync(state, { recursive: true, force: true });
