import { execFileSync } from 'node:child_process';
import { existsSync, renameSync } from 'node:fs';
import path from 'node:path';

/**
 * The absolute path of the program, or of another entry, bundled from the sources as they are: once per run, in a directory below
 * node_modules, where it finds its packages.
 */
export function bundledProgram(entry = 'src/main.ts'): string {
  const directory = path.join(process.env.PROGRAMS_OF_TESTS!, entry.replaceAll('/', '-'));
  if (!existsSync(directory)) {
    const own = `${directory}.${process.pid}`;
    execFileSync(process.execPath, ['test/support/bundle-program.js', own, entry]);
    try {
      renameSync(own, directory);
    } catch (error) {
      // A suite in another process may have made it meanwhile.
      if (!existsSync(directory)) throw error;
    }
  }
  return path.join(directory, `${path.basename(entry, '.ts')}.js`);
}
