/** Writes the console into dist/console: what the gateway serves under /console/. dist/.console-inputs.json is for notices.js. */
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { bundleConsole } from './bundle-console.js';

const TARGET = path.resolve(import.meta.dirname, '../../dist/console');

const files = await bundleConsole((inputs) => {
  mkdirSync(path.dirname(TARGET), { recursive: true });
  writeFileSync(path.join(TARGET, '../.console-inputs.json'), JSON.stringify(inputs));
});
// Suites of browser tests build at the same time: each file is whole at any moment, and only what no build has is removed.
mkdirSync(TARGET, { recursive: true });
for (const [name, bytes] of files) {
  const written = path.join(TARGET, `../.${process.pid}-${name}`);
  writeFileSync(written, bytes);
  renameSync(written, path.join(TARGET, name));
}
const names = new Set([...files].map(([name]) => name));
for (const name of readdirSync(TARGET)) if (!names.has(name)) rmSync(path.join(TARGET, name), { force: true });
