/**
 * Makes what people install, of what `npm run build` made: `npm run package -- npm|single-file|deb|image [--out DIR] [--node FILE]`.
 * Two runs give the same bytes: times are those of the commit, or of SOURCE_DATE_EPOCH. PACKAGES.md is the page for users.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { makeDebianPackage } from './debian.js';
import { makeImage } from './image.js';
import { makeNpmPackage } from './npm-package.js';
import { makeSingleFile } from './single-file.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const { values, positionals } = parseArgs({
  options: { out: { type: 'string', default: 'dist/packages' }, node: { type: 'string', default: process.execPath } },
  allowPositionals: true,
});
const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
const out = path.resolve(values.out);
mkdirSync(out, { recursive: true });
process.env.SOURCE_DATE_EPOCH ??= execFileSync('git', ['log', '-1', '--format=%ct'], {
  cwd: ROOT,
  encoding: 'utf8',
}).trim();
process.env.TZ = 'UTC';

/** The processor that an executable is for, as Node calls it: bytes 18 and 19 of its ELF header. */
function processorOf(executable) {
  const machine = readFileSync(executable).readUInt16LE(18);
  const name = { 0x3e: 'x64', 0xb7: 'arm64' }[machine];
  if (!name) throw new Error(`${executable} is for a processor that is not supported (ELF machine ${machine})`);
  return name;
}

const processor = processorOf(values.node);
const singleFile = path.join(out, `pmgate-${version}-linux-${processor}`);
let isMade = false;
const making = {
  npm: () => makeNpmPackage(out),
  'single-file': async () => {
    if (!isMade) await makeSingleFile(singleFile, values.node);
    isMade = true;
    return singleFile;
  },
  deb: async () => makeDebianPackage(out, await making['single-file'](), version, processor),
  image: async () => makeImage(out, await making['single-file'](), version, processor),
};
if (positionals.length === 0 || positionals.some((name) => !(name in making)))
  throw new Error(`usage: npm run package -- ${Object.keys(making).join('|')} [--out DIR] [--node FILE]`);
for (const name of positionals) console.log(await making[name]());
