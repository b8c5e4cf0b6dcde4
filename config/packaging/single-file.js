import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';
import { inject } from 'postject';

const ROOT = path.resolve(import.meta.dirname, '../..');
/** Where the package's files seem to be for the program. */
const PACKAGE_ROOT = '/pmgate-package';
const SHIM = path.join(import.meta.dirname, 'embedded-files.js');
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

/**
 * Makes one executable of the program, its files and Node. `npm run build` has made dist/.
 * @param {string} target the file to write
 * @param {string} node the executable of Node to put it into: of this processor or another, of the release that runs this
 */
export async function makeSingleFile(target, node) {
  const work = mkdtempSync(path.join(os.tmpdir(), 'pmgate-single-'));
  try {
    const files = embeddedFiles();
    const main = path.join(work, 'pmgate.cjs');
    await bundle(main, files);
    const settings = {
      // Node keeps this name in what it makes: the directory's is another one each time.
      main: path.basename(main),
      output: 'pmgate.blob',
      disableExperimentalSEAWarning: true,
      // It would be of this processor only, and not the same each time.
      useCodeCache: false,
      assets: Object.fromEntries(files.map((file) => [file, path.join(ROOT, file)])),
    };
    writeFileSync(path.join(work, 'settings.json'), JSON.stringify(settings));
    execFileSync(process.execPath, ['--experimental-sea-config', 'settings.json'], {
      cwd: work,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    copyFileSync(node, target);
    chmodSync(target, 0o755);
    await inject(target, 'NODE_SEA_BLOB', readFileSync(path.join(work, settings.output)), { sentinelFuse: FUSE });
  } finally {
    rmSync(work, { recursive: true });
  }
}

/** The files of the package that the program reads, and the program itself, in order of name. */
function embeddedFiles() {
  const { files } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  return [...files.filter((file) => !file.includes('*')), 'package.json']
    .flatMap((file) =>
      statSync(path.join(ROOT, file)).isDirectory()
        ? readdirSync(path.join(ROOT, file), { recursive: true }).map((name) => path.join(file, name))
        : [file],
    )
    .filter((file) => statSync(path.join(ROOT, file)).isFile())
    .sort();
}

/** src/start.ts as the CommonJS module that Node's single executables run, with the file system and the modules of embedded-files.js. */
function bundle(outfile, files) {
  const embedded = {
    name: 'embedded',
    setup(bundler) {
      bundler.onResolve({ filter: /^node:(fs|module)$/ }, ({ path: name }) => ({ path: name, namespace: 'embedded' }));
      bundler.onLoad({ filter: /.*/, namespace: 'embedded' }, ({ path: name }) => ({
        contents: `module.exports = require(${JSON.stringify(SHIM)}).embedded[${JSON.stringify(name)}];`,
        resolveDir: ROOT,
      }));
    },
  };
  return build({
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    entryPoints: [path.join(ROOT, 'dist/pmgate.js')],
    outfile,
    absWorkingDir: ROOT,
    define: {
      'import.meta.url': JSON.stringify(`file://${PACKAGE_ROOT}/dist/pmgate.js`),
      PACKAGE_ROOT: JSON.stringify(PACKAGE_ROOT),
      FILES: JSON.stringify(files),
    },
    plugins: [embedded],
    logLevel: 'warning',
  });
}
