import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '../..');
/** What is of use in a clone only: scripts would be shown to who installs the package, and run with a package from git. */
const OF_CLONES = ['scripts', 'devDependencies', 'overrides', 'allowScripts', 'scarfSettings'];

/**
 * Packs the package for npm, with a package.json that has no scripts and nothing to install. `npm pack` in a clone has the same files.
 * @param {string} out the directory to write to
 * @returns {string} the tarball
 */
export function makeNpmPackage(out) {
  const stage = mkdtempSync(path.join(os.tmpdir(), 'pmgate-npm-'));
  try {
    const manifest = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
    const [{ files }] = JSON.parse(npm(ROOT, 'pack', '--dry-run'));
    for (const { path: file } of files) cpSync(path.join(ROOT, file), path.join(stage, file));
    for (const name of OF_CLONES) delete manifest[name];
    writeFileSync(path.join(stage, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
    const [{ filename }] = JSON.parse(npm(stage, 'pack', '--pack-destination', out));
    return path.join(out, filename);
  } finally {
    rmSync(stage, { recursive: true });
  }
}

function npm(cwd, ...words) {
  return execFileSync('npm', [...words, '--json', '--ignore-scripts'], { cwd, encoding: 'utf8' });
}
