/**
 * Makes the fixtures of incidents from recordings of trouble: `npm run troubles -- --keep DIR`, on a quiet machine, then
 *
 *   node --import tsx test/features/mcp/incidents/record.ts DIR
 *
 * Each becomes KIND/archive.*, compressed, and KIND/truth.json. The name of the machine and the paths of its control groups are replaced
 * by others of the same length.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const [from = ''] = process.argv.slice(2);
const here = import.meta.dirname;

/** Replaces bytes by as many others. */
function harmless(bytes: Buffer): Buffer {
  let text = bytes
    .toString('latin1')
    .replaceAll(/\/[a-z]\w*\/[0-9a-f]{32}/g, (found) => `/service/${'0'.repeat(99)}`.slice(0, found.length));
  // The host of an archive is a field of fixed width.
  const host = os.hostname();
  const known = text.indexOf(`${host}\0`, 36);
  if (known === 36)
    text = `${text.slice(0, 36)}${'web1'.padEnd(Math.max(4, host.length), '\0')}${text.slice(36 + Math.max(4, host.length))}`;
  return Buffer.from(text, 'latin1');
}

for (const run of readdirSync(from)) {
  const kind = run.replace(/-\d+$/, '');
  const target = path.join(here, kind);
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target);
  for (const name of readdirSync(path.join(from, run))) {
    const bytes = readFileSync(path.join(from, run, name));
    const suffix = /\.(\d+|meta|index)$/.exec(name)?.[1];
    if (suffix === undefined) writeFileSync(path.join(target, name), bytes);
    else if (suffix === 'index') writeFileSync(path.join(target, 'archive.index'), harmless(bytes));
    else {
      const xz = execFileSync('xz', ['-9e', '-c'], { input: harmless(bytes), maxBuffer: 1e8 });
      writeFileSync(path.join(target, `archive.${suffix}.xz`), xz);
    }
  }
}
