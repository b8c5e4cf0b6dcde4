import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** A directory of a test file's own. */
export interface TemporaryDirectory {
  readonly path: string;
  /** Write a file into it; answers its path. */
  write(name: string, bytes: Uint8Array | string): string;
  /** Make an empty directory in it, for a single test; answers its path. */
  fresh(): string;
}

/** Make a directory that is gone once all tests of the file have run. */
export function temporaryDirectory(): TemporaryDirectory {
  const directory = mkdtempSync(path.join(os.tmpdir(), 'pmgate-test-'));
  let count = 0;
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  return {
    path: directory,
    write(name, bytes) {
      const file = path.join(directory, name);
      writeFileSync(file, bytes);
      return file;
    },
    fresh() {
      const own = path.join(directory, String(++count));
      mkdirSync(own);
      return own;
    },
  };
}
