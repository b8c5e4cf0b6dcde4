import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';

/** Run the benchmarks whose name holds the argument (all without one), each in a process of its own. */
const wanted = process.argv[2] ?? '';
const files = readdirSync(new URL('.', import.meta.url)).filter((f) => f.endsWith('.bench.ts') && f.includes(wanted));
console.log(
  `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? '?'}, ${Math.round(totalmem() / 2 ** 30)} GiB`,
);
let failed = 0;
for (const file of files) {
  console.log(`\n## ${file}`);
  const { status } = spawnSync(process.execPath, ['--expose-gc', '--import', 'tsx', `test/bench/${file}`], {
    stdio: 'inherit',
  });
  if (status !== 0) failed++;
}
process.exitCode = failed === 0 ? 0 : 1;
