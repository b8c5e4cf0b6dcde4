import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';

const CACHE = 'node_modules/.cache';

let directory: string | undefined;

afterAll(() => {
  if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
});

/** The path of the program, bundled from the sources as they are: once per suite, in a directory below node_modules, where it finds its packages. */
export function bundledProgram(): string {
  if (directory === undefined) {
    mkdirSync(CACHE, { recursive: true });
    directory = mkdtempSync(path.join(CACHE, 'pmgate-test-'));
    execFileSync(process.execPath, ['test/support/bundle-program.js', directory]);
  }
  return path.join(directory, 'pmgate.js');
}
