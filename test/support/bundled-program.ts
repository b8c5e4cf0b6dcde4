import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';

const CACHE = 'node_modules/.cache';

let directory: string | undefined;
const made = new Set<string>();

afterAll(() => {
  if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
});

/**
 * The absolute path of the program, or of another entry, bundled from the sources as they are: once per suite, in a directory below
 * node_modules, where it finds its packages.
 */
export function bundledProgram(entry = 'src/main.ts'): string {
  mkdirSync(CACHE, { recursive: true });
  directory ??= mkdtempSync(path.join(path.resolve(CACHE), 'pmgate-test-'));
  const name = path.basename(entry, '.ts');
  if (!made.has(entry))
    execFileSync(process.execPath, ['test/support/bundle-program.js', path.join(directory, name), entry]);
  made.add(entry);
  return path.join(directory, name, `${name}.js`);
}
