/**
 * Lists which of our files run for one plain fetch, and how many of their functions: `npm run walk`. One GET of one metric of this machine, of a
 * gateway that is warm, counted by V8's precise coverage over the modules in dist/. Another request: `npm run walk -- '/pmapi/metric?name=hinv.ncpu'`.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const DIST = path.resolve(import.meta.dirname, '../../dist');
const WARM_UP = 30;
/** How long what runs beside requests (timers of caches, statistics) gets to come to rest, in milliseconds. */
const REST_MS = 500;

const request = process.argv[2] ?? '/pmapi/fetch?names=kernel.all.load';
if (!existsSync(path.join(DIST, 'index.js'))) throw new Error('dist/ is missing: npm run build');
const { createLog, Gateway, loadConfig } = await import(path.join(DIST, 'index.js'));

const state = mkdtempSync(path.join(os.tmpdir(), 'pmgate-walk-'));
const flags = { 'listen.port': '0', 'local.source': 'embedded', 'state.directory': state };
const log = await createLog('silent', undefined, { write: () => undefined });
const gateway = await Gateway.create({ config: loadConfig({ flags }), log });
const { port } = await gateway.listen();
const ask = async () => {
  const answer = await fetch(`http://127.0.0.1:${port}${request}`);
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
};
for (let i = 0; i < WARM_UP; i++) await ask();
await rest(REST_MS);

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
await ask();
const { result } = await session.post('Profiler.takePreciseCoverage');

const files = [];
for (const { url, functions } of result) {
  if (!url.startsWith('file:') || !fileURLToPath(url).startsWith(DIST)) continue;
  const count = functions.filter(({ functionName, ranges }) => functionName !== '' && ranges[0].count > 0).length;
  if (count > 0) files.push({ file: path.relative(DIST, fileURLToPath(url)).replace(/\.js$/, '.ts'), count });
}
files.sort((a, b) => a.file.localeCompare(b.file));
for (const { file, count } of files) console.log(`${String(count).padStart(4)}  src/${file}`);
const functions = files.reduce((sum, { count }) => sum + count, 0);
console.log(`${request}: ${functions} functions in ${files.length} files`);

await gateway.close();
rmSync(state, { recursive: true, force: true });
