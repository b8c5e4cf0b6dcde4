/** What the package for npm takes, as `npm pack` makes it of the built clone. */
import { execFileSync } from 'node:child_process';
import { BUDGETS } from './budgets.js';
import { heading, report } from './support/report.js';

const MBYTE = 1e6;

const packed = execFileSync('npm', ['pack', '--dry-run', '--ignore-scripts', '--json'], { encoding: 'utf8' });
const [{ size, unpackedSize, entryCount }] = JSON.parse(packed) as [
  { size: number; unpackedSize: number; entryCount: number },
];

heading('the package for npm');
report({ name: 'packed', value: size / MBYTE, unit: 'Mbyte', budget: BUDGETS.packagePacked.limit });
report({ name: 'installed', value: unpackedSize / MBYTE, unit: 'Mbyte', budget: BUDGETS.packageUnpacked.limit });
report({ name: 'files', value: entryCount, unit: '', budget: BUDGETS.packageFiles.limit });
