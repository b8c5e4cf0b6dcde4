/**
 * `npx tsx test/security/check-defences.ts [TEXT]`: mutation testing of the five files that keep strangers out. In a copy of the repository,
 * each condition of an `if` becomes false in turn, and each returned comparison true; the tests of that file must then fail. Prints the
 * mutants that survived, with their lines, and ends with 1 if there are any. TEXT selects files by a part of their path.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import ts from 'typescript';

const FILES: readonly (readonly [file: string, tests: readonly string[]])[] = [
  ['src/access/access-control.ts', ['test/access', 'test/api/access.test.ts']],
  ['src/sources/filtered-source.ts', ['test/sources/filtered-source.test.ts', 'test/security/role-escapes.test.ts']],
  [
    'src/gateway/targets/host-policy.ts',
    ['test/gateway/targets/host-policy.test.ts', 'test/security/scanning.test.ts'],
  ],
  ['src/features/push/push-receiver.ts', ['test/features/push', 'test/security/attacks.test.ts']],
  [
    'src/http/guards/web-pages.ts',
    ['test/api/access.test.ts', 'test/security/attacks.test.ts', 'test/api/http.test.ts'],
  ],
];
/** A mutant that makes a test wait for ever was noticed. */
const TIMEOUT_MS = 180_000;

interface Mutant {
  readonly line: number;
  readonly from: string;
  readonly to: string;
  readonly text: string;
}

const repository = path.resolve(import.meta.dirname, '../..');
const copy = mkdtempSync(path.join(tmpdir(), 'pmgate-defences-'));
try {
  for (const name of ['src', 'test', 'config', 'openapi.yaml', 'package.json', 'tsconfig.json'])
    cpSync(path.join(repository, name), path.join(copy, name), { recursive: true });
  for (const name of ['node_modules', 'dist']) symlinkSync(path.join(repository, name), path.join(copy, name));
  const survivors = FILES.filter(([file]) => file.includes(process.argv[2] ?? '')).map(([file, tests]) =>
    check(file, tests),
  );
  process.exitCode = survivors.some((n) => n > 0) ? 1 : 0;
} finally {
  rmSync(copy, { recursive: true });
}

function check(file: string, tests: readonly string[]): number {
  const original = readFileSync(path.join(repository, file), 'utf8');
  if (!passes(tests)) throw new Error(`${tests.join(', ')} fail without a mutation`);
  const mutants = mutantsOf(file, original);
  const survivors = mutants.filter(({ text }) => {
    writeFileSync(path.join(copy, file), text);
    return passes(tests);
  });
  writeFileSync(path.join(copy, file), original);
  console.log(`${file}: ${mutants.length - survivors.length} of ${mutants.length} mutants noticed`);
  for (const { line, from, to } of survivors) console.log(`  line ${line}: ${from} → ${to}`);
  return survivors.length;
}

function mutantsOf(file: string, original: string): Mutant[] {
  const source = ts.createSourceFile(file, original, ts.ScriptTarget.Latest, true);
  const mutants: Mutant[] = [];
  const replace = (node: ts.Node, to: string) => {
    mutants.push({
      line: source.getLineAndCharacterOfPosition(node.getStart()).line + 1,
      from: node.getText(),
      to,
      text: original.slice(0, node.getStart()) + to + original.slice(node.getEnd()),
    });
  };
  const visit = (node: ts.Node) => {
    if (ts.isIfStatement(node)) replace(node.expression, 'false');
    if (ts.isReturnStatement(node) && node.expression && ts.isBinaryExpression(node.expression)) {
      const { kind } = node.expression.operatorToken;
      if (isComparison(kind)) replace(node.expression, 'true');
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return mutants;
}

function isComparison(kind: ts.SyntaxKind): boolean {
  return (
    (kind >= ts.SyntaxKind.LessThanToken && kind <= ts.SyntaxKind.ExclamationEqualsEqualsToken) ||
    kind === ts.SyntaxKind.AmpersandAmpersandToken
  );
}

function passes(tests: readonly string[]): boolean {
  const { status } = spawnSync(
    process.execPath,
    [
      ...['--experimental-vm-modules', '--no-warnings', 'node_modules/jest/bin/jest.js'],
      ...['--config', 'config/tooling/jest.config.js', '--forceExit', '--silent', '--bail', '--testTimeout=20000'],
      ...tests,
    ],
    { cwd: copy, stdio: 'ignore', timeout: TIMEOUT_MS, killSignal: 'SIGKILL' },
  );
  return status === 0;
}
