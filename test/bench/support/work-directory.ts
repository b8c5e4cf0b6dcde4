import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** A new directory, which is gone once the process has ended. */
export function workDirectory(parent = os.tmpdir()): string {
  const directory = mkdtempSync(path.join(parent, 'pmgate-bench-'));
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
