/**
 * `npx tsx test/security/check-defences.ts [TEXT]`: takes the defences out one at a time, in a copy of the repository, and sees whether the
 * test that stands for each fails. Prints a table in Markdown; ends with 1 when a test does not notice, or fails anyhow.
 * TEXT picks the attacks whose names hold it. Build the package first: some tests look for the guide in `dist`.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { MUTATIONS } from './mutations.js';
import type { Mutation } from './mutations.js';

/** What the tests need of the repository. */
const COPIED = ['src', 'test', 'config', 'openapi.yaml', 'package.json', 'tsconfig.json'];
/** What they only read. */
const LINKED = ['node_modules', 'dist'];
/** A mutated test that hangs has noticed as well. */
const TIMEOUT_MS = 90_000;
/** For whole test files with every defence in place, on a busy machine. */
const WHOLE_TIMEOUT_MS = 600_000;

const repository = path.resolve(import.meta.dirname, '../..');
const copy = mkdtempSync(path.join(tmpdir(), 'pmgate-defences-'));
const chosen = MUTATIONS.filter(({ attack }) => attack.includes(process.argv[2] ?? ''));

try {
  for (const name of COPIED) cpSync(path.join(repository, name), path.join(copy, name), { recursive: true });
  for (const name of LINKED) symlinkSync(path.join(repository, name), path.join(copy, name));
  process.exitCode = check();
} finally {
  rmSync(copy, { recursive: true });
}

function check(): number {
  const broken = [...new Set(chosen.map(({ test }) => test))].filter((test) => !passes(test, undefined, 'inherit'));
  if (broken.length > 0) console.log(`Fails with every defence in place, and shows nothing: ${broken.join(', ')}\n`);
  console.log('| defence against | taken out in | test | noticed |\n|---|---|---|---|');
  const shown = chosen.filter(({ test }) => !broken.includes(test));
  let missed = 0;
  for (const mutation of shown) {
    const isNoticed = isCaught(mutation);
    if (!isNoticed) missed++;
    const files = [...new Set(mutation.edits.map(([file]) => file))].join(', ');
    console.log(`| ${mutation.attack} | ${files} | ${mutation.test} | ${isNoticed ? 'yes' : 'NO'} |`);
  }
  console.log(`\n${shown.length - missed} of ${chosen.length} noticed`);
  return missed === 0 && broken.length === 0 ? 0 : 1;
}

function isCaught({ attack, edits, test, named }: Mutation): boolean {
  const before = new Map(edits.map(([file]) => [file, readFileSync(path.join(copy, file), 'utf8')]));
  try {
    for (const [file, from, to] of edits) {
      const text = readFileSync(path.join(copy, file), 'utf8');
      if (text.split(from).length !== 2) throw new Error(`${attack}: ${file} does not hold this once: ${from}`);
      writeFileSync(
        path.join(copy, file),
        text.replace(from, () => to),
      );
    }
    return !passes(test, named);
  } finally {
    for (const [file, text] of before) writeFileSync(path.join(copy, file), text);
  }
}

function passes(test: string, named?: string, output: 'ignore' | 'inherit' = 'ignore'): boolean {
  const jest = ['--experimental-vm-modules', '--no-warnings', 'node_modules/jest/bin/jest.js'];
  const only = named === undefined ? [] : ['-t', named];
  const config = [
    '--config',
    'config/tooling/jest.config.js',
    '--runInBand',
    '--forceExit',
    '--silent',
    '--testTimeout=20000',
  ];
  const { status } = spawnSync(process.execPath, [...jest, ...config, test, ...only], {
    cwd: copy,
    stdio: ['ignore', 'ignore', output],
    timeout: named === undefined && output === 'inherit' ? WHOLE_TIMEOUT_MS : TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
  return status === 0;
}
