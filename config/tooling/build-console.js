/** Writes the console into dist/console: what the gateway serves under /console/. dist/.console-inputs.json is for notices.js. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { bundleConsole } from './bundle-console.js';

const TARGET = path.resolve(import.meta.dirname, '../../dist/console');

const files = await bundleConsole((inputs) => {
  mkdirSync(path.dirname(TARGET), { recursive: true });
  writeFileSync(path.join(TARGET, '../.console-inputs.json'), JSON.stringify(inputs));
});
rmSync(TARGET, { recursive: true, force: true });
mkdirSync(TARGET, { recursive: true });
for (const [name, bytes] of files) writeFileSync(path.join(TARGET, name), bytes);
