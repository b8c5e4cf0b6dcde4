/**
 * What npm runs after `npm ci`, and when the package is packed or installed from git: the build. `npm ci --omit=dev` leaves the build
 * tools out: a clone that is built already is left as it is then, and for another one they are installed for as long as the build takes.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '../..');
const hasTools = ['typescript', 'esbuild', 'marked'].every((tool) => existsSync(path.join(ROOT, 'node_modules', tool)));
const isBuilt = existsSync(path.join(ROOT, 'dist/pmgate.js'));

function npm(...words) {
  execFileSync('npm', words, { cwd: ROOT, stdio: 'inherit' });
}

if (hasTools) npm('run', 'build');
else if (!isBuilt) {
  // Without scripts, or this one would be run again.
  npm('ci', '--include=dev', '--ignore-scripts');
  npm('run', 'build');
  npm('prune', '--omit=dev', '--ignore-scripts');
}
