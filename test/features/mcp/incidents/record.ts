/**
 * Makes the fixtures of incidents from recordings of trouble: `npm run troubles -- --keep DIR`, on a quiet machine, then
 *
 *   node --import tsx test/features/mcp/incidents/record.ts DIR [NAME...]
 *
 * Each becomes KIND/archive.*, compressed, and KIND/truth.json. The name of the machine, the paths of its control groups and the NAMEs, of
 * processes that shall not be known, are replaced by others of the same length.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const [from = '', ...names] = process.argv.slice(2);
const here = import.meta.dirname;

/** Where the label of an archive has the host. */
const HOST_AT = 36;
const HOST = 'web1';

/** Replaces what belongs to this machine alone by as many bytes. */
function harmless(bytes: Buffer): Buffer {
  let text = bytes
    .toString('latin1')
    .replaceAll(/\/[a-z]\w*\/[0-9a-f]{32}/g, (found) => `/service/${'0'.repeat(99)}`.slice(0, found.length));
  for (const name of names) text = text.replaceAll(name, 'daemon'.padEnd(name.length, '-').slice(0, name.length));
  const changed = Buffer.from(text, 'latin1');
  const own = os.hostname();
  if (text.startsWith(`${own}\0`, HOST_AT)) changed.write(HOST.padEnd(own.length, '\0'), HOST_AT, 'latin1');
  return changed;
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
