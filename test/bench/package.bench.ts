/** What the package for npm takes, as `npm run package` makes it of the built clone, and how soon npx has started it. */
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { BUDGETS } from './budgets.js';
import { firstAnswer } from './support/first-answer.js';
import { heading, IS_QUICK, median, report } from './support/report.js';
import { workDirectory } from './support/work-directory.js';

const MBYTE = 1e6;
const ROUNDS = IS_QUICK ? 1 : 5;

const packed = execFileSync('npm', ['pack', '--dry-run', '--ignore-scripts', '--json'], { encoding: 'utf8' });
const [{ size, unpackedSize, entryCount }] = JSON.parse(packed) as [
  { size: number; unpackedSize: number; entryCount: number },
];

heading('the package for npm');
report('packed', size / MBYTE, 'Mbyte', BUDGETS.packagePacked.limit);
report('installed', unpackedSize / MBYTE, 'Mbyte', BUDGETS.packageUnpacked.limit);
report('files', entryCount, '', BUDGETS.packageFiles.limit);

const directory = workDirectory();
const made = ['config/packaging/package.js', 'npm', '--out', directory];
const tarball = execFileSync(process.execPath, made, { encoding: 'utf8' }).trim();
const words = ['--yes', `./${path.basename(tarball)}`];
execFileSync('npx', [...words, '--version'], { cwd: directory });
await firstAnswer('npx', words, { cwd: directory, isKept: true });
const started: number[] = [];
for (let round = 0; round < ROUNDS; round++) started.push((await firstAnswer('npx', words, { cwd: directory })).ms);
report('npx, first answer', median(started), 'ms', BUDGETS.packageStart.limit);
